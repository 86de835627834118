// The document of a whole text.
#pragma once

#include "format/document.h"
#include "frontend/parse_tree.h"

namespace mmk::format {

Document documentOf(ParseTree &tree);

} // namespace mmk::format
