// Elements at computed indices. The scalar unit moves them one by one: a transfer puts each piece
// on a block of 32 bytes, so that single elements would not follow each other.
#include "ascendc/instructions.h"

#include "ascendc/element_names.h"

#include "mlir/IR/AffineExpr.h"

#include <fmt/format.h>

namespace mmk::ascendc {
namespace {

using Names = llvm::ArrayRef<std::string>;

std::string affineText(mlir::AffineExpr expression, Names symbols) {
  if (auto number = mlir::dyn_cast<mlir::AffineConstantExpr>(expression))
    return std::to_string(number.getValue());
  if (auto dim = mlir::dyn_cast<mlir::AffineDimExpr>(expression))
    return dim.getPosition() == 0 ? "row" : "column";
  if (auto symbol = mlir::dyn_cast<mlir::AffineSymbolExpr>(expression))
    return symbols[symbol.getPosition()];
  auto binary = mlir::cast<mlir::AffineBinaryOpExpr>(expression);
  const std::string left = affineText(binary.getLHS(), symbols),
                    right = affineText(binary.getRHS(), symbols);
  switch (binary.getKind()) {
  case mlir::AffineExprKind::Add:
    return fmt::format("({} + {})", left, right);
  case mlir::AffineExprKind::Mul:
    return fmt::format("({} * {})", left, right);
  case mlir::AffineExprKind::Mod:
    return fmt::format("({0} - FloorQuotient({0}, {1}) * {1})", left, right);
  case mlir::AffineExprKind::CeilDiv:
    return fmt::format("-FloorQuotient(-{}, {})", left, right);
  default:
    return fmt::format("FloorQuotient({}, {})", left, right);
  }
}

} // namespace

Statement Instructions::window(aicore::WindowOp op) {
  llvm::SmallVector<std::string> symbols;
  for (mlir::Value symbol : op.getSymbols())
    symbols.push_back(expressions_.of(symbol, Expressions::primary));
  std::string indices, isInside, place = "0";
  for (auto [dim, expression] : llvm::enumerate(op.getMap().getResults())) {
    indices +=
        fmt::format("    const int64_t index{} = {};\n", dim, affineText(expression, symbols));
    isInside += fmt::format("{0}index{1} >= 0 && index{1} < {2}", dim > 0 ? " && " : "", dim,
                            extentOf(op.getSource(), dim));
    const std::string stride = strideOf(op.getSource(), dim);
    place =
        expressions_.sum(place, fmt::format("index{}{}", dim, stride == "1" ? "" : " * " + stride));
  }
  std::string value = fmt::format("{}.GetValue({})", names_.of(op.getSource()), place);
  if (op.getPadding())
    value = fmt::format(
        "{} ? {} : {}", isInside, value,
        converted(expressions_.of(op.getPadding()),
                  mlir::cast<mlir::MemRefType>(op.getSource().getType()).getElementType()));
  return fmt::format("SetFlag<HardEvent::MTE2_S>(0);\nWaitFlag<HardEvent::MTE2_S>(0);\n"
                     "for (int64_t row = 0; row < {}; ++row) {{\n"
                     "  for (int64_t column = 0; column < {}; ++column) {{\n"
                     "{}"
                     "    {}.SetValue(row * {} + column, {});\n"
                     "  }}\n"
                     "}}\n"
                     "SetFlag<HardEvent::S_MTE2>(0);\nWaitFlag<HardEvent::S_MTE2>(0);",
                     expressions_.of(op.getRows()), expressions_.of(op.getColumns()), indices,
                     copyOf(op.getTarget(), op.getSlot()), shapeOf(op.getTarget())[1], value);
}

} // namespace mmk::ascendc
