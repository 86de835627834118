// Values that a function leaves in its frame for those that it calls, eight bytes each: passing
// them all as arguments would take more code than their use.
#pragma once

#include "codegen/emitter.h"

#include "llvm/ADT/STLExtras.h"

namespace mmk {

class Frame {
public:
  /// Room for so many fields in the current function.
  Frame(Emitter &e, size_t fields) : Frame(e, e.local(llvm::ArrayType::get(e.i64(), fields))) {}
  /// The fields from an address on.
  Frame(Emitter &e, llvm::Value *start) : e(e), start(start) {}
  /// Room for these values, which has them.
  Frame(Emitter &e, llvm::ArrayRef<llvm::Value **> values) : Frame(e, values.size()) {
    for (auto [i, value] : llvm::enumerate(values))
      set(i, *value);
  }

  llvm::Value *at(int64_t which) const { return e.offset(start, 8 * which); }
  llvm::Value *address() const { return start; }
  /// A condition takes all eight bytes.
  void set(int64_t which, llvm::Value *value) const {
    if (value->getType()->isIntegerTy(1))
      value = e.b.CreateZExt(value, e.i64());
    e.b.CreateAlignedStore(value, at(which), llvm::Align(8));
  }
  llvm::Value *get(int64_t which, llvm::Type *type) const {
    return e.b.CreateAlignedLoad(type, at(which), llvm::Align(8));
  }
  llvm::Value *number(int64_t which) const { return get(which, e.i64()); }
  llvm::Value *pointer(int64_t which) const { return get(which, e.pointer()); }
  llvm::Value *isSet(int64_t which) const { return e.b.CreateICmpNE(number(which), e.number(0)); }
  /// What the fields hold in place of these values, which have their types.
  void load(llvm::ArrayRef<llvm::Value **> values) const {
    for (auto [i, value] : llvm::enumerate(values))
      *value = get(i, (*value)->getType());
  }

private:
  Emitter &e;
  llvm::Value *start;
};

} // namespace mmk
