// What every library computes in one row of the comparison, attention or its gradients, and what is
// wrong with a result.
#pragma once

#include "runtime/tensor.h"

#include "llvm/ADT/FunctionExtras.h"

#include <optional>
#include <string>

namespace mmk::attention {

/// The result of attention, or what a gradient of it gives the queries, or the keys and values.
enum class Work { forward, queries, keys };

struct Problem {
  ElementType type = ElementType::f32; ///< of all operands and the results
  int64_t heads = 0, length = 0, depth = 0;
  bool isCausal = false;
  unsigned threads = 1;
  int64_t queries = length; ///< of each head; few in decoding
  Work work = Work::forward;

  /// "full 8x1024x64 f32 1", "decode 8x4x4096x64 f32 1", "dq causal 8x1024x64 f32 1"
  std::string name() const;
  bool isDecoding() const { return queries < length; }
  float scale() const;
  /// Of the products, each a multiplication and an addition; of causal ones, what the condition
  /// leaves. A gradient computes the scores again, and has one product more for each of its results
  /// and one for the gradient of the weights.
  double operations() const;
  /// Of the keys and the values.
  double bytes() const;
};

/// The same for all libraries, which share the results, too: they are in memory beforehand.
struct Operands {
  explicit Operands(const Problem &problem);
  /// Each heads x length x depth, or queries in place of the length: also the gradient g of o, and
  /// those of the others.
  Tensor q, k, v, o, g, dq, dk, dv;
  /// Of each query: the logarithm of the sum of exponentials, and the sum of o * g. These and o are
  /// what attention has saved for a gradient.
  Tensor l, delta;

  /// Those of the problem's work.
  llvm::SmallVector<Tensor *, 2> results(const Problem &problem);
};

/// One library's implementation, ready to be called repeatedly.
using Run = llvm::unique_function<void()>;

/// Empty when the results are correct, else the error: some rows are computed again in double.
std::string whatIsWrong(const Problem &problem, Operands &operands);

Run ofMmk(const Problem &problem, Operands &operands);
/// Computes what attention has saved.
void computeSaved(const Problem &problem, Operands &operands);
/// Products, and elementwise passes or a softmax between them, of one head after the other; their
/// scores are in memory allocated beforehand. Nothing of types that the library has not, or under a
/// condition.
std::optional<Run> ofOneDnn(const Problem &problem, Operands &operands);
/// The same; of gradients, by its autograd, which has the weights saved.
std::optional<Run> ofPyTorch(const Problem &problem, Operands &operands);
std::string oneDnnVersion();
std::string pyTorchVersion();

} // namespace mmk::attention
