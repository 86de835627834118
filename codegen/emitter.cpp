#include "codegen/emitter.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/IR/IntrinsicsX86.h"

#include <algorithm>
#include <numeric>

using namespace llvm;

namespace mmk {

Type *Emitter::elementType(mlir::Type type) {
  if (type.isF32())
    return b.getFloatTy();
  if (type.isF16())
    return b.getHalfTy();
  if (type.isBF16())
    return b.getBFloatTy();
  if (type.isIndex())
    return i64();
  if (auto integer = mlir::dyn_cast<mlir::IntegerType>(type))
    return b.getIntNTy(integer.getWidth());
  unknownType = type;
  return b.getInt8Ty();
}

std::string Emitter::nameOf(Type *element) {
  if (element->isBFloatTy())
    return "bf16";
  return (element->isFloatingPointTy() ? "f" : "i") +
         std::to_string(element->getScalarSizeInBits());
}

SmallVector<Value *>
Emitter::loop(Value *low, Value *high, Value *step, ArrayRef<Value *> initial,
              function_ref<SmallVector<Value *>(Value *, ArrayRef<Value *>)> body) {
  SmallVector<Value *> start{low};
  start.append(initial.begin(), initial.end());
  SmallVector<Value *> last = loopCarrying(high, start, [&](ArrayRef<Value *> values) {
    SmallVector<Value *> next = body(values[0], values.drop_front());
    next.insert(next.begin(), b.CreateNSWAdd(values[0], step));
    return next;
  });
  return {last.begin() + 1, last.end()};
}

void Emitter::loopWhile(Value *low, Value *high, function_ref<Value *(Value *)> body) {
  loopCarrying(high, {low},
               [&](ArrayRef<Value *> values) { return SmallVector<Value *>{body(values[0])}; });
}

SmallVector<Value *>
Emitter::loopCarrying(Value *high, ArrayRef<Value *> initial,
                      function_ref<SmallVector<Value *>(ArrayRef<Value *>)> body) {
  // Tested at its end, and once before: loop invariants can be hoisted between the two.
  Function *function = b.GetInsertBlock()->getParent();
  BasicBlock *outside = b.GetInsertBlock();
  BasicBlock *before = BasicBlock::Create(b.getContext(), "before", function);
  BasicBlock *inside = BasicBlock::Create(b.getContext(), "body", function);
  BasicBlock *after = BasicBlock::Create(b.getContext(), "after", function);
  b.CreateCondBr(b.CreateICmpSLT(initial[0], high), before, after);
  b.SetInsertPoint(before);
  b.CreateBr(inside);
  b.SetInsertPoint(inside);
  SmallVector<PHINode *> phis;
  for (Value *value : initial) {
    phis.push_back(b.CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, before);
  }
  SmallVector<Value *> next = body(SmallVector<Value *>(phis.begin(), phis.end()));
  BasicBlock *end = b.GetInsertBlock();
  b.CreateCondBr(b.CreateICmpSLT(next[0], high), inside, after);
  for (auto [phi, value] : zip(phis, next))
    phi->addIncoming(value, end);
  b.SetInsertPoint(after);
  SmallVector<Value *> last;
  for (auto [value, fromEnd] : zip(initial, next)) {
    PHINode *phi = b.CreatePHI(value->getType(), 2);
    phi->addIncoming(value, outside);
    phi->addIncoming(fromEnd, end);
    last.push_back(phi);
  }
  return last;
}

void Emitter::when(Value *condition, function_ref<void()> body) {
  Function *function = b.GetInsertBlock()->getParent();
  BasicBlock *then = BasicBlock::Create(b.getContext(), "then", function);
  BasicBlock *after = BasicBlock::Create(b.getContext(), "after", function);
  b.CreateCondBr(condition, then, after);
  b.SetInsertPoint(then);
  body();
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

Value *Emitter::either(Value *condition, function_ref<Value *()> then,
                       function_ref<Value *()> otherwise) {
  return eitherOf(
      condition, [&] { return SmallVector<Value *>{then()}; },
      [&] { return SmallVector<Value *>{otherwise()}; })[0];
}

SmallVector<Value *> Emitter::eitherOf(Value *condition, function_ref<SmallVector<Value *>()> then,
                                       function_ref<SmallVector<Value *>()> otherwise) {
  Function *function = b.GetInsertBlock()->getParent();
  BasicBlock *first = BasicBlock::Create(b.getContext(), "then", function);
  BasicBlock *second = BasicBlock::Create(b.getContext(), "else", function);
  BasicBlock *after = BasicBlock::Create(b.getContext(), "after", function);
  b.CreateCondBr(condition, first, second);
  b.SetInsertPoint(first);
  const SmallVector<Value *> xs = then();
  first = b.GetInsertBlock();
  b.CreateBr(after);
  b.SetInsertPoint(second);
  const SmallVector<Value *> ys = otherwise();
  second = b.GetInsertBlock();
  b.CreateBr(after);
  b.SetInsertPoint(after);
  SmallVector<Value *> chosen;
  for (auto [x, y] : zip(xs, ys)) {
    PHINode *phi = b.CreatePHI(x->getType(), 2);
    phi->addIncoming(x, first);
    phi->addIncoming(y, second);
    chosen.push_back(phi);
  }
  return chosen;
}

Value *Emitter::joined(ArrayRef<Value *> vectors) {
  if (vectors.size() == 1) {
    const unsigned bits = vectors[0]->getType()->getPrimitiveSizeInBits();
    return b.CreateBitCast(vectors[0], vectorOf(b.getInt32Ty(), bits / 32));
  }
  const size_t half = vectors.size() / 2;
  Value *low = joined(vectors.take_front(half)), *high = joined(vectors.drop_front(half));
  const unsigned all = 2 * cast<FixedVectorType>(low->getType())->getNumElements();
  SmallVector<int> order;
  for (unsigned i = 0; i < all; ++i)
    order.push_back(static_cast<int>(i));
  return b.CreateShuffleVector(low, high, order);
}

Value *Emitter::lanesBelow(Value *count, unsigned lanes) {
  SmallVector<Constant *> numbers;
  for (unsigned lane = 0; lane < lanes; ++lane)
    numbers.push_back(b.getInt32(lane));
  Value *limit = splat(b.CreateTrunc(count, b.getInt32Ty()), lanes);
  return b.CreateICmpSLT(ConstantVector::get(numbers), limit);
}

// Floats of 16 bits are accessed as integers: LLVM scalarises masked accesses of types that the CPU
// does not compute with.
static Type *movedAs(Type *vector) {
  return vector->getScalarSizeInBits() == 16
             ? vector->getWithNewType(Type::getInt16Ty(vector->getContext()))
             : vector;
}

Value *Emitter::loadSome(Type *type, Value *pointer, Value *count) {
  auto *moved = cast<FixedVectorType>(movedAs(type));
  Value *lanes =
      b.CreateMaskedLoad(moved, pointer, Align(bytesOf(moved->getElementType())),
                         lanesBelow(count, moved->getNumElements()), Constant::getNullValue(moved));
  return b.CreateBitCast(lanes, type);
}

void Emitter::storeSome(Value *value, Value *pointer, Value *count) {
  auto *moved = cast<FixedVectorType>(movedAs(value->getType()));
  b.CreateMaskedStore(b.CreateBitCast(value, moved), pointer,
                      Align(bytesOf(moved->getElementType())),
                      lanesBelow(count, moved->getNumElements()));
}

Function *Emitter::helper(const std::string &name, unsigned pointers, unsigned numbers,
                          ArrayRef<Type *> rest, function_ref<void(Function *)> body) {
  if (Function *known = module.getFunction(name))
    return known;
  SmallVector<Type *> types(pointers, pointer());
  types.append(numbers, i64());
  types.append(rest.begin(), rest.end());
  auto *function = Function::Create(FunctionType::get(b.getVoidTy(), types, false),
                                    GlobalValue::InternalLinkage, name, module);
  for (unsigned i = 0; i < pointers; ++i)
    function->addParamAttr(i, Attribute::NoAlias);
  // Not inlined: a copy for each caller would only cost compile time.
  function->addFnAttr(Attribute::NoInline);
  finishFunction(function);
  IRBuilderBase::InsertPointGuard guard(b);
  b.SetInsertPoint(BasicBlock::Create(b.getContext(), "entry", function));
  body(function);
  b.CreateRetVoid();
  return function;
}

void Emitter::finishFunction(Function *function) {
  function->addFnAttr("target-cpu", target.cpu);
  function->addFnAttr("target-features", target.features);
  // LLVM prefers 256-bit vectors on AVX-512 servers, and would spill register tiles that are
  // planned for 512.
  function->addFnAttr("prefer-vector-width", std::to_string(target.lanes * 32));
  function->addFnAttr(Attribute::NoUnwind);
}

namespace {

// The rounding itself: add half of the last place kept, less one when that is even.
Value *roundBitsToBfloat(Emitter &e, Value *value, Type *to) {
  IRBuilder<> &b = e.b;
  Type *narrow = to->getWithNewType(b.getInt16Ty());
  Type *wide = to->getWithNewType(b.getInt32Ty());
  auto constant = [&](uint64_t bits) { return ConstantInt::get(wide, bits); };
  Value *bits = b.CreateBitCast(value, wide);
  Value *odd = b.CreateAnd(b.CreateLShr(bits, constant(16)), constant(1));
  Value *rounded =
      b.CreateLShr(b.CreateAdd(b.CreateAdd(bits, constant(0x7fff)), odd), constant(16));
  Value *quiet = b.CreateOr(b.CreateLShr(bits, constant(16)), constant(0x40));
  Value *result = b.CreateSelect(b.CreateFCmpUNO(value, value), quiet, rounded);
  return b.CreateBitCast(b.CreateTrunc(result, narrow), to);
}

// The instruction that rounds, which LLVM's fptrunc uses on some CPUs, flushes subnormals. They are
// rare: vectors without one take a third of the time.
Value *roundToBfloat(Emitter &e, Value *value, Type *to) {
  auto *vector = dyn_cast<FixedVectorType>(to);
  const unsigned lanes = vector ? vector->getNumElements() : 1;
  if (!e.target.roundsToBf16 || (lanes != 16 && lanes != 32))
    return roundBitsToBfloat(e, value, to);
  IRBuilder<> &b = e.b;
  constexpr uint32_t subnormal = 0x20; // of the classes that the instruction tells
  SmallVector<Value *> parts;
  Value *some = b.getInt16(0);
  for (unsigned first = 0; first < lanes; first += 16) {
    SmallVector<int> taken(16);
    std::iota(taken.begin(), taken.end(), static_cast<int>(first));
    parts.push_back(lanes == 16 ? value : b.CreateShuffleVector(value, taken));
    Value *classes = b.CreateIntrinsic(Intrinsic::x86_avx512_fpclass_ps_512, {},
                                       {parts.back(), b.getInt32(subnormal)});
    some = b.CreateOr(some, b.CreateBitCast(classes, b.getInt16Ty()));
  }
  // As integers: LLVM has no non-temporal stores of bfloat.
  Type *narrow = to->getWithNewType(b.getInt16Ty());
  Value *rounded = e.either(
      b.CreateICmpNE(some, b.getInt16(0)),
      [&] { return b.CreateBitCast(roundBitsToBfloat(e, value, to), narrow); },
      [&] {
        std::ranges::reverse(parts); // the last ones come first
        const Intrinsic::ID round = lanes == 16 ? Intrinsic::x86_avx512bf16_cvtneps2bf16_512
                                                : Intrinsic::x86_avx512bf16_cvtne2ps2bf16_512;
        return b.CreateBitCast(b.CreateIntrinsic(round, {}, parts), narrow);
      });
  return b.CreateBitCast(rounded, to);
}

} // namespace

Value *Emitter::convert(Value *value, Type *element) {
  Type *from = value->getType(), *to = from->getWithNewType(element);
  if (from == to)
    return value;
  const bool fromFloat = from->isFPOrFPVectorTy(), toFloat = to->isFPOrFPVectorTy();
  Type *wide = from->getWithNewType(f32());
  if (fromFloat && toFloat) {
    Value *inF32 = from == wide ? value : b.CreateFPExt(value, wide);
    if (to == wide)
      return inF32;
    return element->isBFloatTy() ? roundToBfloat(*this, inF32, to) : b.CreateFPTrunc(inF32, to);
  }
  if (toFloat)
    return convert(b.CreateSIToFP(value, wide), element);
  if (fromFloat) {
    Value *rounded = b.CreateUnaryIntrinsic(Intrinsic::roundeven, convert(value, f32()));
    return b.CreateIntrinsic(Intrinsic::fptosi_sat, {to, wide}, {rounded});
  }
  return b.CreateIntCast(value, to, /*isSigned=*/true);
}

} // namespace mmk
