// A tile of a product on the CPU: operands packed where that is faster, accumulators in registers,
// and the epilogue applied before their only store.
#pragma once

#include "codegen/micro_kernel.h"
#include "cpu/epilogue.h"

namespace mmk {

/// A constant operand in panels (cpu/constants/operand.h). The columns of a left one are the rows
/// of the product.
struct ConstantPlace {
  llvm::Value *prefix = nullptr; ///< null: both operands are planes
  llvm::Value *panels = nullptr; ///< of the batch
  /// The first column of the product, and all columns of the operand.
  llvm::Value *column = nullptr, *columns = nullptr;
};

/// The operands of a cpu.product, as values of the program.
struct ProductOperands {
  Plane a, b; ///< rows along m and k, columns along k and n
  /// Bytes from here to the operand of the thread's next product, 0 where it is the same; null
  /// where it is unknown.
  llvm::Value *aAhead = nullptr, *bAhead = nullptr;
  bool hasNext() const { return aAhead != nullptr; }
  ConstantPlace constant;        ///< of one of them; then its plane is for few columns
  llvm::Value *window = nullptr; ///< frame of a WindowOperand, which is A or B; null: neither
  llvm::Value *m = nullptr, *n = nullptr, *k = nullptr;
  llvm::Value *aScratch = nullptr, *bScratch = nullptr, *acc = nullptr;
  llvm::Value *context = nullptr; ///< of the epilogue

  /// A copy of `shared` in memory, eight bytes each: passing them all as arguments would take more
  /// code than their use.
  llvm::Value *frame = nullptr;
  /// The values common to all products, in a fixed order.
  llvm::SmallVector<llvm::Value **, 16> shared();
  /// The same in a function whose `frame` is one of these.
  ProductOperands in(Emitter &e, llvm::Value *frame) const;
};

/// How the elements of a product are multiplied on this target, without tile registers.
Multiply multiplyOf(const CodeTarget &target, llvm::Type *element);

/// The context of its epilogue (Epilogue::context); `scalars` are those of scalarsOf its region.
llvm::Value *emitContext(Emitter &e, cpu::ProductOp op, llvm::ArrayRef<Plane> inputs,
                         llvm::ArrayRef<Plane> outputs, llvm::ArrayRef<llvm::Value *> scalars);

/// Emits the tile. False when an operation of the region has no code.
bool emitProduct(Emitter &e, cpu::ProductOp op, const ProductOperands &operands);

} // namespace mmk
