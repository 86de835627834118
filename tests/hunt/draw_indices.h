// Random statements in index notation: reductions under a condition, positions as numbers, windows
// and random numbers. All are the same to the bit in any order of evaluation.
#pragma once

#include "tests/hunt/kernel.h"
#include "tests/hunt/random.h"

#include <optional>

namespace mmk::hunt {

/// A tensor that a statement reads: its name, its dimensions and their extents.
struct IndexedTensor {
  std::string name;
  std::vector<std::string> dims;
  std::vector<int64_t> extents;
};

/// A value of a statement, with its dimensions. No element is larger than `bound`; without one,
/// nothing is known.
struct IndexedValue {
  Statement statement;
  std::vector<std::string> dims;
  std::optional<double> bound;
};

class IndexDraw {
public:
  /// `bound`: of the tensor's elements.
  IndexDraw(Random &random, IndexedTensor tensor, double bound)
      : random_(random), tensor_(std::move(tensor)), bound_(bound) {}

  /// `lengths`: an i32 tensor of the first dimensions, or nothing.
  IndexedValue draw(const std::string &name, const std::optional<IndexedTensor> &lengths);
  /// A condition on the variables of some dimensions, in which each of them stands.
  std::string condition(const std::vector<size_t> &on);

private:
  IndexedValue reduction(const std::string &name, const std::optional<IndexedTensor> &lengths);
  std::string variable(size_t dim) const;
  std::string variables() const;
  std::string number(int64_t low, int64_t high);
  std::string window();
  std::string whole();

  Random &random_;
  IndexedTensor tensor_;
  double bound_;
};

} // namespace mmk::hunt
