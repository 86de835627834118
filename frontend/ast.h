// The abstract syntax tree: a .mmk text as it was written, before anything is resolved or checked.
#pragma once

#include "support/source.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace mmk::ast {

/// A word of the text and where it stands: a name, a number, an alternative.
struct Word {
  std::string text;
  SourceRange where;
};

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

/// `r: 2` in the brackets of a reduction, and left of a statement's '='.
struct Place {
  Word name;
  ExpressionPtr range; ///< null where none is written
};

struct Expression {
  enum class Kind {
    number,    ///< `text` as written, or "inf", "nan"
    name,      ///< `text`
    choice,    ///< a dotted name, "tile.M" in `text`
    call,      ///< of the function `text`
    cast,      ///< to the type `text`
    operation, ///< operator in `text`; one operand or two
    element,   ///< operands[0] is a tensor, the others its indices
  };
  Kind kind;
  std::string text;
  std::vector<std::unique_ptr<Expression>> operands;
  std::vector<Place> over; ///< the dimensions or variables of a call: sum[M, N](x)
  ExpressionPtr guard;     ///< of those: sum[j | j <= i](...)
  SourceRange where;
  SourceRange textWhere; ///< of `text` alone
};

/// A signed number where a value is bound: "-1", "2048", "1e-3", "inf".
using Number = Word;

struct Type {
  std::vector<Word> qualifiers; ///< the words before the element type: `const`
  Word element;
  std::vector<Word> dimensions;
  SourceRange where;
};

struct Parameter {
  Word name;
  Type type;
  std::optional<Number> byDefault;
  SourceRange where;
};

struct Result {
  Word name;
  Type type;
  SourceRange where;
};

/// `let name = value;` or, for a result, `name = value;`.
struct Statement {
  bool isLet;
  Word name;
  std::vector<Place> places; ///< of index notation: name[i, j] = value
  ExpressionPtr value;
  SourceRange where;
};

/// `key = a | b` inside a directive; the key is empty for `cores = auto`.
struct Setting {
  std::vector<Word> key;
  std::vector<Word> alternatives;
  SourceRange where;
};

struct Directive {
  Word name;
  std::vector<Setting> settings;
};

struct Requirement {
  ExpressionPtr rule;
  std::string text; ///< of the rule, as written
};

/// `dim P = value;`
struct Derived {
  Word name;
  ExpressionPtr value;
  std::string text; ///< of the value, as written
};

struct Schedule {
  std::optional<Word> pattern;
  std::vector<Directive> directives;
  std::vector<Requirement> requirements;
  SourceRange where; ///< of the head, `schedule for host`
};

struct Binding {
  Word name;
  Number value;
  SourceRange where;
};

struct Case {
  Word name;
  std::vector<Binding> bindings;
};

struct Check {
  std::vector<Binding> bindings;
  SourceRange where; ///< of the word `check`
};

struct Kernel {
  Word name;
  std::vector<Parameter> parameters;
  std::vector<Result> results;
  std::vector<Statement> body;
  std::vector<Derived> derived;
  std::vector<Requirement> requirements;
  std::vector<Schedule> schedules;
  std::vector<Case> cases;
  std::vector<Check> checks;
};

/// `x[B, C]` is a tensor, `k: int` a whole number, and `x` any value, or of a function over tensors
/// a scalar.
struct Argument {
  Word name;
  std::vector<Word> dimensions;
  std::optional<Word> type;
  SourceRange where;

  bool isTensor() const { return !dimensions.empty(); }
};

struct Function {
  Word name;
  std::vector<Word> over; ///< its dimensions
  std::vector<Argument> arguments;
  std::vector<Place> places; ///< of its result: fn f(x[M, N])[j, i] = x[i, j]
  ExpressionPtr value;

  /// Whether it takes whole tensors, and reads their elements.
  bool isOverTensors() const {
    return std::ranges::any_of(arguments, &Argument::isTensor) || !places.empty();
  }
};

struct Program {
  std::vector<Function> functions;
  std::vector<Kernel> kernels;
};

/// The whole tree as indented text, one node a line.
std::string print(const Program &program);

} // namespace mmk::ast
