// Compiles a zyxk kernel for this machine and runs it on buffers that end at an inaccessible page,
// so that an access behind a port stops the test.
#pragma once
#include "compiler/codegen/cpu/HostCompiler.h"
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace zyxc::test {

/// Memory whose last byte is followed by a page without access. Filled with 0xa5.
class GuardedBuffer {
public:
  explicit GuardedBuffer(size_t bytes);
  ~GuardedBuffer();
  GuardedBuffer(const GuardedBuffer &) = delete;
  GuardedBuffer &operator=(const GuardedBuffer &) = delete;
  void *data() const { return start; }

private:
  void *mapping = nullptr;
  size_t mapped = 0;
  void *start = nullptr;
};

/// One compiled kernel and its ports.
class KernelRunner {
public:
  /// Compiles the module text, which holds one kernel. Fails the test on an error. `baseline`: for
  /// the oldest supported processor instead of this one.
  explicit KernelRunner(const std::string &text, bool baseline = false);
  KernelRunner(const std::string &text, const HostTarget &target);

  /// Adds the next port: a copy of the elements.
  template <class T> void add(const std::vector<T> &elements) {
    ports.push_back(std::make_unique<GuardedBuffer>(elements.size() * sizeof(T)));
    std::memcpy(ports.back()->data(), elements.data(), elements.size() * sizeof(T));
  }
  /// Adds the next port: `count` elements to be written.
  template <class T> void addOutput(size_t count) {
    ports.push_back(std::make_unique<GuardedBuffer>(count * sizeof(T)));
  }
  template <class T> std::vector<T> elements(size_t port, size_t count) const {
    std::vector<T> result(count);
    std::memcpy(result.data(), ports[port]->data(), count * sizeof(T));
    return result;
  }
  /// Runs all tasks, one call each.
  void run();
  int64_t numTasks() const { return kernel.numTasks; }

private:
  std::unique_ptr<HostCompiler> compiler;
  CompiledKernel kernel;
  std::unique_ptr<GuardedBuffer> shared;
  std::unique_ptr<GuardedBuffer> scratch;
  std::vector<std::unique_ptr<GuardedBuffer>> ports;
};

/// Uniform random numbers, the same for the same count.
std::vector<float> randomFloats(size_t count, float low = -2, float high = 2);

/// Fails the test at the first element off by more than the relative tolerance; NaN equals NaN.
void checkClose(const std::vector<float> &got, const std::vector<double> &want,
                double tolerance = 1e-5);

} // namespace zyxc::test
