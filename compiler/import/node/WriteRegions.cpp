// GraphWriter: ops with regions.
#include "compiler/import/node/GraphWriter.h"

namespace zyxc::importer {

void GraphWriter::count(OpKind kind) {
  numOps += kind != OpKind::Constant;
  numOther += !isElementwise(kind) && !isMovement(kind) && kind != OpKind::Constant &&
              kind != OpKind::Variable;
}

Expected<WrittenRegion> GraphWriter::region(std::span<const TensorType> arguments,
                                            const std::string &what, const RegionBody &body) {
  ZYXC_RETURN_IF_ERROR(takeStatus());
  const int64_t opsBefore = numOps;
  const int64_t otherBefore = numOther;
  std::vector<GraphValue> values = addResults(sink.beginRegion(arguments), what);
  Expected<std::vector<GraphValue>> yielded = body(values);
  Status written = takeStatus();
  bool isOk = yielded && written.isOk();
  WrittenRegion result{sink.endRegion(isOk ? *yielded : std::vector<GraphValue>()), {}, {}};
  if (!isOk) {
    sink.drop(result.region);
    return written.isOk() ? std::move(yielded).error() : std::move(written);
  }
  for (GraphValue value : *yielded) {
    result.types.push_back(typeOf(value));
  }
  result.yielded = *std::move(yielded);
  result.numOps = numOps - opsBefore;
  result.isElementwise = numOther == otherBefore;
  return result;
}

/// Notes values that are not known at import.
std::vector<GraphValue> GraphWriter::addResults(std::vector<GraphValue> results,
                                                const std::string &what) {
  for (GraphValue value : results) {
    runValues.emplace(value.id, what);
  }
  return results;
}

std::vector<GraphValue> GraphWriter::splice(const WrittenRegion &region) {
  sink.splice(region.region);
  return region.yielded;
}

std::vector<GraphValue> GraphWriter::branch(GraphValue condition, const WrittenRegion &taken,
                                            const WrittenRegion &other) {
  ++numOps;
  ++numOther;
  return addResults(sink.branch(condition, taken.region, other.region), "the branch of an If");
}

/// What zyx.loop wants of a body.
static Status checkBody(const GraphWriter &g, int64_t limit, std::span<const GraphValue> inits,
                        const WrittenRegion &body) {
  for (size_t i = 0; i < inits.size(); ++i) {
    const TensorType &before = g.typeOf(inits[i]);
    const TensorType &after = body.types[1 + i];
    if (before != after) {
      return makeError(
          ErrorCode::Unsupported,
          "its carried value {} is {} before an iteration and {} after it: a loop must "
          "keep the types of what it carries",
          i, toString(before), toString(after));
    }
  }
  for (size_t i = 1 + inits.size(); i < body.types.size(); ++i) {
    Shape rows = body.types[i].shape;
    rows.insert(rows.begin(), limit);
    if (!checkedNumElements(rows)) {
      return makeError(ErrorCode::Unsupported, "it collects too many elements: {}",
                       sizesText(rows));
    }
  }
  return Status::ok();
}

Expected<std::vector<GraphValue>> GraphWriter::loop(int64_t limit, GraphValue first,
                                                    std::span<const GraphValue> inits,
                                                    const WrittenRegion &body) {
  Status fits = checkBody(*this, limit, inits, body);
  if (!fits.isOk()) {
    sink.drop(body.region);
    return fits;
  }
  ++numOps;
  ++numOther;
  return addResults(sink.loop(limit, first, inits, body.region), "what a loop computes");
}

} // namespace zyxc::importer
