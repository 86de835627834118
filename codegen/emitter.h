// LLVM IR for one module: a builder with the common constructs of all emission (loops, element
// addresses, functions), and the target.
//
// LLVM's builder is used rather than MLIR's conversions to the LLVM dialect: the code is loops
// around vector operations whose widths and addresses are chosen here, and a variant should
// compile in a few milliseconds.
#pragma once

#include "jit/target.h"

#include "mlir/IR/Types.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

namespace mmk {

class Emitter {
public:
  Emitter(llvm::Module &module, const CodeTarget &target)
      : module(module), target(target), b(module.getContext()) {}

  llvm::Module &module;
  const CodeTarget &target;
  llvm::IRBuilder<> b;

  llvm::Value *number(int64_t value) { return b.getInt64(value); }
  llvm::Type *i64() { return b.getInt64Ty(); }
  llvm::Type *f32() { return b.getFloatTy(); }
  llvm::Type *pointer() { return b.getPtrTy(); }
  llvm::Type *vectorOf(llvm::Type *element, unsigned lanes) {
    return llvm::FixedVectorType::get(element, lanes);
  }
  /// LLVM's type for an element of a tensor. Only types that LLVM computes with have one: a type
  /// that is stored as an integer with another meaning is recorded in `unknownType`, and its code
  /// must not run.
  llvm::Type *elementType(mlir::Type type);
  mlir::Type unknownType;
  /// In memory, a condition takes a byte.
  int64_t bytesOf(llvm::Type *element) { return (element->getScalarSizeInBits() + 7) / 8; }
  /// "f16", for names of functions.
  static std::string nameOf(llvm::Type *element);

  llvm::Value *offset(llvm::Value *pointer, llvm::Value *bytes) {
    return b.CreatePtrAdd(pointer, bytes);
  }
  llvm::Value *offset(llvm::Value *pointer, int64_t bytes) {
    return offset(pointer, number(bytes));
  }
  /// Unaligned access, as rows of tensors are not aligned.
  llvm::Value *load(llvm::Type *type, llvm::Value *pointer) {
    return b.CreateAlignedLoad(type, pointer, llvm::Align(bytesOf(type->getScalarType())));
  }
  void store(llvm::Value *value, llvm::Value *pointer) {
    b.CreateAlignedStore(value, pointer, llvm::Align(bytesOf(value->getType()->getScalarType())));
  }
  llvm::Value *min(llvm::Value *x, llvm::Value *y) {
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y);
  }
  /// Bytes of a cache line.
  static constexpr int64_t lineBytes = 64;
  /// Prefetches the line at `pointer`, which may be any address: 3, into L1; 2, into L2.
  /// `isWritten`: for a store, so that no other core keeps it.
  void prefetch(llvm::Value *pointer, int level = 3, bool isWritten = false) {
    b.CreateIntrinsic(llvm::Intrinsic::prefetch, {this->pointer()},
                      {pointer, b.getInt32(isWritten), b.getInt32(level), b.getInt32(/*data*/ 1)});
  }
  /// x / y, of integers that are not negative, rounded up.
  llvm::Value *ceilDiv(llvm::Value *x, llvm::Value *y) {
    return b.CreateUDiv(b.CreateSub(b.CreateAdd(x, y), number(1)), y);
  }
  /// x + y * scale, of integers
  llvm::Value *plus(llvm::Value *x, llvm::Value *y, int64_t scale = 1) {
    return b.CreateAdd(x, b.CreateMul(y, number(scale)));
  }
  /// Loads the lanes below `count` of a vector in memory, the others zero; stores only those lanes.
  llvm::Value *loadSome(llvm::Type *type, llvm::Value *pointer, llvm::Value *count);
  void storeSome(llvm::Value *value, llvm::Value *pointer, llvm::Value *count);
  /// One bit for each lane, set for those below `count`.
  llvm::Value *lanesBelow(llvm::Value *count, unsigned lanes);
  /// The next multiple of `unit`.
  llvm::Value *roundUp(llvm::Value *value, int64_t unit) {
    if (!llvm::isPowerOf2_64(unit))
      return b.CreateMul(ceilDiv(value, number(unit)), number(unit));
    return b.CreateAnd(b.CreateAdd(value, number(unit - 1)), number(-unit));
  }
  /// The last multiple of `unit` (a power of two).
  llvm::Value *roundDown(llvm::Value *value, int64_t unit) {
    return b.CreateAnd(value, number(-unit));
  }

  /// Memory in the frame of the function.
  llvm::Value *local(llvm::Type *type) {
    llvm::BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
    return llvm::IRBuilder<>(&entry, entry.begin()).CreateAlloca(type);
  }

  /// for (i = low; i < high; i += step) body(i)
  void loop(llvm::Value *low, llvm::Value *high, llvm::Value *step,
            llvm::function_ref<void(llvm::Value *)> body) {
    loop(low, high, step, {}, [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *>) {
      body(i);
      return llvm::SmallVector<llvm::Value *>();
    });
  }
  /// The same with values carried from iteration to iteration; returns the last ones.
  llvm::SmallVector<llvm::Value *>
  loop(llvm::Value *low, llvm::Value *high, llvm::Value *step,
       llvm::ArrayRef<llvm::Value *> initial,
       llvm::function_ref<llvm::SmallVector<llvm::Value *>(llvm::Value *,
                                                           llvm::ArrayRef<llvm::Value *>)>
           body);
  /// for (i = low; i < high;) i = body(i)
  void loopWhile(llvm::Value *low, llvm::Value *high,
                 llvm::function_ref<llvm::Value *(llvm::Value *)> body);
  /// if (condition) body()
  void when(llvm::Value *condition, llvm::function_ref<void()> body);
  /// condition ? then() : otherwise(), of which only one is executed
  llvm::Value *either(llvm::Value *condition, llvm::function_ref<llvm::Value *()> then,
                      llvm::function_ref<llvm::Value *()> otherwise);
  /// The same for several values at once.
  llvm::SmallVector<llvm::Value *>
  eitherOf(llvm::Value *condition, llvm::function_ref<llvm::SmallVector<llvm::Value *>()> then,
           llvm::function_ref<llvm::SmallVector<llvm::Value *>()> otherwise);

  /// The function of that name; made by `body` when the module has none yet. `pointers` leading
  /// parameters are pointers that do not alias; all others are i64, then one of each type of
  /// `rest`. Leaves the insertion point where it was.
  llvm::Function *helper(const std::string &name, unsigned pointers, unsigned numbers,
                         llvm::ArrayRef<llvm::Type *> rest,
                         llvm::function_ref<void(llvm::Function *)> body);

  /// The attributes of every function: the target's features, and its full vector width.
  void finishFunction(llvm::Function *function);
  /// The same for driver code: optimised for size.
  void finishCold(llvm::Function *function) {
    finishFunction(function);
    function->addFnAttr(llvm::Attribute::OptimizeForSize);
  }

  /// One element, or a vector of them, converted: floats to nearest even; floats to integers to
  /// nearest even and saturating, NaN to 0.
  llvm::Value *convert(llvm::Value *value, llvm::Type *element);
  /// The bits of some vectors, a power of two of them, one after the other, as i32.
  llvm::Value *joined(llvm::ArrayRef<llvm::Value *> vectors);
  llvm::Value *splat(llvm::Value *value, unsigned lanes) {
    return b.CreateVectorSplat(lanes, value);
  }

private:
  /// While the first value is below `high`; returns the last ones.
  llvm::SmallVector<llvm::Value *> loopCarrying(
      llvm::Value *high, llvm::ArrayRef<llvm::Value *> initial,
      llvm::function_ref<llvm::SmallVector<llvm::Value *>(llvm::ArrayRef<llvm::Value *>)> body);
};

} // namespace mmk
