#include "test/unit/mlir/ContractSpec.h"
#include "runtime/core/Float.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <random>
#include <stdexcept>

namespace zyxc::test {

int64_t Access::elements() const {
  int64_t count = 1;
  for (int64_t extent : shape) {
    count *= extent;
  }
  return count;
}

Buffer Buffer::random(DType dtype, int64_t elements, uint64_t seed) {
  std::mt19937_64 random(seed);
  Buffer buffer{dtype, std::vector<double>(elements)};
  for (double &value : buffer.values) {
    int64_t whole = static_cast<int64_t>(random() % 17) - 8;
    value = isFloat(dtype) ? static_cast<double>(whole) / 8 : static_cast<double>(whole % 5);
  }
  return buffer;
}

std::vector<std::byte> Buffer::bytes() const {
  size_t width = byteSize(dtype);
  std::vector<std::byte> result(values.size() * width);
  for (size_t i = 0; i < values.size(); ++i) {
    uint64_t bits = isFloat(dtype) ? floatToBits(dtype, values[i])
                                   : static_cast<uint64_t>(static_cast<int64_t>(values[i]));
    std::memcpy(&result[i * width], &bits, width);
  }
  return result;
}

Buffer Buffer::fromBytes(DType dtype, const std::vector<std::byte> &bytes) {
  size_t width = byteSize(dtype);
  Buffer buffer{dtype, std::vector<double>(bytes.size() / width)};
  for (size_t i = 0; i < buffer.values.size(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, &bytes[i * width], width);
    if (isFloat(dtype)) {
      buffer.values[i] = floatFromBits(dtype, bits);
    } else {
      int unused = 64 - bitWidth(dtype);
      buffer.values[i] = static_cast<double>(static_cast<int64_t>(bits << unused) >> unused);
    }
  }
  return buffer;
}

static std::string coordinateText(const Coordinate &coordinate) {
  std::string text = std::to_string(coordinate.base);
  for (auto [number, factor] : coordinate.terms) {
    text += fmt::format(" + a{} * {}", number, factor);
  }
  return text;
}

static std::string accessText(std::string_view port, const Access &access) {
  std::vector<std::string> at;
  at.reserve(access.at.size());
  for (const Coordinate &coordinate : access.at) {
    at.push_back(coordinateText(coordinate));
  }
  return fmt::format("%{}[{}]", port, fmt::join(at, ", "));
}

/// The constraints that keep an access inside its port; empty if it cannot leave it.
static std::string guardText(const Access &access, const std::vector<int64_t> &extents) {
  std::vector<std::string> constraints;
  for (size_t dim = 0; dim < access.shape.size(); ++dim) {
    int64_t low = access.at[dim].base;
    int64_t high = access.at[dim].base;
    for (auto [number, factor] : access.at[dim].terms) {
      (factor < 0 ? low : high) += factor * (extents[number] - 1);
    }
    if (low < 0) {
      constraints.push_back(coordinateText(access.at[dim]) + " >= 0");
    }
    if (high >= access.shape[dim]) {
      constraints.push_back(
          fmt::format("{} < {}", coordinateText(access.at[dim]), access.shape[dim]));
    }
  }
  return fmt::format("{}", fmt::join(constraints, " and "));
}

namespace {

/// Writes the body of a spec's kernel, one op a line.
class BodyText {
public:
  explicit BodyText(const ContractSpec &spec)
      : spec(spec), in(info(spec.operandType).name), sum(info(spec.sumType).name),
        floats(isFloat(spec.sumType)) {}

  std::string write();

private:
  void line(std::string_view result, const std::string &op) {
    text += fmt::format("  %{} = {}\n", result, op);
  }
  /// A load, inside of a guard if it can leave its port.
  std::string operand(const std::string &port, const Access &access) {
    line("l" + port, fmt::format("load {} : {}", accessText(port, access), in));
    std::string guard = guardText(access, spec.extents);
    if (guard.empty()) {
      return "l" + port;
    }
    line("g" + port, fmt::format("where %l{} if ({}) else %zi : {}", port, guard, in));
    return "g" + port;
  }
  std::string binary(std::string_view result, std::string_view op, std::string_view x,
                     std::string_view y, std::string_view type) {
    line(result, fmt::format("arith.{} %{}, %{} : {}", op, x, y, type));
    return std::string(result);
  }
  std::string relu(std::string_view result, std::string_view x, std::string_view zero,
                   std::string_view type) {
    return binary(result, floats ? "maximumf" : "maxsi", x, zero, type);
  }
  std::string add(std::string_view result, std::string_view x, std::string_view y) {
    return binary(result, floats ? "addf" : "addi", x, y, sum);
  }

  const ContractSpec &spec;
  std::string in;
  std::string sum;
  bool floats;
  std::string text;
};

} // namespace

std::string BodyText::write() {
  std::string zero = floats ? "0.0" : "0";
  line("zi", fmt::format("arith.constant {} : {}", zero, in));
  line("z", fmt::format("arith.constant {} : {}", zero, sum));
  std::string left = operand("a", spec.a);
  std::string right = operand("b", spec.b);
  left = spec.squareA ? binary("sq", floats ? "mulf" : "muli", left, left, in) : left;
  right = spec.reluB ? relu("rb", right, "zi", in) : right;
  std::vector<std::string> over;
  over.reserve(spec.reduced.size());
  for (int number : spec.reduced) {
    over.push_back(fmt::format("a{}", number));
  }
  line("c", fmt::format("contract %{}, %{} over [{}] : {}, {} -> {}", left, right,
                        fmt::join(over, ", "), in, in, sum));
  std::string value = "c";
  if (spec.biasAxis >= 0) {
    line("lbias", fmt::format("load %bias[a{}] : {}", spec.biasAxis, sum));
    value = add("biased", value, "lbias");
  }
  if (spec.residual) {
    line("lres", fmt::format("load {} : {}", accessText("residual", spec.out), sum));
    value = add("added", value, "lres");
  }
  value = spec.relu ? relu("activated", value, "z", sum) : value;
  text += fmt::format("  store %{}, {} : {}\n", value, accessText("y", spec.out), sum);
  if (spec.twoStores) {
    text += fmt::format("  store %c, {} : {}\n", accessText("y2", spec.out), sum);
  }
  return text;
}

std::string ContractSpec::text() const {
  std::string in(info(operandType).name);
  std::string sum(info(sumType).name);
  auto port = [](std::string_view name, std::string_view mode, std::string_view type,
                 const std::vector<int64_t> &shape) {
    return fmt::format("%{}: {} {}[{}]", name, mode, type, fmt::join(shape, ", "));
  };
  std::vector<std::string> ports = {port("a", "in", in, a.shape), port("b", "in", in, b.shape)};
  if (biasAxis >= 0) {
    ports.push_back(port("bias", "in", sum, {extents[biasAxis]}));
  }
  if (residual) {
    ports.push_back(port("residual", "in", sum, out.shape));
  }
  ports.push_back(port("y", "out", sum, out.shape));
  if (twoStores) {
    ports.push_back(port("y2", "out", sum, out.shape));
  }
  std::vector<std::string> axes;
  axes.reserve(extents.size());
  for (size_t i = 0; i < extents.size(); ++i) {
    axes.push_back(fmt::format("a{} < {}", i, extents[i]));
  }
  return fmt::format("zyxk.kernel @{} ports({}) axes({}) {{\n{}}} schedule {}\n", name,
                     fmt::join(ports, ", "), fmt::join(axes, ", "), BodyText(*this).write(),
                     schedule);
}

std::vector<Buffer> ContractSpec::makeInputs(uint64_t seed) const {
  std::vector<Buffer> inputs = {Buffer::random(operandType, a.elements(), seed),
                                Buffer::random(operandType, b.elements(), seed + 1)};
  if (biasAxis >= 0) {
    inputs.push_back(Buffer::random(sumType, extents[biasAxis], seed + 2));
  }
  if (residual) {
    inputs.push_back(Buffer::random(sumType, out.elements(), seed + 3));
  }
  return inputs;
}

/// The offset of an access at a point, or -1 outside of the port.
static int64_t offsetAt(const Access &access, const std::vector<int64_t> &point) {
  int64_t offset = 0;
  for (size_t dim = 0; dim < access.shape.size(); ++dim) {
    int64_t at = access.at[dim].base;
    for (auto [number, factor] : access.at[dim].terms) {
      at += factor * point[number];
    }
    if (at < 0 || at >= access.shape[dim]) {
      return -1;
    }
    offset = offset * access.shape[dim] + at;
  }
  return offset;
}

/// Steps a point through the given axes, last fastest; false after the last point.
static bool advance(std::vector<int64_t> &point, const std::vector<int> &axes,
                    const std::vector<int64_t> &extents) {
  for (size_t i = axes.size(); i-- > 0;) {
    if (++point[axes[i]] < extents[axes[i]]) {
      return true;
    }
    point[axes[i]] = 0;
  }
  return false;
}

std::vector<Buffer> ContractSpec::reference(const std::vector<Buffer> &inputs) const {
  std::vector<Buffer> outputs(numOutputs(), Buffer{sumType, std::vector<double>(out.elements())});
  std::vector<int> kept;
  bool empty = false;
  bool emptySum = false;
  for (int i = 0; i < static_cast<int>(extents.size()); ++i) {
    bool summed = std::find(reduced.begin(), reduced.end(), i) != reduced.end();
    (summed ? emptySum : empty) |= extents[i] == 0;
    if (!summed) {
      kept.push_back(i);
    }
  }
  if (empty) {
    return outputs;
  }
  std::vector<int64_t> point(extents.size(), 0);
  auto element = [&](int input, int64_t offset) {
    return offset < 0 ? 0.0 : inputs[input].values[offset];
  };
  do {
    double sum = 0;
    if (!emptySum) {
      do {
        double x = element(0, offsetAt(a, point));
        double y = element(1, offsetAt(b, point));
        sum += (squareA ? x * x : x) * (reluB ? std::max(y, 0.0) : y);
      } while (advance(point, reduced, extents));
    }
    int64_t at = offsetAt(out, point);
    double value = sum;
    size_t next = 2;
    if (biasAxis >= 0) {
      value += inputs[next++].values[point[biasAxis]];
    }
    if (residual) {
      value += inputs[next++].values[at];
    }
    outputs[0].values[at] = relu ? std::max(value, 0.0) : value;
    if (twoStores) {
      outputs[1].values[at] = sum;
    }
  } while (advance(point, kept, extents));
  return outputs;
}

double ContractSpec::flops() const {
  double product = 2;
  for (int64_t extent : extents) {
    product *= static_cast<double>(extent);
  }
  return product;
}

ContractSpec ConvSpec::contract() const {
  int64_t span = dilation * (kernel - 1) + 1;
  int64_t outHeight = (height + 2 * pad - span) / stride + 1;
  int64_t outWidth = (width + 2 * pad - span) / stride + 1;
  // Axes: image, group, filter, row, column; channel, and the two of the window.
  enum { N, G, M, P, Q, C, R, S };
  ContractSpec spec;
  spec.extents = {images, groups, filters / groups, outHeight, outWidth, channels / groups,
                  kernel, kernel};
  spec.reduced = {C, R, S};
  int64_t groupFilters = filters / groups;
  int64_t groupChannels = channels / groups;
  Coordinate filter = {0, {{G, groupFilters}, {M, 1}}};
  Coordinate channel = {0, {{G, groupChannels}, {C, 1}}};
  spec.a = {{filters, groupChannels, kernel, kernel}, {filter, axis(C), axis(R), axis(S)}};
  spec.b = {{images, channels, height, width},
            {axis(N),
             channel,
             {-pad, {{P, stride}, {R, dilation}}},
             {-pad, {{Q, stride}, {S, dilation}}}}};
  spec.out = {{images, filters, outHeight, outWidth}, {axis(N), filter, axis(P), axis(Q)}};
  return spec;
}

ContractSpec matmul(int64_t m, int64_t n, int64_t k) {
  ContractSpec spec;
  spec.extents = {m, n, k};
  spec.reduced = {2};
  spec.a = {{m, k}, {axis(0), axis(2)}};
  spec.b = {{k, n}, {axis(2), axis(1)}};
  spec.out = {{m, n}, {axis(0), axis(1)}};
  return spec;
}

static uint64_t addressOf(const void *pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

/// The address at the next 64-byte boundary.
static uint64_t aligned(const std::vector<std::byte> &memory) {
  return (addressOf(memory.data()) + 63) & ~uint64_t(63);
}

KernelRun::KernelRun(const CompiledKernel &kernel, const std::vector<void *> &ports,
                     rt::ThreadPool &pool)
    : kernel(kernel) {
  for (void *port : ports) {
    slots.push_back(addressOf(port));
  }
  for (const PreparedPort &port : kernel.prepared) {
    memory.emplace_back(port.bytes + 64);
    std::vector<uint64_t> packSlots = {slots[port.port], aligned(memory.back()), 0};
    pool.run(port.packTasks,
             [&](int64_t lo, int64_t hi, int) { port.pack(packSlots.data(), lo, hi); });
    slots[port.port] = packSlots[1];
  }
  for (int thread = 0; thread < pool.numThreads(); ++thread) {
    memory.emplace_back(kernel.scratchBytes + 64);
  }
  if (kernel.join.sharedBytes > 0) {
    shared.resize(kernel.join.sharedBytes + 64);
    slots.push_back(aligned(shared));
  }
}

void KernelRun::run(rt::ThreadPool &pool) const {
  auto runAll = [&](rt::KernelFn entry, int64_t tasks) {
    pool.run(tasks, [&](int64_t lo, int64_t hi, int thread) {
      std::vector<uint64_t> own = slots;
      own.push_back(aligned(memory[memory.size() - pool.numThreads() + thread]));
      entry(own.data(), lo, hi);
    });
  };
  runAll(kernel.entry, kernel.numTasks);
  if (kernel.join.entry) {
    runAll(kernel.join.entry, kernel.join.numTasks);
  }
}

std::vector<std::vector<std::byte>> runSpec(HostCompiler &compiler, const ContractSpec &spec,
                                            const std::vector<Buffer> &inputs, int threads) {
  std::string text = spec.text();
  auto kernels = compiler.compile(std::span(&text, 1), 1);
  if (!kernels) {
    throw std::runtime_error(kernels.error().message() + "\n" + text);
  }
  std::vector<std::vector<std::byte>> memory;
  memory.reserve(inputs.size() + spec.numOutputs());
  for (const Buffer &input : inputs) {
    memory.push_back(input.bytes());
  }
  for (int i = 0; i < spec.numOutputs(); ++i) {
    memory.emplace_back(spec.out.elements() * byteSize(spec.sumType), std::byte(0x7f));
  }
  std::vector<void *> ports;
  ports.reserve(memory.size());
  for (auto &bytes : memory) {
    ports.push_back(bytes.data());
  }
  rt::ThreadPool pool(threads);
  KernelRun(kernels->front(), ports, pool).run(pool);
  return {memory.begin() + inputs.size(), memory.end()};
}

} // namespace zyxc::test
