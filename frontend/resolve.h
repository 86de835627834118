// The checks of an expression that need no types: whether its names, functions and types exist,
// whether calls have the right number of arguments, whether its numbers are representable.
#pragma once

#include "frontend/ast.h"
#include "frontend/functions.h"
#include "support/diagnostics.h"
#include "support/element.h"

#include <map>

namespace mmk {

/// The names that an expression may read.
struct Names {
  std::map<std::string, bool> readable;       ///< and whether it has been read
  std::map<std::string, std::string> refused; ///< names that exist but cannot be read, and why
  std::string_view label = "known here";      ///< of a list of the readable ones
  std::map<std::string, bool> dimensions;     ///< and whether one has been read
  /// A kernel's dimension is a number in an expression; a function's may stand for several.
  bool dimensionsAreNumbers = false;
  /// Of a statement in index notation: its variables where the expression stands.
  bool isIndexed = false;
  std::vector<std::string> variables = {};
};

/// Reports what is wrong; true when nothing is.
bool resolve(const ast::Expression &expression, Names &names, const Functions &functions,
             Diagnostics &diagnostics);

/// The same in index notation: of a statement, or of a function over tensors, with the variables
/// left of its '='.
bool resolveIndexed(const std::vector<ast::Place> &places, const ast::Expression &value,
                    Names &names, const Functions &functions, Diagnostics &diagnostics);

/// The type named by a word of the text; reports an unknown one.
std::optional<ElementType> resolveType(const ast::Word &word, Diagnostics &diagnostics);

/// " (did you mean 'bias'?)", or nothing when `near` is empty.
std::string didYouMean(std::string_view near);

/// The nearest candidate as above, or, when there is none and the list is short,
/// "; LABEL: a, b and c".
std::string suggestion(const std::string &word, const std::vector<std::string> &candidates,
                       std::string_view label);

} // namespace mmk
