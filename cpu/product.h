// A tile of a product on the CPU: operands packed where that pays, sums in registers, and the
// epilogue applied before their only store.
#pragma once

#include "codegen/micro_kernel.h"
#include "cpu/epilogue.h"

namespace mmk {

/// Everything that an cpu.product works on, as values of the program.
struct ProductOperands {
  Plane a, b; ///< rows along m and k, columns along k and n
  /// Bytes from here to what the same thread multiplies next, 0 where that is the same; null where
  /// it is not known.
  llvm::Value *aAhead = nullptr, *bAhead = nullptr;
  bool hasNext() const { return aAhead != nullptr; }
  llvm::Value *m = nullptr, *n = nullptr, *k = nullptr;
  llvm::Value *aScratch = nullptr, *bScratch = nullptr, *acc = nullptr;
  llvm::Value *context = nullptr; ///< of the epilogue

  /// Where in memory `shared` are, eight bytes each: for functions that take all of them, which as
  /// arguments would be more code than what is done with them.
  llvm::Value *frame = nullptr;
  /// What any product has, in one order.
  llvm::SmallVector<llvm::Value **, 16> shared();
  /// The same in a function whose `frame` is one of these.
  ProductOperands in(Emitter &e, llvm::Value *frame) const;
};

/// How the elements of a product are multiplied on this target, but for tiles.
Multiply multiplyOf(const CodeTarget &target, llvm::Type *element);

/// What its epilogue works on, `scalars` by scalarsOf its region: as Epilogue::context.
llvm::Value *emitContext(Emitter &e, cpu::ProductOp op, llvm::ArrayRef<Plane> inputs,
                         llvm::ArrayRef<Plane> outputs, llvm::ArrayRef<llvm::Value *> scalars);

/// Emits the tile. False when an operation of the region has no code.
bool emitProduct(Emitter &e, cpu::ProductOp op, const ProductOperands &operands);

} // namespace mmk
