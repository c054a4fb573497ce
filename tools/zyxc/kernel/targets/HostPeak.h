// The arithmetic peak of this machine, measured: what contractions are compared with.
#pragma once
#include "runtime/devices/cpu/ThreadPool.h"

namespace zyxc::tool {

/// f32 operations a second of independent multiply-adds in registers on all threads of the pool,
/// the best of several short runs. An addition and a multiplication count as two.
double measurePeakFlops(rt::ThreadPool &pool);

} // namespace zyxc::tool
