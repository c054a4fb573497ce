// Random bits by a counter and a cipher: J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random
// numbers: as easy as 1, 2, 3", SC 2011 (Threefry-2x32-20).
#include "dialects/zyx/semantics/DecomposeFamilies.h"

namespace zyxc::decomposition {

namespace {

/// The cipher on vectors of counters, one op at a time.
class Threefry {
public:
  Threefry(GraphBuilder &builder, Shape shape) : builder(builder), shape(std::move(shape)) {}

  GraphValue constant(uint32_t value) {
    return builder.broadcast(builder.constant(Tensor::scalarInt(DType::U32, value)), shape);
  }
  GraphValue add(GraphValue a, GraphValue b) { return builder.op(OpKind::Add, {a, b}); }
  GraphValue exclusiveOr(GraphValue a, GraphValue b) { return builder.op(OpKind::Xor, {a, b}); }
  GraphValue rotate(GraphValue x, uint32_t bits) {
    GraphValue high = builder.op(OpKind::Shl, {x, constant(bits)});
    GraphValue low = builder.op(OpKind::Shr, {x, constant(32 - bits)});
    return builder.op(OpKind::Or, {high, low});
  }

  /// Both words of the counters, enciphered.
  std::pair<GraphValue, GraphValue> run(GraphValue x, GraphValue y, GraphValue key0,
                                        GraphValue key1) {
    constexpr uint32_t rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    constexpr uint32_t parity = 0x1BD11BDA;
    GraphValue keys[3] = {key0, key1, exclusiveOr(exclusiveOr(key0, key1), constant(parity))};
    x = add(x, keys[0]);
    y = add(y, keys[1]);
    for (uint32_t group = 1; group <= 5; ++group) { // of four rounds
      for (uint32_t bits : rotations[(group - 1) % 2]) {
        x = add(x, y);
        y = exclusiveOr(rotate(y, bits), x);
      }
      x = add(x, keys[group % 3]);
      y = add(add(y, keys[(group + 1) % 3]), constant(group));
    }
    return {x, y};
  }

private:
  GraphBuilder &builder;
  Shape shape;
};

} // namespace

GraphValue randomBits(GraphBuilder &builder, GraphValue key, const Attrs &attrs) {
  const Shape &shape = attrs.getInts("shape");
  DType dtype = attrs.getDType("dtype");
  Shape flat{numElements(shape)};
  auto wide = [&](uint64_t value) {
    auto scalar = Tensor::scalarInt(DType::U64, static_cast<int64_t>(value));
    return builder.broadcast(builder.constant(scalar), flat);
  };
  auto word = [&](int64_t number) {
    GraphValue part =
        builder.op(OpKind::Narrow, {key},
                   {{"starts", Shape{number}}, {"sizes", Shape{1}}, {"steps", Shape{1}}});
    return builder.broadcast(part, flat);
  };
  GraphValue counter =
      builder.op(OpKind::Iota, {}, {{"shape", flat}, {"axis", int64_t(0)}, {"dtype", DType::U64}});
  GraphValue high = builder.cast(builder.op(OpKind::Shr, {counter, wide(32)}), DType::U32);
  GraphValue low = builder.cast(counter, DType::U32);
  Threefry cipher(builder, flat);
  auto [first, second] = cipher.run(high, low, word(0), word(1));
  GraphValue bits;
  if (dtype == DType::U64) {
    GraphValue above = builder.op(OpKind::Shl, {builder.cast(first, DType::U64), wide(32)});
    bits = builder.op(OpKind::Or, {above, builder.cast(second, DType::U64)});
  } else {
    bits = builder.cast(cipher.exclusiveOr(first, second), dtype);
  }
  return builder.reshape(bits, shape);
}

} // namespace zyxc::decomposition
