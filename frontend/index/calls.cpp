// Calls of functions over tensors in index notation: their tensors stand there by name, and the
// elements of their value are read, max_pool(x, 2, 2)[n, c, p, q].
#include "frontend/index/body.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk {

const Function *IndexBody::functionOverTensors(const ast::Expression &expression) const {
  if (expression.kind != ast::Expression::Kind::call)
    return nullptr;
  const Function *function = context_.functions.find(
      expression.text, context_.inside && context_.inside->function->isPrelude);
  return function && function->definition->isOverTensors() ? function : nullptr;
}

bool IndexBody::tensorArgument(const ast::Expression &expression, const ast::Argument &argument,
                               TensorArgument &given) {
  if (argument.type) {
    given.whole = wholeRuleOf(expression, "an int argument", context_);
    return given.whole != nullptr;
  }
  if (argument.isTensor()) {
    const bool isTensor =
        expression.kind == ast::Expression::Kind::name || functionOverTensors(expression);
    given.value = isTensor ? tensorAt(expression) : nullptr;
    if (!isTensor)
      error(expression.where, fmt::format("'{}' stands for a whole tensor; in index notation that "
                                          "is a name, so name this value with let",
                                          argument.name.text));
    else if (!given.value && !context_.diagnostics.hasErrors())
      error(expression.where, fmt::format("'{}' is no tensor, and '{}' stands for one",
                                          expression.text, argument.name.text));
    return given.value != nullptr;
  }
  const Indexed value = evaluate(expression, {});
  if (value && value.variables.empty()) {
    given.value = value.value;
    return true;
  }
  if (value || !context_.diagnostics.hasErrors())
    error(expression.where,
          fmt::format("'{}' is a scalar, found an element of each place", argument.name.text));
  return false;
}

const Value *IndexBody::callOfTensors(const ast::Expression &expression, const Function &function) {
  const auto [known, isNew] = called_.try_emplace(&expression, nullptr);
  const ast::Function &definition = *function.definition;
  if (!isNew || !function.isSound || definition.arguments.size() != expression.operands.size())
    return known->second;
  std::vector<TensorArgument> arguments(expression.operands.size());
  bool isSound = true;
  for (size_t i = 0; i < arguments.size(); ++i)
    isSound &= tensorArgument(*expression.operands[i], definition.arguments[i], arguments[i]);
  if (!isSound)
    return nullptr;
  Problem problem;
  const Value *value = callOverTensors(function, arguments, expression.where, context_, problem);
  if (!problem.message.empty())
    error(problem.operand ? expression.operands[*problem.operand]->where : expression.where,
          problem.message);
  called_[&expression] = value;
  return value;
}

// A value without dimensions is read as it stands.
Indexed IndexBody::scalarCall(const ast::Expression &expression, const Function &function,
                              const Frame &frame) {
  if (frame.function)
    return error(frame.call,
                 fmt::format("'{}' takes whole tensors, and '{}' is called with elements here",
                             expression.text, frame.function->definition->name.text));
  const Value *value = callOfTensors(expression, function);
  if (!value || value->shape.empty())
    return {value, {}};
  std::string indices;
  for (size_t d = 0; d < value->shape.size(); ++d)
    indices += fmt::format("{}{}", d ? ", " : "", static_cast<char>('i' + d));
  return error(
      expression.where,
      fmt::format("'{0}(...)' is {1}; a statement with index variables reads its elements: "
                  "{0}(...)[{2}]",
                  expression.text, spelling(*value), indices));
}

} // namespace mmk
