// A checked kernel: names resolved, functions inlined, types and dimensions inferred. The lowering
// to mmk IR and the reference evaluator read it without checking again.
#pragma once

#include "schedule/rule.h"
#include "support/element.h"
#include "support/source.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mmk {

/// A dimension of a tensor type: a name bound at run time (`M`), or an integer literal.
struct Dimension {
  std::string name; ///< empty for a literal
  int64_t literal = 0;

  bool isLiteral() const { return name.empty(); }
  bool operator==(const Dimension &) const = default;
};
/// Outermost first; empty for a scalar.
using Shape = std::vector<Dimension>;

enum class Operation {
  parameter, ///< a tensor or a scalar of the kernel
  constant,
  // Elementwise operations are on f32. Those that say so are on i32 where all operands are, modulo
  // 2^32.
  negate, ///< also i32
  abs,    ///< also i32
  exp,
  log,
  log1p,
  expm1,
  sqrt,
  tanh,
  erf,
  floor,
  ceil,
  // binary, broadcasting as NumPy does; minimum and maximum propagate NaN
  add,      ///< also i32
  subtract, ///< also i32
  multiply, ///< also i32
  divide,
  remainder, ///< i32 alone: of the sign of the divisor, and by 0 it is 0
  minimum,   ///< also i32
  maximum,   ///< also i32
  // comparisons, yielding boolean, also of i32; all but notEqual are false on NaN
  equal,
  notEqual,
  less,
  lessEqual,
  greater,
  greaterEqual,
  select, ///< operands: boolean, then, else; also i32
  // of conditions
  logicalAnd,
  logicalOr,
  logicalNot,
  cast, ///< rounds to `type`
  /// `@`; yields the accumulator's type. A third operand is a condition: of the terms for which it
  /// holds. It is aligned with the matrices of the operand `along[0]`.
  product,
  transpose, ///< the last two dimensions
  reduce,    ///< by `reduction`, over the dimensions `along`, which stay with extent 1
  cumulate,  ///< the sum of the elements up to each with it, along the one dimension `along`
  extent,    ///< the product of the extents of `dimensions`, a scalar: f32, or i32 of one dimension
  squeeze,   ///< the operand without some dimensions of literal extent 1
  /// The operand's elements in row-major order in other dimensions. Each dimension of the shorter
  /// shape is `along[i]` dimensions of the longer one.
  reshape,
  access,   ///< the elements of the operand at `indices`, one for each of its dimensions
  position, ///< `indices[0]` itself: a number, or of a comparison a condition
  random,   ///< numbers in [0, 1) of the seed, a scalar, and of the row-major position
};

/// Integer arithmetic over the position in a value's shape, "#0", "#1", and over dimensions.
using Index = std::shared_ptr<const Rule>;

/// How a reduction combines elements. An empty set cannot occur: no extent is 0.
enum class Reduction {
  sum,     ///< of i8 and i32: i32, and wraps; else f32
  product, ///< the same
  maximum, ///< propagates NaN; -0 is below 0
  minimum,
  any, ///< of conditions
  all,
  argmax, ///< i32: the position of the first of equals; NaN is above all
  argmin, ///< the same; NaN is below all
};

/// One value of a kernel's body. Operands stand before their users in Kernel::values, so that
/// visiting them in order evaluates the body.
struct Value {
  Operation operation;
  ElementType type;
  Shape shape;
  std::vector<const Value *> operands;
  double constant = 0;    ///< of a constant
  unsigned parameter = 0; ///< of a parameter: index into Kernel::parameters
  SourceRange where = {}; ///< in the kernel, also when it stands in an inlined function
  std::string name = "";  ///< of the parameter, or of the `let` that names it; else empty
  Reduction reduction = Reduction::sum;
  std::vector<size_t> along = {}; ///< positions in the operand's shape, ascending
  Shape dimensions = {};          ///< of an extent
  std::vector<Index> indices = {};
};

/// Whether an access only moves, drops or adds dimensions: each index is another position, or 0 in
/// a dimension of literal extent 1. Then `places` has the position of each dimension of the
/// operand.
bool isPermutation(const Value &access, std::vector<std::optional<size_t>> &places);

/// The dimensions of what a product has for each tap of a pooling behind it: the rows and columns
/// that the reduction keeps.
struct PooledProduct {
  Shape rows, columns;
};
/// Nothing for a value that is no such reduction.
std::optional<PooledProduct> pooledProduct(const Value &value);

/// `h / group` in an index: of the positions along `all`, `count` read each one along `groups`.
struct GroupedDimension {
  Dimension all, groups;
  int64_t count;
};
struct Kernel;
std::vector<GroupedDimension> groupedDimensions(const Kernel &kernel);

struct Parameter {
  std::string name;
  ElementType type;
  Shape shape;
  std::optional<double> byDefault; ///< of a scalar
  SourceRange where;
  bool isConstant = false; ///< `const`: a tensor that stays the same from call to call

  bool isScalar() const { return shape.empty(); }
};

/// `stride: int = 1`: a whole number that is known when the kernel is compiled.
struct WholeParameter {
  std::string name;
  int64_t value; ///< that of this compilation
  SourceRange where;
  bool isDefault = true; ///< the value is that of the text
};

/// `dim P = (H - R) / stride + 1;`: a dimension that follows from others.
struct DerivedDimension {
  std::string name;
  std::unique_ptr<Rule> value; ///< over dimensions and int parameters
  std::string text;            ///< as written, for messages
  SourceRange where;           ///< of the name
  bool isInParameter = false;  ///< so that an argument has it, too
  bool isRole = false;         ///< another name of a dimension, in one of its roles: `tile s.i`
  bool isOfCall = false;       ///< of a function over tensors, at `where`, and not of a `dim`
};

/// A value that a statement in index notation names, and its variables.
struct IndexedValue {
  std::string name; ///< of a let or of a result
  std::vector<std::string> variables;
  const Value *value = nullptr; ///< of a let
};

/// `require H == G * group;` of a body, over dimensions and int parameters.
struct Condition {
  std::unique_ptr<Rule> rule;
  std::string text; ///< as written, for messages
  SourceRange where;
  std::string why = ""; ///< of one that follows from an index: " so that ..."
  /// Of an index: the dimensions of the variables around it. Where one is 0, nothing is read.
  std::vector<std::string> over = {};
};

struct Result {
  std::string name;
  ElementType type;             ///< declared; the value is rounded to it where it is stored
  Shape shape;                  ///< of a scalar: [1]
  bool isScalar = false;        ///< declared without a shape
  const Value *value = nullptr; ///< may still have to be broadcast to `shape`
  SourceRange where;
};

/// One directive of a schedule and its alternatives, the default first. Keys are dotted: "cores",
/// "tile.M", "buffers.l1.a"; see schedule/directive.h. Alternatives are words as written: "128",
/// "auto", "swizzle(4)".
struct Directive {
  std::string key;
  struct Alternative {
    std::string word;
    SourceRange where;
  };
  std::vector<Alternative> alternatives;
  SourceRange where; ///< of the key and its value: `M = 128 | 64`
};

/// A legality rule over the choices.
struct Requirement {
  std::unique_ptr<Rule> rule;
  std::string text; ///< as written, for messages
  SourceRange where;
};

struct Schedule {
  std::string machinePattern; ///< "ascend910b*"; empty for the general one
  std::vector<Directive> directives;
  std::vector<Requirement> requirements;
  SourceRange where;

  bool isFor(std::string_view machine) const;
};

/// A named binding of every dimension, and of some scalars.
struct Case {
  std::string name;
  std::vector<std::pair<std::string, int64_t>> dimensions;
  std::vector<std::pair<std::string, double>> scalars;
  SourceRange where;
};

/// Tolerance: an element may differ by the bound of its rounding errors (reference/check.h) and
/// by atol + rtol * |ref|; the case passes when wrong / all <= maxErrorRatio.
struct Check {
  double rtol = 1e-3, atol = 1e-3, maxErrorRatio = 0;
  bool rounding = true; ///< false: rtol and atol alone
  /// `math = fast`: functions may take a faster form with a stated error.
  bool isFast = false;
};

struct Kernel {
  std::string name;
  SourceRange where; ///< of the name
  /// In order of first appearance in the parameters, then those that are derived only.
  std::vector<std::string> dimensions;
  std::vector<Parameter> parameters;
  std::vector<WholeParameter> wholes;
  std::vector<DerivedDimension> derived; ///< each after those that it reads
  std::vector<Condition> conditions;
  std::vector<Result> results;
  std::vector<std::unique_ptr<Value>> values; ///< operands before users; only what results need
  std::vector<IndexedValue> indexed;          ///< of `values` and of results
  std::vector<Schedule> schedules;
  std::vector<Case> cases;
  Check check;

  /// The schedule for a machine: the most specific matching pattern (the one with the most literal
  /// characters), else the general one, else null.
  const Schedule *scheduleFor(std::string_view machine) const;

  /// The dimensions in the order of reports and of variant names: those of the results, then those
  /// that are summed over. M, N, K of a product, whose first parameter is [M, K].
  std::vector<std::string> shownDimensions() const;

  bool hasProduct() const;
  bool hasReduction() const;
  /// Whether a product multiplies windows: elements at sums of two positions.
  bool hasWindow() const;
  /// Whether a reduction over a few numbers of elements may be one of a product's results: a
  /// pooling, which `fuse = windows` may compute with the product.
  bool hasPooling() const;

  /// The dimensions that a call binds: all but the derived ones.
  std::vector<std::string> boundDimensions() const;
  bool isDerived(std::string_view dimension) const;
};

/// The number of an extent (Operation::extent), before it is rounded to f32.
double extentOf(const Value &value, const std::map<std::string, int64_t> &dims);

/// Every kernel of one file, in order; `file` outlives the kernels, which point into it.
struct Program {
  std::unique_ptr<SourceFile> file;
  std::vector<std::unique_ptr<Kernel>> kernels;
};

/// Shape as written: "[M, 64]"; "" for a scalar. Type and shape: "f16[M, K]", "f32".
std::string spelling(const Shape &shape);
std::string spelling(ElementType type, const Shape &shape);
/// As declared.
std::string spelling(const Result &result);

} // namespace mmk
