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
  case Operation::product:
    if (value.operands.size() == 2) {
      writeProduct(value);
      return mlir::success();
    }
    [[fallthrough]];
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
  return writer.text();
}

} // namespace mmk::ascendc
