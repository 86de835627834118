// Software prefetch of the next batch element's operands: a batch of small products would wait for
// memory at the start of each, a quarter of the time.
#pragma once

#include "cpu/frame.h"
#include "cpu/product.h"

namespace mmk {

/// Whether a product is one of a batch, each with its own operands; tiles of one product share
/// theirs, and are large.
bool isOfBatch(cpu::ProductOp op);

class BatchPrefetcher {
public:
  /// Eight-byte fields in the frame of the functions of a product, from `frame` on.
  static constexpr int64_t fields = 11;
  BatchPrefetcher(Emitter &e, llvm::Value *frame) : e(e), b(e.b), frame(e, frame) {}

  /// Initialises the fields, for register tiles of `height` rows. Without a next product this is
  /// one comparison.
  void set(const ProductOperands &operands, llvm::Type *element, int64_t height);
  /// i1: whether another product follows.
  llvm::Value *differs(const ProductOperands &operands);
  /// i1: whether anything is prefetched.
  llvm::Value *isActive();
  /// Prefetches one register tile's share of the rest.
  void prefetchStep();

private:
  void setOperand(int64_t first, const Plane &plane, llvm::Value *ahead, llvm::Value *rows,
                  llvm::Value *columns, llvm::Value *tiles, int64_t size);

  Emitter &e;
  llvm::IRBuilder<> &b;
  const Frame frame;
};

} // namespace mmk
