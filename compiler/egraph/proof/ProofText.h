// Proofs as text and as JSON.
#pragma once
#include "compiler/egraph/pattern/Program.h"
#include "compiler/egraph/proof/FlatProof.h"

namespace zyxc::egraph {

/// What ops and rules are called.
class ProofNames {
public:
  virtual ~ProofNames() = default;
  /// "+", "1/2", "x"
  virtual std::string label(uint32_t op, uint32_t payload) const = 0;
  /// Without operands it is written as a word; else as "(s)".
  virtual bool isWord(uint32_t op) const { return true; }
  virtual std::string rule(uint32_t rule) const = 0;
};

/// Those of a program.
class ProgramNames : public ProofNames {
public:
  /// The program must outlive it.
  explicit ProgramNames(const Program &program) : program(program) {}
  std::string label(uint32_t op, uint32_t payload) const override {
    return program.language.label(op, payload);
  }
  bool isWord(uint32_t op) const override {
    return op == Language::numberOp || op == Language::atomOp;
  }
  std::string rule(uint32_t rule) const override { return program.rules[rule].name; }

private:
  const Program &program;
};

/// A chain of terms, each with the rule that made it from the one before, then the lemmas; parts of
/// long terms have names, which are listed last. Lines end with a newline.
///
///       (/ (<< x 1) 2)
///     = (/ (* x 2) 2)     shift
///     = (* x (/ 2 2))     associate
///     = (* x 1)           lemma 1
std::string toText(const Proof &proof, const ProofNames &names);

/// The rules of the chain in one line, lemmas opened once: "shift, associate, one backwards". At
/// most `most` of them; "..." stands for the others.
std::string rulesInOrder(const Proof &proof, const ProofNames &names, size_t most);

/// The proof as it is, in one line: an object with `left`, `right` (terms as numbers), `terms`
/// (each `op` and, if it has some, `operands`), and `steps` (each `kind`, `left`, `right`, and
/// where there are some `premises`, `rule`, `conclusion`, `substitution`, `given`).
std::string toJson(const Proof &proof, const ProofNames &names);

} // namespace zyxc::egraph
