#include "compiler/egraph/pattern/Applier.h"
#include <algorithm>

namespace zyxc::egraph {

Applier::Applier(const Rule &rule, uint32_t index, std::span<const uint32_t> columns)
    : index(index) {
  auto columnOf = [&](uint32_t variable) {
    return static_cast<uint32_t>(std::ranges::lower_bound(columns, variable) - columns.begin());
  };
  for (const Conclusion &conclusion : rule.conclusions) {
    Source cls = {Source::Kind::Column, columnOf(conclusion.cls)};
    const PatternTerm &root = conclusion.pattern.terms[0];
    Step last;
    if (root.isVariable()) {
      last = {Step::Kind::Unite, 0, 0, {compile(conclusion.pattern, 0, columns)}, cls};
    } else {
      last = nodeStep(conclusion.pattern, 0, columns);
      last.kind = Step::Kind::NodeInClass;
      last.cls = cls;
    }
    steps.push_back(std::move(last));
  }
}

uint32_t Applier::ground(const Pattern &pattern, uint32_t term) {
  const PatternTerm &place = pattern.terms[term];
  GroundTerm made = {place.op, place.payload, {}};
  for (uint32_t child : place.children) {
    made.children.push_back(ground(pattern, child));
  }
  groundTerms.push_back(std::move(made));
  return static_cast<uint32_t>(groundTerms.size() - 1);
}

Applier::Source Applier::compile(const Pattern &pattern, uint32_t term,
                                 std::span<const uint32_t> columns) {
  const PatternTerm &place = pattern.terms[term];
  if (place.isVariable()) {
    auto column = std::ranges::lower_bound(columns, place.variable) - columns.begin();
    return {Source::Kind::Column, static_cast<uint32_t>(column)};
  }
  if (pattern.isGround(term)) {
    return {Source::Kind::Ground, ground(pattern, term)};
  }
  steps.push_back(nodeStep(pattern, term, columns));
  return {Source::Kind::Step, static_cast<uint32_t>(steps.size() - 1)};
}

Applier::Step Applier::nodeStep(const Pattern &pattern, uint32_t term,
                                std::span<const uint32_t> columns) {
  const PatternTerm &place = pattern.terms[term];
  Step step = {Step::Kind::Node, place.op, place.payload, {}, {}};
  for (uint32_t child : place.children) {
    step.children.push_back(compile(pattern, child, columns));
  }
  return step;
}

inline Id Applier::read(Source source, size_t match) const {
  switch (source.kind) {
  case Source::Kind::Column: return block[match * blockWidth + source.place];
  case Source::Kind::Ground: return groundClasses[source.place];
  case Source::Kind::Step: return results[source.place * blockSize + match];
  }
  return none;
}

StopReason Applier::apply(EGraph &graph, const MatchTable &matches, const Budget &budget,
                          uint64_t matchesBefore, size_t otherBytes, RuleCount &count) {
  results.resize(steps.size() * blockSize);
  size_t total = matches.size();
  for (size_t done = 0; done < total;) {
    uint64_t nodes = graph.numNodes();
    if (nodes >= budget.maxNodes) {
      return StopReason::NodeLimit;
    }
    if (matchesBefore + done >= budget.maxMatches) {
      return StopReason::MatchLimit;
    }
    if (graph.memoryBytes() + otherBytes > budget.maxBytes) {
      return StopReason::MemoryLimit;
    }
    // Near a limit match by match, so that it is met as exactly as if all were.
    size_t size =
        std::min<uint64_t>({blockSize, total - done, budget.maxMatches - matchesBefore - done});
    uint64_t mostNodes = size * (steps.size() + groundTerms.size());
    size = nodes + mostNodes > budget.maxNodes ? 1 : size;
    uint32_t unions = graph.unionCount();
    applyBlock(graph, matches.values.data() + done * matches.width, matches.width, size);
    done += size;
    count.matches += size;
    count.unions += graph.unionCount() - unions;
    count.nodes += graph.numNodes() - nodes;
  }
  return StopReason::Saturated;
}

void Applier::applyBlock(EGraph &graph, const Id *matches, size_t width, size_t count) {
  block = matches;
  blockWidth = width;
  groundClasses.clear();
  Id operands[maxRegisters];
  for (const GroundTerm &term : groundTerms) {
    for (size_t i = 0; i < term.children.size(); ++i) {
      operands[i] = groundClasses[term.children[i]];
    }
    groundClasses.push_back(graph.add(term.op, term.payload, {operands, term.children.size()}));
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    runStep(graph, steps[i], i, count);
  }
}

void Applier::readAll(Source source, size_t count, Id *to) const {
  if (source.kind != Source::Kind::Column) {
    for (size_t match = 0; match < count; ++match) {
      to[match] = read(source, match);
    }
    return;
  }
  const Id *from = block + source.place;
  for (size_t match = 0; match < count; ++match, from += blockWidth) {
    to[match] = *from;
  }
}

// A step is run for all matches of the block, so that reads of memory overlap. Mostly all that is
// to be added is there.
void Applier::runStep(EGraph &graph, const Step &step, size_t place, size_t count) {
  Reason reason = Reason::rule(index);
  auto justify = [&](bool united, size_t match) {
    if (united && graph.keepsMatches()) {
      graph.justify({block + match * blockWidth, blockWidth});
    }
  };
  if (step.kind == Step::Kind::Unite) {
    for (size_t match = 0; match < count; ++match) {
      justify(graph.unite(read(step.cls, match), read(step.children[0], match), reason), match);
    }
    return;
  }
  forms.op = step.op;
  forms.payload = step.payload;
  forms.arity = static_cast<uint32_t>(step.children.size());
  for (size_t i = 0; i < std::min<size_t>(forms.arity, Forms::mostArity); ++i) {
    readAll(step.children[i], count, forms.operands[i].data());
  }
  graph.prepare(forms, count);
  Id operands[maxRegisters];
  auto readOperands = [&](size_t match) {
    for (size_t i = 0; i < step.children.size(); ++i) {
      operands[i] = read(step.children[i], match);
    }
    return std::span<const Id>(operands, step.children.size());
  };
  if (step.kind == Step::Kind::Node) {
    for (size_t match = 0; match < count; ++match) {
      Id known = graph.classOf(forms, match);
      results[place * blockSize + match] =
          known != none ? known : graph.add(step.op, step.payload, readOperands(match));
    }
    return;
  }
  for (size_t match = 0; match < count; ++match) {
    Id cls = read(step.cls, match);
    if (graph.classOf(forms, match) != graph.find(cls)) {
      justify(graph.addNodeTo(cls, step.op, step.payload, readOperands(match), reason), match);
    }
  }
}

} // namespace zyxc::egraph
