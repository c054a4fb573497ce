// Conversion by ONNX's rules.
#pragma once
#include "compiler/import/node/OnnxNode.h"

namespace zyxc::importer {

/// x as another dtype. To 8-bit floats it saturates, unless the node's attribute `saturate` is 0;
/// to integers it always does.
GraphValue castAsOnnx(OnnxNode &n, GraphValue x, DType to);

} // namespace zyxc::importer
