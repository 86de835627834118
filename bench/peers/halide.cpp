#include "bench/peers/contenders.h"

#include "halide_gemm.h"
#include "halide_gemv.h"
#include "halide_narrow.h"

#include <HalideBuffer.h>
#include <HalideRuntime.h>

#include <cstdio>
#include <cstdlib>

namespace mmk::peers {
namespace {

using Matrix = Halide::Runtime::Buffer<float>;

/// Halide's first dimension is the innermost.
Matrix matrix(const float *data, int64_t rows, int64_t columns) {
  return Matrix(const_cast<float *>(data), static_cast<int>(columns), static_cast<int>(rows));
}

} // namespace

Contenders ofHalide(const Problem &problem, const Operands &operands) {
  Contenders made;
  if (problem.type != ElementType::f32)
    return made;
  // The one for few rows wants at least one strip of columns.
  const auto function = problem.m <= 16 && problem.n >= 1024 ? halide_gemv
                        : problem.n < 64                     ? halide_narrow
                                                             : halide_gemm;
  made.push_back(filling("Halide", problem, [=, &operands](float *c) {
    halide_set_num_threads(static_cast<int>(problem.threads));
    const int64_t m = problem.m, n = problem.n, k = problem.k;
    Matrix bias(const_cast<float *>(operands.bias.as<float>()), static_cast<int>(n));
    for (int64_t i = 0; i < problem.matrices(); ++i) {
      Matrix a = matrix(operands.a.as<float>() + i * m * k, m, k),
             b = matrix(operands.b.as<float>() + i * k * n, k, n),
             out = matrix(c + i * m * n, m, n);
      if (function(a, b, bias, Operands::alpha, out) != 0)
        std::exit(3); // its runtime has printed the reason
    }
  }));
  return made;
}

} // namespace mmk::peers
