// random_bits against the authors' known answers and a plain loop.
#include "compiler/interp/Interp.h"
#include <bit>
#include <catch2/catch.hpp>

using namespace zyxc;

namespace {

/// Threefry-2x32-20 word by word, as Salmon et al. write it.
std::pair<uint32_t, uint32_t> threefry(std::pair<uint32_t, uint32_t> counter,
                                       std::pair<uint32_t, uint32_t> key) {
  constexpr int rotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  uint32_t keys[3] = {key.first, key.second, 0x1BD11BDAu ^ key.first ^ key.second};
  auto [x, y] = counter;
  x += keys[0];
  y += keys[1];
  for (uint32_t round = 0; round < 20; ++round) {
    x += y;
    y = std::rotl(y, rotations[round % 8]) ^ x;
    if (round % 4 == 3) {
      uint32_t injection = round / 4 + 1;
      x += keys[injection % 3];
      y += keys[(injection + 1) % 3] + injection;
    }
  }
  return {x, y};
}

Tensor bits(uint32_t key0, uint32_t key1, Shape shape, DType dtype) {
  Tensor key = Tensor::zeros({DType::U32, {2}});
  key.setInt(0, key0);
  key.setInt(1, key1);
  Expected<Tensor> result =
      interp::evaluate(OpKind::RandomBits, {{"shape", shape}, {"dtype", dtype}}, {{key}});
  REQUIRE(result);
  return *result;
}

} // namespace

TEST_CASE("Threefry gives the known answers", "[random]") {
  // Random123, tests/kat_vectors, threefry2x32 with 20 rounds.
  using Words = std::pair<uint32_t, uint32_t>;
  CHECK(threefry({0, 0}, {0, 0}) == Words(0x6b200159, 0x99ba4efe));
  CHECK(threefry({~0u, ~0u}, {~0u, ~0u}) == Words(0x1cb996fc, 0xbb002be7));
  CHECK(threefry({0x243f6a88, 0x85a308d3}, {0x13198a2e, 0x03707344}) ==
        Words(0xc4923a9c, 0x483df7a0));
}

TEST_CASE("random_bits is Threefry of an element's number", "[random]") {
  uint32_t key0 = 0x13198a2e;
  uint32_t key1 = 0x03707344;
  Tensor u64 = bits(key0, key1, {3, 50}, DType::U64);
  Tensor u32 = bits(key0, key1, {150}, DType::U32);
  Tensor u16 = bits(key0, key1, {150}, DType::U16);
  Tensor u8 = bits(key0, key1, {5, 30}, DType::U8);
  for (uint32_t i = 0; i < 150; ++i) {
    auto [x, y] = threefry({0, i}, {key0, key1});
    INFO("element " << i);
    CHECK(static_cast<uint64_t>(u64.asInt(i)) == (uint64_t(x) << 32 | y));
    CHECK(u32.asInt(i) == (x ^ y));
    CHECK(u16.asInt(i) == ((x ^ y) & 0xffff));
    CHECK(u8.asInt(i) == ((x ^ y) & 0xff));
  }
  CHECK(bits(0, 0, {1}, DType::U64).asInt(0) == 0x6b20015999ba4efe);
}
