// Statements in index notation: each element of a value is computed from elements of others.
#pragma once

#include "frontend/ast.h"
#include "frontend/functions.h"
#include "frontend/index/indexed.h"
#include "frontend/typing/typing.h"
#include "support/diagnostics.h"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace mmk {

/// How far a body has grown, with its calls inlined.
struct Growth {
  unsigned depth = 0, evaluated = 0;
  bool isExhausted = false;
};

/// Of the body of a function over tensors.
struct Inside {
  const Function *function;
  SourceRange call; ///< in the kernel
};

/// Numbers that a text reads by name: dimensions, and whole numbers that are known when the kernel
/// is compiled.
using WholeNumbers = std::map<std::string, Index>;

/// What the statements of a body share, or the one expression of a function over tensors.
struct BodyContext {
  Kernel &kernel;
  const Functions &functions;
  Values &values;
  Typing &typing;
  Diagnostics &diagnostics;
  const std::map<std::string, const Value *> &names; ///< null: reported
  const WholeNumbers &wholes;
  std::set<std::pair<size_t, std::string>> &reported; ///< at calls
  Growth &growth;
  std::optional<Inside> inside = {}; ///< nothing in a kernel
};

/// Whether a statement is in index notation: it introduces variables, or reads elements.
bool usesIndices(const ast::Statement &statement);

/// The value of a statement whose names have been resolved: with the dimensions of its variables,
/// in their order. A result's dimensions are those of `declared`, else null. Null after a report.
const Value *evaluateIndexed(const ast::Statement &statement, const Result *declared,
                             const BodyContext &context);

/// The value of a function over tensors, whose arguments are the names of `context`.
const Value *evaluateFunction(const ast::Function &definition, const BodyContext &context);

} // namespace mmk
