#include "reference/index_program.h"

namespace mmk {

using Kind = Rule::Kind;

IndexProgram::IndexProgram(const Rule &rule, const std::map<std::string, int64_t> &dims) {
  add(rule, dims);
}

size_t IndexProgram::add(const Rule &rule, const std::map<std::string, int64_t> &dims) {
  Step step{rule.kind};
  if (rule.kind == Kind::number) {
    step.number = rule.number;
  } else if (rule.kind == Kind::choice && rule.choice.starts_with('#')) {
    step.number = std::stoll(rule.choice.substr(1));
  } else if (rule.kind == Kind::choice) {
    step.kind = Kind::number;
    step.number = dims.at(rule.choice);
  } else {
    step.left = add(*rule.operands.front(), dims);
    step.right = rule.operands.size() > 1 ? add(*rule.operands.back(), dims) : step.left;
  }
  steps_.push_back(step);
  return steps_.size() - 1;
}

namespace {

int64_t floorQuotient(int64_t x, int64_t y) {
  if (y == 0)
    return 0;
  return x / y - (x % y != 0 && (x < 0) != (y < 0));
}

int64_t joined(Kind kind, int64_t x, int64_t y) {
  switch (kind) {
  case Kind::add:
    return x + y;
  case Kind::subtract:
    return x - y;
  case Kind::multiply:
    return x * y;
  case Kind::divide:
  case Kind::floorDivide:
    return floorQuotient(x, y);
  case Kind::remainder:
  case Kind::floorRemainder:
    return x - floorQuotient(x, y) * y;
  case Kind::equal:
    return x == y;
  case Kind::notEqual:
    return x != y;
  case Kind::less:
    return x < y;
  case Kind::lessEqual:
    return x <= y;
  case Kind::greater:
    return x > y;
  case Kind::greaterEqual:
    return x >= y;
  case Kind::logicalAnd:
    return x && y;
  case Kind::logicalOr:
    return x || y;
  case Kind::logicalNot:
    return !x;
  case Kind::number:
  case Kind::choice:
    break;
  }
  return 0;
}

} // namespace

int64_t IndexProgram::operator()(const int64_t *position) const {
  int64_t small[32];
  std::vector<int64_t> large(steps_.size() > std::size(small) ? steps_.size() : 0);
  int64_t *done = large.empty() ? small : large.data();
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Step &step = steps_[i];
    done[i] = step.kind == Kind::number   ? step.number
              : step.kind == Kind::choice ? position[step.number]
                                          : joined(step.kind, done[step.left], done[step.right]);
  }
  return done[steps_.size() - 1];
}

} // namespace mmk
