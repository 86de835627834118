#include "reference/depth_bounds.h"

#include "schedule/rule.h"

#include "llvm/ADT/STLExtras.h"

namespace mmk {
namespace {

bool isSum(const Rule &rule) {
  switch (rule.kind) {
  case Rule::Kind::number:
  case Rule::Kind::choice:
  case Rule::Kind::add:
  case Rule::Kind::subtract:
    return llvm::all_of(rule.operands, [](const auto &it) { return isSum(*it); });
  case Rule::Kind::multiply:
    return llvm::any_of(rule.operands,
                        [](const auto &it) { return it->kind == Rule::Kind::number; }) &&
           llvm::all_of(rule.operands, [](const auto &it) { return isSum(*it); });
  default:
    return false;
  }
}

bool isConstant(const Value &value) { return value.operation == Operation::constant; }

/// A sum of positions, or an integer of the call, to which a number may be added.
bool isInteger(const Value &value) {
  switch (value.operation) {
  case Operation::constant:
  case Operation::extent:
    return true;
  case Operation::position:
    return isSum(*value.indices[0]);
  case Operation::parameter:
    return value.type == ElementType::i32;
  case Operation::squeeze:
  case Operation::transpose:
    return isInteger(*value.operands[0]);
  case Operation::access: {
    std::vector<std::optional<size_t>> places;
    return isPermutation(value, places) && isInteger(*value.operands[0]);
  }
  case Operation::add:
  case Operation::subtract:
    return (isConstant(*value.operands[0]) || isConstant(*value.operands[1])) &&
           isInteger(*value.operands[0]) && isInteger(*value.operands[1]);
  default:
    return false;
  }
}

void collect(const Value &position, const Rule &rule, std::vector<DepthBound> &bounds) {
  if (rule.kind == Rule::Kind::logicalAnd) {
    for (const auto &part : rule.operands)
      collect(position, *part, bounds);
    return;
  }
  if (rule.isTruth() && !rule.isLogical() && rule.kind != Rule::Kind::notEqual &&
      isSum(*rule.operands[0]) && isSum(*rule.operands[1]))
    bounds.push_back({&position, &rule});
}

void collect(const Value &condition, std::vector<DepthBound> &bounds) {
  switch (condition.operation) {
  case Operation::logicalAnd:
    collect(*condition.operands[0], bounds);
    collect(*condition.operands[1], bounds);
    return;
  case Operation::position:
    collect(condition, *condition.indices[0], bounds);
    return;
  case Operation::equal:
  case Operation::less:
  case Operation::lessEqual:
  case Operation::greater:
  case Operation::greaterEqual:
    if (isInteger(*condition.operands[0]) && isInteger(*condition.operands[1]))
      bounds.push_back({&condition});
    return;
  default:
    return;
  }
}

} // namespace

std::vector<DepthBound> depthBounds(const Value &condition) {
  std::vector<DepthBound> bounds;
  collect(condition, bounds);
  return bounds;
}

} // namespace mmk
