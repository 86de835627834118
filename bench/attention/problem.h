// The attention that every library computes in one row of the comparison, and what is wrong with a
// result.
#pragma once

#include "runtime/tensor.h"

#include "llvm/ADT/FunctionExtras.h"

#include <optional>
#include <string>

namespace mmk::attention {

struct Problem {
  ElementType type = ElementType::f32; ///< of all operands and the result
  int64_t heads = 0, length = 0, depth = 0;
  bool isCausal = false;
  unsigned threads = 1;
  int64_t queries = length; ///< of each head; few in decoding

  /// "full 8x1024x64 f32 1", "decode 8x4x4096x64 f32 1"
  std::string name() const;
  bool isDecoding() const { return queries < length; }
  float scale() const;
  /// Of both products, each a multiplication and an addition; of causal ones, what the condition
  /// leaves.
  double operations() const;
  /// Of the keys and the values.
  double bytes() const;
};

/// The same for all libraries, which share the result, too: it is in memory beforehand.
struct Operands {
  explicit Operands(const Problem &problem);
  Tensor q, k, v, o; ///< each heads x length x depth, or queries in place of the length
};

/// One library's implementation, ready to be called repeatedly.
using Run = llvm::unique_function<void()>;

/// Empty when the result is correct, else the error: some rows are computed again in double.
std::string whatIsWrong(const Problem &problem, const Operands &operands);

Run ofMmk(const Problem &problem, Operands &operands);
/// Two products, and a softmax between them, of one head after the other; their scores are in
/// memory allocated beforehand. Nothing of types that the library has not, or under a condition.
std::optional<Run> ofOneDnn(const Problem &problem, Operands &operands);
std::optional<Run> ofPyTorch(const Problem &problem, Operands &operands);
std::string oneDnnVersion();
std::string pyTorchVersion();

} // namespace mmk::attention
