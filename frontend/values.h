// The values of a body while it is being inferred. Equal operations on equal operands are one
// value, so that a `let` or an argument used twice is computed once.
#pragma once

#include "frontend/kernel.h"

#include <map>
#include <tuple>

namespace mmk {

class Values {
public:
  const Value *parameter(unsigned index, const Parameter &parameter);
  const Value *constant(double number, SourceRange where);
  const Value *operation(Operation operation, ElementType type, Shape shape,
                         std::vector<const Value *> operands, SourceRange where);

  /// Gives a value the name of its `let`; a value keeps its first name.
  void name(const Value *value, const std::string &name);

  size_t size() const { return values_.size(); }

  /// Only what the results need, operands before users.
  std::vector<std::unique_ptr<Value>> neededBy(const std::vector<Result> &results) &&;

private:
  using Key = std::tuple<Operation, ElementType, std::vector<const Value *>, uint64_t>;
  const Value *unique(Key key, Value value);

  std::vector<std::unique_ptr<Value>> values_; ///< in order of creation
  std::map<Key, const Value *> known_;
};

} // namespace mmk
