// A running ptxas. It is started before there is PTX, so that its start takes no time of its own,
// and gets text and gives the image through pipes: no files.
#pragma once
#include "compiler/codegen/cuda/CudaToolkit.h"
#include <memory>

namespace zyxc {

/// One run of ptxas; ended when this is destroyed before assemble().
class Assembler {
public:
  /// Starts the ptxas of `toolkit`, which must have one, for an architecture ("sm_90a"), at an
  /// optimization level (3 is its default).
  static Expected<std::unique_ptr<Assembler>> start(const CudaToolkit &toolkit,
                                                    const std::string &architecture, int level = 3);
  ~Assembler();
  Assembler(const Assembler &) = delete;
  Assembler &operator=(const Assembler &) = delete;

  /// Assembles a text; an Internal error with what ptxas printed if it refuses. Called once.
  Expected<Cubin> assemble(std::string_view ptx);

private:
  Assembler() = default;
  /// Passes all of `ptx` and takes all output, as the process is ready for them.
  Status exchange(std::string_view ptx);
  /// The exit code, or 128 + the signal that ended it.
  int wait();

  std::string program;
  int process = -1;
  int input = -1, output = -1, log = -1; ///< our ends of its pipes
  std::string image, messages;
};

} // namespace zyxc
