// Functions of libraries beside kernels of our own: for each program that the table of functions
// (runtime/library/Blas.h) has something for, the programs that call it.
#pragma once
#include "compiler/kernelize/program/Program.h"
#include <array>

namespace zyxc::kernelize {

/// A program of Family::Library: ports a, b and the result.
struct LibraryProgram {
  Program program;
  std::array<uint32_t, 2> inputs = {}; ///< what a and b are: input ports of the other program
};

/// The programs that compute by BLAS what this one computes, one for each function that can.
std::vector<LibraryProgram> blasPrograms(const Program &program);

} // namespace zyxc::kernelize
