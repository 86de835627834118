// Calls of functions over tensors, fn f(x[M, N], k: int)[i, j] = ...: what their arguments bind,
// and the value of their expression.
#pragma once

#include "frontend/index/statement.h"
#include "frontend/typing/typing.h"

namespace mmk {

/// What a call gives for an argument: a value, or for `k: int` a number.
struct TensorArgument {
  const Value *value = nullptr;
  Index whole = nullptr;
};

/// The value of a call in `context`. Null after a report there, or where an argument does not fit:
/// then `problem` says why.
const Value *callOverTensors(const Function &function, const std::vector<TensorArgument> &arguments,
                             SourceRange where, const BodyContext &context, Problem &problem);

/// What a kernel's statements read: its dimensions and its int parameters.
WholeNumbers wholeNumbersOf(const Kernel &kernel);
/// Those arguments of a function that are constants or dimensions.
WholeNumbers wholeNumbersAmong(const std::map<std::string, const Value *> &arguments);

/// A calculation of a function over tensors or for one of its arguments: over the dimensions and
/// whole numbers of `context`. Null after a report. `what` is how a message speaks of it.
std::unique_ptr<Rule> wholeRuleOf(const ast::Expression &expression, std::string_view what,
                                  const BodyContext &context);

} // namespace mmk
