// What a text must be before it is worth parsing: text at all, of a size and a nesting that no
// kernel needs to exceed. Checked in one pass without recursion, so that no input, however made,
// can exhaust the parser behind it.
#pragma once

#include "support/diagnostics.h"
#include "support/source.h"

namespace mmk {

constexpr size_t maximumTextBytes = size_t(1) << 20;
constexpr unsigned maximumNesting = 200;
constexpr unsigned maximumOperators = 500; ///< in one statement

/// Says in `diagnostics` why `file` cannot be parsed; true when it can.
bool isParsable(const SourceFile &file, Diagnostics &diagnostics);

} // namespace mmk
