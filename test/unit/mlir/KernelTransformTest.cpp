// Any order and subset of the transformations leaves the interpreter's answer: all kernels of
// test/kernels at small sizes, random sequences of passes, kernels and the programs they become.
#include "compiler/interp/kernel/KernelInterpreter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "passes/kernel/Transforms.h"
#include "passes/kernel/edit/BodyEdit.h"
#include "passes/kernel/edit/ProgramEdit.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <random>

using namespace zyxc;
using mlir::ModuleOp;
using zyxk::KernelOp;
using zyxk::LaunchOp;
using zyxk::ProgramOp;

namespace {

using Random = std::mt19937;

int64_t pick(Random &random, int64_t count) {
  return static_cast<int64_t>(random() % static_cast<uint64_t>(count));
}

//===- Running -------------------------------------------------------------------------------===//

/// An unwritten element: NaN, or a pattern that no input has.
void poison(const Tensor &tensor) {
  std::memset(tensor.mutableData(), 0xff, tensor.byteSize());
}

Tensor allocatePort(zyxk::PortType type, const KernelPort *known = nullptr) {
  if (known) {
    Tensor tensor = Tensor::allocate(known->type);
    poison(tensor);
    return tensor;
  }
  llvm::SmallVector<int64_t> sizes = *type.getStaticShape();
  std::vector<int64_t> shape(sizes.begin(), sizes.end());
  mlir::Type element = type.getElementType();
  DType dtype = element.isF16()         ? DType::F16
                : element.isBF16()      ? DType::BF16
                : element.isF32()       ? DType::F32
                : element.isF64()       ? DType::F64
                : element.isInteger(64) ? DType::I64
                : element.isInteger(32) ? DType::I32
                : element.isInteger(16) ? DType::I16
                                        : DType::I8;
  Tensor tensor = Tensor::allocate({dtype, shape});
  poison(tensor);
  return tensor;
}

/// Runs a kernel on tensors that have the elements of its ports, perhaps under another shape.
std::string runKernel(KernelOp kernel, std::span<const Tensor> memory) {
  Expected<KernelInterpreter> interpreter = KernelInterpreter::create(kernel, {});
  if (!interpreter) {
    return interpreter.error().message();
  }
  std::vector<Tensor> ports;
  for (auto [tensor, port] : llvm::zip(memory, interpreter->ports())) {
    REQUIRE(tensor.numElements() == port.type.numElements());
    ports.push_back(tensor.withShape(port.type.shape));
  }
  return interpreter->run(ports).message();
}

std::string runProgram(ProgramOp program, std::vector<Tensor> memory) {
  for (unsigned port = memory.size(); port < program.getNumPorts(); ++port) {
    memory.push_back(allocatePort(program.getPortType(port)));
  }
  for (auto launch : program.getBlock().getOps<LaunchOp>()) {
    std::vector<Tensor> ports;
    for (mlir::Value port : launch.getPorts()) {
      ports.push_back(memory[mlir::cast<mlir::BlockArgument>(port).getArgNumber()]);
    }
    std::string error = runKernel(launch.lookUpKernel(), ports);
    if (!error.empty()) {
      return error;
    }
  }
  return "";
}

/// Runs what the kernel @name has become; `memory` holds the ports of the original.
std::string run(ModuleOp module, const std::string &name, std::vector<Tensor> memory) {
  if (auto program = module.lookupSymbol<ProgramOp>(name)) {
    return runProgram(program, std::move(memory));
  }
  auto kernel = module.lookupSymbol<KernelOp>(name);
  REQUIRE(kernel);
  for (unsigned port = memory.size(); port < kernel.getNumPorts(); ++port) {
    memory.push_back(allocatePort(kernel.getPortType(port)));
  }
  return runKernel(kernel, memory);
}

//===- Transformations -----------------------------------------------------------------------===//

void forKernels(ModuleOp module, llvm::function_ref<void(KernelOp)> change) {
  for (auto kernel : llvm::to_vector(module.getOps<KernelOp>())) {
    change(kernel);
  }
}

/// For kernels that no program launches: what makes programs, or changes ports.
void forFreeKernels(ModuleOp module, llvm::function_ref<void(KernelOp)> change) {
  forKernels(module, [&](KernelOp kernel) {
    if (!isLaunched(kernel)) {
      change(kernel);
    }
  });
}

struct Transformation {
  const char *name;
  void (*apply)(ModuleOp module, Random &random);
};

constexpr Transformation transformations[] = {
    {"inline-scalars", [](ModuleOp m, Random &) { forKernels(m, inlineScalars); }},
    {"expand-oob", [](ModuleOp m, Random &) { forKernels(m, expandOob); }},
    {"normalize",
     [](ModuleOp m, Random &) {
       forKernels(m, [](KernelOp kernel) { normalize(kernel, !isLaunched(kernel)); });
     }},
    {"to-expsum", [](ModuleOp m, Random &) { forKernels(m, toExpsum); }},
    {"to-welford", [](ModuleOp m, Random &) { forKernels(m, toWelford); }},
    {"conv-to-contract", [](ModuleOp m, Random &) { forKernels(m, convToContract); }},
    {"swap-operands", [](ModuleOp m, Random &) { forKernels(m, swapOperands); }},
    {"mask-to-bounds", [](ModuleOp m, Random &) { forKernels(m, maskToBounds); }},
    {"add-store",
     [](ModuleOp m, Random &random) {
       forFreeKernels(m, [&](KernelOp kernel) {
         llvm::SmallVector<mlir::Value> values = storableValues(kernel);
         // Values that are guarded by others may not exist everywhere.
         llvm::erase_if(values, [](mlir::Value value) {
           return !mlir::isa<zyxk::ReduceOp, zyxk::ContractOp>(value.getDefiningOp());
         });
         if (!values.empty()) {
           addStore(kernel, values[pick(random, values.size())]);
         }
       });
     }},
    {"split-reduction",
     [](ModuleOp m, Random &random) {
       forFreeKernels(m,
                      [&](KernelOp kernel) { (void)splitReduction(kernel, 2 + pick(random, 4)); });
     }},
    {"pack-port",
     [](ModuleOp m, Random &random) {
       forFreeKernels(m, [&](KernelOp kernel) {
         unsigned port = pick(random, kernel.getNumPorts());
         int64_t rank = kernel.getPortType(port).getRank();
         (void)packPort(kernel, port, pick(random, std::max<int64_t>(rank, 1)),
                        1 + pick(random, 8));
       });
     }},
    {"winograd",
     [](ModuleOp m, Random &) {
       forFreeKernels(m, [](KernelOp kernel) { (void)winograd(kernel); });
     }},
    {"fuse-producer",
     [](ModuleOp m, Random &) {
       for (auto program : m.getOps<ProgramOp>()) {
         fuseProducer(program);
       }
     }},
    {"fuse-sibling",
     [](ModuleOp m, Random &) {
       for (auto program : m.getOps<ProgramOp>()) {
         fuseSibling(program);
       }
     }},
};

//===- Sizes and inputs ----------------------------------------------------------------------===//

bool holds(KernelOp kernel, const DimSizes &sizes) {
  llvm::SmallVector<mlir::AffineExpr> values;
  for (llvm::StringRef dim : kernel.getDimNames().getAsValueRange<mlir::StringAttr>()) {
    values.push_back(mlir::getAffineConstantExpr(sizes.lookup(dim), kernel.getContext()));
  }
  std::optional<mlir::IntegerSet> assume = kernel.getAssume();
  for (unsigned i = 0; assume && i < assume->getNumConstraints(); ++i) {
    auto value = mlir::cast<mlir::AffineConstantExpr>(
        mlir::simplifyAffineExpr(assume->getConstraint(i).replaceSymbols(values), 0, 0));
    if (assume->isEq(i) ? value.getValue() != 0 : value.getValue() < 0) {
      return false;
    }
  }
  return true;
}

DimSizes randomSizes(KernelOp kernel, Random &random) {
  constexpr int64_t choices[] = {1, 2, 3, 4, 5, 7, 8, 11, 13};
  while (true) {
    DimSizes sizes;
    for (llvm::StringRef dim : kernel.getDimNames().getAsValueRange<mlir::StringAttr>()) {
      sizes[dim] = choices[pick(random, std::size(choices))];
    }
    if (holds(kernel, sizes)) {
      return sizes;
    }
  }
}

/// Floats in [-1, 1); integers are a permutation of the positions, so that they index anything.
std::vector<Tensor> randomPorts(KernelOp kernel, Random &random) {
  std::vector<Tensor> ports;
  for (unsigned port = 0; port < kernel.getNumPorts(); ++port) {
    Tensor tensor = allocatePort(kernel.getPortType(port));
    bool isInput = kernel.getPortType(port).isReadable();
    std::vector<int64_t> positions(tensor.numElements());
    std::iota(positions.begin(), positions.end(), 0);
    std::shuffle(positions.begin(), positions.end(), random);
    for (int64_t i = 0; isInput && i < tensor.numElements(); ++i) {
      if (isFloat(tensor.dtype())) {
        tensor.setDouble(i, static_cast<double>(random()) * 0x1p-31 - 1);
      } else {
        tensor.setInt(i, positions[i]);
      }
    }
    ports.push_back(tensor);
  }
  return ports;
}

std::vector<Tensor> copies(const std::vector<Tensor> &tensors) {
  std::vector<Tensor> result;
  for (const Tensor &tensor : tensors) {
    result.push_back(Tensor::allocate(tensor.type()));
    std::memcpy(result.back().mutableData(), tensor.data(), tensor.byteSize());
  }
  return result;
}

/// The largest difference, as a share of what rounding explains.
double difference(const Tensor &got, const Tensor &want) {
  bool narrow = want.dtype() == DType::F16 || want.dtype() == DType::BF16;
  double tolerance = want.dtype() == DType::BF16 ? 2e-2 : narrow ? 3e-3 : 2e-5;
  double squares = 0;
  for (int64_t i = 0; i < want.numElements(); ++i) {
    squares += want.asDouble(i) * want.asDouble(i);
  }
  double scale = std::sqrt(squares / std::max<double>(want.numElements(), 1)) + 1e-6;
  double largest = 0;
  for (int64_t i = 0; i < want.numElements(); ++i) {
    double a = got.asDouble(i);
    double b = want.asDouble(i);
    bool same = std::isnan(a) ? std::isnan(b) : a == b;
    double error = std::abs(a - b) / (tolerance * std::max(std::abs(b), scale));
    largest = same ? largest : std::isnan(error) ? INFINITY : std::max(largest, error);
  }
  return largest;
}

//===- The test ------------------------------------------------------------------------------===//

class TransformTest {
public:
  TransformTest() {
    context.loadDialect<zyxk::ZyxkDialect, mlir::arith::ArithDialect, mlir::math::MathDialect>();
  }

  /// One kernel, one size, one sequence.
  void check(KernelOp source, Random &random) {
    mlir::OwningOpRef<ModuleOp> module = ModuleOp::create(source.getLoc());
    module->push_back(source->clone());
    auto kernel = *module->getOps<KernelOp>().begin();
    DimSizes sizes = randomSizes(kernel, random);
    REQUIRE(mlir::succeeded(specialize(kernel, sizes)));
    std::string name = kernel.getSymName().str();
    std::vector<Tensor> inputs = randomPorts(kernel, random);
    std::vector<Tensor> want = copies(inputs);
    std::vector<zyxk::PortType> types;
    for (unsigned port = 0; port < kernel.getNumPorts(); ++port) {
      types.push_back(kernel.getPortType(port));
    }
    std::string trace = "@" + name;
    for (const auto &size : sizes) {
      trace += " " + size.first().str() + "=" + std::to_string(size.second);
    }
    INFO(trace);
    REQUIRE(runKernel(kernel, want) == "");
    for (int64_t left = 1 + pick(random, 6); left > 0; --left) {
      const Transformation &step = transformations[pick(random, std::size(transformations))];
      trace += std::string(" ") + step.name;
      INFO(trace);
      step.apply(*module, random);
      REQUIRE(mlir::succeeded(mlir::verify(*module)));
    }
    std::string text;
    llvm::raw_string_ostream(text) << *module;
    INFO(trace << "\n" << text);
    std::vector<Tensor> got = copies(inputs);
    REQUIRE(run(*module, name, got) == "");
    for (size_t port = 0; port < types.size(); ++port) {
      INFO("port " << port);
      CHECK((!types[port].isWritable() || difference(got[port], want[port]) <= 1));
    }
  }

  /// All kernels of the folder.
  std::vector<KernelOp> load(const std::string &folder) {
    std::vector<std::string> paths;
    for (const auto &entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".mlir") {
        paths.push_back(entry.path().string());
      }
    }
    std::sort(paths.begin(), paths.end());
    std::vector<KernelOp> kernels;
    for (const std::string &path : paths) {
      modules.push_back(mlir::parseSourceFile<ModuleOp>(path, &context));
      REQUIRE(modules.back());
      llvm::append_range(kernels, modules.back()->getOps<KernelOp>());
    }
    return kernels;
  }

private:
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  std::vector<mlir::OwningOpRef<ModuleOp>> modules;
};

} // namespace

TEST_CASE("transformations leave the answer: any order and subset", "[kernel-transform]") {
  TransformTest test;
  std::vector<KernelOp> kernels = test.load(ZYXC_TEST_KERNELS);
  REQUIRE(kernels.size() >= 20);
  const char *rounds = std::getenv("ZYXC_TRANSFORM_ROUNDS");
  Random random(7);
  for (int round = 0; round < (rounds ? std::atoi(rounds) : 12); ++round) {
    for (KernelOp kernel : kernels) {
      test.check(kernel, random);
    }
  }
}
