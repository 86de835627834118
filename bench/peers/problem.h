// The problem that every library gets in one row of the comparison: a product with bias and leaky
// relu, its operands, and the expected result.
#pragma once

#include "runtime/tensor.h"

#include "llvm/ADT/FunctionExtras.h"

#include <string>
#include <vector>

namespace mmk::peers {

/// c = leaky_relu(a @ b + bias, alpha); of i8 leaky_relu((a @ b) * scale + bias, alpha), in f32.
struct Problem {
  ElementType type = ElementType::f32; ///< of a and b
  int64_t batch = 0;                   ///< matrices, all different; 0: one, without that dimension
  int64_t m = 0, n = 0, k = 0;
  unsigned threads = 1;

  int64_t matrices() const { return batch ? batch : 1; }
  double operations() const { return 2.0 * matrices() * m * n * k; }
  std::string shape() const; ///< "512x128x512", "64 of 128x128x128"
  std::string name() const;  ///< "512x128x512 f32 1 thread"
  std::vector<int64_t> extents(int64_t rows, int64_t columns) const;
  Tensor result() const; ///< of f32, for one contender to fill
};

/// The same for all libraries, and read-only. `scale` is for i8 only.
struct Operands {
  explicit Operands(const Problem &problem);
  Tensor a, b, bias, scale;
  static constexpr float alpha = 0.01f;
};

/// One library's implementation, ready to be called repeatedly.
struct Contender {
  std::string name;
  bool prepacked = false; ///< b was converted to the library's own layout beforehand
  Tensor result;          ///< f32
  llvm::unique_function<void()> run;
};

/// A contender with a result of its own, which each run fills.
Contender filling(std::string name, const Problem &problem,
                  llvm::unique_function<void(float *c)> run);

/// Empty when all of `result` is correct, else the error. Some thousand elements, including some of
/// the last rows and columns, are computed again in double; where `known` has elements, all others
/// are compared with it.
std::string whatIsWrong(const Problem &problem, const Operands &operands, const Tensor &result,
                        const Tensor &known);

} // namespace mmk::peers
