#include "tools/zyxc/egraph/ProgramRun.h"
#include "compiler/egraph/proof/NumberConflict.h"
#include "runtime/support/File.h"

namespace zyxc::tool {

using namespace zyxc::egraph;

static Status addFile(Program &program, const std::string &path, bool onlyRules) {
  ZYXC_ASSIGN(InputFile file, InputFile::open(path));
  ZYXC_ASSIGN(std::string text, file.readAll());
  Status status = program.add(text, onlyRules);
  return status.isOk() ? status : std::move(status).withContext(path);
}

Expected<Program> readProgram(const EGraphLine &line) {
  Program program;
  ZYXC_RETURN_IF_ERROR(addFile(program, line.file, false));
  if (!line.rules.empty()) {
    ZYXC_RETURN_IF_ERROR(addFile(program, line.rules, true));
  }
  if (program.starts.empty()) {
    return makeError(ErrorCode::Input, "{}: no start term: write one, (OP OPERANDS..)", line.file);
  }
  return program;
}

static SaturateOptions saturateOptions(const EGraphLine &line) {
  SaturateOptions options;
  options.budget = {line.nodes, ~0ull, line.iterations, ~0ull};
  options.backoffMatches = line.backoff;
  options.newRows = line.newRows;
  options.threads = line.threads;
  options.timeRules = line.timeRules;
  return options;
}

Expected<SaturateReport> runProgram(EGraph &graph, const Program &program, const EGraphLine &line) {
  SaturateOptions options = saturateOptions(line);
  options.check = numberCheck(program);
  Expected<SaturateReport> report = saturate(graph, program.rules, options);
  if (!report) {
    return std::move(report).error().withContext(line.file);
  }
  return report;
}

} // namespace zyxc::tool
