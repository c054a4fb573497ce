// An explanation as one HTML page that needs nothing beside it, not even a network.
#pragma once
#include "tools/zyxc/explain/ExplanationJson.h"

namespace zyxc::tool {

/// The page: the document of explanationJson(), the places of both graphs of each part, and the
/// style and the script that show them.
std::string explanationPage(const explain::Explanation &explanation, const ExplainedModel &model);

} // namespace zyxc::tool
