// The reductions that every library gets in one row of the comparison: their operands, and what is
// wrong with a result.
#pragma once

#include "runtime/tensor.h"

#include "llvm/ADT/FunctionExtras.h"

#include <array>
#include <string>
#include <vector>

namespace mmk::reductions {

enum class Kernel { softmax, layerNorm, rmsNorm, rowSums, columnSums, rowMaxima };
constexpr std::array<Kernel, 6> kernels = {Kernel::softmax, Kernel::layerNorm,  Kernel::rmsNorm,
                                           Kernel::rowSums, Kernel::columnSums, Kernel::rowMaxima};
/// "softmax" "layer norm"
std::string nameOf(Kernel kernel);

struct Problem {
  Kernel kernel = Kernel::softmax;
  ElementType type = ElementType::f32; ///< of x, and of y where it has as many elements, or some
  int64_t m = 0, n = 0;
  unsigned threads = 1;

  /// "softmax 8x64 f32 1"
  std::string name() const;
  bool isNorm() const { return kernel == Kernel::layerNorm || kernel == Kernel::rmsNorm; }
  /// Whether the result has as many elements as x.
  bool isLarge() const { return isNorm() || kernel == Kernel::softmax; }
  ElementType resultType() const;
  std::vector<int64_t> resultShape() const;
  /// Bytes that are read and written once each, without those of a row that all others share.
  int64_t bytes() const;
};

/// The same for all libraries. They share the result, too, which is in memory beforehand: its first
/// pages would take a hundred times the kernel.
struct Operands {
  explicit Operands(const Problem &problem);
  Tensor x, scale, shift; ///< the latter two of f32, one element a column
};

constexpr double epsilon = 1e-5; ///< of both norms

/// One library's implementation, ready to be called repeatedly.
struct Contender {
  std::string name;
  llvm::unique_function<void()> run;
  llvm::unique_function<void()> show =
      nullptr; ///< puts what a run gives into the result; null: run does
};
using Contenders = std::vector<Contender>;

/// Empty when the result is correct, else the error: some rows or columns are computed again in
/// double.
std::string whatIsWrong(const Problem &problem, const Operands &operands, const Tensor &result);

/// Each library that has the kernel of this type.
Contenders ofMmk(const Problem &problem, Operands &operands, Tensor &result);
Contenders ofOneDnn(const Problem &problem, Operands &operands, Tensor &result);
Contenders ofPyTorch(const Problem &problem, Operands &operands, Tensor &result);
std::string oneDnnVersion();
std::string pyTorchVersion();

} // namespace mmk::reductions
