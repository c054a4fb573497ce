// PTX text taken apart: statements with their operands, registers by number, labels resolved. It
// knows the form of the language, not what instructions mean.
#pragma once
#include "runtime/support/Status.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace zyxc::rt::ptxsim {

/// What an instruction is applied to.
struct Operand {
  enum class Kind : uint8_t {
    Register, ///< number
    Constant, ///< bits
    Special,  ///< name: %tid.x, ..
    Symbol,   ///< name: a parameter or a shared variable
    Address,  ///< parts[0] plus offset
    Tensor,   ///< parts[0] is the map, the others are coordinates
    List,     ///< parts: registers side by side
    Sink,     ///< _: a result that is thrown away
  };
  Kind kind = Kind::Constant;
  uint32_t number = 0;
  uint32_t width = 0; ///< bits of a register
  uint64_t bits = 0;  ///< constant, or offset of an address
  std::string name;
  std::vector<Operand> parts;
};

struct Statement {
  std::vector<std::string> opcode; ///< "ld.global.b32" at its dots
  std::vector<Operand> operands;
  int64_t predicate = -1; ///< register that must hold
  bool negated = false;
  uint32_t target = 0; ///< of a branch: number of the statement
  std::string text;    ///< for messages
};

struct Parameter {
  std::string name;
  uint32_t bytes = 0;
  uint32_t offset = 0; ///< in the parameters' memory
};

struct SharedVariable {
  std::string name;
  uint32_t bytes = 0; ///< 0: the dynamic shared memory
  uint32_t alignment = 1;
};

struct Entry {
  std::string name;
  std::vector<Parameter> parameters;
  std::vector<Statement> statements;
  std::vector<SharedVariable> locals; ///< memory of each thread
  uint32_t numRegisters = 1; ///< register 0 is nobody's: results that are thrown away go there
};

/// Constant bytes in global memory: tables of libdevice.
struct GlobalVariable {
  std::string name;
  std::vector<uint8_t> bytes;
};

struct PtxModule {
  std::vector<SharedVariable> shared;
  std::vector<GlobalVariable> globals;
  std::map<std::string, Entry> entries;
};

/// Reads a module as LLVM writes it. Unsupported for what it does not know.
Expected<PtxModule> parsePtx(const std::string &text);

} // namespace zyxc::rt::ptxsim
