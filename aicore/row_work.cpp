#include "aicore/row_work.h"

#include "machines/vector_instructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;

namespace mmk::aicore {

RowMemory::Sizes RowWork::sizesOf(int64_t tileRows, int64_t tileColumns, RowForm form,
                                  int64_t copiesIn, int64_t copiesOut) {
  const RowMemory memory(programOf(form), scheduleOf(form), machine,
                         [&](Value tensor) { return tensor ? copiesIn : copiesOut; });
  return memory.sizesOf(tileRows, tileColumns, form == RowForm::whole);
}

namespace {

double cyclesOf(const VectorCost &cost, double elements) {
  return cost.fixed + cost.perElement * elements;
}

/// Cycles of an aicore.reduce, of the same instructions as the clock counts (count/run.h).
double cyclesOfReduction(const RowReduction &reduction, const Machine &figures, bool byRows,
                         int64_t rows, int64_t columns) {
  if (figures.hasVectorRegisters()) {
    const double ofRegister = figures.vector.at("reduce_max").perElement * 64;
    const VectorCost function = figures.functionCost(
        (reduction.position ? 3 : 1) * figures.vector.at("max").perElement, 1, 0);
    return cyclesOf(function, static_cast<double>(rows) * columns) +
           (byRows ? 0 : rows * ofRegister / figures.function.issued);
  }
  const VectorCost &block = figures.vector.at("block_reduce"), &add = figures.vector.at("add"),
                   &groups = figures.vector.at("reduce_max");
  const bool hasPosition = reduction.position != nullptr;
  int64_t count = byRows ? rows : columns;
  const int64_t wide = byRows ? columns : rows;
  double cycles = 0;
  if (!byRows && hasPosition) {
    cycles += cyclesOf(groups, wide * count);
    count = llvm::divideCeil(count, 64);
  } else if (!byRows && reduction.kind != ReduceKind::mul) {
    for (; count > 1; count = llvm::divideCeil(count, 8))
      cycles += cyclesOf(block, wide * count);
    return cycles;
  }
  for (; count > 1; count -= count / 2)
    cycles += (hasPosition ? 3 : 1) * cyclesOf(add, count / 2 * wide);
  return cycles;
}

} // namespace

double RowWork::vectorCycles(RowForm form, ArrayRef<RowStep> steps, const Machine &figures,
                             int64_t rows, int64_t columns) {
  RowProgram &program = programOf(form);
  const bool byRows = !program.plane().reducesColumns;
  const double kept = byRows ? columns : rows, plane = static_cast<double>(rows) * columns;
  double cycles = 0;
  for (const RowStep &step : steps) {
    const double elements = step.isKept ? kept : plane;
    if (step.kind == RowStep::Kind::scan) {
      const double steps = byRows ? rows - 1 : std::ceil(std::log2(columns));
      cycles += steps * cyclesOf(figures.vector.at("add"), byRows ? columns : plane) +
                (byRows ? 0 : 2 * cyclesOf(figures.vector.at("copy"), plane));
      continue;
    }
    if (step.kind == RowStep::Kind::reduce) {
      cycles +=
          cyclesOfReduction(program.reductions()[step.reduction], figures, byRows, rows, columns);
      continue;
    }
    if (step.kind != RowStep::Kind::compute || step.operations.empty()) {
      cycles += cyclesOf(figures.vector.at("copy"), elements);
      continue;
    }
    double perElement = 0;
    for (Operation *op : step.operations) {
      const StringRef name = op->getName().getStringRef();
      const VectorInstruction *row = vectorInstructionOf({name.data(), name.size()});
      if (!row)
        continue;
      const bool byScalar =
          !row->scalarCost.empty() &&
          llvm::any_of(op->getOperands(), [&](Value value) { return !program.isOfBlock(value); });
      const VectorCost &cost =
          figures.vector.at(std::string(byScalar ? row->scalarCost : row->cost));
      if (figures.hasVectorRegisters())
        perElement += cost.perElement;
      else
        cycles += cyclesOf(cost, elements);
    }
    if (figures.hasVectorRegisters())
      cycles += cyclesOf(figures.functionCost(perElement, 1, 1), elements);
  }
  return cycles;
}

} // namespace mmk::aicore
