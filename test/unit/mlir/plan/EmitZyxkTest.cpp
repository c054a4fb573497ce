// Programs with symbolic sizes as zyxk text: read again and run by the kernel interpreter.
#include "compiler/kernelize/emit/EmitZyxk.h"
#include "compiler/kernelize/Candidates.h"
#include "compiler/kernelize/program/ValueTable.h"
#include "dialects/zyx/semantics/BindSizes.h"
#include "test/unit/ProgramInterpreter.h"
#include "test/unit/SymbolicGraphs.h"
#include "test/unit/mlir/interp/InterpretedKernel.h"

using namespace zyxc;
using namespace zyxc::kernelize;

static std::string emitted(const Program &program) {
  ZyxkEmitter emitter;
  Expected<std::string> text = emitter.emit(program, "k", {});
  INFO((text ? "" : text.error().message()));
  REQUIRE(text);
  return *text;
}

static Value load(uint32_t port, std::vector<IndexExpr> coords) {
  Value value;
  value.op = Value::Op::Load;
  value.port = port;
  value.coords = std::move(coords);
  return value;
}

/// y[i, j] = x[i, j - M] + (N + M) where j >= M, else N floordiv 2; y is [N, N floordiv M + M].
static Program shifted(std::string_view n, std::string_view m) {
  int64_t rows = sizeOf(n);
  int64_t shift = sizeOf(m);
  int64_t columns = dim::floorDiv(rows, shift);
  Program program;
  program.extents = {rows, dim::add(columns, shift)};
  program.ports = {{{DType::F32, {rows, columns}}, false}, {{DType::F32, program.extents}, true}};
  IndexExpr i = IndexExpr::dim(0);
  IndexExpr j = IndexExpr::dim(1);
  ValueTable table;
  ValueId number = table.cast(table.integer(dim::add(rows, shift)), DType::F32);
  ValueId element = table.add(load(0, {i, j - IndexExpr(shift)}));
  Value where;
  where.op = Value::Op::Where;
  where.guard = {{j, shift, dim::add(columns, shift)}};
  where.operands = {table.scalar(OpKind::Add, DType::F32, {element, number}),
                    table.cast(table.integer(dim::floorDiv(rows, 2)), DType::F32)};
  ValueId result = table.add(where);
  program.values = table.take();
  program.stores = {{result, 1, {i, j}}};
  findDims(program);
  return program;
}

TEST_CASE("symbolic sizes are affine in the dims of a kernel", "[emit]") {
  Program program = shifted("N", "M");
  CHECK(program.dims == std::vector{sizeOf("N"), sizeOf("floordiv(N, M)"), sizeOf("M")});
  std::string text = emitted(program);
  INFO(text);
  CHECK(text.find("dims(d0, d1, d2) ports(%in0: in f32[d0, d1], %out1: out f32[d0, d1 + d2])") !=
        std::string::npos);
  CHECK(text.find("load %in0[i0, i1 - d2]") != std::string::npos);
  CHECK(text.find("if (i1 >= d2)") != std::string::npos); // the upper bound always holds
  // Names of variables do not matter: the kernel is compiled once.
  CHECK(emitted(shifted("batch", "steps.1")) == text);

  test::InterpretedKernel kernel(text, {4, 2, 2});
  REQUIRE(kernel.error.empty());
  kernel.set(0, {1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(kernel.run().empty());
  CHECK(kernel.get(1) == test::Values{2, 2, 7, 8, 2, 2, 9, 10, 2, 2, 11, 12, 2, 2, 13, 14});
}

TEST_CASE("a program is bound to sizes", "[emit]") {
  Expected<Program> bound = bindSizes(shifted("N", "M"), {{"N", 4}, {"M", 2}});
  REQUIRE(bound);
  CHECK(bound->dims.empty());
  CHECK(bound->extents == std::vector<int64_t>{4, 4});
  CHECK(emitted(*bound).find("dims(") == std::string::npos);
  Expected<Program> partly = bindSizes(shifted("N", "M"), {{"N", 4}});
  REQUIRE(partly);
  CHECK(partly->dims == std::vector{sizeOf("floordiv(4, M)"), sizeOf("M")});
  CHECK_FALSE(bindSizes(shifted("N", "M"), {{"N", 4}, {"M", 0}}));
  CHECK(estimated(shifted("N", "M")).extents == std::vector<int64_t>{64, 65});
}

/// The values of a kernel's dims.
static std::vector<int64_t> dimsAt(const Program &program, const dim::Bindings &bindings) {
  std::vector<int64_t> values;
  for (int64_t dim : program.dims) {
    Expected<int64_t> value = dim::evaluate(dim, bindings);
    REQUIRE(value);
    CHECK(*value >= 0);
    values.push_back(*value);
  }
  return values;
}

/// Runs the text by the kernel interpreter and compares it with the program.
static void compare(const std::string &text, const Program &program,
                    const dim::Bindings &bindings) {
  test::InterpretedKernel kernel(text, dimsAt(program, bindings));
  INFO(kernel.error);
  REQUIRE(kernel.error.empty());
  std::mt19937 random(7);
  std::vector<Tensor> inputs;
  for (size_t port = 0; port < program.numInputs(); ++port) {
    inputs.push_back(randomTensor(bindSizes(program.ports[port].type, bindings), random));
    kernel.tensors[port] = inputs.back();
  }
  Expected<std::vector<Tensor>> want = evaluate(program, inputs, bindings);
  REQUIRE(want);
  CHECK(kernel.run().empty());
  CHECK(close(kernel.tensors.back(), want->back(), 1e-4));
}

TEST_CASE("kernels of symbolic graphs are text that computes the same", "[emit]") {
  for (const SymbolicCase &one : symbolicCases()) {
    INFO(one.name);
    SymbolicGraph g;
    one.build(g);
    g.finish();
    Expected<CandidateTable> table = buildCandidates(g.graph);
    REQUIRE(table);
    for (const PricedProgram &priced : table->programs) {
      std::string text = emitted(priced.program);
      INFO(text);
      compare(text, priced.program, {{"N", 1}, {"M", 1}});
      compare(text, priced.program, {{"N", 2}, {"M", 5}});
      compare(text, priced.program, {{"N", 4}, {"M", 3}});
    }
  }
}
