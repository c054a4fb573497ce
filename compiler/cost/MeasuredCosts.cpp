#include "compiler/cost/MeasuredCosts.h"
#include "runtime/support/File.h"
#include "runtime/support/Hash.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

namespace zyxc::cost {

/// Half an hour: no kernel takes as long, and sums of costs do not overflow.
static constexpr int64_t mostPicoseconds = 2'000'000'000'000'000;
static constexpr std::string_view heading = "zyxc costs 1 ";

/// The next field of a line, which ends at a tab.
static std::string_view takeField(std::string_view &line) {
  size_t end = std::min(line.find('\t'), line.size());
  std::string_view field = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return field;
}

template <class T> static bool read(std::string_view field, T &value, int base = 10) {
  auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value, base);
  return error == std::errc() && end == field.data() + field.size() && !field.empty();
}

Expected<MeasuredCosts> MeasuredCosts::parse(std::string_view text, std::string_view name) {
  MeasuredCosts costs;
  int number = 0;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (number == 1) {
      if (!line.starts_with(heading)) {
        break;
      }
      costs.measuredOn = line.substr(heading.size());
      continue;
    }
    uint64_t program = 0;
    Time time;
    std::string_view rest = line;
    bool isRead = read(takeField(rest), program, 16) && read(takeField(rest), time.estimated) &&
                  read(takeField(rest), time.measured);
    if (!isRead || std::min(time.estimated, time.measured) <= 0 ||
        std::max(time.estimated, time.measured) > mostPicoseconds) {
      return makeError(ErrorCode::Input,
                       "{}: line {}: expected hash, estimate, time and name, with tabs between "
                       "them: measure again with zyxc cost-model check --save",
                       name, number);
    }
    costs.note(program, time.estimated, time.measured, takeField(rest));
  }
  if (number == 0 || costs.times.empty()) {
    return makeError(ErrorCode::Input,
                     "{}: no times of kernels: zyxc cost-model check --save writes such files",
                     name);
  }
  return costs;
}

Expected<MeasuredCosts> MeasuredCosts::load(const std::string &path) {
  ZYXC_ASSIGN(InputFile file, InputFile::open(path));
  ZYXC_ASSIGN(std::string text, file.readAll());
  return parse(text, path);
}

void MeasuredCosts::note(uint64_t program, int64_t estimated, int64_t measured,
                         std::string_view kernel) {
  auto [entry, isNew] = times.try_emplace(program, Time{estimated, measured, std::string(kernel)});
  Time &time = entry->second;
  if (!isNew && (time.estimated != estimated || measured < time.measured)) {
    time = {estimated, measured, std::string(kernel)};
  }
  findScale();
}

void MeasuredCosts::addAll(const MeasuredCosts &other) {
  for (const auto &[program, time] : other.times) {
    times.insert_or_assign(program, time);
  }
  findScale();
}

void MeasuredCosts::findScale() {
  std::vector<double> ratios;
  ratios.reserve(times.size());
  for (const auto &[program, time] : times) {
    ratios.push_back(static_cast<double>(time.measured) / static_cast<double>(time.estimated));
  }
  auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  scale = ratios.empty() ? 1 : *middle;
}

std::optional<int64_t> MeasuredCosts::find(uint64_t program, int64_t estimated) const {
  auto found = times.find(program);
  if (found == times.end() || found->second.estimated != estimated) {
    return std::nullopt;
  }
  return std::max<int64_t>(1, std::llround(static_cast<double>(found->second.measured) / scale));
}

uint64_t MeasuredCosts::id() const {
  std::string all = text();
  return hashBytes(all.data(), all.size(), 0);
}

std::string MeasuredCosts::text() const {
  std::string result = fmt::format("{}{}\n", heading, measuredOn);
  for (const auto &[program, time] : times) {
    result +=
        fmt::format("{:016x}\t{}\t{}\t{}\n", program, time.estimated, time.measured, time.kernel);
  }
  return result;
}

} // namespace zyxc::cost
