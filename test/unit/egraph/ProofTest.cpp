// Proofs are replayed by the checker, speak of the terms that were asked about, and are short.
#include "compiler/egraph/proof/FlatProof.h"
#include "runtime/support/File.h"
#include "test/unit/egraph/ProofRun.h"
#include "test/unit/egraph/RandomProgram.h"
#include <set>

using namespace zyxc;
using namespace zyxc::egraph;

namespace {

/// The term that a node was made with, in a table: the oracle for what a proof speaks of.
TermId originalTerm(const EGraph &graph, NodeId node, TermTable &terms) {
  std::vector<TermId> operands;
  for (Id child : graph.originalChildren(node)) {
    operands.push_back(originalTerm(graph, child, terms));
  }
  return terms.add(graph.op(node), graph.payload(node), operands);
}

bool sameTerm(const TermTable &a, TermId x, const TermTable &b, TermId y) {
  bool isSame = a.op(x) == b.op(y) && a.payload(x) == b.payload(y) &&
                a.operands(x).size() == b.operands(y).size();
  for (size_t i = 0; isSame && i < a.operands(x).size(); ++i) {
    isSame = sameTerm(a, a.operands(x)[i], b, b.operands(y)[i]);
  }
  return isSame;
}

/// One term becomes the other by `from` becoming `to` at one place.
bool isRewritten(const TermTable &terms, TermId before, TermId after, TermId from, TermId to) {
  if (before == from && after == to) {
    return true;
  }
  std::span<const TermId> a = terms.operands(before);
  std::span<const TermId> b = terms.operands(after);
  if (terms.op(before) != terms.op(after) || a.size() != b.size()) {
    return false;
  }
  size_t place = std::ranges::mismatch(a, b).in1 - a.begin();
  return place < a.size() && std::ranges::equal(a.subspan(place + 1), b.subspan(place + 1)) &&
         isRewritten(terms, a[place], b[place], from, to);
}

/// The chain goes from one side of its step to the other, by rewrites, and no term comes twice.
void checkChain(const Proof &proof, const FlatProof &flat, const RewriteChain &chain) {
  REQUIRE(chain.first == proof.steps[chain.step].left);
  TermId at = chain.first;
  std::set<TermId> seen = {at};
  for (const Rewrite &rewrite : chain.rewrites) {
    const ProofStep &by = proof.steps[rewrite.step];
    REQUIRE((rewrite.isBackwards ? isRewritten(flat.terms, at, rewrite.term, by.right, by.left)
                                 : isRewritten(flat.terms, at, rewrite.term, by.left, by.right)));
    REQUIRE((by.kind >= ProofStep::Kind::Swap || flat.lemmaOf(rewrite.step) < flat.lemmas.size()));
    at = rewrite.term;
    REQUIRE(seen.insert(at).second);
  }
  REQUIRE(at == proof.steps[chain.step].right);
}

void checkPair(const ProofRun &run, const Explainer &explainer, NodeId a, NodeId b) {
  Expected<Proof> proof = explainer.explain(a, b);
  INFO("nodes " << a << " and " << b << ": " << (proof ? "" : proof.error().message()));
  REQUIRE(proof);
  Status checked = checkProof(*proof, run.axioms());
  INFO(checked.message());
  REQUIRE(checked.isOk());
  TermTable terms;
  REQUIRE(sameTerm(proof->terms, proof->left, terms, originalTerm(run.graph, a, terms)));
  REQUIRE(sameTerm(proof->terms, proof->right, terms, originalTerm(run.graph, b, terms)));
  FlatProof flat = flatten(*proof);
  checkChain(*proof, flat, flat.chain);
  for (const RewriteChain &lemma : flat.lemmas) {
    checkChain(*proof, flat, lemma);
  }
}

} // namespace

TEST_CASE("proofs of random programs are replayed", "[proof]") {
  unsigned proofs = 0;
  for (unsigned seed = 0; seed < (isLong() ? 5'000u : 300u); ++seed) {
    std::mt19937 random(seed);
    std::string text = randomProgram(random);
    INFO("seed " << seed << ":\n" << text);
    ProofRun run(text, 300, seed);
    Explainer explainer(run.graph, run.program.rules);
    for (int attempt = 0; attempt < 200; ++attempt) {
      NodeId a = random() % run.graph.numNodes();
      NodeId b = random() % run.graph.numNodes();
      if (run.graph.same(a, b)) {
        checkPair(run, explainer, a, b);
        ++proofs;
      } else if (attempt < 3) {
        Expected<Proof> proof = explainer.explain(a, b);
        REQUIRE_FALSE(proof);
        REQUIRE(proof.error().code() == ErrorCode::Verification);
      }
    }
  }
  CHECK(proofs > 1'000);
}

TEST_CASE("proofs of math-microbenchmark are replayed", "[proof]") {
  Expected<InputFile> file = InputFile::open(ZYXC_TEST_BENCH "/math.egg");
  REQUIRE(file);
  Expected<std::string> text = file->readAll();
  REQUIRE(text);
  ProofRun run(*text, 3'000);
  Explainer explainer(run.graph, run.program.rules);
  std::mt19937 random(1);
  unsigned proofs = 0;
  for (int attempt = 0; attempt < 50'000; ++attempt) {
    NodeId a = random() % run.graph.numNodes();
    NodeId b = random() % run.graph.numNodes();
    if (a != b && run.graph.same(a, b)) {
      checkPair(run, explainer, a, b);
      ++proofs;
    }
  }
  CHECK(proofs > 50);
}

TEST_CASE("terms are explained by how they are written", "[proof]") {
  ProofRun run("swap: (f a b) = (f b a)  drop: (f a (g b)) => a  fold: (g 1) => 2\n"
               "(h (f x (g 1)))  (h (f (g 1) x))  (h x)  (f 2 x)");
  Explainer explainer(run.graph, run.program.rules);
  auto explain = [&](std::string_view left, std::string_view right) {
    Program terms = run.program;
    size_t first = terms.starts.size();
    REQUIRE(terms.add(fmt::format("{} {}", left, right)).isOk());
    return explainer.explain(terms.starts[first], terms.starts[first + 1]);
  };
  // No node was made with (f 2 x) below (h ..): the operand is proved equal.
  for (const char *left : {"(h (f x (g 1)))", "(h (f x 2))", "(h (f 2 x))"}) {
    Expected<Proof> proof = explain(left, "(h x)");
    INFO(left);
    REQUIRE(proof);
    Status checked = checkProof(*proof, run.axioms());
    INFO(checked.message());
    CHECK(checked.isOk());
  }
  CHECK(explain("(h x)", "(h x)")->steps.size() == 1);
  CHECK(explain("(h x)", "(h 5)").error().message() == "the second term is not in the graph");
  CHECK(explain("(h x)", "x").error().message() == "the terms are not known to be equal");
}

TEST_CASE("what the client says and commutative ops are part of proofs", "[proof]") {
  Program program = parse("assoc: (+ (+ a b) c) => (+ a (+ b c))  zero: (+ a 0) => a\n"
                          "x y z 0");
  uint32_t plus = program.language.op("+", 2);
  EGraph graph(nullptr, withMatches);
  graph.setCommutative(plus);
  std::vector<Id> leaf = program.addStarts(graph);
  auto add = [&](Id a, Id b) {
    return graph.add(plus, 0, std::array{a, b});
  };
  Id left = add(add(leaf[2], leaf[1]), leaf[0]);
  Id right = add(add(leaf[3], leaf[0]), leaf[2]);
  graph.unite(leaf[1], leaf[3], Reason::client(7));
  Expected<SaturateReport> report = saturate(graph, program.rules);
  REQUIRE(report);
  REQUIRE(graph.same(left, right));
  Explainer explainer(graph, program.rules);
  Axioms axioms = {program.rules, {plus}, {{7, program.starts[1], program.starts[3]}}};
  unsigned proofs = 0;
  for (NodeId a = 0; a < graph.numNodes(); ++a) {
    for (NodeId b = 0; b < graph.numNodes(); ++b) {
      if (graph.same(a, b)) {
        Expected<Proof> proof = explainer.explain(a, b);
        REQUIRE(proof);
        Status checked = checkProof(*proof, axioms);
        INFO(checked.message());
        REQUIRE(checked.isOk());
        ++proofs;
      }
    }
  }
  CHECK(proofs > graph.numNodes());
  // Without these axioms the proof does not hold.
  Expected<Proof> proof = explainer.explain(left, right);
  REQUIRE(proof);
  CHECK_FALSE(checkProof(*proof, {program.rules, {plus}, {}}).isOk());
  CHECK_FALSE(checkProof(*proof, {program.rules, {}, axioms.given}).isOk());
  CHECK_FALSE(checkProof(*proof, {std::span(program.rules).first(0), {plus}, axioms.given}).isOk());
  axioms.given[0].id = 8;
  CHECK_FALSE(checkProof(*proof, axioms).isOk());
}

TEST_CASE("a match that united nothing makes a proof shorter", "[proof]") {
  // When the second rule is tried its sides are equal already, by two unions of the others.
  ProofRun run("one: (f a) => (g a)  two: (g a) => (h a)  three: (f a) => (h a)  (f x)");
  Explainer explainer(run.graph, run.program.rules);
  Program terms = run.program;
  REQUIRE(terms.add("(g x) (h x)").isOk());
  CHECK(run.graph.unionLog().size() == 2);
  Expected<Proof> proof = explainer.explain(terms.starts[1], terms.starts[2]);
  REQUIRE(proof);
  CHECK(checkProof(*proof, run.axioms()).isOk());
  FlatProof flat = flatten(*proof);
  REQUIRE(flat.chain.rewrites.size() == 1);
  CHECK(proof->steps[flat.chain.rewrites[0].step].id == 1);
}

TEST_CASE("a proof over a chain of 100000 nodes is no recursion", "[proof]") {
  size_t length = GENERATE(5'000, 100'000);
  Program program = parse("x y");
  EGraph graph(nullptr, withMatches);
  std::vector<Id> ends = program.addStarts(graph);
  Id first[] = {ends[0], ends[1]};
  uint32_t g = program.language.op("g", 1);
  for (Id &end : ends) {
    for (size_t i = 0; i < length; ++i) {
      end = graph.add(g, 0, std::array{end});
    }
  }
  graph.unite(first[0], first[1], Reason::client(1));
  REQUIRE(graph.rebuild().isOk());
  Expected<Proof> proof = Explainer(graph, {}).explain(ends[0], ends[1]);
  REQUIRE(proof);
  CHECK(proof->steps.size() < length + 10);
  if (length < 100'000) { // terms in between are made for each op above a rewrite, up to 100
    FlatProof flat = flatten(*proof);
    CHECK(flat.chain.rewrites.size() == 1);
    CHECK(flat.lemmas.size() > length / 101 - 1);
  }
  CHECK(checkProof(*proof, {{}, {}, {{1, program.starts[0], program.starts[1]}}}).isOk());
}
