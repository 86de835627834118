// Checks before parsing: valid UTF-8, and a size and a nesting that no kernel needs to exceed. One
// pass without recursion, so that no input can exhaust the parser.
#pragma once

#include "support/diagnostics.h"
#include "support/source.h"

#include <memory>

namespace mmk {

constexpr size_t maximumTextBytes = size_t(1) << 20;
constexpr unsigned maximumNesting = 200;
constexpr unsigned maximumOperators = 500; ///< in one statement

/// The file of a text; of a text that is too large an empty file, and an error.
std::unique_ptr<SourceFile> fileOf(std::string path, std::string text, Diagnostics &diagnostics);

/// Says in `diagnostics` why `file` cannot be parsed; true when it can.
bool isParsable(const SourceFile &file, Diagnostics &diagnostics);

} // namespace mmk
