#include "ascendc/reference_text.h"

#include "ascendc/code_text.h"
#include "ascendc/unwritten.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

namespace mmk::ascendc {
namespace {

class ReferenceWriter {
public:
  ReferenceWriter(mlir::Operation *op, const Kernel &kernel) : op(op), kernel(kernel) {}

  mlir::LogicalResult write();
  const std::string &text() const { return code.text(); }

private:
  mlir::LogicalResult writeBody(const Value &value);
  void writeProduct(const Value &value);
  void writeSum(const Value &value);
  void writeAccess(const Value &value);
  std::string elementOf(const Value &operand, llvm::ArrayRef<std::string> indices);
  static std::string parametersOf(const Shape &shape);
  static std::vector<std::string> indicesOf(const Shape &shape);

  mlir::Operation *op;
  const Kernel &kernel;
  std::map<const Value *, std::string> names;
  CodeText code;
};

std::vector<std::string> ReferenceWriter::indicesOf(const Shape &shape) {
  std::vector<std::string> indices;
  for (size_t i = 0; i < shape.size(); ++i)
    indices.push_back(fmt::format("i{}", i));
  return indices;
}

std::string ReferenceWriter::parametersOf(const Shape &shape) {
  std::string list;
  for (const std::string &index : indicesOf(shape))
    list += (list.empty() ? "int64_t " : ", int64_t ") + index;
  return list;
}

// Of an operand that may have fewer dimensions, or some of extent 1.
std::string ReferenceWriter::elementOf(const Value &operand, llvm::ArrayRef<std::string> indices) {
  std::vector<std::string> own;
  const size_t missing = indices.size() - operand.shape.size();
  for (auto [i, dimension] : llvm::enumerate(operand.shape))
    own.push_back(dimension.isLiteral() && dimension.literal == 1 ? "0" : indices[missing + i]);
  return fmt::format("{}({})", names.at(&operand), llvm::join(own, ", "));
}

void ReferenceWriter::writeProduct(const Value &value) {
  std::vector<std::string> rows = indicesOf(value.shape), columns = rows;
  rows.back() = "k";
  columns[columns.size() - 2] = "k";
  std::vector<std::string> left = rows, right = columns;
  code.add("double sum = 0;");
  code.open(
      fmt::format("for (int64_t k = 0; k < {}; ++k)", textOf(value.operands[0]->shape.back())));
  code.line("sum += {} * {};", elementOf(*value.operands[0], left),
            elementOf(*value.operands[1], right));
  code.close();
  code.add("return sum;");
}

// The dimensions that are summed stay with the extent 1.
void ReferenceWriter::writeSum(const Value &value) {
  const Value &operand = *value.operands[0];
  std::vector<std::string> indices = indicesOf(operand.shape);
  code.add("double sum = 0;");
  for (size_t dim : value.along) {
    indices[dim] = fmt::format("k{}", dim);
    code.open(fmt::format("for (int64_t {0} = 0; {0} < {1}; ++{0})", indices[dim],
                          textOf(operand.shape[dim])));
  }
  code.line("sum += {};", elementOf(operand, indices));
  for (size_t i = 0; i < value.along.size(); ++i)
    code.close();
  code.add("return sum;");
}

/// An index as C++; "i0" for the position "#0".
std::string indexText(const Rule &rule) {
  using Kind = Rule::Kind;
  auto operand = [&](size_t i) { return indexText(*rule.operands[i]); };
  auto binary = [&](const char *symbol) {
    return fmt::format("({} {} {})", operand(0), symbol, operand(1));
  };
  switch (rule.kind) {
  case Kind::number:
    return std::to_string(rule.number);
  case Kind::choice:
    return rule.choice.starts_with('#') ? "i" + rule.choice.substr(1) : rule.choice;
  case Kind::add:
    return binary("+");
  case Kind::subtract:
    return binary("-");
  case Kind::multiply:
    return binary("*");
  case Kind::divide:
  case Kind::floorDivide:
    return fmt::format("floor_quotient({}, {})", operand(0), operand(1));
  case Kind::remainder:
  case Kind::floorRemainder:
    return fmt::format("({0} - floor_quotient({0}, {1}) * {1})", operand(0), operand(1));
  default:
    return {}; // a truth
  }
}

// Outside of the operand it is the second one, where there is one.
void ReferenceWriter::writeAccess(const Value &value) {
  const Value &operand = *value.operands[0];
  std::vector<std::string> indices;
  std::string isOutside;
  for (auto [i, index] : llvm::enumerate(value.indices)) {
    const std::string name = fmt::format("at{}", i);
    code.line("const int64_t {} = {};", name, indexText(*index));
    isOutside += fmt::format("{}{} < 0 || {} >= {}", isOutside.empty() ? "" : " || ", name, name,
                             textOf(operand.shape[i]));
    indices.push_back(name);
  }
  if (value.operands.size() > 1)
    code.line("if ({}) return {};", isOutside, elementOf(*value.operands[1], {}));
  code.line("return {};", elementOf(operand, indices));
}

/// Null for an operation that is no operator of C++.
const char *symbolOf(Operation operation) {
  switch (operation) {
  case Operation::add:
    return "+";
  case Operation::subtract:
    return "-";
  case Operation::multiply:
    return "*";
  case Operation::divide:
    return "/";
  case Operation::less:
    return "<";
  case Operation::lessEqual:
    return "<=";
  case Operation::greater:
    return ">";
  case Operation::greaterEqual:
    return ">=";
  default:
    return nullptr;
  }
}

mlir::LogicalResult ReferenceWriter::writeBody(const Value &value) {
  std::vector<std::string> indices = indicesOf(value.shape);
  switch (value.operation) {
  case Operation::parameter: {
    if (kernel.parameters[value.parameter].isScalar()) {
      code.line("return {};", kernel.parameters[value.parameter].name);
      return mlir::success();
    }
    std::string place = "0";
    for (auto [i, dimension] : llvm::enumerate(value.shape))
      place = i == 0 ? "i0" : fmt::format("({}) * {} + i{}", place, textOf(dimension), i);
    code.line("return {}_at({});", kernel.parameters[value.parameter].name, place);
    return mlir::success();
  }
  case Operation::cast:
    code.line("return {};", elementOf(*value.operands[0], indices));
    return mlir::success();
  case Operation::transpose:
    std::swap(indices[indices.size() - 1], indices[indices.size() - 2]);
    code.line("return {};", elementOf(*value.operands[0], indices));
    return mlir::success();
  case Operation::access:
    writeAccess(value);
    return mlir::success();
  case Operation::reduce:
    if (value.reduction == Reduction::sum) {
      writeSum(value);
      return mlir::success();
    }
    return reportUnwritten(op, "the reference of this kernel, for the host program");
  case Operation::squeeze: {
    // The indices of the dimensions that are left, in the order of the operand.
    std::vector<std::string> own;
    size_t next = 0;
    for (const Dimension &dimension : value.operands[0]->shape) {
      const bool isLeft = next < value.shape.size() && value.shape[next] == dimension;
      own.push_back(isLeft ? indices[next++] : "0");
    }
    code.line("return {};", elementOf(*value.operands[0], own));
    return mlir::success();
  }
  case Operation::product:
    if (value.operands.size() != 2)
      return reportUnwritten(op,
                             "a product with a condition in the reference, for the host program");
    writeProduct(value);
    return mlir::success();
  case Operation::constant:
    code.line("return {};", value.constant);
    return mlir::success();
  case Operation::select:
    code.line("return {} != 0 ? {} : {};", elementOf(*value.operands[0], indices),
              elementOf(*value.operands[1], indices), elementOf(*value.operands[2], indices));
    return mlir::success();
  case Operation::negate:
    code.line("return -{};", elementOf(*value.operands[0], indices));
    return mlir::success();
  case Operation::abs:
    code.line("return std::fabs({});", elementOf(*value.operands[0], indices));
    return mlir::success();
  case Operation::minimum:
  case Operation::maximum:
    code.line("return std::f{}({}, {});", value.operation == Operation::minimum ? "min" : "max",
              elementOf(*value.operands[0], indices), elementOf(*value.operands[1], indices));
    return mlir::success();
  default:
    if (const char *symbol = symbolOf(value.operation)) {
      code.line("return {} {} {};", elementOf(*value.operands[0], indices), symbol,
                elementOf(*value.operands[1], indices));
      return mlir::success();
    }
    return reportUnwritten(op, "the reference of this kernel, for the host program");
  }
}

mlir::LogicalResult ReferenceWriter::write() {
  for (const auto &value : kernel.values) {
    names[value.get()] = fmt::format("value{}", names.size());
    code.open(fmt::format("double {}({})", names[value.get()], parametersOf(value->shape)));
    if (mlir::failed(writeBody(*value)))
      return mlir::failure();
    code.close();
  }
  for (const Result &result : kernel.results) {
    code.open(fmt::format("double {}_element({})", result.name, parametersOf(result.shape)));
    code.line("return {};", elementOf(*result.value, indicesOf(result.shape)));
    code.close();
  }
  return mlir::success();
}

} // namespace

std::string textOf(const Dimension &dimension) {
  return dimension.isLiteral() ? std::to_string(dimension.literal) : dimension.name;
}

mlir::FailureOr<std::string> referenceText(mlir::Operation *op, const Kernel &kernel) {
  ReferenceWriter writer(op, kernel);
  if (mlir::failed(writer.write()))
    return mlir::failure();
  constexpr const char *floorQuotient = R"text(
inline int64_t floor_quotient(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
)text";
  const bool hasQuotient = writer.text().find("floor_quotient(") != std::string::npos;
  return (hasQuotient ? floorQuotient : "") + writer.text();
}

} // namespace mmk::ascendc
