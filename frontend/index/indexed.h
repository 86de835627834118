// Values of index notation: a tensor whose dimensions stand for index variables.
#pragma once

#include "frontend/values.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace mmk {

using VariableNames = std::vector<std::string>;

inline bool contains(const VariableNames &all, const std::string &one) {
  return std::ranges::find(all, one) != all.end();
}

/// The variable of each dimension of the value; empty for one of literal extent 1 that stands for
/// none, such as a reduced one.
struct Indexed {
  const Value *value = nullptr;
  std::vector<std::string> variables;

  explicit operator bool() const { return value != nullptr; }
  bool has(const std::string &variable) const;
};

/// The variables of a place in the text, outermost first, and what they range over.
class Variables {
public:
  struct Range {
    Dimension dimension;
    SourceRange where; ///< from which it follows
  };

  const Range *find(const std::string &variable) const;
  /// The range that `variable` had before; it hides that one until it is restored.
  std::optional<Range> set(const std::string &variable, Range range);
  void restore(const std::string &variable, std::optional<Range> before);
  /// Those of `which`, in the order of the text.
  std::vector<std::string> sorted(const std::vector<std::string> &which) const;
  Shape shapeOf(const std::vector<std::string> &variables) const;
  std::vector<std::string> names() const { return order_; }

private:
  std::vector<std::string> order_;
  std::map<std::string, Range> ranges_;
};

/// Moves the dimensions of indexed values.
class Alignment {
public:
  Alignment(Values &values, const Variables &variables) : values_(values), variables_(variables) {}

  /// The variables of several values, in the order of the text.
  std::vector<std::string> unionOf(const std::vector<Indexed> &operands) const;

  /// The value with its dimensions in the places of `target`, aligned at the last, 1 where it has a
  /// variable not; leading ones are left out. An empty name in `target` is an extent of 1. `target`
  /// has all variables of the value.
  Indexed toEndOf(const std::vector<std::string> &target, const Indexed &operand,
                  SourceRange where);

  /// The value with exactly the dimensions of `target`, stretched where it has a variable not.
  Indexed exactly(const std::vector<std::string> &target, const Indexed &operand,
                  SourceRange where);

private:
  Indexed moved(const std::vector<std::string> &target, Shape shape, const Indexed &operand,
                SourceRange where);

  Values &values_;
  const Variables &variables_;
};

} // namespace mmk
