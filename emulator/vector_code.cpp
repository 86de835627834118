#include "emulator/vector_code.h"

#include "codegen/scalar_ops.h"
#include "codegen/vector_math.h"
#include "emulator/vector_functions.h"

#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace mmk {
namespace {

/// One instruction: its operands `v`, the type of its result, its predicate.
struct Code {
  Emitter &e;
  IRBuilder<> &b;
  ArrayRef<Value *> v;
  Type *element;
  StringRef predicate;

  bool isFloat() const { return v.back()->getType()->isFPOrFPVectorTy(); }
  Value *unary(Intrinsic::ID id) const { return b.CreateUnaryIntrinsic(id, v[0]); }
  Value *binary(Intrinsic::ID ofFloats, Intrinsic::ID ofIntegers) const {
    return b.CreateBinaryIntrinsic(isFloat() ? ofFloats : ofIntegers, v[0], v[1]);
  }
  Value *zero() const { return Constant::getNullValue(v[0]->getType()); }
};

Value *leakyRelu(const Code &c) {
  Value *scaled = c.b.CreateFMul(c.v[0], c.v[1]);
  // A masked instruction can compute the product in place of x: for LLVM that is a selection of its
  // first operand.
  if (c.e.target.masks())
    return c.b.CreateSelect(c.b.CreateFCmpULT(c.v[0], c.zero()), scaled, c.v[0]);
  return c.b.CreateSelect(c.b.CreateFCmpOGE(c.v[0], c.zero()), c.v[0], scaled);
}

Value *compare(const Code &c) {
  using namespace mlir::arith;
  if (c.isFloat())
    return c.b.CreateFCmp(predicateOf(*symbolizeCmpFPredicate(c.predicate)), c.v[0], c.v[1]);
  return c.b.CreateICmp(predicateOf(*symbolizeCmpIPredicate(c.predicate)), c.v[0], c.v[1]);
}

Value *widen(const Code &c) {
  if (!c.isFloat() && !c.element->isFloatingPointTy())
    return c.b.CreateSExt(c.v[0], c.v[0]->getType()->getWithNewType(c.element));
  return c.e.convert(c.v[0], c.element);
}

// A float becomes the nearest integer, the even one of two; beyond all it is the last one, and of
// NaN it is 0.
Value *narrow(const Code &c) {
  Type *to = c.v[0]->getType()->getWithNewType(c.element);
  if (c.element->isFloatingPointTy())
    return c.e.convert(c.v[0], c.element);
  if (!c.isFloat())
    return c.b.CreateTrunc(c.v[0], to);
  Value *rounded = c.b.CreateUnaryIntrinsic(Intrinsic::roundeven, c.v[0]);
  return c.b.CreateIntrinsic(Intrinsic::fptosi_sat, {to, rounded->getType()}, {rounded});
}

using Emit = Value *(*)(const Code &);

const StringMap<Emit> &code() {
  static const StringMap<Emit> all = {
      {"add",
       [](const Code &c) {
         return c.isFloat() ? c.b.CreateFAdd(c.v[0], c.v[1]) : c.b.CreateAdd(c.v[0], c.v[1]);
       }},
      {"sub",
       [](const Code &c) {
         return c.isFloat() ? c.b.CreateFSub(c.v[0], c.v[1]) : c.b.CreateSub(c.v[0], c.v[1]);
       }},
      {"mul",
       [](const Code &c) {
         return c.isFloat() ? c.b.CreateFMul(c.v[0], c.v[1]) : c.b.CreateMul(c.v[0], c.v[1]);
       }},
      {"div", [](const Code &c) { return c.b.CreateFDiv(c.v[0], c.v[1]); }},
      {"max", [](const Code &c) { return c.binary(Intrinsic::maximum, Intrinsic::smax); }},
      {"min", [](const Code &c) { return c.binary(Intrinsic::minimum, Intrinsic::smin); }},
      {"relu",
       [](const Code &c) -> Value * {
         return c.b.CreateBinaryIntrinsic(Intrinsic::maximum, c.v[0], c.zero());
       }},
      {"leaky_relu", leakyRelu},
      {"abs", [](const Code &c) { return c.unary(Intrinsic::fabs); }},
      {"neg", [](const Code &c) { return c.b.CreateFNeg(c.v[0]); }},
      {"exp", [](const Code &c) { return emitExp(c.e, c.v[0]); }},
      {"log", [](const Code &c) { return emitLog(c.e, c.v[0]); }},
      {"sqrt", [](const Code &c) { return c.unary(Intrinsic::sqrt); }},
      {"tanh", [](const Code &c) { return emitTanhOfInstructions(c.e, c.v[0]); }},
      {"erf", [](const Code &c) { return emitErfOfInstructions(c.e, c.v[0]); }},
      {"floor", [](const Code &c) { return c.unary(Intrinsic::floor); }},
      {"round", [](const Code &c) { return c.unary(Intrinsic::roundeven); }},
      {"ceil", [](const Code &c) { return c.unary(Intrinsic::ceil); }},
      {"compare", compare},
      {"select", [](const Code &c) { return c.b.CreateSelect(c.v[0], c.v[1], c.v[2]); }},
      {"cast", widen},
      {"cast_narrow", narrow},
      {"copy", [](const Code &c) { return c.v[0]; }},
      {"and", [](const Code &c) { return c.b.CreateAnd(c.v[0], c.v[1]); }},
      {"or", [](const Code &c) { return c.b.CreateOr(c.v[0], c.v[1]); }},
      {"xor", [](const Code &c) { return c.b.CreateXor(c.v[0], c.v[1]); }},
  };
  return all;
}

} // namespace

Value *emitVectorInstruction(Emitter &e, aicore::VecOp instruction, ArrayRef<Value *> operands) {
  auto target = cast<aicore::TileType>(instruction.getTarget().getType());
  return code().lookup(instruction.getInstruction())({e, e.b, operands,
                                                      e.elementType(target.getElement()),
                                                      instruction.getPredicate().value_or("")});
}

bool hasVectorCode(std::string_view name) { return code().contains({name.data(), name.size()}); }

} // namespace mmk
