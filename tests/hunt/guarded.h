// A tensor at the very end, or the very beginning, of its pages, next to a protected one: an access
// one byte too far ends the process.
#pragma once

#include "runtime/tensor.h"

#include <vector>

namespace mmk::hunt {

class Guarded {
public:
  enum class Page { behind, before };
  /// Poisoned.
  Guarded(ElementType type, const std::vector<int64_t> &shape, Page page);
  Guarded(const Tensor &tensor, Page page);
  ~Guarded();
  Guarded(Guarded &&other) noexcept;
  Guarded(const Guarded &) = delete;

  void *data() const { return data_; }
  void poison();
  /// From now on a write ends the process too.
  void freeze();

  /// The first element that differs, or -1: by more than `error`, or at all where that is 0. All
  /// NaNs are equal.
  int64_t firstDifference(const void *other, double error) const;
  double operator[](int64_t index) const { return loadElement(data_, index, type_); }

private:
  ElementType type_;
  int64_t elements_ = 1;
  size_t bytes_ = 0, pages_ = 0; ///< `pages_`: bytes of all, with the protected ones
  char *memory_ = nullptr, *data_ = nullptr;
};

} // namespace mmk::hunt
