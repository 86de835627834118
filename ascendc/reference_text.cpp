#include "ascendc/reference_text.h"

#include "ascendc/code_text.h"
#include "frontend/rule_text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <iterator>
#include <map>
#include <utility>

namespace mmk::ascendc {
namespace {

using Indices = std::vector<std::string>;

/// A function of C++, or an operator between two operands; null for an operation that is neither.
struct Elementwise {
  const char *function = nullptr, *symbol = nullptr;
};

Elementwise elementwiseOf(Operation operation) {
  static constexpr std::pair<Operation, Elementwise> table[] = {
      {Operation::negate, {"-"}},
      {Operation::abs, {"std::fabs"}},
      {Operation::exp, {"std::exp"}},
      {Operation::log, {"std::log"}},
      {Operation::log1p, {"std::log1p"}},
      {Operation::expm1, {"std::expm1"}},
      {Operation::sqrt, {"std::sqrt"}},
      {Operation::tanh, {"std::tanh"}},
      {Operation::erf, {"std::erf"}},
      {Operation::floor, {"std::floor"}},
      {Operation::ceil, {"std::ceil"}},
      {Operation::logicalNot, {"!"}},
      {Operation::minimum, {"least"}},
      {Operation::maximum, {"greatest"}},
      {Operation::remainder, {"remainder_of"}},
      {Operation::add, {nullptr, "+"}},
      {Operation::subtract, {nullptr, "-"}},
      {Operation::multiply, {nullptr, "*"}},
      {Operation::divide, {nullptr, "/"}},
      {Operation::equal, {nullptr, "=="}},
      {Operation::notEqual, {nullptr, "!="}},
      {Operation::less, {nullptr, "<"}},
      {Operation::lessEqual, {nullptr, "<="}},
      {Operation::greater, {nullptr, ">"}},
      {Operation::greaterEqual, {nullptr, ">="}},
      {Operation::logicalAnd, {nullptr, "&&"}},
      {Operation::logicalOr, {nullptr, "||"}},
  };
  const auto *found = llvm::find_if(table, [&](const auto &row) { return row.first == operation; });
  return found == std::end(table) ? Elementwise() : found->second;
}

Indices indicesOf(const Shape &shape) {
  Indices indices;
  for (size_t i = 0; i < shape.size(); ++i)
    indices.push_back(fmt::format("i{}", i));
  return indices;
}

bool isOne(const Dimension &dimension) { return dimension.isLiteral() && dimension.literal == 1; }

/// The row-major position of an element, and "0" of a scalar.
std::string placeOf(const Shape &shape, const Indices &indices) {
  std::string place = "0";
  for (auto [i, dimension] : llvm::enumerate(shape))
    place =
        i == 0 ? indices[0] : fmt::format("({}) * {} + {}", place, textOf(dimension), indices[i]);
  return place;
}

/// "double name(int64_t i0, int64_t)": with the names that the body mentions.
std::string functionOf(const std::string &name, const Shape &shape, const std::string &body) {
  std::string list;
  for (const std::string &index : indicesOf(shape))
    list += (list.empty() ? "" : ", ") +
            (body.find(index) == std::string::npos ? "int64_t" : "int64_t " + index);
  return fmt::format("double {}({})", name, list);
}

class ReferenceWriter {
public:
  explicit ReferenceWriter(const Kernel &kernel) : kernel(kernel) {}

  std::string write();

private:
  void writeBody(CodeText &code, const Value &value);
  void writeProduct(CodeText &code, const Value &value);
  void writeReduction(CodeText &code, const Value &value);
  void writeSums(CodeText &code, const Value &value);
  void writeAccess(CodeText &code, const Value &value);
  void writeParameter(CodeText &code, const Value &value);
  void writeElementwise(CodeText &code, const Value &value);
  void writeReshape(CodeText &code, const Value &value);
  void writeMemory(CodeText &code, const Value &value);
  std::string elementOf(const Value &operand, llvm::ArrayRef<std::string> indices);
  /// A statement under the condition that a value has as its operand `which`, if it has it.
  std::string where(const Value &value, size_t which, llvm::ArrayRef<std::string> indices);

  const Kernel &kernel;
  std::map<const Value *, std::string> names;
};

// Of an operand that may have fewer dimensions, or some of extent 1.
std::string ReferenceWriter::elementOf(const Value &operand, llvm::ArrayRef<std::string> indices) {
  Indices own;
  const size_t missing = indices.size() - operand.shape.size();
  for (auto [i, dimension] : llvm::enumerate(operand.shape))
    own.push_back(isOne(dimension) ? "0" : indices[missing + i]);
  return fmt::format("{}({})", names.at(&operand), llvm::join(own, ", "));
}

std::string ReferenceWriter::where(const Value &value, size_t which,
                                   llvm::ArrayRef<std::string> indices) {
  return value.operands.size() > which
             ? fmt::format("if ({} != 0) ", elementOf(*value.operands[which], indices))
             : "";
}

/// A reduced element is read many times.
void ReferenceWriter::writeMemory(CodeText &code, const Value &value) {
  code.add("static std::map<int64_t, double> known;");
  code.line("const auto [found, isNew] = known.try_emplace({});",
            placeOf(value.shape, indicesOf(value.shape)));
  code.add("if (!isNew) return found->second;");
}

void ReferenceWriter::writeProduct(CodeText &code, const Value &value) {
  Indices left = indicesOf(value.shape), right = left;
  left.back() = "k";
  right[right.size() - 2] = "k";
  writeMemory(code, value);
  code.add("double total = 0;");
  code.open(
      fmt::format("for (int64_t k = 0; k < {}; ++k)", textOf(value.operands[0]->shape.back())));
  code.line("{}total += {} * {};",
            value.operands.size() > 2
                ? where(value, 2, value.along.empty() || value.along[0] == 0 ? left : right)
                : "",
            elementOf(*value.operands[0], left), elementOf(*value.operands[1], right));
  code.close();
  code.add("return found->second = total;");
}

void ReferenceWriter::writeReduction(CodeText &code, const Value &value) {
  const Value &operand = *value.operands[0];
  Indices indices = indicesOf(value.shape);
  std::string position = "0";
  writeMemory(code, value);
  const bool isArgument =
      value.reduction == Reduction::argmax || value.reduction == Reduction::argmin;
  const bool isMaximum =
      value.reduction == Reduction::argmax || value.reduction == Reduction::maximum;
  const bool isOrder = isArgument || isMaximum || value.reduction == Reduction::minimum;
  code.line("double result = {};",
            isOrder ? isMaximum ? "-HUGE_VAL" : "HUGE_VAL"
            : value.reduction == Reduction::product || value.reduction == Reduction::all ? "1"
                                                                                         : "0");
  if (isArgument)
    code.add("int64_t best = 0;");
  for (size_t dim : value.along) {
    indices[dim] = fmt::format("k{}", dim);
    const std::string extent = textOf(operand.shape[dim]);
    code.open(fmt::format("for (int64_t {0} = 0; {0} < {1}; ++{0})", indices[dim], extent));
    position = position == "0" ? indices[dim]
                               : fmt::format("({}) * {} + {}", position, extent, indices[dim]);
  }
  const std::string element = elementOf(operand, indices), under = where(value, 1, indices);
  if (isArgument) {
    code.line("const double x = {};", element);
    code.line("{}if (x {} result || (x != x && result == result)) {{", under,
              isMaximum ? ">" : "<");
    code.line("  result = x, best = {};", position);
    code.add("}");
  } else if (isOrder) {
    code.line("{}result = {}(result, {});", under, isMaximum ? "greatest" : "least", element);
  } else if (value.reduction == Reduction::any || value.reduction == Reduction::all) {
    code.line("{}result = std::f{}(result, {});", under,
              value.reduction == Reduction::any ? "max" : "min", element);
  } else if (value.type == ElementType::i32 && value.reduction == Reduction::product) {
    code.line("{}result = wrapped(result, {});", under, element);
  } else {
    code.line("{}result {}= {};", under, value.reduction == Reduction::product ? "*" : "+",
              element);
  }
  for ([[maybe_unused]] size_t dim : value.along)
    code.close();
  const bool isSumOfIntegers = value.type == ElementType::i32 && value.reduction == Reduction::sum;
  code.line("return found->second = {};", isArgument        ? "static_cast<double>(best)"
                                          : isSumOfIntegers ? "wrapped(result, 1)"
                                                            : "result");
}

void ReferenceWriter::writeSums(CodeText &code, const Value &value) {
  Indices indices = indicesOf(value.shape);
  std::string &index = indices[value.along[0]];
  writeMemory(code, value);
  code.add("double result = 0;");
  code.open(fmt::format("for (int64_t k = 0; k <= {}; ++k)", index));
  index = "k";
  code.line("result += {};", elementOf(*value.operands[0], indices));
  code.close();
  code.line("return found->second = {};",
            value.type == ElementType::i32 ? "wrapped(result, 1)" : "result");
}

void ReferenceWriter::writeAccess(CodeText &code, const Value &value) {
  Indices indices;
  std::string isInside;
  for (auto [dim, index] : llvm::enumerate(value.indices)) {
    indices.push_back(fmt::format("j{}", dim));
    code.line("const int64_t j{} = {};", dim, textOf(*index, kernel));
    isInside += fmt::format("{0}j{1} >= 0 && j{1} < {2}", dim > 0 ? " && " : "", dim,
                            textOf(value.operands[0]->shape[dim]));
  }
  const std::string element =
      fmt::format("{}({})", names.at(value.operands[0]), llvm::join(indices, ", "));
  if (value.operands.size() > 1)
    code.line("if (!({})) return {};", isInside, elementOf(*value.operands[1], {}));
  code.line("return {};", element);
}

// Each dimension of the shorter shape is some of the longer one.
void ReferenceWriter::writeReshape(CodeText &code, const Value &value) {
  const Shape &from = value.operands[0]->shape;
  code.line("int64_t rest = {};", placeOf(value.shape, indicesOf(value.shape)));
  Indices own = indicesOf(from);
  for (size_t i = from.size(); i-- > 0;) {
    own[i] = fmt::format("j{}", i);
    code.line("const int64_t j{} = {};", i,
              i == 0 ? "rest" : fmt::format("rest % {}", textOf(from[i])));
    if (i > 0)
      code.line("rest /= {};", textOf(from[i]));
  }
  code.line("return {}({});", names.at(value.operands[0]), llvm::join(own, ", "));
}

void ReferenceWriter::writeParameter(CodeText &code, const Value &value) {
  const Parameter &parameter = kernel.parameters[value.parameter];
  if (parameter.isScalar())
    code.line("return {};", parameter.name);
  else
    code.line("return {}_at({});", parameter.name, placeOf(value.shape, indicesOf(value.shape)));
}

void ReferenceWriter::writeElementwise(CodeText &code, const Value &value) {
  const Elementwise found = elementwiseOf(value.operation);
  std::vector<std::string> operands;
  for (const Value *operand : value.operands)
    operands.push_back(elementOf(*operand, indicesOf(value.shape)));
  // Of integers: the double of a product has not all digits.
  if (value.type == ElementType::i32 && value.operation == Operation::multiply)
    code.line("return wrapped({}, {});", operands[0], operands[1]);
  else if (value.type == ElementType::i32 && found.symbol)
    code.line("return wrapped({} {} {}, 1);", operands[0], found.symbol, operands[1]);
  else if (value.type == ElementType::i32 && operands.size() == 1)
    code.line("return wrapped({}({}), 1);", found.function, operands[0]);
  else if (found.symbol)
    code.line("return {} {} {};", operands[0], found.symbol, operands[1]);
  else
    code.line("return {}({});", found.function, llvm::join(operands, ", "));
}

/// As C++ writes a number in double.
static std::string numberOf(double number) {
  return std::isinf(number)   ? number < 0 ? "-HUGE_VAL" : "HUGE_VAL"
         : std::isnan(number) ? "NAN"
                              : fmt::format("{}", number);
}

void ReferenceWriter::writeBody(CodeText &code, const Value &value) {
  Indices indices = indicesOf(value.shape);
  switch (value.operation) {
  case Operation::parameter:
    return writeParameter(code, value);
  case Operation::constant:
    return code.line("return {};", numberOf(value.constant));
  case Operation::cast:
    if (isFloat(value.type) || value.type == ElementType::boolean)
      return code.line("return {};", elementOf(*value.operands[0], indices));
    return code.line("return whole({}, {}, {});", elementOf(*value.operands[0], indices),
                     -largestValue(value.type) - 1, largestValue(value.type));
  case Operation::transpose:
    std::swap(indices[indices.size() - 1], indices[indices.size() - 2]);
    return code.line("return {};", elementOf(*value.operands[0], indices));
  case Operation::squeeze: {
    const Shape &from = value.operands[0]->shape;
    Indices own;
    size_t next = 0;
    for (const Dimension &dimension : from)
      own.push_back(isOne(dimension) && from.size() - own.size() > indices.size() - next
                        ? "0"
                        : indices[next++]);
    return code.line("return {}({});", names.at(value.operands[0]), llvm::join(own, ", "));
  }
  case Operation::product:
    return writeProduct(code, value);
  case Operation::reduce:
    return writeReduction(code, value);
  case Operation::cumulate:
    return writeSums(code, value);
  case Operation::access:
    return writeAccess(code, value);
  case Operation::reshape:
    return writeReshape(code, value);
  case Operation::extent: {
    std::string product = "1.0";
    for (const Dimension &dimension : value.dimensions)
      product += " * " + fmt::format("static_cast<double>({})", textOf(dimension));
    return code.line("return {};", product);
  }
  case Operation::position:
    return code.line("return static_cast<double>({});", textOf(*value.indices[0], kernel));
  case Operation::random:
    return code.line("return random_number({}, {});", elementOf(*value.operands[0], {}),
                     placeOf(value.shape, indices));
  case Operation::select:
    return code.line("return {} != 0 ? {} : {};", elementOf(*value.operands[0], indices),
                     elementOf(*value.operands[1], indices),
                     elementOf(*value.operands[2], indices));
  default:
    return writeElementwise(code, value);
  }
}

/// What some kernels' bodies call.
struct HelperFunction {
  const char *name, *text;
};
constexpr HelperFunction helpers[] = {{"least(", R"text(
// NaN if either is.
inline double least(double x, double y) { return x < y || x != x ? x : y; }
)text"},
                                      {"greatest(", R"text(
inline double greatest(double x, double y) { return x > y || x != x ? x : y; }
)text"},
                                      {"wrapped(", R"text(
// A product of integers modulo 2^32.
inline double wrapped(double x, double y) {
  return static_cast<int32_t>(static_cast<uint32_t>(static_cast<int64_t>(x)) *
                              static_cast<uint32_t>(static_cast<int64_t>(y)));
}
)text"},
                                      {"remainder_of(", R"text(
// Of integers, with the sign of the divisor.
inline double remainder_of(double x, double y) {
  return y == 0 ? 0 : x - std::floor(x / y) * y;
}
)text"},
                                      {"whole(", R"text(
// The nearest integer of a type.
inline double whole(double x, double low, double high) {
  return x != x ? 0 : std::fmin(std::fmax(std::nearbyint(x), low), high);
}
)text"},
                                      {"random_number(", R"text(
// Philox 4x32-10 (Salmon, Moraes, Dror, Shaw 2011), a number in [0, 1).
inline double random_number(double seed, int64_t position) {
  const auto block = static_cast<uint64_t>(position) / 4;
  uint32_t words[4] = {static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), 0, 0};
  uint32_t key[2] = {static_cast<uint32_t>(static_cast<int32_t>(seed)), 0};
  for (int round = 0; round < 10; ++round) {
    const uint64_t first = uint64_t(0xD2511F53) * words[0], second = uint64_t(0xCD9E8D57) * words[2];
    words[0] = static_cast<uint32_t>(second >> 32) ^ words[1] ^ key[0];
    words[1] = static_cast<uint32_t>(second);
    words[2] = static_cast<uint32_t>(first >> 32) ^ words[3] ^ key[1];
    words[3] = static_cast<uint32_t>(first);
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return (words[position % 4] >> 8) / 16777216.0;
}
)text"}};

std::string ReferenceWriter::write() {
  std::string text;
  auto add = [&](const std::string &name, const Shape &shape, const CodeText &body) {
    CodeText code;
    code.open(functionOf(name, shape, body.text()));
    code.paste(body.text());
    code.close();
    text += code.text();
  };
  for (const auto &value : kernel.values) {
    names[value.get()] = fmt::format("value{}", names.size());
    CodeText body(1);
    writeBody(body, *value);
    add(names[value.get()], value->shape, body);
  }
  for (const Result &result : kernel.results) {
    CodeText body(1);
    body.line("return {};", elementOf(*result.value, indicesOf(result.shape)));
    add(result.name + "_element", result.shape, body);
  }
  std::string called =
      kernel.derived.empty() ? ruleFunctions("inline") : ""; // else the header has them
  for (const HelperFunction &helper : helpers)
    if (text.find(helper.name) != std::string::npos)
      called += helper.text;
  return called + text;
}

} // namespace

std::string textOf(const Dimension &dimension) {
  return dimension.isLiteral() ? std::to_string(dimension.literal) : dimension.name;
}

std::string referenceText(const Kernel &kernel) { return ReferenceWriter(kernel).write(); }

} // namespace mmk::ascendc
