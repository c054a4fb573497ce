// Speed of host kernels beside a peer, in turns in one run:
//   zyxc-bench-kernels [--threads N] [--case NAME-PART] [--rounds N] [--tsv FILE]
//                      [--schedule ATTRIBUTE]
// Each round times the kernel and its peer once. `ratio` is the peer's least time over the
// kernel's, `median` the median of the rounds' ratios; above 1 the kernel is faster. With one
// thread, times are those of the thread, which other programs disturb less. `compile` is the least
// of several warm compilations. Without kernels for this processor OpenBLAS is no peer: no ratio.
#include "test/bench/kernels/Cases.h"
#include "test/bench/peer/OpenBlas.h"
#include "test/unit/mlir/ContractSpec.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fmt/format.h>
#include <functional>
#include <random>
#include <sys/mman.h>

using namespace zyxc;
using namespace zyxc::bench;

namespace {

struct Options {
  int threads = 1;
  int rounds = 0; ///< 0: as many as fit in a time
  std::string part;
  std::string tsv;
  std::string schedule;
};

struct Result {
  double kernel = 0, peer = 0; ///< least seconds
  double ratio = 0, median = 0;
  double compileMs = 0;
  double error = 0; ///< largest difference from the peer's product
  int rounds = 0;
};

/// Memory in large pages where the system has them, as both sides use it.
class Memory {
public:
  explicit Memory(size_t bytes) : size(std::max<size_t>(bytes, 1)) {
    constexpr size_t largePage = 2 << 20;
    size = (size + largePage - 1) / largePage * largePage;
    start = static_cast<float *>(std::aligned_alloc(largePage, size));
    madvise(start, size, MADV_HUGEPAGE);
  }
  ~Memory() { std::free(start); }
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;
  float *data() const { return start; }
  void fill(std::mt19937 &engine, size_t elements) const {
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (size_t i = 0; i < elements; ++i) {
      start[i] = uniform(engine);
    }
  }

private:
  size_t size;
  float *start;
};

} // namespace

static double now(int threads) {
  timespec time{};
  clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

static double timeOf(int threads, const std::function<void()> &work) {
  double start = now(threads);
  work();
  return now(threads) - start;
}

/// Rounds of kernel and peer in turns.
static void runRounds(const Options &options, const std::function<void()> &kernel,
                      const std::function<void()> &peer, Result &result) {
  constexpr double budget = 2.0;
  constexpr int least = 15;
  constexpr int most = 2000;
  // Short kernels are repeated within a round, so that the clock's step does not matter.
  constexpr double shortest = 5e-4;
  kernel();
  peer();
  double once = timeOf(1, kernel);
  int repeats = std::clamp(static_cast<int>(shortest / std::max(once, 1e-7)), 1, 1000);
  auto repeat = [&](const std::function<void()> &work) {
    return timeOf(options.threads,
                  [&] {
                    for (int i = 0; i < repeats; ++i) {
                      work();
                    }
                  }) /
           repeats;
  };
  std::vector<double> ratios;
  double begin = now(options.threads);
  auto goesOn = [&] {
    int count = static_cast<int>(ratios.size());
    return options.rounds > 0
               ? count < options.rounds
               : count < least || (now(options.threads) - begin < budget && count < most);
  };
  result.kernel = result.peer = HUGE_VAL;
  while (goesOn()) {
    double first = repeat(kernel);
    double second = repeat(peer);
    result.kernel = std::min(result.kernel, first);
    result.peer = std::min(result.peer, second);
    ratios.push_back(second / first);
  }
  std::sort(ratios.begin(), ratios.end());
  result.rounds = static_cast<int>(ratios.size());
  result.median = ratios[ratios.size() / 2];
  result.ratio = result.peer / result.kernel;
}

/// Compiles once more than is timed: then nothing is loaded for the first time.
static Expected<CompiledKernel> compile(HostCompiler &compiler, const std::string &text,
                                        Result &result) {
  constexpr int times = 5;
  ZYXC_ASSIGN(auto kernels, compiler.compile(std::span(&text, 1), 1));
  result.compileMs = HUGE_VAL;
  for (int i = 0; i < times; ++i) {
    double start = now(1);
    ZYXC_ASSIGN(kernels, compiler.compile(std::span(&text, 1), 1));
    result.compileMs = std::min(result.compileMs, (now(1) - start) * 1e3);
  }
  return kernels.front();
}

static Expected<Result> measure(HostCompiler &compiler, const OpenBlas *blas, const BenchCase &test,
                                const Options &options) {
  Result result;
  std::string text = test.text;
  if (!options.schedule.empty()) {
    text = text.substr(0, text.rfind('}') + 1) + " schedule " + options.schedule + "\n";
  }
  ZYXC_ASSIGN(CompiledKernel kernel, compile(compiler, text, result));
  std::mt19937 engine(1);
  std::vector<std::unique_ptr<Memory>> memory;
  std::vector<void *> addresses;
  for (const BenchPort &port : test.ports) {
    memory.push_back(std::make_unique<Memory>(port.elements * sizeof(float)));
    memory.back()->fill(engine, port.elements);
    addresses.push_back(memory.back()->data());
  }
  rt::ThreadPool pool(options.threads);
  test::KernelRun run(kernel, addresses, pool);
  auto runKernel = [&] {
    run.run(pool);
  };

  auto half = static_cast<int64_t>(test.bytes() / 2);
  int64_t elements = test.m * test.n;
  bool copies = test.peer == Peer::Copy;
  Memory from(copies ? half : test.m * test.k * sizeof(float));
  Memory to(copies ? half : elements * sizeof(float));
  std::memset(from.data(), 1, copies ? half : 1);
  auto copy = [&] {
    constexpr int64_t unit = 4096;
    pool.run((half + unit - 1) / unit, [&](int64_t lo, int64_t hi, int) {
      auto *target = reinterpret_cast<char *>(to.data()) + lo * unit;
      const auto *source = reinterpret_cast<const char *>(from.data()) + lo * unit;
      std::memcpy(target, source, std::min(hi * unit, half) - lo * unit);
    });
  };
  auto multiply = [&] {
    blas->multiply(static_cast<int>(test.m), static_cast<int>(test.n), static_cast<int>(test.k),
                   memory[0]->data(), memory[1]->data(), to.data());
  };
  auto multiplyHeads = [&] {
    for (int64_t head = 0; head < test.heads; ++head) {
      int64_t at = head * test.m * test.k;
      blas->multiply(static_cast<int>(test.m), static_cast<int>(test.n), static_cast<int>(test.k),
                     memory[0]->data() + at, memory[1]->data() + at, to.data(),
                     /*transposed=*/true);
      blas->multiply(static_cast<int>(test.m), static_cast<int>(test.k), static_cast<int>(test.n),
                     to.data(), memory[2]->data() + at, from.data());
    }
  };
  std::function<void()> peer = copy;
  switch (test.peer) {
  case Peer::Copy: break;
  case Peer::Product: peer = multiply; break;
  case Peer::Heads: peer = multiplyHeads; break;
  }
  runRounds(options, runKernel, peer, result);
  if (test.peer == Peer::Product && test.ports.size() == 3) {
    for (int64_t i = 0; i < elements; ++i) {
      double difference = std::abs(to.data()[i] - memory[2]->data()[i]);
      result.error = std::max(result.error, difference);
    }
  }
  return result;
}

static bool parse(int argc, char **argv, Options &options) {
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string_view name = argv[i];
    const char *value = argv[i + 1];
    if (name == "--threads") {
      options.threads = std::max(static_cast<int>(std::strtol(value, nullptr, 10)), 1);
    } else if (name == "--rounds") {
      options.rounds = static_cast<int>(std::strtol(value, nullptr, 10));
    } else if (name == "--case") {
      options.part = value;
    } else if (name == "--tsv") {
      options.tsv = value;
    } else if (name == "--schedule") {
      options.schedule = value;
    } else {
      return false;
    }
  }
  return argc % 2 == 1;
}

/// A ratio; nothing where the peer is none.
static std::string ratioText(double ratio) {
  return std::isnan(ratio) ? "-" : fmt::format("{:.3f}", ratio);
}

/// Prints a line; returns that of the table.
static std::string print(const BenchCase &test, const Options &options, const Result &result) {
  double work = test.peer != Peer::Copy ? test.flops() : test.bytes();
  std::string ratio = ratioText(result.ratio);
  std::string median = ratioText(result.median);
  std::printf("%-34s %9.4f %9.4f %8.1f %7s %7s %6.2f %7d %8.1f%s\n", test.name.c_str(),
              result.kernel * 1e3, result.peer * 1e3, work / result.kernel * 1e-9, ratio.c_str(),
              median.c_str(), test.gate, result.rounds, result.compileMs,
              result.compileMs > test.compileMs ? " slow to compile" : "");
  std::fflush(stdout);
  return fmt::format("{}\t{}\t{:.4f}\t{:.4f}\t{}\t{}\t{}\t{:.1f}\t{:.2g}\n", test.name,
                     options.threads, result.kernel * 1e3, result.peer * 1e3, ratio, median,
                     test.gate, result.compileMs, result.error);
}

int main(int argc, char **argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr, "usage: zyxc-bench-kernels [--threads N] [--case NAME-PART] [--rounds N] "
                         "[--tsv FILE] [--schedule ATTRIBUTE]\n");
    return 2;
  }
  auto compiler = HostCompiler::create(HostTarget::detect());
  if (!compiler) {
    std::fprintf(stderr, "%s\n", compiler.error().message().c_str());
    return 1;
  }
  std::optional<OpenBlas> blas = OpenBlas::load();
  if (blas) {
    blas->setThreads(options.threads);
  }
  std::printf("%s, %u-bit vectors, threads %d\nOpenBLAS: %s\n", (*compiler)->target().cpu.c_str(),
              (*compiler)->target().vectorBits, options.threads,
              blas ? blas->describe().c_str() : "not installed; products are left out");
  std::string weakPeer = blas ? blas->whyNoPeer() : "";
  if (!weakPeer.empty()) {
    std::printf("%s\n", weakPeer.c_str());
  }
  std::printf("%-34s %9s %9s %8s %7s %7s %6s %7s %8s\n", "kernel", "ms", "peer ms", "rate", "ratio",
              "median", "gate", "rounds", "compile");
  std::string table = "kernel\tthreads\tms\tpeer ms\tratio\tmedian\tgate\tcompile ms\tmax error\n";
  bool failed = false;
  for (const BenchCase &test : benchCases()) {
    bool multiplies = test.peer != Peer::Copy;
    if (test.name.find(options.part) == std::string::npos || (multiplies && !blas)) {
      continue;
    }
    auto result = measure(**compiler, blas ? &*blas : nullptr, test, options);
    if (!result) {
      std::printf("%-34s %s\n", test.name.c_str(), result.error().message().c_str());
      failed = true;
      continue;
    }
    if (multiplies && !weakPeer.empty()) {
      result->ratio = result->median = NAN;
    }
    table += print(test, options, *result);
    failed |= result->error > 1e-3;
  }
  if (!options.tsv.empty()) {
    std::FILE *file = std::fopen(options.tsv.c_str(), "w");
    if (!file) {
      std::fprintf(stderr, "cannot write %s\n", options.tsv.c_str());
      return 1;
    }
    std::fputs(table.c_str(), file);
    std::fclose(file);
  }
  return failed ? 1 : 0;
}
