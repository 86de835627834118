// The part of UB that each tile of a row group takes: how many rows of the plane fit.
#pragma once

#include "place/row_schedule.h"

namespace mmk {

/// Bytes and elements of the buffers of a row group in UB.
class RowMemory {
public:
  /// Copies of the buffer of an input; of an output where `tensor` is null.
  using Copies = std::function<int64_t(mlir::Value tensor)>;

  RowMemory(RowProgram &program, const RowSchedule &schedule, aicore::MachineAttr machine,
            Copies copies)
      : p(program), s(schedule), machine(machine), copies(std::move(copies)) {}

  /// Rows and columns of the plane in UB.
  struct Sizes {
    int64_t height = 1, width = 1;
    int64_t kept = 1; ///< rows or columns that a vector core keeps of a tile, at most
    bool fits = true; ///< whether even one row does, or all where they have to
  };
  /// What else is in UB: bytes for each row of the plane, and for all.
  struct Others {
    int64_t ofRow = 0, shared = 0;
  };
  /// For a tile of `rows` x `columns` of a block, in steps of even length.
  Sizes sizesOf(int64_t rows, int64_t columns, bool whole, Others others = {0, 0}) const;

  /// Elements of a row of a buffer, rounded up to whole blocks of UB and to whole vectors of a CPU
  /// that emulates the core.
  int64_t padded(int64_t columns, mlir::Type element) const;

private:
  int64_t bytesOfRow(int64_t width) const;
  int64_t sharedBytes(int64_t width) const;

  RowProgram &p;
  const RowSchedule &s;
  aicore::MachineAttr machine;
  Copies copies;
};

} // namespace mmk
