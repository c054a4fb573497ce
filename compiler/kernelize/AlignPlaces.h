// Places of tensors for machines whose kernels need aligned addresses.
#pragma once
#include "compiler/kernelize/Candidates.h"

namespace zyxc::kernelize {

/// Drops the candidates that place a tensor in another one at an offset which is no multiple of
/// `alignment` bytes (aliases, parts of concats in place), where a kernel can produce the class,
/// too.
void dropUnalignedPlaces(CandidateTable &table, const graph::TensorGraph &graph,
                         uint64_t alignment);

} // namespace zyxc::kernelize
