// The work of a row group at given dimensions: what the closed form of its time reads.
#pragma once

#include "machines/machine.h"
#include "place/row_memory.h"

#include <memory>

namespace mmk::aicore {

/// A row group, with the steps of its two forms: in a pass for each level, or whole.
struct RowWork {
  RowProgram program;
  RowSchedule passes, whole;
  MachineAttr machine;
  int64_t keptExtent = 1, reducedExtent = 1; ///< of the plane
  int64_t batches = 1;                       ///< kept dimensions outside of the plane
  int64_t outerReduced = 1;                  ///< reduced ones
  bool mayBeWhole = false;                   ///< nothing is reduced outside of the plane

  explicit RowWork(RowProgram program)
      : program(std::move(program)), passes(scheduleRows(this->program, false)),
        whole(scheduleRows(this->program, true)) {}

  /// How the rows of a vector core are divided. `tileRows` and `tileColumns`: of a block.
  RowMemory::Sizes sizesOf(int64_t tileRows, int64_t tileColumns, bool isWhole, int64_t copiesIn,
                           int64_t copiesOut);

  /// Cycles of the vector pipe for the steps of a list, on a plane of rows x columns.
  double vectorCycles(llvm::ArrayRef<RowStep> steps, const Machine &figures, int64_t rows,
                      int64_t columns);
};

} // namespace mmk::aicore
