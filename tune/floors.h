// Lower bounds on the time of the points of a space at some shapes, from their sizes alone.
#pragma once

#include "backend/backend.h"
#include "compiler/compiler.h"
#include "store/result.h"
#include "tune/space.h"

namespace mmk::tune {

class Floors {
public:
  /// All outlive it.
  Floors(const Program &program, const Kernel &kernel, const Machine &machine, const Space &space,
         llvm::ArrayRef<Dims> shapes);

  /// Cycles that the point takes at the least; 0 when nothing is known, and nothing where it is
  /// known not to fit the machine.
  std::optional<int64_t> cycles(const Point &point, size_t shape) const {
    return floors_.empty() ? 0 : floors_[shape]->cycles(point);
  }
  /// Cycles by the closed form, of a point that may fit; 0 when nothing is known.
  double predicted(const Point &point, size_t shape) const {
    return floors_.empty() ? 0 : floors_[shape]->predicted(point);
  }
  /// What counting it costs, in steps; 0 when nothing is known.
  double steps(const Point &point, size_t shape) const {
    return floors_.empty() ? 0 : floors_[shape]->steps(point);
  }
  /// Whether anything is known.
  bool predict() const { return !floors_.empty(); }

private:
  Compiler compiler_;
  Lowering fused_;
  std::vector<std::unique_ptr<TimeFloor>> floors_; ///< by shape; none where there is no bound
};

} // namespace mmk::tune
