// The one style of .mmk texts: `mmk format`.
//
// What is written is the tokens and comments of the text in their order; only white space differs.
// Formatting a formatted text changes nothing.
#pragma once

#include "support/diagnostics.h"

#include <memory>
#include <optional>
#include <string>

namespace mmk {

class ParseTree;

/// The characters of a line, where a break is possible.
constexpr int formattedWidth = 100;

/// A text that has no syntax error, in the style.
std::string formatTree(ParseTree &tree);

/// `text` in the style. On a syntax error nothing; `diagnostics` holds all errors, which point into
/// `keepFile`.
std::optional<std::string> formatProgram(std::string path, std::string text,
                                         Diagnostics &diagnostics,
                                         std::unique_ptr<SourceFile> &keepFile);

} // namespace mmk
