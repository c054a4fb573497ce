// What of the CUDA toolkit is used where it is installed: the assembler ptxas, and libdevice, the
// library of functions without an instruction. Neither is needed to make PTX and to run it.
#pragma once
#include "runtime/support/Status.h"
#include <span>
#include <string>
#include <vector>

namespace zyxc {

/// Files of the toolkit; empty where one was not found.
struct CudaToolkit {
  std::string ptxas;
  std::string nvdisasm;
  std::string libdevice;

  /// Looks in CUDA_HOME, CUDA_PATH, the folders of PATH, and the toolkit's default folder.
  static CudaToolkit find();
};

/// What ptxas says about one function of a kernel.
struct PtxResources {
  std::string entry;
  unsigned registers = 0;
  unsigned stackBytes = 0; ///< local memory of a thread, spills included
  unsigned spillStoreBytes = 0;
  unsigned spillLoadBytes = 0;
  unsigned sharedBytes = 0; ///< static
  unsigned barriers = 0;
};

/// What ptxas says about an image.
struct PtxasReport {
  std::vector<PtxResources> entries;
  std::vector<std::string> notes; ///< warnings, and notes with a code such as (C7510)

  const PtxResources *find(const std::string &entry) const;
  /// One line an entry and a note.
  std::vector<std::string> lines() const;
};

/// Reads what `ptxas -v` printed.
PtxasReport parsePtxasReport(const std::string &text);

/// An assembled image.
struct Cubin {
  std::string image;
  PtxasReport report;
};

/// The instructions of a cubin, as nvdisasm prints them. An error if it is not installed.
Expected<std::string> disassembleCubin(const CudaToolkit &toolkit, const std::string &cubin);

} // namespace zyxc
