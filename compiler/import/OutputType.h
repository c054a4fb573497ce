// What a model declares of its outputs against what it computes.
#pragma once
#include "compiler/import/OnnxModel.h"

namespace zyxc::importer {

/// Input, if the value of an output has another dtype or rank than its declared type, or another
/// number at an axis that has a number in both. As of ONNX's checker, names of dims say nothing.
/// Sizes are not compared unless `comparesSizes`: a caller may give a model other ones than it was
/// saved with.
Status checkOutputType(const OnnxValue &declared, const TensorType &value, bool comparesSizes);

} // namespace zyxc::importer
