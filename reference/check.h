// The check of a kernel's results: the reference, and how far rounding may take a result from it.
#pragma once

#include "reference/element_ranges.h"
#include "runtime/compare.h"

namespace mmk {

/// The reference of a kernel for one set of operands, with which any number of results are checked.
class ResultCheck {
public:
  /// Evaluates the reference. All but `threads` outlive the check.
  static llvm::Expected<ResultCheck> create(const Operands &operands, unsigned threads);

  const Tensor &expected(size_t result) const { return expected_[result]; }

  /// Compares a result by a rule, that of the kernel or another.
  ///
  /// An element is right within atol + rtol * |reference|, as `compare` has it, of a result that
  /// rounding explains (ElementRanges). Only elements beyond rtol and atol are evaluated for that.
  /// Of a result with more wrong elements than the rule allows, the number is that of a sample's
  /// widest bound.
  ///
  /// rtol and atol are for single elements. A mistake that is smaller than they are, but in many
  /// elements, is found by three samples: of all elements, of the last row and of the last column.
  /// The result is wrong when more than 1/64 of a sample, and more than 2 of it, differ by more
  /// than rounding explains.
  ///
  /// With `rounding` false, this is `compare`.
  Comparison check(size_t result, const Tensor &got, const Check &rule) const;

private:
  ResultCheck(const Operands &operands, unsigned threads)
      : operands_(operands), threads_(threads) {}

  Operands operands_;
  unsigned threads_;
  std::vector<Tensor> expected_;
  Evaluated evaluated_;
};

} // namespace mmk
