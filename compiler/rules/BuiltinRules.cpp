#include "compiler/rules/BuiltinRules.h"
#include "runtime/support/File.h"

namespace zyxc::rules {

static constexpr char builtinText[] =
#include "compiler/rules/tensor.rules.inc"
    ;

Expected<std::vector<Rule>> builtinRules() {
  return compileRules(builtinText, "tensor.rules");
}

Expected<std::vector<Rule>> loadRules(const std::string &path) {
  ZYXC_ASSIGN(InputFile file, InputFile::open(path));
  ZYXC_ASSIGN(std::string text, file.readAll());
  return compileRules(text, path);
}

} // namespace zyxc::rules
