#include "test/fuzz/graphs/oracle/Tolerances.h"
#include "test/fuzz/graphs/oracle/Choices.h"
#include "test/fuzz/graphs/program/Open.h"
#include <algorithm>
#include <cmath>

namespace zyxc::fuzz {

void Tolerances::Row::add(const Row &other) {
  equal += other.equal;
  within += other.within;
  notCompared += other.notCompared;
  logUnits += other.logUnits;
}

std::string Tolerances::Row::text() const {
  auto all = static_cast<double>(std::max<int64_t>(equal + within + notCompared, 1));
  double units = within > 0 ? std::exp(logUnits / static_cast<double>(within)) : 0;
  return fmt::format("{} equal, {} within {:.1f} ulp, {} ({:.2f} %) not compared\n", equal, within,
                     units, notCompared, 100 * static_cast<double>(notCompared) / all);
}

Status Tolerances::add(const Graph &graph) {
  constexpr int runs = 8; // as the checks do
  Graph numbers = graph;
  if (!graph.sizes.empty()) {
    ZYXC_ASSIGN(numbers, bound(graph, graph.sizes));
  }
  ZYXC_ASSIGN(std::vector<Expectation> list, expectations(numbers, runs));
  for (const Expectation &expectation : list) {
    DType dtype = expectation.value.dtype();
    Row &row = rows[dtype];
    for (int64_t i = 0; i < expectation.value.numElements(); ++i) {
      double tolerance = expectation.tolerance[static_cast<size_t>(i)];
      double value = expectation.value.asDouble(i);
      if (tolerance == Expectation::notCompared || std::isinf(tolerance)) {
        ++row.notCompared;
      } else if (tolerance == 0 || !std::isfinite(value)) {
        ++row.equal;
      } else {
        ++row.within;
        row.logUnits += std::log(tolerance) - std::log(unitInTheLastPlace(dtype, value));
      }
    }
  }
  return Status::ok();
}

Tolerances::Row Tolerances::total() const {
  Row all;
  for (const auto &[dtype, row] : rows) {
    all.add(row);
  }
  return all;
}

std::string Tolerances::table() const {
  std::string text;
  for (const auto &[dtype, row] : rows) {
    text += fmt::format("{:9}{}", info(dtype).name, row.text());
  }
  return text + fmt::format("{:9}{}", "all", total().text());
}

} // namespace zyxc::fuzz
