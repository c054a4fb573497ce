// The matrix unit of sm_80 and later: all warps load tiles by cp.async into stages of workgroup
// memory, some steps ahead, and multiply them by mma.sync from fragments read by ldmatrix.
#pragma once
#include "passes/lower/matrix/MatrixFrame.h"

namespace zyxc {

/// Emits the body of the launch.
void emitMmaKernel(MatrixFrame &frame);

} // namespace zyxc
