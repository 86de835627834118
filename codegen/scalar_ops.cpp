#include "codegen/scalar_ops.h"

#include "codegen/vector_math.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

namespace arith = mlir::arith;
namespace math = mlir::math;
using namespace llvm;

namespace mmk {

Constant *emitConstant(Emitter &e, mlir::Attribute value) {
  if (auto number = dyn_cast<mlir::FloatAttr>(value))
    return ConstantFP::get(e.module.getContext(), number.getValue());
  auto integer = cast<mlir::IntegerAttr>(value);
  return ConstantInt::get(e.elementType(integer.getType()), integer.getValue().getSExtValue(),
                          /*IsSigned=*/true);
}

CmpInst::Predicate predicateOf(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return CmpInst::ICMP_EQ;
  case arith::CmpIPredicate::ne:
    return CmpInst::ICMP_NE;
  case arith::CmpIPredicate::slt:
    return CmpInst::ICMP_SLT;
  case arith::CmpIPredicate::sle:
    return CmpInst::ICMP_SLE;
  case arith::CmpIPredicate::sgt:
    return CmpInst::ICMP_SGT;
  case arith::CmpIPredicate::sge:
    return CmpInst::ICMP_SGE;
  case arith::CmpIPredicate::ult:
    return CmpInst::ICMP_ULT;
  case arith::CmpIPredicate::ule:
    return CmpInst::ICMP_ULE;
  case arith::CmpIPredicate::ugt:
    return CmpInst::ICMP_UGT;
  case arith::CmpIPredicate::uge:
    return CmpInst::ICMP_UGE;
  }
  return CmpInst::BAD_ICMP_PREDICATE;
}

CmpInst::Predicate predicateOf(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::OEQ:
    return CmpInst::FCMP_OEQ;
  case arith::CmpFPredicate::OGT:
    return CmpInst::FCMP_OGT;
  case arith::CmpFPredicate::OGE:
    return CmpInst::FCMP_OGE;
  case arith::CmpFPredicate::OLT:
    return CmpInst::FCMP_OLT;
  case arith::CmpFPredicate::OLE:
    return CmpInst::FCMP_OLE;
  case arith::CmpFPredicate::ONE:
    return CmpInst::FCMP_ONE;
  case arith::CmpFPredicate::ORD:
    return CmpInst::FCMP_ORD;
  case arith::CmpFPredicate::UEQ:
    return CmpInst::FCMP_UEQ;
  case arith::CmpFPredicate::UGT:
    return CmpInst::FCMP_UGT;
  case arith::CmpFPredicate::UGE:
    return CmpInst::FCMP_UGE;
  case arith::CmpFPredicate::ULT:
    return CmpInst::FCMP_ULT;
  case arith::CmpFPredicate::ULE:
    return CmpInst::FCMP_ULE;
  case arith::CmpFPredicate::UNE:
    return CmpInst::FCMP_UNE;
  case arith::CmpFPredicate::UNO:
    return CmpInst::FCMP_UNO;
  case arith::CmpFPredicate::AlwaysFalse:
    return CmpInst::FCMP_FALSE;
  case arith::CmpFPredicate::AlwaysTrue:
    return CmpInst::FCMP_TRUE;
  }
  return CmpInst::BAD_FCMP_PREDICATE;
}

// If only the second choice is computed for the selection, a masked instruction can compute it in
// place of the first: for LLVM that is a selection of its first operand.
static Value *emitSelect(Emitter &e, arith::SelectOp select, Value *condition, Value *x, Value *y) {
  auto *compared = dyn_cast<FCmpInst>(condition);
  if (!e.target.masks() || !compared || !isa<BinaryOperator>(y) ||
      !select.getCondition().hasOneUse() || !select.getFalseValue().hasOneUse() ||
      select.getTrueValue().hasOneUse())
    return e.b.CreateSelect(condition, x, y);
  // The comparison itself may serve several copies of the selection.
  Value *inverse = e.b.CreateFCmp(compared->getInversePredicate(), compared->getOperand(0),
                                  compared->getOperand(1));
  return e.b.CreateSelect(inverse, y, x);
}

Value *emitScalarOp(Emitter &e, mlir::Operation *op, ArrayRef<Value *> v) {
  IRBuilder<> &b = e.b;
  auto converted = [&] {
    return v[0]->getType()->getWithNewType(e.elementType(op->getResult(0).getType()));
  };
  auto unary = [&](Intrinsic::ID id) { return b.CreateUnaryIntrinsic(id, v[0]); };
  auto binary = [&](Intrinsic::ID id) { return b.CreateBinaryIntrinsic(id, v[0], v[1]); };
  return TypeSwitch<mlir::Operation *, Value *>(op)
      .Case([&](arith::ConstantOp constant) { return emitConstant(e, constant.getValue()); })
      // integers
      .Case([&](arith::AddIOp) { return b.CreateAdd(v[0], v[1]); })
      .Case([&](arith::SubIOp) { return b.CreateSub(v[0], v[1]); })
      .Case([&](arith::MulIOp) { return b.CreateMul(v[0], v[1]); })
      .Case([&](arith::DivSIOp) { return b.CreateSDiv(v[0], v[1]); })
      .Case([&](arith::RemSIOp) { return b.CreateSRem(v[0], v[1]); })
      .Case([&](arith::FloorDivSIOp) {
        // One less where there is a rest of another sign than the divisor's.
        Value *quotient = b.CreateSDiv(v[0], v[1]);
        Value *rest = b.CreateSub(v[0], b.CreateMul(quotient, v[1]));
        Value *zero = Constant::getNullValue(rest->getType());
        Value *isLess =
            b.CreateAnd(b.CreateICmpNE(rest, zero), b.CreateICmpSLT(b.CreateXor(rest, v[1]), zero));
        return b.CreateAdd(quotient, b.CreateSExt(isLess, quotient->getType()));
      })
      .Case([&](arith::DivUIOp) { return b.CreateUDiv(v[0], v[1]); })
      .Case([&](arith::RemUIOp) { return b.CreateURem(v[0], v[1]); })
      .Case([&](arith::CeilDivSIOp) {
        // Extents are not negative, and far from overflow: their products are checked before a run.
        Value *one = ConstantInt::get(v[1]->getType(), 1);
        Value *up = b.CreateAdd(v[0], b.CreateSub(v[1], one));
        // Driver code (jit/partition.h) is not optimised and would divide by any constant.
        if (auto *by = dyn_cast<ConstantInt>(v[1]); by && by->getValue().isPowerOf2())
          return b.CreateAShr(up, by->getValue().logBase2());
        return b.CreateSDiv(up, v[1]);
      })
      .Case([&](arith::MinSIOp) { return binary(Intrinsic::smin); })
      .Case([&](arith::MaxSIOp) { return binary(Intrinsic::smax); })
      .Case([&](arith::MinUIOp) { return binary(Intrinsic::umin); })
      .Case([&](arith::MaxUIOp) { return binary(Intrinsic::umax); })
      .Case([&](arith::AndIOp) { return b.CreateAnd(v[0], v[1]); })
      .Case([&](arith::OrIOp) { return b.CreateOr(v[0], v[1]); })
      .Case([&](arith::XOrIOp) { return b.CreateXor(v[0], v[1]); })
      .Case([&](arith::ShLIOp) { return b.CreateShl(v[0], v[1]); })
      .Case([&](arith::ShRSIOp) { return b.CreateAShr(v[0], v[1]); })
      .Case([&](arith::ShRUIOp) { return b.CreateLShr(v[0], v[1]); })
      .Case([&](arith::CmpIOp compare) {
        return b.CreateICmp(predicateOf(compare.getPredicate()), v[0], v[1]);
      })
      .Case([&](arith::ExtSIOp) { return b.CreateSExt(v[0], converted()); })
      .Case([&](arith::ExtUIOp) { return b.CreateZExt(v[0], converted()); })
      .Case([&](arith::TruncIOp) { return b.CreateTrunc(v[0], converted()); })
      .Case([&](arith::IndexCastOp) { return b.CreateIntCast(v[0], converted(), true); })
      .Case([&](arith::SelectOp select) { return emitSelect(e, select, v[0], v[1], v[2]); })
      // floats
      .Case([&](arith::AddFOp) { return b.CreateFAdd(v[0], v[1]); })
      .Case([&](arith::SubFOp) { return b.CreateFSub(v[0], v[1]); })
      .Case([&](arith::MulFOp) { return b.CreateFMul(v[0], v[1]); })
      .Case([&](arith::DivFOp) { return b.CreateFDiv(v[0], v[1]); })
      .Case([&](arith::NegFOp) { return b.CreateFNeg(v[0]); })
      .Case([&](arith::MinimumFOp) { return binary(Intrinsic::minimum); })
      .Case([&](arith::MaximumFOp) { return binary(Intrinsic::maximum); })
      .Case([&](arith::CmpFOp compare) {
        return b.CreateFCmp(predicateOf(compare.getPredicate()), v[0], v[1]);
      })
      .Case<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp>([&](mlir::Operation *conversion) {
        return e.convert(v[0], e.elementType(conversion->getResult(0).getType()));
      })
      .Case([&](arith::FPToSIOp) { return b.CreateFPToSI(v[0], converted()); })
      // functions
      .Case([&](math::AbsFOp) { return unary(Intrinsic::fabs); })
      .Case([&](math::SqrtOp) { return unary(Intrinsic::sqrt); })
      .Case([&](math::FloorOp) { return unary(Intrinsic::floor); })
      .Case([&](math::CeilOp) { return unary(Intrinsic::ceil); })
      .Case([&](math::RoundEvenOp) { return unary(Intrinsic::roundeven); })
      .Case([&](math::ExpOp) { return emitExp(e, v[0]); })
      .Case([&](math::LogOp) { return emitLog(e, v[0]); })
      .Case([&](math::Log1pOp) { return emitLog1p(e, v[0]); })
      .Case([&](math::ExpM1Op) { return emitExpM1(e, v[0]); })
      .Case([&](math::TanhOp) { return emitTanh(e, v[0]); })
      .Case([&](math::ErfOp) { return emitErf(e, v[0]); })
      .Default([](mlir::Operation *) { return nullptr; });
}

} // namespace mmk
