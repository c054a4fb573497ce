// Speed of host contraction kernels, with the time to compile them:
//   zyxc-bench-contract [THREADS] [NAME-PART] [SCHEDULE]
// prints one line per kernel: best and median time of its runs, GFLOP/s of the best, milliseconds
// of compilation. The first line is the machine's own limit for one thread.
#include "test/unit/mlir/ContractSpec.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <string_view>

using namespace zyxc;
using namespace zyxc::test;

/// Seconds of wall time, or with one thread of this thread's processor time, which other programs
/// on the machine disturb less.
static double now(int threads) {
  timespec time{};
  clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

namespace {
struct Case {
  std::string name;
  ContractSpec spec;
};
} // namespace

/// Bias and relu after a contraction whose left operand is a weight, prepared at load.
static ContractSpec withLayer(ContractSpec spec, int biasAxis, std::string_view prepared) {
  spec.biasAxis = biasAxis;
  spec.relu = true;
  spec.schedule = "#zyxk.contract<" + std::string(prepared) + " = prepared>";
  return spec;
}

static ContractSpec conv(int64_t channels, int64_t size, int64_t filters, int64_t kernel,
                         int64_t stride) {
  ConvSpec conv;
  conv.channels = channels;
  conv.height = conv.width = size;
  conv.filters = filters;
  conv.kernel = kernel;
  conv.stride = stride;
  conv.pad = kernel / 2;
  return withLayer(conv.contract(), 2, "pack_a");
}

/// x[m, k] times the transposed w[n, k], a fully connected layer.
static ContractSpec connected(int64_t m, int64_t n, int64_t k) {
  ContractSpec spec = matmul(m, n, k);
  spec.b = {{n, k}, {axis(1), axis(2)}};
  return withLayer(spec, 1, "pack_b");
}

static std::vector<Case> cases() {
  ContractSpec transposed = matmul(1024, 1024, 1024);
  transposed.a = {{1024, 1024}, {axis(2), axis(0)}};
  return {
      {"matmul 1024^3", matmul(1024, 1024, 1024)},
      {"matmul 1024^3 transposed A", transposed},
      {"matmul 512x512x64", matmul(512, 512, 64)},
      {"matmul 128x3072x768", matmul(128, 3072, 768)},
      {"conv 7x7/2 3->64 224", conv(3, 224, 64, 7, 2)},
      {"conv 1x1 64->64 56", conv(64, 56, 64, 1, 1)},
      {"conv 3x3 64->64 56", conv(64, 56, 64, 3, 1)},
      {"conv 1x1 64->256 56", conv(64, 56, 256, 1, 1)},
      {"conv 1x1 256->64 56", conv(256, 56, 64, 1, 1)},
      {"conv 1x1/2 256->512 56", conv(256, 56, 512, 1, 2)},
      {"conv 3x3/2 128->128 56", conv(128, 56, 128, 3, 2)},
      {"conv 3x3 128->128 28", conv(128, 28, 128, 3, 1)},
      {"conv 1x1 512->128 28", conv(512, 28, 128, 1, 1)},
      {"conv 3x3 256->256 14", conv(256, 14, 256, 3, 1)},
      {"conv 1x1 1024->256 14", conv(1024, 14, 256, 1, 1)},
      {"conv 1x1/2 1024->2048 14", conv(1024, 14, 2048, 1, 2)},
      {"conv 3x3/2 512->512 14", conv(512, 14, 512, 3, 2)},
      {"conv 3x3 512->512 7", conv(512, 7, 512, 3, 1)},
      {"conv 1x1 512->2048 7", conv(512, 7, 2048, 1, 1)},
      {"conv 1x1 2048->512 7", conv(2048, 7, 512, 1, 1)},
      {"connected 1x1000x2048", connected(1, 1000, 2048)},
      {"connected 1x4096x4096", connected(1, 4096, 4096)},
      {"connected 16x1000x2048", connected(16, 1000, 2048)},
      {"connected 128x768x768", connected(128, 768, 768)},
  };
}

/// GFLOP/s of independent multiply-adds in registers: a lowered kernel without memory accesses.
static double peakGflops(HostCompiler &compiler) {
  constexpr int accumulators = 12;
  constexpr int64_t turns = 4'000'000;
  int64_t lanes = compiler.target().vectorBits / 32;
  std::string type = fmt::format("vector<{}xf32>", lanes);
  std::string loads;
  std::string initial;
  std::string results;
  std::string types;
  std::string steps;
  std::string stores;
  for (int i = 0; i < accumulators; ++i) {
    const char *separator = i == 0 ? "" : ", ";
    loads += fmt::format("  %c{0} = arith.constant {1} : index\n"
                         "  %x{0} = vector.load %out[%c{0}] : memref<{2}xf32>, {3}\n",
                         i, i * lanes, accumulators * lanes, type);
    initial += fmt::format("{0}%a{1} = %x{1}", separator, i);
    types += separator + type;
    steps += fmt::format("    %n{0} = math.fma %a{0}, %x0, %x1 : {1}\n", i, type);
    results += fmt::format("{}%n{}", separator, i);
    stores += fmt::format("  vector.store %r#{0}, %out[%c{0}] : memref<{1}xf32>, {2}\n", i,
                          accumulators * lanes, type);
  }
  std::string text = fmt::format(R"(
func.func @peak(%out: memref<{0}xf32>, %scratch: memref<0xi8>, %lo: index, %hi: index)
    attributes {{zyxk.num_tasks = {1} : i64, zyxk.scratch_bytes = 0 : i64}} {{
{2}  %one = arith.constant 1 : index
  %r:{3} = scf.for %i = %lo to %hi step %one iter_args({4}) -> ({5}) {{
{6}    scf.yield {7} : {5}
  }}
{8}  return
}}
)",
                                 accumulators * lanes, turns, loads, accumulators, initial, types,
                                 steps, results, stores);
  auto kernels = compiler.compile(std::span(&text, 1), 1);
  if (!kernels) {
    std::printf("%s\n", kernels.error().message().c_str());
    return 0;
  }
  std::vector<float> out(accumulators * lanes);
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = 0.25F + 0.001F * static_cast<float>(i);
  }
  rt::ThreadPool pool(1);
  KernelRun run(kernels->front(), {out.data()}, pool);
  double start = now(1);
  run.run(pool);
  double operations = 2.0 * static_cast<double>(lanes * accumulators * turns);
  return operations / (now(1) - start) * 1e-9;
}

static void measure(HostCompiler &compiler, const Case &test, int threads) {
  std::string text = test.spec.text();
  double start = now(1);
  auto kernels = compiler.compile(std::span(&text, 1), 1);
  double compileMs = (now(1) - start) * 1e3;
  if (!kernels) {
    std::printf("%-28s %s\n", test.name.c_str(), kernels.error().message().c_str());
    std::fflush(stdout);
    return;
  }
  std::vector<std::vector<std::byte>> memory;
  for (const Buffer &input : test.spec.makeInputs(1)) {
    memory.push_back(input.bytes());
  }
  memory.emplace_back(test.spec.out.elements() * byteSize(test.spec.sumType));
  std::vector<void *> ports;
  ports.reserve(memory.size());
  for (auto &bytes : memory) {
    ports.push_back(bytes.data());
  }
  rt::ThreadPool pool(threads);
  KernelRun run(kernels->front(), ports, pool);
  std::vector<double> times;
  double begin = now(threads);
  while (times.size() < 5 || (now(threads) - begin < 0.3 && times.size() < 1000)) {
    double once = now(threads);
    run.run(pool);
    times.push_back(now(threads) - once);
  }
  std::sort(times.begin(), times.end());
  double best = times.front();
  double median = times[times.size() / 2];
  std::printf("%-28s %9.3f %9.3f %8.1f %9.1f %7ld %9.1f\n", test.name.c_str(), best * 1e3,
              median * 1e3, test.spec.flops() / best * 1e-9, compileMs,
              static_cast<long>(kernels->front().numTasks),
              static_cast<double>(kernels->front().scratchBytes) / 1024);
  std::fflush(stdout);
}

int main(int argc, char **argv) {
  int threads = argc > 1 ? std::max(static_cast<int>(std::strtol(argv[1], nullptr, 10)), 1) : 1;
  std::string_view wanted = argc > 2 ? argv[2] : "";
  auto compiler = HostCompiler::create(HostTarget::detect());
  if (!compiler) {
    std::fprintf(stderr, "%s\n", compiler.error().message().c_str());
    return static_cast<int>(compiler.error().code());
  }
  std::printf(
      "%d-bit vectors on %s, %d threads; multiply-adds in registers, 1 thread: %.1f GFLOP/s\n",
      (*compiler)->target().vectorBits, (*compiler)->target().cpu.c_str(), threads,
      peakGflops(**compiler));
  std::printf("%-28s %9s %9s %8s %9s %7s %9s\n", "kernel", "best ms", "median", "GFLOP/s",
              "compile", "tasks", "scratch K");
  for (Case test : cases()) {
    if (test.name.find(wanted) != std::string::npos) {
      test.spec.schedule = argc > 3 ? argv[3] : test.spec.schedule;
      measure(**compiler, test, threads);
    }
  }
  const HostCompileTimes &times = (*compiler)->times();
  std::printf("compile ms: parse %.1f lower %.1f convert %.1f translate %.1f optimize %.1f emit "
              "%.1f link %.1f\n",
              times.parse, times.lower, times.convert, times.translate, times.optimize, times.emit,
              times.link);
  return 0;
}
