#include "frontend/values.h"

#include <algorithm>
#include <bit>
#include <set>

namespace mmk {

const Value *Values::parameter(unsigned index, const Parameter &parameter) {
  Value value{Operation::parameter, parameter.type, parameter.shape, {}, 0, index,
              parameter.where,      parameter.name};
  return unique({value.operation, value.type, {}, index}, std::move(value));
}

const Value *Values::constant(double number, SourceRange where) {
  Value value{Operation::constant, ElementType::f32, {}, {}, number, 0, where, ""};
  return unique({value.operation, value.type, {}, std::bit_cast<uint64_t>(number)},
                std::move(value));
}

const Value *Values::operation(Operation operation, ElementType type, Shape shape,
                               std::vector<const Value *> operands, SourceRange where) {
  Key key{operation, type, operands, 0};
  return unique(std::move(key),
                {operation, type, std::move(shape), std::move(operands), 0, 0, where, ""});
}

const Value *Values::unique(Key key, Value value) {
  const auto [entry, isNew] = known_.try_emplace(std::move(key), nullptr);
  if (isNew) {
    values_.push_back(std::make_unique<Value>(std::move(value)));
    entry->second = values_.back().get();
  }
  return entry->second;
}

void Values::name(const Value *value, const std::string &name) {
  if (!value->name.empty() || value->operation == Operation::constant)
    return;
  // Searched from the end: a let mostly names the newest value.
  const auto own = std::find_if(values_.rbegin(), values_.rend(),
                                [&](const auto &candidate) { return candidate.get() == value; });
  (*own)->name = name;
}

std::vector<std::unique_ptr<Value>> Values::neededBy(const std::vector<Result> &results) && {
  std::set<const Value *> needed;
  for (const Result &result : results)
    needed.insert(result.value);
  // Users come after their operands, so one pass backwards reaches everything.
  for (size_t i = values_.size(); i-- > 0;)
    if (needed.contains(values_[i].get()))
      needed.insert(values_[i]->operands.begin(), values_[i]->operands.end());
  std::erase_if(values_, [&](const auto &value) { return !needed.contains(value.get()); });
  return std::move(values_);
}

} // namespace mmk
