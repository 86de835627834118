// The operands of the product that comes next, asked for while this one is computed: a batch of
// small ones would wait at the start of each for what is far, a quarter of the time.
#pragma once

#include "cpu/product.h"

namespace mmk {

/// Whether a product is one of a batch, where each has operands of its own; tiles of one product
/// share theirs, and are large.
bool isOfBatch(aicore::ProductOp op);

class NextProduct {
public:
  /// Eight-byte fields in the frame of the functions of a product, from `frame` on.
  static constexpr int64_t fields = 11;
  NextProduct(Emitter &e, llvm::Value *frame) : e(e), b(e.b), frame(frame) {}

  /// Fills them in, for a product that is cut into register tiles of `height` rows. Without a next
  /// one this is a comparison.
  void set(const ProductOperands &operands, llvm::Type *element, int64_t height);
  /// i1: whether there is another one after this.
  llvm::Value *differs(const ProductOperands &operands);
  /// i1: whether something is asked for.
  llvm::Value *isAsked();
  /// Asks for one register tile's share of what has not been asked for.
  void ask();

private:
  void setOperand(int64_t first, const Plane &plane, llvm::Value *ahead, llvm::Value *rows,
                  llvm::Value *columns, llvm::Value *tiles, int64_t size);
  llvm::Value *at(int64_t which) { return e.offset(frame, 8 * which); }
  void store(llvm::Value *value, int64_t which) {
    b.CreateAlignedStore(value, at(which), llvm::Align(8));
  }

  Emitter &e;
  llvm::IRBuilder<> &b;
  llvm::Value *frame;
};

} // namespace mmk
