#include "compiler/egraph/proof/ProofText.h"
#include <algorithm>
#include <fmt/format.h>

namespace zyxc::egraph {

namespace {

using Kind = ProofStep::Kind;

/// Writes terms of a table. A part that would be long has a name, so that a term stays a line
/// though it may be exponentially large when it is written out.
class TermWriter {
public:
  TermWriter(const TermTable &terms, const ProofNames &names) : terms(terms), names(names) {
    for (TermId term = 0; term < terms.size(); ++term) {
      uint32_t sum = 1;
      for (TermId operand : terms.operands(term)) {
        sum += size[operand] > longest ? 1 : size[operand];
      }
      size.push_back(sum);
    }
  }

  std::string write(TermId term) {
    std::string text = names.label(terms.op(term), terms.payload(term));
    if (terms.operands(term).empty() && names.isWord(terms.op(term))) {
      return text;
    }
    text = "(" + text;
    for (TermId operand : terms.operands(term)) {
      text += " " + (size[operand] > longest ? name(operand) : write(operand));
    }
    return text + ")";
  }

  /// The names that were used, a line each; more may come while they are written.
  std::string definitions() {
    std::string text;
    for (size_t next = 0; next < named.size(); ++next) {
      text += fmt::format("  #{} = {}\n", next + 1, write(named[next]));
    }
    return text;
  }

private:
  static constexpr uint32_t longest = 30; ///< ops in a part without a name

  std::string name(TermId term) {
    auto [entry, isNew] = numberOf.try_emplace(term, named.size() + 1);
    if (isNew) {
      named.push_back(term);
    }
    return fmt::format("#{}", entry->second);
  }

  const TermTable &terms;
  const ProofNames &names;
  std::vector<uint32_t> size; ///< as it is written
  std::vector<TermId> named;
  std::unordered_map<TermId, size_t> numberOf;
};

std::string nameOf(const Proof &proof, const FlatProof &flat, const ProofNames &names,
                   const Rewrite &rewrite) {
  const ProofStep &step = proof.steps[rewrite.step];
  std::string name;
  switch (step.kind) {
  case Kind::Rule: name = names.rule(step.id); break;
  case Kind::Swap: name = "commutative"; break;
  case Kind::Given: name = fmt::format("given {}", step.id); break;
  default: name = fmt::format("lemma {}", flat.lemmaOf(rewrite.step) + 1); break;
  }
  return rewrite.isBackwards && step.kind != Kind::Swap ? name + " backwards" : name;
}

/// ", where lemma 2 and lemma 3 hold": the premises of a rule that are no mere instances.
std::string conditionsOf(const Proof &proof, const FlatProof &flat, const ProofStep &step) {
  std::string text;
  if (step.kind == Kind::Rule) {
    for (StepId premise : step.premises) {
      if (proof.steps[premise].kind != Kind::Reflexivity) {
        text += fmt::format("{}lemma {}", text.empty() ? ", by " : ", ", flat.lemmaOf(premise) + 1);
      }
    }
  }
  return text;
}

std::string chainText(const Proof &proof, const FlatProof &flat, const ProofNames &names,
                      TermWriter &writer, const RewriteChain &chain) {
  constexpr size_t widest = 60;
  std::vector<std::string> lines;
  size_t width = 0;
  for (const Rewrite &rewrite : chain.rewrites) {
    lines.push_back(writer.write(rewrite.term));
    width = std::max(width, std::min(lines.back().size(), widest));
  }
  std::string text = fmt::format("  {}\n", writer.write(chain.first));
  for (size_t i = 0; i < lines.size(); ++i) {
    const Rewrite &rewrite = chain.rewrites[i];
    text += fmt::format("= {:<{}}    {}{}\n", lines[i], width, nameOf(proof, flat, names, rewrite),
                        conditionsOf(proof, flat, proof.steps[rewrite.step]));
  }
  return text;
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
    }
    result +=
        static_cast<unsigned char>(c) < 0x20 ? fmt::format("\\u{:04x}", c) : std::string(1, c);
  }
  return result + "\"";
}

template <class Numbers> std::string jsonList(std::string_view name, const Numbers &numbers) {
  return numbers.empty() ? "" : fmt::format(R"(,"{}":[{}])", name, fmt::join(numbers, ","));
}

} // namespace

std::string toText(const Proof &proof, const ProofNames &names) {
  FlatProof flat = flatten(proof);
  TermWriter writer(flat.terms, names);
  std::string text = chainText(proof, flat, names, writer, flat.chain);
  for (size_t i = 0; i < flat.lemmas.size(); ++i) {
    text += fmt::format("\nlemma {}:\n", i + 1);
    text += chainText(proof, flat, names, writer, flat.lemmas[i]);
  }
  std::string definitions = writer.definitions();
  return definitions.empty() ? text : fmt::format("{}\nwhere\n{}", text, definitions);
}

std::string rulesInOrder(const Proof &proof, const ProofNames &names, size_t most) {
  FlatProof flat = flatten(proof);
  std::vector<bool> isOpened(flat.lemmas.size());
  struct Place {
    const RewriteChain *chain;
    size_t next;
  };
  std::vector<Place> stack = {{&flat.chain, 0}};
  std::string text;
  size_t count = 0;
  while (!stack.empty()) {
    auto &[chain, next] = stack.back();
    if (next == chain->rewrites.size()) {
      stack.pop_back();
      continue;
    }
    const Rewrite &rewrite = chain->rewrites[next++];
    const ProofStep &step = proof.steps[rewrite.step];
    bool isLemma = flat.lemmaOf(rewrite.step) < flat.lemmas.size();
    if (!isLemma) {
      if (count++ == most) {
        return text + ", ...";
      }
      text += (text.empty() ? "" : ", ") + nameOf(proof, flat, names, rewrite);
    }
    // A lemma, or what the premises of a rule rest on, is opened where it is used first.
    std::vector<StepId> below =
        isLemma ? std::vector<StepId>{rewrite.step} : std::vector<StepId>(step.premises);
    for (StepId premise : below) {
      size_t lemma = flat.lemmaOf(premise);
      if (lemma < flat.lemmas.size() && !isOpened[lemma]) {
        isOpened[lemma] = true;
        stack.push_back({&flat.lemmas[lemma], 0});
      }
    }
  }
  return text;
}

std::string toJson(const Proof &proof, const ProofNames &names) {
  std::vector<std::string> terms, steps;
  for (TermId term = 0; term < proof.terms.size(); ++term) {
    terms.push_back(fmt::format(
        R"({{"op":{}{}}})", quoted(names.label(proof.terms.op(term), proof.terms.payload(term))),
        jsonList("operands", proof.terms.operands(term))));
  }
  for (const ProofStep &step : proof.steps) {
    std::string text = fmt::format(R"({{"kind":"{}","left":{},"right":{})", toString(step.kind),
                                   step.left, step.right);
    text += jsonList("premises", step.premises);
    if (step.kind == Kind::Rule) {
      text += fmt::format(R"(,"rule":{},"conclusion":{})", quoted(names.rule(step.id)),
                          step.conclusion);
      text += jsonList("substitution", step.substitution);
    } else if (step.kind == Kind::Given) {
      text += fmt::format(R"(,"given":{})", step.id);
    }
    steps.push_back(text + "}");
  }
  return fmt::format(R"({{"left":{},"right":{},"terms":[{}],"steps":[{}]}})", proof.left,
                     proof.right, fmt::join(terms, ","), fmt::join(steps, ","));
}

} // namespace zyxc::egraph
