#include "test/unit/mlir/KernelRunner.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <sys/mman.h>
#include <unistd.h>

namespace zyxc::test {

GuardedBuffer::GuardedBuffer(size_t bytes) {
  auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  size_t usable = (bytes + page - 1) / page * page;
  mapped = usable + page;
  mapping = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(mapping != MAP_FAILED);
  auto *first = static_cast<char *>(mapping);
  REQUIRE(mprotect(first + usable, page, PROT_NONE) == 0);
  std::memset(first, 0xa5, usable);
  start = first + (usable - bytes);
}

GuardedBuffer::~GuardedBuffer() {
  munmap(mapping, mapped);
}

KernelRunner::KernelRunner(const std::string &text, bool baseline)
    : KernelRunner(text, baseline ? HostTarget::baseline() : HostTarget::detect()) {}

KernelRunner::KernelRunner(const std::string &text, const HostTarget &target) {
  auto created = HostCompiler::create(target);
  REQUIRE(created);
  compiler = std::move(*created);
  auto compiled = compiler->compile(std::span(&text, 1), 1);
  INFO((compiled ? std::string() : compiled.error().message()));
  REQUIRE(compiled);
  kernel = compiled->front();
  // Scratch memory is aligned to 64 bytes: whole lines keep its end at the page.
  shared = std::make_unique<GuardedBuffer>((kernel.join.sharedBytes + 63) / 64 * 64);
  scratch = std::make_unique<GuardedBuffer>((kernel.scratchBytes + 63) / 64 * 64);
}

void KernelRunner::run() {
  std::vector<uint64_t> slots;
  for (const auto &port : ports) {
    slots.push_back(reinterpret_cast<uint64_t>(port->data()));
  }
  if (kernel.join.sharedBytes > 0) {
    slots.push_back(reinterpret_cast<uint64_t>(shared->data()));
  }
  slots.push_back(reinterpret_cast<uint64_t>(scratch->data()));
  for (int64_t task = 0; task < kernel.numTasks; ++task) {
    kernel.entry(slots.data(), task, task + 1);
  }
  for (int64_t task = 0; task < kernel.join.numTasks; ++task) {
    kernel.join.entry(slots.data(), task, task + 1);
  }
}

std::vector<float> randomFloats(size_t count, float low, float high) {
  std::mt19937 engine(static_cast<unsigned>(count));
  std::uniform_real_distribution<float> uniform(low, high);
  std::vector<float> values(count);
  for (float &value : values) {
    value = uniform(engine);
  }
  return values;
}

void checkClose(const std::vector<float> &got, const std::vector<double> &want, double tolerance) {
  REQUIRE(got.size() == want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    INFO("element " << i << ": got " << got[i] << ", want " << want[i]);
    bool bothNan = std::isnan(got[i]) && std::isnan(want[i]);
    REQUIRE((bothNan || std::abs(got[i] - want[i]) <= tolerance * (1 + std::abs(want[i]))));
  }
}

} // namespace zyxc::test
