// An explanation as JSON: one document, whose keys docs/explain.md describes.
#pragma once
#include "compiler/plan/explain/Explanation.h"

namespace zyxc::tool {

/// What an explanation is of.
struct ExplainedModel {
  std::string zyxc; ///< the version
  std::string file;
  std::string target;   ///< in full
  std::string numerics; ///< the level
  std::string node;     ///< of --node; empty: the whole model
};

/// The document, without a line break at its end. `indent`: spaces a level; 0: all in one line.
std::string explanationJson(const explain::Explanation &explanation, const ExplainedModel &model,
                            unsigned indent);

} // namespace zyxc::tool
