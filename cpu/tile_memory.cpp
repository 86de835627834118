#include "cpu/tile_memory.h"

#include "llvm/IR/IntrinsicsX86.h"

using namespace llvm;

namespace mmk {

Type *inMemory(Emitter &e, Type *type) {
  return type->isIntOrIntVectorTy(1) ? type->getWithNewType(e.b.getInt8Ty()) : type;
}

Value *toMemory(Emitter &e, Value *value) {
  Type *stored = inMemory(e, value->getType());
  return stored == value->getType() ? value : e.b.CreateZExt(value, stored);
}

Value *fromMemory(Emitter &e, Value *stored, Type *type) {
  return type->isIntOrIntVectorTy(1)
             ? e.b.CreateICmpNE(stored, Constant::getNullValue(stored->getType()))
             : stored;
}

static void forLanes(Emitter &e, Type *vector, Value *count, function_ref<void(Value *)> body) {
  Value *all = e.number(cast<FixedVectorType>(vector)->getNumElements());
  e.loop(e.number(0), count ? e.min(count, all) : all, e.number(1), body);
}

Value *loadStrided(Emitter &e, Type *vector, Value *pointer, Value *stride, Value *count) {
  IRBuilder<> &b = e.b;
  Type *element = vector->getScalarType();
  Value *gathered = e.local(vector);
  e.store(Constant::getNullValue(vector), gathered);
  forLanes(e, vector, count, [&](Value *lane) {
    Value *loaded = e.load(element, e.offset(pointer, b.CreateMul(lane, stride)));
    e.store(loaded, e.offset(gathered, b.CreateMul(lane, e.number(e.bytesOf(element)))));
  });
  return e.load(vector, gathered);
}

void storeStrided(Emitter &e, Value *value, Value *pointer, Value *stride, Value *count) {
  IRBuilder<> &b = e.b;
  Type *element = value->getType()->getScalarType();
  Value *waiting = e.local(value->getType());
  e.store(value, waiting);
  forLanes(e, value->getType(), count, [&](Value *lane) {
    Value *own =
        e.load(element, e.offset(waiting, b.CreateMul(lane, e.number(e.bytesOf(element)))));
    e.store(own, e.offset(pointer, b.CreateMul(lane, stride)));
  });
}

void storeStreamed(Emitter &e, Value *value, Value *pointer) {
  const Align whole(value->getType()->getPrimitiveSizeInBits().getFixedValue() / 8);
  StoreInst *store = e.b.CreateAlignedStore(value, pointer, whole);
  store->setMetadata(LLVMContext::MD_nontemporal,
                     MDNode::get(e.b.getContext(), ConstantAsMetadata::get(e.b.getInt32(1))));
}

void fenceStreamed(Emitter &e) {
  if (e.target.machine->getTargetTriple().isX86())
    e.b.CreateIntrinsic(Intrinsic::x86_sse_sfence, {});
  else
    e.b.CreateFence(AtomicOrdering::SequentiallyConsistent);
}

} // namespace mmk
