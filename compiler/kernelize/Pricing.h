// What a program costs before it has been measured.
#pragma once
#include "compiler/cost/CostTable.h"
#include "compiler/kernelize/Candidates.h"

namespace zyxc::kernelize {

/// Counts bytes and work of the program and prices them; symbolic sizes are estimated.
PricedProgram price(Program program, const cost::CostTable &table);

} // namespace zyxc::kernelize
