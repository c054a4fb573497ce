// The answer to "why this plan?" as data: for each chosen kernel its source nodes, the rules that
// made its form, the candidates that were rejected, and the certificate of the choice. Text, JSON
// and the page of `zyxc explain` are made from this and nothing else (docs/explain.md).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zyxc::explain {

/// A tensor that kernels read or write.
struct Stored {
  enum class Kind : uint8_t {
    Input,    ///< an input of the part
    Constant, ///< known at compile time
    Made,     ///< by a chosen kernel
    Missing,  ///< by none: only rejected candidates read it
  };
  Kind kind = Kind::Made;
  std::string name; ///< of an input, or "c12": the class in the e-graph
  std::string type; ///< "f32[1,64,56,56]"
  int madeBy = -1;  ///< Made: the ChosenKernel::id
};

/// One step between the term of the model and the term that a kernel computes.
struct FormStep {
  enum class By : uint8_t { Rule, Order, Folding, Decomposition, Given };
  By by = By::Rule;
  std::string rule;       ///< By::Rule: its name
  bool backwards = false; ///< it was applied from left to right, and is read from right to left
  std::string from;       ///< terms two ops deep
  std::string to;
  std::string because; ///< in words, with the classes of the rule's variables and its conditions
};

/// How a node of the model went into a kernel.
enum class Role : uint8_t {
  Computed,  ///< its value is one that the kernel computes
  Rewritten, ///< rules computed what uses it in another way: no kernel computes its value
  Served,    ///< the kernel, which rules made, computes what the node's kernels read
};

/// A kernel of a node, or a node of a kernel.
struct Membership {
  int id = 0; ///< ChosenKernel::id, or ModelNode::id
  Role role = Role::Computed;
};

/// A candidate that lost against a chosen one.
struct Rejected {
  /// What becomes of the choice if this one replaces the chosen one and the rest stays, but for
  /// what is then needed besides, and what no longer is.
  enum class Why : uint8_t {
    Dearer,  ///< it costs more in all
    Same,    ///< it costs the same in all
    Cheaper, ///< it costs less: the choice is not proved, or stores tensors between equal parts
    Place,   ///< a tensor would have two places in memory
    Cycle,   ///< it would need its own result
  };
  /// Something that would have to be computed besides.
  struct Extra {
    std::vector<Stored> makes;
    int64_t cost = 0; ///< picoseconds
  };
  std::string what; ///< "contract kernel", "alias at byte 0", "concatenation in place"
  std::vector<std::string> origins; ///< names of the model's nodes that it computes
  std::vector<Stored> reads;
  int64_t cost = 0; ///< its own, in picoseconds
  Why why = Why::Dearer;
  int64_t inAll = 0;         ///< the cost of the choice with it, less that of the choice
  std::vector<Extra> extras; ///< Dearer, Same, Cheaper
  std::vector<int> saves;    ///< chosen kernels that are not needed then, the loser's rival aside
  bool keepsChosen = false;  ///< the chosen one is still needed, for another of its results
};

/// One chosen candidate.
struct ChosenKernel {
  enum class Kind : uint8_t { Kernel, Alias, Concat };
  int id = 0; ///< its place in the order of execution
  Kind kind = Kind::Kernel;
  std::string name;    ///< of the kernel in the plan; equal ones share it. Empty: no kernel
  std::string family;  ///< "contract"; empty: no kernel
  std::string what;    ///< as Rejected::what
  bool atLoad = false; ///< runs once, when the plan is loaded
  std::vector<Membership> nodes; ///< of the model, in its order
  int64_t cost = 0;              ///< picoseconds
  int64_t bytes = 0;             ///< read and written
  int64_t flops = 0;
  size_t ports = 0;
  size_t values = 0; ///< of its body
  std::vector<Stored> reads;
  std::vector<Stored> makes;
  std::vector<FormStep> form;     ///< empty: it computes what the model says
  std::vector<std::string> runs;  ///< names of the parts that it runs: regions
  std::vector<Rejected> rejected; ///< cheapest first
};

/// A node of the model: the ops of one name.
struct ModelNode {
  /// Why a node has no kernel.
  enum class State : uint8_t {
    InKernels, ///< it has
    Constant,  ///< its value is known at compile time
    Input,     ///< it is its value is that of an input
    Unused,    ///< no output needs it
  };
  int id = 0; ///< its place in the order of the model
  std::string name;
  std::vector<std::string> ops;    ///< kinds of its zyx ops, each once
  std::vector<std::string> types;  ///< of the results that others read
  std::vector<int> operands;       ///< ids of nodes
  std::vector<std::string> inputs; ///< inputs of the part that it reads
  State state = State::InKernels;
  std::vector<Membership> kernels;
};

/// A limit that cut something off.
struct LimitHit {
  std::string step; ///< of the pipeline
  std::string name;
  int64_t limit = 0; ///< 0: there is no number
  int64_t hits = 0;  ///< how often
};

/// An input or output of a part.
struct Port {
  std::string name;
  std::string type;
  int node = -1;   ///< of an output: the ModelNode; -1: none
  int kernel = -1; ///< of an output: the ChosenKernel that makes it; -1: an input or a constant
};

/// The model, or a region of it, each with a choice of its own.
struct Part {
  std::string name; ///< empty: the model; "b1": a region
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  std::vector<ModelNode> nodes;
  std::vector<ChosenKernel> kernels;
  int64_t cost = 0;       ///< picoseconds
  int64_t lowerBound = 0; ///< no other choice from the table costs less
  bool proved = false;
  uint64_t searchNodes = 0;
  size_t borders = 0; ///< tensors stored in any case; bound and proof are about choices that do
  size_t parts = 0;   ///< that were chosen on their own
  size_t distinctParts = 0;
  size_t candidates = 0; ///< of the table
  size_t programs = 0;
  size_t classes = 0;
  uint64_t arenaBytes = 0; ///< 0 also where sizes are open
  uint64_t liveBytes = 0;  ///< of the arena, most that is in use at one time: no plan needs less
  std::vector<LimitHit> limits;

  int64_t gap() const { return cost - lowerBound; }
};

/// Why a plan is as it is.
struct Explanation {
  std::vector<Part> parts;            ///< each before those of its regions
  std::vector<std::string> openSizes; ///< costs are those of typical values of them
  std::string measuredCosts = {};     ///< id of the times that replaced estimates; "": none did
};

// How things are called, in all forms.
std::string_view name(Stored::Kind kind);
std::string_view name(FormStep::By by);
std::string_view name(Role role);
std::string_view name(Rejected::Why why);
std::string_view name(ChosenKernel::Kind kind);
std::string_view name(ModelNode::State state);

/// Text for people. Full: all rejected candidates and every step of the forms; else the cheapest
/// few, and the names of the rules.
std::string toText(const Explanation &explanation, bool full = false);

/// A line for people: a node, and which kernels it went into.
std::string nodeText(const Part &part, const ModelNode &node);

/// The names of the model's nodes, each once, in order.
std::vector<std::string> nodeNames(const Explanation &explanation);
/// The kernels that a node went into, and the nodes that did, this one first among them. Ids stay
/// what they are. Parts without such a node are left out.
Explanation restrictedTo(const Explanation &explanation, std::string_view node);

} // namespace zyxc::explain
