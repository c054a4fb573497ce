// Sums of products over contiguous rows: the inner loops of contractions and convolutions. Data is
// float, double or uint64_t; sums are formed in double or, wrapping, in uint64_t.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>

namespace zyxc::interp {

/// sums[r][i] = sum over t of weights[r * weightStride + t] * data[offsets[t] + i] for Rows rows
/// (`count` sums each, one after the other).
template <int Rows, class Data, class Sum>
void sumTaps(const Data *weights, int64_t weightStride, std::span<const int64_t> offsets,
             const Data *data, int64_t count, Sum *sums) {
  constexpr int64_t tile = 256;
  auto taps = static_cast<int64_t>(offsets.size());
  for (int64_t first = 0; first < count; first += tile) {
    int64_t length = std::min(tile, count - first);
    Sum partial[Rows][tile] = {};
    int64_t t = 0;
    for (; t + 2 <= taps; t += 2) { // two taps at a time halve the traffic of the partial sums
      const Data *x0 = data + offsets[t] + first;
      const Data *x1 = data + offsets[t + 1] + first;
      for (int row = 0; row < Rows; ++row) {
        auto w0 = static_cast<Sum>(weights[row * weightStride + t]);
        auto w1 = static_cast<Sum>(weights[row * weightStride + t + 1]);
        Sum *sum = partial[row];
        for (int64_t i = 0; i < length; ++i) {
          sum[i] += w0 * static_cast<Sum>(x0[i]) + w1 * static_cast<Sum>(x1[i]);
        }
      }
    }
    for (; t < taps; ++t) {
      const Data *x = data + offsets[t] + first;
      for (int row = 0; row < Rows; ++row) {
        auto w = static_cast<Sum>(weights[row * weightStride + t]);
        for (int64_t i = 0; i < length; ++i) {
          partial[row][i] += w * static_cast<Sum>(x[i]);
        }
      }
    }
    for (int row = 0; row < Rows; ++row) {
      std::copy_n(partial[row], length, sums + row * count + first);
    }
  }
}

/// sumTaps for any number of rows.
template <class Data, class Sum>
void sumTapsOfRows(int64_t rows, const Data *weights, int64_t weightStride,
                   std::span<const int64_t> offsets, const Data *data, int64_t count, Sum *sums) {
  int64_t row = 0;
  for (; row + 4 <= rows; row += 4) {
    sumTaps<4>(weights + row * weightStride, weightStride, offsets, data, count,
               sums + row * count);
  }
  for (; row < rows; ++row) {
    sumTaps<1>(weights + row * weightStride, weightStride, offsets, data, count,
               sums + row * count);
  }
}

/// sums[r] = dot product of x and the row at data + offsets[r], for Rows rows.
template <int Rows, class Data, class Sum>
void dotRows(const Data *x, const Data *data, const int64_t *offsets, int64_t length, Sum *sums) {
  constexpr int64_t lanes = 4; // independent partial sums that fill vector registers
  Sum partial[Rows][lanes] = {};
  const Data *rows[Rows];
  for (int row = 0; row < Rows; ++row) {
    rows[row] = data + offsets[row];
  }
  int64_t k = 0;
  for (; k + lanes <= length; k += lanes) {
    for (int row = 0; row < Rows; ++row) {
      for (int64_t lane = 0; lane < lanes; ++lane) {
        partial[row][lane] += static_cast<Sum>(x[k + lane]) * static_cast<Sum>(rows[row][k + lane]);
      }
    }
  }
  for (int row = 0; row < Rows; ++row) {
    Sum sum = (partial[row][0] + partial[row][2]) + (partial[row][1] + partial[row][3]);
    for (int64_t rest = k; rest < length; ++rest) {
      sum += static_cast<Sum>(x[rest]) * static_cast<Sum>(rows[row][rest]);
    }
    sums[row] = sum;
  }
}

} // namespace zyxc::interp
