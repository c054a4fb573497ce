// .npy files: what is written is read back; nothing that a file holds makes the reader fail badly.
#include "runtime/core/Npy.h"
#include "runtime/support/File.h"
#include "test/unit/fixtures/TemporaryFolder.h"
#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>

using namespace zyxc;

/// A version 1 file with this header dict and data.
static std::string npyFile(std::string header, std::string_view data) {
  header += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size());
  file += '\0';
  return file + header + std::string(data);
}

static Expected<Tensor> readBytes(std::string_view content,
                                  std::optional<DType> wanted = std::nullopt) {
  TemporaryFolder folder;
  std::string path = folder.file("bytes.npy");
  REQUIRE(writeFile(path, content).isOk());
  return readNpy(path, wanted);
}

TEST_CASE("a tensor of each dtype and rank survives a .npy file", "[npy]") {
  TemporaryFolder folder;
  std::string path = folder.file("tensor.npy");
  for (const DTypeInfo &row : dtypeTable) {
    for (const Shape &shape : {Shape{}, Shape{3}, Shape{2, 3}, Shape{0, 4}, Shape{2, 1, 3, 2}}) {
      Tensor tensor = Tensor::zeros({row.dtype, shape});
      for (int64_t i = 0; i < tensor.numElements(); ++i) {
        tensor.setDouble(i, static_cast<double>(i % 5));
      }
      REQUIRE(writeNpy(path, tensor).isOk());
      Expected<Tensor> read = readNpy(path, row.dtype);
      INFO(row.name << " " << toString(shape));
      REQUIRE(read);
      REQUIRE(read->identical(tensor));
    }
  }
}

TEST_CASE("Fortran order becomes row-major", "[npy]") {
  std::string data("\x00\x01\x02\x03\x04\x05", 6);
  auto read =
      readBytes(npyFile("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", data));
  REQUIRE(read);
  const int expected[] = {0, 2, 4, 1, 3, 5};
  for (int64_t i = 0; i < 6; ++i) {
    REQUIRE(read->asInt(i) == expected[i]);
  }
}

TEST_CASE("a malformed .npy file is an error in one line", "[npy]") {
  const std::pair<std::string, const char *> cases[] = {
      {"", "does not start"},
      {"hello, this is text", "does not start"},
      {npyFile("{'descr': '<f4', 'fortran_order': False, 'shape': (2, }", "12345678"), ""},
      {npyFile("{'descr': '<f4', 'fortran_order': False, }", "12345678"), "not a dict"},
      {npyFile("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", "12345678"), "too few"},
      {npyFile("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", ""),
       "its shape has the negative dim -1"},
      {npyFile("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", "12345"),
       "1 byte lies beyond the f32 elements of shape 1: save one array a file"},
      {npyFile("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 8), }", ""),
       "too few"},
      {npyFile("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "1234"), "big endian"},
      {npyFile("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "1234"),
       "not supported"},
      {npyFile("{'descr': '|V2', 'fortran_order': False, 'shape': (1,), }", "12"), "uint16"},
  };
  for (const auto &[content, message] : cases) {
    Expected<Tensor> read = readBytes(content);
    INFO(content);
    REQUIRE_FALSE(read);
    REQUIRE_THAT(read.error().message(), Catch::Contains(message));
    REQUIRE(read.error().message().find('\n') == std::string::npos);
  }
  REQUIRE_FALSE(readNpy("/nonexistent/file.npy"));
  REQUIRE_FALSE(readNpy("/"));
}

TEST_CASE("mutated .npy files never harm the reader", "[npy]") {
  std::string good =
      npyFile("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", std::string(24, 'x'));
  std::mt19937_64 random(11);
  const char *longMode = std::getenv("ZYXC_LONG_TESTS");
  for (int round = longMode ? 20000 : 2000; round-- > 0;) {
    std::string bad = good.substr(0, round % 3 ? good.size() : random() % good.size());
    for (int flips = 1 + static_cast<int>(random() % 4); flips-- > 0 && !bad.empty();) {
      bad[random() % bad.size()] = static_cast<char>(random());
    }
    Expected<Tensor> read = readBytes(bad);
    REQUIRE((!read || read->byteSize() <= bad.size()));
  }
}
