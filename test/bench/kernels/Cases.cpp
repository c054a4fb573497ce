#include "test/bench/kernels/Cases.h"
#include <fmt/format.h>

// Ports are aligned as the runtime's buffers are, so that large outputs may go past the caches.
namespace zyxc::bench {

double BenchCase::bytes() const {
  double total = 0;
  for (const BenchPort &port : ports) {
    total += static_cast<double>(port.elements) * sizeof(float);
  }
  return total;
}

double BenchCase::flops() const {
  double product = 2.0 * static_cast<double>(m * n * k);
  return peer == Peer::Heads ? 2 * static_cast<double>(heads) * product : product;
}

/// Milliseconds that the compiler may take.
static constexpr double mapMs = 15, contractMs = 30;

/// c = a * b, plain or with bias and GELU (its tanh form).
static BenchCase product(int64_t size, bool fused) {
  constexpr std::string_view gelu = R"(
  %v = load %bias[j] : f32
  %h = arith.addf %c, %v : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %cubic = arith.constant 0.044715 : f32
  %root = arith.constant 0.7978845608 : f32
  %h2 = arith.mulf %h, %h : f32
  %h3 = arith.mulf %h2, %h : f32
  %t0 = arith.mulf %cubic, %h3 : f32
  %t1 = arith.addf %h, %t0 : f32
  %t2 = arith.mulf %root, %t1 : f32
  %t3 = math.tanh %t2 : f32
  %t4 = arith.addf %one, %t3 : f32
  %t5 = arith.mulf %half, %h : f32
  %o = arith.mulf %t5, %t4 : f32)";
  BenchCase result;
  result.name = fmt::format("product {}^3{}", size, fused ? " + bias + GELU" : "");
  result.text = fmt::format(
      R"(zyxk.kernel @product ports(%a: in f32[{0}, {0}] align 64, %b: in f32[{0}, {0}] align 64,
    {1}%y: out f32[{0}, {0}] align 64) axes(i < {0}, j < {0}, k < {0}) {{
  %l = load %a[i, k] : f32
  %r = load %b[k, j] : f32
  %c = contract %l, %r over [k] : f32, f32 -> f32{2}
  store {3}, %y[i, j] : f32
}} schedule #zyxk.contract<>
)",
      size, fused ? fmt::format("%bias: in f32[{}] align 64, ", size) : "", fused ? gelu : "",
      fused ? "%o" : "%c");
  result.ports = {{size * size}, {size * size}};
  if (fused) {
    result.ports.push_back({size});
  }
  result.ports.push_back({size * size, true});
  result.peer = Peer::Product;
  result.m = result.n = result.k = size;
  result.gate = fused ? 0.9 : 0.95;
  result.compileMs = contractMs;
  return result;
}

/// softmax(q * k^T) * v for each head. The peer multiplies what is above the diagonal, too.
static BenchCase attention(int64_t heads, int64_t rows, int64_t columns, bool causal) {
  BenchCase result;
  result.name = fmt::format("attention {}x{}x{}{}", heads, rows, columns, causal ? " causal" : "");
  result.text = fmt::format(
      R"(zyxk.kernel @attention ports(%q, %k, %v: in f32[{0}, {1}, {2}] align 64,
    %o: out f32[{0}, {1}, {2}] align 64) axes(h < {0}, i < {1}, j < {1}, d < {2}, e < {2}{3}) {{
  %q0 = load %q[h, i, d] : f32
  %k0 = load %k[h, j, d] : f32
  %v0 = load %v[h, j, e] : f32
  %s = contract %q0, %k0 over [d] : f32, f32 -> f32
  %scale = arith.constant 0.125 : f32
  %t = arith.mulf %s, %scale : f32
  %m, %l, %u = expsum %t over [j] weights(unit, %v0 : f32) : f32
  %r = arith.divf %u, %l : f32
  store %r, %o[h, i, e] : f32
}}
)",
      heads, rows, columns, causal ? " where j <= i" : "");
  int64_t elements = heads * rows * columns;
  result.ports = {{elements}, {elements}, {elements}, {elements, true}};
  result.peer = Peer::Heads;
  result.heads = heads;
  result.m = result.n = rows;
  result.k = columns;
  result.gate = causal ? 1.5 : 0.8;
  result.compileMs = contractMs;
  return result;
}

static BenchCase softmax(int64_t rows, int64_t columns) {
  BenchCase result;
  result.name = fmt::format("softmax {}x{}", rows, columns);
  result.text = fmt::format(
      R"(zyxk.kernel @softmax ports(%x: in f32[{0}, {1}] align 64, %y: out f32[{0}, {1}] align 64)
    axes(r < {0}, n < {1}) {{
  %a = load %x[r, n] : f32
  %m = reduce max %a over [n] : f32
  %d = arith.subf %a, %m : f32
  %e = math.exp %d : f32
  %s = reduce add %e over [n] : f32
  %q = arith.divf %e, %s : f32
  store %q, %y[r, n] : f32
}}
)",
      rows, columns);
  result.ports = {{rows * columns}, {rows * columns, true}};
  return result;
}

static BenchCase layerNorm(int64_t rows, int64_t columns) {
  BenchCase result;
  result.name = fmt::format("layer norm + residual {}x{}", rows, columns);
  result.text = fmt::format(
      R"(zyxk.kernel @layer_norm ports(%x: in f32[{0}, {1}] align 64, %z: in f32[{0}, {1}] align 64, %g: in f32[{1}] align 64,
    %b: in f32[{1}] align 64, %y: out f32[{0}, {1}] align 64) axes(r < {0}, n < {1}) {{
  %count = arith.constant {1}.0 : f32
  %epsilon = arith.constant 1.0e-05 : f32
  %l = load %x[r, n] : f32
  %o = load %z[r, n] : f32
  %a = arith.addf %l, %o : f32
  %sum = reduce add %a over [n] : f32
  %mean = arith.divf %sum, %count : f32
  %d = arith.subf %a, %mean : f32
  %d2 = arith.mulf %d, %d : f32
  %squares = reduce add %d2 over [n] : f32
  %variance = arith.divf %squares, %count : f32
  %shifted = arith.addf %variance, %epsilon : f32
  %deviation = math.sqrt %shifted : f32
  %unit = arith.divf %d, %deviation : f32
  %scale = load %g[n] : f32
  %bias = load %b[n] : f32
  %scaled = arith.mulf %unit, %scale : f32
  %out = arith.addf %scaled, %bias : f32
  store %out, %y[r, n] : f32
}}
)",
      rows, columns);
  result.ports = {{rows * columns}, {rows * columns}, {columns}, {columns}, {rows * columns, true}};
  return result;
}

static BenchCase columnSum(int64_t rows, int64_t columns) {
  BenchCase result;
  result.name = fmt::format("column sum {}x{}", rows, columns);
  result.text = fmt::format(
      R"(zyxk.kernel @column_sum ports(%x: in f32[{0}, {1}] align 64, %y: out f32[{1}] align 64)
    axes(r < {0}, n < {1}) {{
  %a = load %x[r, n] : f32
  %s = reduce add %a over [r] : f32
  store %s, %y[n] : f32
}}
)",
      rows, columns);
  result.ports = {{rows * columns}, {columns, true}};
  return result;
}

static BenchCase transposeAdd(int64_t rows, int64_t columns) {
  BenchCase result;
  result.name = fmt::format("transpose + add {}x{}", rows, columns);
  result.text = fmt::format(
      R"(zyxk.kernel @transpose_add ports(%x: in f32[{1}, {0}] align 64, %z: in f32[{0}, {1}] align 64,
    %y: out f32[{0}, {1}] align 64) axes(i < {0}, j < {1}) {{
  %a = load %x[j, i] : f32
  %b = load %z[i, j] : f32
  %s = arith.addf %a, %b : f32
  store %s, %y[i, j] : f32
}}
)",
      rows, columns);
  result.ports = {{rows * columns}, {rows * columns}, {rows * columns, true}};
  return result;
}

static BenchCase sumOfAll(int64_t elements) {
  BenchCase result;
  result.name = fmt::format("sum of {}", elements);
  result.text =
      fmt::format(R"(zyxk.kernel @sum ports(%x: in f32[{0}] align 64, %y: out f32[1] align 64)
    axes(n < {0}) {{
  %a = load %x[n] : f32
  %s = reduce add %a over [n] : f32
  store %s, %y[0] : f32
}}
)",
                  elements);
  result.ports = {{elements}, {1, true}};
  return result;
}

static BenchCase chain(int64_t elements) {
  BenchCase result;
  result.name = fmt::format("relu(x + y) {}", elements);
  result.text =
      fmt::format(R"(zyxk.kernel @chain ports(%x: in f32[{0}] align 64, %z: in f32[{0}] align 64,
    %y: out f32[{0}] align 64) axes(n < {0}) {{
  %zero = arith.constant 0.0 : f32
  %a = load %x[n] : f32
  %b = load %z[n] : f32
  %s = arith.addf %a, %b : f32
  %o = arith.maximumf %s, %zero : f32
  store %o, %y[n] : f32
}}
)",
                  elements);
  result.ports = {{elements}, {elements}, {elements, true}};
  return result;
}

std::vector<BenchCase> benchCases() {
  constexpr int64_t side = 4096; ///< side * side f32 are 64 MiB
  std::vector<BenchCase> cases = {product(256, false),
                                  product(256, true),
                                  product(1024, false),
                                  product(1024, true),
                                  attention(8, 1024, 64, false),
                                  attention(8, 1024, 64, true),
                                  attention(8, 1024, 128, false),
                                  softmax(side, side),
                                  layerNorm(side, side),
                                  columnSum(side, side),
                                  columnSum(side * 64, 64),
                                  transposeAdd(side, side),
                                  sumOfAll(side * side),
                                  chain(side * side)};
  for (BenchCase &one : cases) {
    if (one.peer == Peer::Copy) {
      one.gate = 0.9;
      one.compileMs = mapMs;
    }
  }
  return cases;
}

} // namespace zyxc::bench
