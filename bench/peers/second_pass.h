// The code that a user of a BLAS writes around it.
#pragma once

#include "bench/peers/problem.h"

namespace mmk::peers {

/// Bias and leaky relu over a dense matrix, in place, vectorised. Small ones run on the calling
/// thread.
void biasAndLeakyRelu(float *c, const float *bias, int64_t rows, int64_t columns, unsigned threads);

/// Float operands in f32: themselves, or a buffer that each call widens them into.
class Widened {
public:
  Widened(const Problem &problem, const Operands &operands);
  const float *a() { return widened(operands_.a, wideA_); }
  const float *b() { return widened(operands_.b, wideB_); }

private:
  const float *widened(const Tensor &from, Tensor &to);

  const Problem problem_;
  const Operands &operands_;
  Tensor wideA_, wideB_;
};

/// A BLAS. Matrices are dense; a batch is distributed to our threads, and the library threads the
/// rest.
struct Blas {
  const char *name;
  void (*setThreads)(unsigned);
  void (*product)(const Problem &problem, const float *a, const float *b, float *c);
};

/// The whole computation: widened operands, every product, second pass. None for i8.
std::vector<Contender> byProductAndPass(const Blas &blas, const Problem &problem,
                                        const Operands &operands);

} // namespace mmk::peers
