// Describes the steps of a count::CountProgram in the user's terms, for the views over its events:
// the line of the .mmk file, the buffers, and what each flag guards.
#pragma once

#include "count/program.h"

namespace mmk::count {

class Origins {
public:
  Origins(aicore::PhaseOp phase, const CountProgram &program);

  /// By step of the program; arithmetic and control flow have none.
  std::span<const Origin> all() const { return origins_; }

  /// The slots of a step's buffers, at the current step of a run.
  std::span<const int64_t> slotsAt(size_t step, const int64_t *values);

private:
  std::vector<Origin> origins_;
  std::vector<llvm::SmallVector<int32_t, 3>> slotPlaces_; ///< by step and buffer; -1 for none
  llvm::SmallVector<int64_t> slots_;
};

} // namespace mmk::count
