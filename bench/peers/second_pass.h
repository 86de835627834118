// What a user of a BLAS writes around it.
#pragma once

#include "bench/peers/problem.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace mmk::peers {

/// Bias and leaky relu over a dense matrix, in place, vectorised. Small ones on the caller alone.
void biasAndLeakyRelu(float *c, const float *bias, int64_t rows, int64_t columns, unsigned threads);

/// The operands of floats in f32: themselves, or memory that these functions widen them into.
class Widened {
public:
  Widened(const Problem &problem, const Operands &operands);
  void widenA();
  void widenB();
  const float *a() const { return a_; }
  const float *b() const { return b_; }

private:
  const Problem problem_;
  const Operands &operands_;
  Tensor wideA_, wideB_;
  const float *a_, *b_;
};

/// A library's product of one pair of matrices.
using Sgemm = llvm::function_ref<void(const float *a, const float *b, float *c)>;

/// All of a problem by one library's product: widened, every matrix of the batch (dealt to the
/// threads, where there are several), second pass.
void productAndPass(const Problem &problem, const Operands &operands, Widened &widened, float *c,
                    Sgemm sgemm);

} // namespace mmk::peers
