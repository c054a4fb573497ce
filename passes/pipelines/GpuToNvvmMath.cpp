#include "passes/pipelines/GpuToNvvmMath.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include <array>

using namespace mlir;

namespace zyxc {

namespace {

/// An operation and its names in libdevice, for f32 and f64.
struct Function {
  StringLiteral op, f32, f64;
};

} // namespace

static constexpr std::array<Function, 25> functions = {{
    {"arith.remf", "__nv_fmodf", "__nv_fmod"},   {"math.acos", "__nv_acosf", "__nv_acos"},
    {"math.acosh", "__nv_acoshf", "__nv_acosh"}, {"math.asin", "__nv_asinf", "__nv_asin"},
    {"math.asinh", "__nv_asinhf", "__nv_asinh"}, {"math.atan", "__nv_atanf", "__nv_atan"},
    {"math.atan2", "__nv_atan2f", "__nv_atan2"}, {"math.atanh", "__nv_atanhf", "__nv_atanh"},
    {"math.cbrt", "__nv_cbrtf", "__nv_cbrt"},    {"math.cos", "__nv_cosf", "__nv_cos"},
    {"math.cosh", "__nv_coshf", "__nv_cosh"},    {"math.erf", "__nv_erff", "__nv_erf"},
    {"math.erfc", "__nv_erfcf", "__nv_erfc"},    {"math.exp", "__nv_expf", "__nv_exp"},
    {"math.exp2", "__nv_exp2f", "__nv_exp2"},    {"math.expm1", "__nv_expm1f", "__nv_expm1"},
    {"math.log", "__nv_logf", "__nv_log"},       {"math.log10", "__nv_log10f", "__nv_log10"},
    {"math.log1p", "__nv_log1pf", "__nv_log1p"}, {"math.log2", "__nv_log2f", "__nv_log2"},
    {"math.powf", "__nv_powf", "__nv_pow"},      {"math.sin", "__nv_sinf", "__nv_sin"},
    {"math.sinh", "__nv_sinhf", "__nv_sinh"},    {"math.tan", "__nv_tanf", "__nv_tan"},
    {"math.tanh", "__nv_tanhf", "__nv_tanh"},
}};

static const Function *findFunction(StringRef op) {
  for (const Function &function : functions) {
    if (function.op == op) {
      return &function;
    }
  }
  return nullptr;
}

bool isMathFunction(Operation *op) {
  return findFunction(op->getName().getStringRef()) != nullptr;
}

bool isLibdeviceCall(Operation *op) {
  if (!isMathFunction(op)) {
    return false;
  }
  Type type = op->getResult(0).getType();
  // exp2 of f32 is the instruction ex2.approx, right for all special values and denormals.
  return type.isF64() || (type.isF32() && !isa<math::Exp2Op>(op));
}

namespace {

/// `op` as a call of libdevice.
struct LibdeviceCall : ConversionPattern {
  LibdeviceCall(const LLVMTypeConverter &converter, const Function &function)
      : ConversionPattern(converter, function.op, /*benefit=*/10, &converter.getContext()),
        function(function) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isLibdeviceCall(op)) {
      return failure();
    }
    Type type = op->getResult(0).getType();
    auto module = op->getParentOfType<gpu::GPUModuleOp>();
    StringRef name = type.isF32() ? function.f32 : function.f64;
    auto callee = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
    if (!callee) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(module.getBody());
      SmallVector<Type> inputs(operands.size(), type);
      callee = LLVM::LLVMFuncOp::create(rewriter, op->getLoc(), name,
                                        LLVM::LLVMFunctionType::get(type, inputs));
    }
    rewriter.replaceOpWithNewOp<LLVM::CallOp>(op, callee, operands);
    return success();
  }

  const Function &function;
};

} // namespace

void populateLibdeviceF32Patterns(RewritePatternSet &patterns) {
  populateMathF32ExpansionPatterns(
      patterns, [](StringRef name) { return findFunction(name) != nullptr; }, /*benefit=*/3);
}

void populateLibdevicePatterns(const LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  for (const Function &function : functions) {
    patterns.add(std::make_unique<LibdeviceCall>(converter, function));
  }
}

} // namespace zyxc
