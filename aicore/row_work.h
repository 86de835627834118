// The work of a row group at given dimensions: what the closed form of its time reads.
#pragma once

#include "machines/machine.h"
#include "place/row_memory.h"

#include <memory>
#include <string>
#include <vector>

namespace mmk::aicore {

/// A row group, with the steps of its forms.
struct RowWork {
  RowProgram program;
  RowSchedule passes, whole;
  std::optional<RowProgram> onlineProgram; ///< where the online form has fewer passes
  RowSchedule online;
  MachineAttr machine;
  int64_t keptExtent = 1, reducedExtent = 1; ///< of the plane
  int64_t batches = 1;                       ///< kept dimensions outside of the plane
  int64_t outerReduced = 1;                  ///< reduced ones
  bool mayBeWhole = false;                   ///< nothing is reduced outside of the plane
  /// A reduced dimension that `grid` may divide, by its name and extent.
  struct Reduced {
    std::string name;
    int64_t extent = 1;
    enum class Place { outside, joined, plane } place = Place::plane;
  };
  std::vector<Reduced> reduced; ///< in the order of the space; empty where none may be divided
  /// A result along all dimensions of the space: of a group of its own where rows are divided.
  struct Result {
    std::string rowDim; ///< empty: the space has one dimension
    int64_t batches = 1, rows = 1, columns = 1;
  };
  Result result;

  explicit RowWork(RowProgram program)
      : program(std::move(program)), passes(scheduleRows(this->program, false)),
        whole(scheduleRows(this->program, true)) {}

  /// How the rows of a vector core are divided. `tileRows` and `tileColumns`: of a block.
  RowMemory::Sizes sizesOf(int64_t tileRows, int64_t tileColumns, RowForm form, int64_t copiesIn,
                           int64_t copiesOut);

  bool hasForm(RowForm form) const {
    return form == RowForm::passes || (form == RowForm::whole ? mayBeWhole : !!onlineProgram);
  }
  RowProgram &programOf(RowForm form) { return form == RowForm::online ? *onlineProgram : program; }
  const RowSchedule &scheduleOf(RowForm form) const {
    return form == RowForm::whole ? whole : form == RowForm::online ? online : passes;
  }

  /// Cycles of the vector pipe for the steps of a list, on a plane of rows x columns.
  double vectorCycles(RowForm form, llvm::ArrayRef<RowStep> steps, const Machine &figures,
                      int64_t rows, int64_t columns);
};

} // namespace mmk::aicore
