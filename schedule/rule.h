// The rules of a schedule: integer arithmetic over the choices, evaluated by the checker of a text,
// the search and the passes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mmk {

/// A tree of integer arithmetic.
struct Rule {
  enum class Kind {
    number,
    choice,
    add,
    subtract,
    multiply,
    divide,
    remainder,
    floorDivide, ///< in the calculations of a kernel; the quotient of a schedule's rule truncates
    floorRemainder, ///< of the sign of the divisor
    equal,
    notEqual,
    less,
    lessEqual,
    greater,
    greaterEqual,
    logicalAnd,
    logicalOr,
    logicalNot
  };
  Kind kind;
  int64_t number = 0;
  std::string choice; ///< key of a directive with numbers, "tile.M"; of a kernel, a name
  std::vector<std::unique_ptr<Rule>> operands;

  bool isTruth() const { return kind >= Kind::equal; }
  bool isLogical() const { return kind >= Kind::logicalAnd; }
  /// Whether it reads the choice of a key.
  bool reads(std::string_view key) const;
};

/// The number chosen for a key, or nothing when that is unknown.
using ChosenNumber = std::function<std::optional<int64_t>(std::string_view key)>;

enum class Verdict { holds, broken, undecided };

/// Evaluates a rule for given choices; undecided when it depends on an unknown one. A rule that
/// divides by zero or overflows is broken.
Verdict judge(const Rule &rule, const ChosenNumber &chosen);

/// The number that a rule computes; nothing where it reads an unknown one, divides by zero or
/// leaves 64 bits.
std::optional<int64_t> numberOf(const Rule &rule, const ChosenNumber &chosen);

/// For messages on a broken rule: the choices that it reads, "tile.M = 128, tile.N = 512".
std::string explain(const Rule &rule, const ChosenNumber &chosen);

} // namespace mmk
