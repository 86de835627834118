// Statements in index notation: each element of a value is computed from elements of others.
#pragma once

#include "frontend/ast.h"
#include "frontend/functions.h"
#include "frontend/indexed.h"
#include "frontend/typing.h"
#include "support/diagnostics.h"

#include <map>
#include <set>
#include <string>

namespace mmk {

/// What the statements of a body share.
struct BodyContext {
  Kernel &kernel;
  const Functions &functions;
  Values &values;
  Typing &typing;
  Diagnostics &diagnostics;
  const std::map<std::string, const Value *> &names; ///< of the kernel; null: reported
  const std::set<std::string> &dimensions;
  std::set<std::pair<size_t, std::string>> &reported; ///< at calls
};

/// Whether a statement is in index notation: it introduces variables, or reads elements.
bool usesIndices(const ast::Statement &statement);

/// The value of a statement whose names have been resolved: with the dimensions of its variables,
/// in their order. A result's dimensions are those of `declared`, else null. Null after a report.
const Value *evaluateIndexed(const ast::Statement &statement, const Result *declared,
                             const BodyContext &context);

} // namespace mmk
