// The bridge between zyx ops and the MLIR-free semantics: everything crosses it and comes back.
#include "dialects/zyx/IR/MlirGraphBuilder.h"
#include "dialects/zyx/IR/ZyxBridge.h"
#include "dialects/zyx/IR/ZyxDialect.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include <catch2/catch.hpp>
#include <random>

using namespace zyxc;

/// A context with the dialects loaded, single-threaded.
struct Context : mlir::MLIRContext {
  Context() : mlir::MLIRContext(Threading::DISABLED) {
    loadDialect<zyx::ZyxDialect, mlir::func::FuncDialect>();
  }
};

/// Bytes that differ from element to element, valid for each dtype (bools are 0 or 1).
static Tensor counting(TensorType type) {
  Tensor tensor = Tensor::allocate(std::move(type));
  for (int64_t i = 0; i < tensor.numElements(); ++i) {
    tensor.setInt(i, i % 7);
  }
  return tensor;
}

TEST_CASE("every dtype has one MLIR type", "[bridge]") {
  Context context;
  for (const DTypeInfo &row : dtypeTable) {
    mlir::Type type = zyx::toMlirElementType(&context, row.dtype);
    REQUIRE(zyx::toDType(type) == row.dtype);
  }
  for (const char *text : {"i7", "si8", "ui1", "f80", "index", "complex<f32>", "f8E4M3"}) {
    INFO(text);
    REQUIRE(!zyx::toDType(mlir::parseType(text, &context)));
  }
}

TEST_CASE("tensor types cross the bridge, others are refused in one line", "[bridge]") {
  Context context;
  TensorType type{DType::U16, {2, 0, 3}};
  Expected<TensorType> back = zyx::toTensorType(zyx::toMlirType(&context, type));
  REQUIRE(back);
  REQUIRE(*back == type);
  for (const char *text : {"f32", "tensor<*xf32>", "tensor<2x?xf32>", "tensor<2xi3>",
                           "memref<2xf32>", "tensor<1152921504606846976x16xf32>"}) {
    INFO(text);
    Expected<TensorType> refused = zyx::toTensorType(mlir::parseType(text, &context));
    REQUIRE(!refused);
    REQUIRE(refused.error().code() == ErrorCode::Unsupported);
    REQUIRE(refused.error().message().find('\n') == std::string::npos);
  }
}

TEST_CASE("constants of every dtype and size cross the bridge bit for bit", "[bridge]") {
  Context context;
  for (const DTypeInfo &row : dtypeTable) {
    for (Shape shape :
         {Shape{}, Shape{0}, Shape{1}, Shape{3, 5}, Shape{64}, Shape{65}, Shape{40, 5}}) {
      Tensor tensor = counting({row.dtype, shape});
      Expected<Tensor> back = zyx::toTensor(zyx::toElementsAttr(&context, tensor));
      INFO(toString(tensor.type()));
      REQUIRE(back);
      REQUIRE(back->identical(tensor));
    }
    Tensor splat = Tensor::zeros({row.dtype, {1000}});
    REQUIRE(zyx::toTensor(zyx::toElementsAttr(&context, splat))->identical(splat));
  }
  // Signed zeros and NaN payloads survive.
  Tensor special = Tensor::allocate({DType::F32, {3}});
  uint32_t bits[3] = {0x80000000u, 0x7fc12345u, 0xff800001u};
  std::copy(std::begin(bits), std::end(bits), special.asMutable<uint32_t>());
  REQUIRE(zyx::toTensor(zyx::toElementsAttr(&context, special))->identical(special));
}

TEST_CASE("a large constant shares its memory with the tensor", "[bridge]") {
  auto released = std::make_shared<bool>(false);
  auto storage = std::make_shared<std::vector<float>>(100);
  for (size_t i = 0; i < storage->size(); ++i) {
    (*storage)[i] = static_cast<float>(i);
  }
  Tensor survivor;
  {
    Context context;
    const float *memory = storage->data();
    std::shared_ptr<const void> owner(memory,
                                      [storage, released](const void *) { *released = true; });
    mlir::ElementsAttr attr = zyx::toElementsAttr(
        &context, Tensor::view({DType::F32, {4, 25}}, memory, std::move(owner)));
    auto resource = llvm::dyn_cast<mlir::DenseResourceElementsAttr>(attr);
    REQUIRE(resource);
    REQUIRE(static_cast<const void *>(resource.getRawHandle().getBlob()->getData().data()) ==
            memory);
    survivor = *zyx::toTensor(attr);
    REQUIRE(static_cast<const void *>(survivor.data()) == memory);
    // Under another shape it is still the same memory.
    auto reshaped = mlir::DenseResourceElementsAttr::get(
        zyx::toMlirType(&context, {DType::F32, {100}}), resource.getRawHandle());
    REQUIRE(static_cast<const void *>(zyx::toTensor(reshaped)->data()) == memory);
  }
  // The tensor outlives the context.
  REQUIRE(!*released);
  REQUIRE(survivor.as<float>()[99] == 99.0f);
  survivor = Tensor();
  REQUIRE(*released);
}

TEST_CASE("a splat too large to store is an error, not an allocation", "[bridge]") {
  Context context;
  auto type = zyx::toMlirType(&context, {DType::F32, {int64_t(1) << 40}});
  Expected<Tensor> tensor = zyx::toTensor(mlir::DenseElementsAttr::get(type, 1.0f));
  REQUIRE(!tensor);
  REQUIRE(tensor.error().code() == ErrorCode::OutOfMemory);
}

/// A random expression over two dims.
static IndexExpr randomExpr(std::mt19937_64 &random, std::span<const int64_t> extents) {
  IndexExpr expr = IndexExpr::dim(static_cast<int64_t>(random() % 2));
  for (int i = 0; i < 5; ++i) {
    auto value = static_cast<int64_t>(random() % 6) + 1;
    switch (random() % 4) {
    case 0: expr = expr + IndexExpr::dim(static_cast<int64_t>(random() % 2)) * value; break;
    case 1: expr = expr + IndexExpr(value - 3); break;
    case 2: expr = floorDiv(expr, value, extents); break;
    default: expr = mod(expr, value, extents); break;
    }
  }
  return expr;
}

TEST_CASE("index maps and affine maps are the same functions", "[bridge]") {
  Context context;
  std::mt19937_64 random(3);
  Shape extents = {5, 7};
  for (int round = 0; round < 200; ++round) {
    IndexMap map{2, {randomExpr(random, extents), randomExpr(random, extents)}};
    Expected<IndexMap> back = zyx::fromAffineMap(zyx::toAffineMap(&context, map));
    REQUIRE(back);
    for (int64_t i = 0; i < 35; ++i) {
      std::vector<int64_t> at = {i / 7, i % 7};
      INFO(map.toString() << " and " << back->toString());
      REQUIRE(back->results[0].evaluate(at) == map.results[0].evaluate(at));
      REQUIRE(back->results[1].evaluate(at) == map.results[1].evaluate(at));
    }
  }
}

/// A value for an attribute of each type.
static AttrValue sample(AttrType type) {
  switch (type) {
  case AttrType::Int: return int64_t(-3);
  case AttrType::Float: return 0.1;
  case AttrType::Ints: return std::vector<int64_t>{1, -2, 3};
  case AttrType::String: return std::string("a \"name\"");
  case AttrType::DType: return DType::F8E5M2;
  case AttrType::Tensor: return counting({DType::I16, {5}});
  case AttrType::Map: return IndexMap{2, {IndexExpr::dim(1), IndexExpr::dim(0) * 2 + IndexExpr(1)}};
  }
  return {};
}

TEST_CASE("the attributes of every op cross the bridge", "[bridge]") {
  Context context;
  for (int i = 0; i < numOpKinds(); ++i) {
    auto kind = static_cast<OpKind>(i);
    INFO(name(kind));
    if (kind == OpKind::Call) {
      REQUIRE(!mlir::RegisteredOperationName::lookup(zyx::opName(kind), &context));
      continue; // a node of the e-graph only
    }
    REQUIRE(mlir::RegisteredOperationName::lookup(zyx::opName(kind), &context));
    Attrs attrs;
    for (const AttrInfo &attribute : info(kind).attributes) {
      attrs.set(attribute.name, sample(attribute.type));
    }
    mlir::NamedAttrList list = zyx::toMlirAttrs(&context, kind, attrs);
    Expected<Attrs> back = zyx::attrsOf(kind, list.getDictionary(&context));
    REQUIRE(back);
    REQUIRE(back->identical(attrs));
    if (!info(kind).attributes.empty()) {
      REQUIRE(!zyx::attrsOf(kind, mlir::DictionaryAttr::get(&context)));
    }
  }
}

TEST_CASE("the graph builder makes verified ops with the given locations", "[bridge]") {
  Context context;
  mlir::OpBuilder builder(&context);
  auto named = [&](llvm::StringRef text) {
    return mlir::NameLoc::get(builder.getStringAttr(text));
  };
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToStart(module->getBody());
  mlir::Type type = zyx::toMlirType(&context, {DType::F32, {2, 3}});
  auto function =
      mlir::func::FuncOp::create(builder, named("f"), "f", builder.getFunctionType({type}, {type}));
  builder.setInsertionPointToStart(function.addEntryBlock());

  zyx::MlirGraphBuilder graph(builder, named("first"));
  GraphValue x = graph.wrap(function.getArgument(0));
  REQUIRE(graph.wrap(function.getArgument(0)).id == x.id);
  GraphValue soft = graph.op(OpKind::Softmax, {x}, {{"axes", std::vector<int64_t>{1}}});
  graph.setLocation(named("second"));
  GraphValue shifted = graph.op(OpKind::Add, {soft, graph.splatLike(soft, 1.5)});
  REQUIRE(graph.typeOf(shifted) == TensorType{DType::F32, {2, 3}});
  mlir::func::ReturnOp::create(builder, named("return"), graph.valueOf(shifted));

  REQUIRE(mlir::succeeded(mlir::verify(*module)));
  REQUIRE(zyx::locationName(graph.valueOf(soft).getLoc()) == "first");
  REQUIRE(zyx::locationName(graph.valueOf(shifted).getLoc()) == "second");
  REQUIRE(zyx::kindOf(graph.valueOf(shifted).getDefiningOp()) == OpKind::Add);

  mlir::Value dynamic = mlir::UnrealizedConversionCastOp::create(
                            builder, named("cast"), mlir::parseType("tensor<?xf32>", &context),
                            mlir::ValueRange{function.getArgument(0)})
                            .getResult(0);
  REQUIRE(!graph.tryWrap(dynamic));
}
