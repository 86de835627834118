// Reductions, sums up to each element, positions and random numbers.
#include "ascendc/element_names.h"
#include "ascendc/unwritten.h"
#include "ascendc/vector_calls.h"
#include "ascendc/vector_statements.h"

#include <fmt/format.h>

namespace mmk::ascendc {

using aicore::ReduceKind;

Combination combinationOf(ReduceKind kind, mlir::Type element) {
  const bool isFloat = mlir::isa<mlir::FloatType>(element);
  switch (kind) {
  case ReduceKind::mul:
    return {"Mul", nullptr, "1"};
  case ReduceKind::max:
  case ReduceKind::argmax:
    return {"Max", "MAX", isFloat ? "-Infinity()" : "INT32_MIN"};
  case ReduceKind::min:
  case ReduceKind::argmin:
    return {"Min", "MIN", isFloat ? "Infinity()" : "INT32_MAX"};
  default:
    return {"Add", "SUM", "0"};
  }
}

Statement reduceStatement(aicore::ReduceOp op, Expressions &expressions, const NameTile &nameTile) {
  const mlir::Type element = elementOf(op.getSource());
  auto refuse = [&](const llvm::Twine &why) -> Statement {
    return reportUnwritten(op, "the reduction " + aicore::stringifyReduceKind(op.getKind()) + why);
  };
  const bool isFloat = element.isF32() || element.isF16(), byRows = op.getByRows();
  if (op.givesPosition() ? !element.isF32() : !isArithmetic(element))
    return refuse(" of " + typeText(element) + (byRows ? " along rows" : " along columns"));
  // The interface adds repeats of f32, and has the best of those of floats.
  const bool isSum = op.getKind() == ReduceKind::add, isProduct = op.getKind() == ReduceKind::mul,
             folds = !isFloat || isProduct || (isSum && !element.isF32());
  const Combination by = combinationOf(op.getKind(), element);
  const std::string source = nameTile({op.getSource(), op.getSlot()}),
                    target = nameTile({op.getTargets()[0], op.getTargetSlots()[0]}),
                    rows = expressions.of(op.getRows()), columns = expressions.of(op.getColumns());
  const int64_t stride = shapeOf(op.getSource())[1];
  if (op.givesPosition() && byRows)
    return fmt::format("PositionsByRows<{}>({}, {}, {}, {}, {}, {});",
                       op.getKind() == ReduceKind::argmin,
                       nameTile({op.getTargets()[1], op.getTargetSlots()[1]}), target, source, rows,
                       columns, stride);
  std::string text =
      fmt::format("{}<{}Of>({}, {}, {}, {}, {}, {});",
                  byRows  ? "ReduceColumns"
                  : folds ? "FoldRows"
                          : "ReduceRows",
                  by.instruction, target, source, rows, columns, stride, by.identity);
  if (op.givesPosition())
    text += fmt::format("\nPositionsOf({}, {}, {}, {}, {}, {});",
                        nameTile({op.getTargets()[1], op.getTargetSlots()[1]}), target, source,
                        rows, columns, stride);
  return text;
}

Statement scanStatement(aicore::ScanOp op, Expressions &expressions, const NameTile &nameTile) {
  const mlir::Type element = elementOf(op.getSource());
  if (!isArithmetic(element))
    return reportUnwritten(op, "sums up to each element of " + typeText(element));
  return fmt::format("{}({}, {}, {}, {}, {}, {}, {});", op.getByRows() ? "ScanRows" : "ScanColumns",
                     nameTile({op.getTarget(), op.getTargetSlot()}), shapeOf(op.getTarget())[1],
                     nameTile({op.getSource(), op.getSlot()}), shapeOf(op.getSource())[1],
                     nameTile({op.getCarry(), op.getCarrySlot()}), expressions.of(op.getRows()),
                     expressions.of(op.getColumns()));
}

Statement positionsStatement(aicore::PositionsOp op, Expressions &expressions,
                             const NameTile &nameTile) {
  return fmt::format("Number({}, {}, {});", nameTile({op.getTarget(), op.getSlot()}),
                     expressions.of(op.getFirst()), expressions.of(op.getColumns()));
}

Statement randomStatement(aicore::RandomOp op, Expressions &expressions, const NameTile &nameTile) {
  return fmt::format("RandomRows({}, {}, {}, {}, {}, {}, {}, {});",
                     nameTile({op.getTarget(), op.getSlot()}), shapeOf(op.getTarget())[1],
                     expressions.of(op.getSeed()), expressions.of(op.getFirst()),
                     expressions.of(op.getRowStep()), expressions.of(op.getColumnStep()),
                     expressions.of(op.getRows()), expressions.of(op.getColumns()));
}

} // namespace mmk::ascendc
