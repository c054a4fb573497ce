#include "compiler/codegen/cuda/CudaToolkit.h"
#include "runtime/support/File.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

namespace zyxc {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// Folders that a toolkit may be in, the first that has a ptxas is taken.
static std::vector<std::string> toolkitFolders() {
  std::vector<std::string> folders;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (auto value = llvm::sys::Process::GetEnv(variable); value && !value->empty()) {
      folders.push_back(*value);
    }
  }
  if (auto program = llvm::sys::findProgramByName("ptxas")) {
    llvm::SmallString<128> real;
    if (!fs::real_path(*program, real)) {
      folders.push_back(path::parent_path(path::parent_path(real)).str());
    }
    folders.push_back(path::parent_path(path::parent_path(*program)).str());
  }
  folders.emplace_back("/usr/local/cuda");
  return folders;
}

CudaToolkit CudaToolkit::find() {
  CudaToolkit toolkit;
  for (const std::string &folder : toolkitFolders()) {
    llvm::SmallString<128> ptxas(folder), nvdisasm(folder), libdevice(folder);
    path::append(ptxas, "bin", "ptxas");
    path::append(nvdisasm, "bin", "nvdisasm");
    path::append(libdevice, "nvvm", "libdevice", "libdevice.10.bc");
    if (toolkit.ptxas.empty() && fs::can_execute(ptxas)) {
      toolkit.ptxas = ptxas.str().str();
    }
    if (toolkit.nvdisasm.empty() && fs::can_execute(nvdisasm)) {
      toolkit.nvdisasm = nvdisasm.str().str();
    }
    if (toolkit.libdevice.empty() && fs::exists(libdevice)) {
      toolkit.libdevice = libdevice.str().str();
    }
  }
  return toolkit;
}

const PtxResources *PtxasReport::find(const std::string &entry) const {
  for (const PtxResources &resources : entries) {
    if (resources.entry == entry) {
      return &resources;
    }
  }
  return nullptr;
}

std::vector<std::string> PtxasReport::lines() const {
  std::vector<std::string> lines;
  for (const PtxResources &r : entries) {
    lines.push_back(fmt::format("{}: {} registers, {} bytes stack, {} bytes spilled, {} bytes "
                                "static shared, {} barriers",
                                r.entry, r.registers, r.stackBytes, r.spillStoreBytes,
                                r.sharedBytes, r.barriers));
  }
  lines.insert(lines.end(), notes.begin(), notes.end());
  return lines;
}

/// The number before `words` in a line, or 0.
static unsigned numberBefore(llvm::StringRef line, llvm::StringRef words) {
  size_t at = line.find(words);
  if (at == llvm::StringRef::npos) {
    return 0;
  }
  llvm::StringRef digits = line.take_front(at).rtrim();
  digits = digits.take_back(digits.size() - digits.find_last_not_of("0123456789") - 1);
  unsigned number = 0;
  return digits.getAsInteger(10, number) ? 0 : number;
}

PtxasReport parsePtxasReport(const std::string &text) {
  static constexpr llvm::StringLiteral compiling = "Compiling entry function '";
  static constexpr llvm::StringLiteral properties = "Function properties for ";
  PtxasReport report;
  std::string function; // the one that the next lines are about
  for (llvm::StringRef line : llvm::split(text, '\n')) {
    bool isNote = line.contains("(C7") || line.contains("warning") || line.contains("error");
    if (size_t at = line.find(compiling); at != llvm::StringRef::npos) {
      function = line.substr(at + compiling.size()).take_until([](char c) { return c == '\''; });
      report.entries.push_back({function});
    } else if (size_t at = line.find(properties); at != llvm::StringRef::npos) {
      function = line.substr(at + properties.size()).trim().trim('\'');
    } else if (isNote) {
      report.notes.push_back(line.trim().str());
    }
    bool isOurs = !report.entries.empty() && report.entries.back().entry == function;
    if (!isOurs) {
      continue;
    }
    PtxResources &entry = report.entries.back();
    if (line.contains("bytes stack frame")) {
      entry.stackBytes = numberBefore(line, "bytes stack frame");
      entry.spillStoreBytes = numberBefore(line, "bytes spill stores");
      entry.spillLoadBytes = numberBefore(line, "bytes spill loads");
    } else if (line.contains("Used ")) {
      entry.registers = numberBefore(line, "registers");
      entry.barriers = numberBefore(line, "barriers");
      entry.sharedBytes = numberBefore(line, "bytes smem");
    }
  }
  return report;
}

namespace {

/// Files of one run of a program of the toolkit, removed at the end.
class ScratchFiles {
public:
  ~ScratchFiles() {
    for (const std::string &file : files) {
      fs::remove(file);
    }
  }
  Expected<std::string> add(llvm::StringRef suffix) {
    llvm::SmallString<128> name;
    if (std::error_code error = fs::createTemporaryFile("zyxc-kernel", suffix, name)) {
      return makeError(ErrorCode::Internal, "no temporary file: {}", error.message());
    }
    files.push_back(name.str().str());
    return files.back();
  }

private:
  std::vector<std::string> files;
};

} // namespace

static std::string contents(const std::string &file) {
  auto buffer = llvm::MemoryBuffer::getFile(file);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

/// Runs a program; what it printed. `log` is the file that this goes through.
static Expected<std::string> runTool(const std::string &program,
                                     std::vector<llvm::StringRef> arguments,
                                     const std::string &log) {
  arguments.insert(arguments.begin(), program);
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), llvm::StringRef(log),
                                                llvm::StringRef(log)};
  std::string message;
  int code = llvm::sys::ExecuteAndWait(program, arguments, std::nullopt, redirects,
                                       /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message);
  std::string text = contents(log);
  if (code != 0) {
    return makeError(ErrorCode::Internal, "{} failed ({}): {}", program,
                     message.empty() ? fmt::format("exit code {}", code) : message,
                     llvm::StringRef(text).trim().str());
  }
  return text;
}

Expected<std::string> disassembleCubin(const CudaToolkit &toolkit, const std::string &cubin) {
  if (toolkit.nvdisasm.empty()) {
    return makeError(ErrorCode::Unsupported, "no nvdisasm was found: install the CUDA toolkit's "
                                             "binary utilities");
  }
  ScratchFiles files;
  ZYXC_ASSIGN(std::string input, files.add("cubin"));
  ZYXC_ASSIGN(std::string log, files.add("log"));
  ZYXC_RETURN_IF_ERROR(writeFile(input, cubin));
  return runTool(toolkit.nvdisasm, {"-c", input}, log);
}

} // namespace zyxc
