// Functions that a model defines itself: each call becomes the nodes of the function's body.
#pragma once
#include "runtime/support/Status.h"
#include <onnx/onnx.pb.h>

namespace zyxc::importer {

/// Replaces all calls in the main graph and in subgraphs. The nodes of a call are named after it
/// ("call/node"). Fails on recursion, on bodies that use another operator set than the model, and
/// where the model grows too large.
Status inlineFunctions(onnx::ModelProto &model);

} // namespace zyxc::importer
