#include "passes/narrow_integers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace mmk {
namespace {

bool isWide(Type type) { return type.isIndex() || type.isInteger(64); }

class Narrowing {
public:
  explicit Narrowing(linalg::GenericOp op) : body(*op.getBody()), b(op.getContext()) {}

  void run() {
    SmallVector<Operation *> dead;
    for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
      loc = op.getLoc();
      b.setInsertionPoint(&op);
      if (narrow(op))
        dead.push_back(&op);
    }
    for (Operation *op : llvm::reverse(dead))
      op->erase();
  }

private:
  /// Whether the operation is one on wide integers; others then stand for it.
  bool narrow(Operation &op) {
    if (op.getNumResults() != 1 || isa<linalg::IndexOp>(op))
      return false;
    Value result = op.getResult(0);
    if (isa<arith::FloorDivSIOp>(op) && result.getType().isInteger(32)) {
      result.replaceAllUsesWith(floorQuotient(op.getOperand(0), op.getOperand(1)));
      return true;
    }
    const bool readsWide = llvm::any_of(op.getOperandTypes(), isWide);
    if (!isWide(result.getType()) && !readsWide)
      return false;
    if (Value value = computed(op)) {
      narrowed[result] = value;
      if (!isWide(result.getType()))
        result.replaceAllUsesWith(value);
    }
    return true;
  }

  Value computed(Operation &op) {
    if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(op))
      return narrow(op.getOperand(0));
    IntegerAttr constant;
    if (matchPattern(&op, m_Constant(&constant)))
      return number(constant.getValue().getSExtValue());
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(narrow(operand));
    if (isa<arith::FloorDivSIOp>(op))
      return floorQuotient(operands[0], operands[1]);
    // Any other operation, such as a sum or a comparison, is the same on narrow integers.
    OperationState state(loc, op.getName());
    state.addOperands(operands);
    const Type type = op.getResult(0).getType();
    state.addTypes(isWide(type) ? Type(b.getI32Type()) : type);
    state.addAttributes(op.getAttrs());
    return b.create(state)->getResult(0);
  }

  /// A value of the body in 32 bits. A scalar of the kernel is converted.
  Value narrow(Value value) {
    if (Value known = narrowed.lookup(value))
      return known;
    if (!isWide(value.getType()))
      return value;
    IntegerAttr constant;
    if (matchPattern(value, m_Constant(&constant)))
      return narrowed[value] = number(constant.getValue().getSExtValue());
    const Type i32 = b.getI32Type();
    if (value.getType().isIndex())
      return arith::IndexCastOp::create(b, loc, i32, value);
    return arith::TruncIOp::create(b, loc, i32, value);
  }

  Value number(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  Value real(Value x) { return arith::SIToFPOp::create(b, loc, b.getF32Type(), x); }
  Value whole(Value x) { return arith::FPToSIOp::create(b, loc, b.getI32Type(), x); }
  Value times(Value x, Value y) { return arith::MulIOp::create(b, loc, x, y); }
  Value plus(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value minus(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  /// Of x and y compared, `value` where it is so, else `otherwise`.
  Value where(arith::CmpIPredicate predicate, Value x, Value y, Value value, Value otherwise) {
    Value is = arith::CmpIOp::create(b, loc, predicate, x, y);
    return arith::SelectOp::create(b, loc, is, value, otherwise);
  }

  // Vector cores divide floats alone. The first quotient is off by at most 2^-22 of itself, so at
  // most 2^9; that of its remainder by one, which the last remainder tells. It is right for all of
  // i32 with a divisor that is neither -1, 0 nor 1, whose quotient i32 holds.
  Value floorQuotient(Value x, Value y) {
    Value divisor = real(y), quotient, rest = x;
    for (int step = 0; step < 2; ++step) {
      Value part = whole(math::FloorOp::create(
          b, loc, arith::DivFOp::create(b, loc, real(rest), divisor).getResult()));
      quotient = quotient ? plus(quotient, part) : part;
      rest = minus(x, times(quotient, y));
    }
    // The rest has the sign of the divisor. Both are compared below 0, where i32 has the negative
    // of every number.
    Value sign = where(arith::CmpIPredicate::slt, y, number(0), number(1), number(-1));
    Value below = times(rest, sign), least = times(y, sign);
    Value less =
        where(arith::CmpIPredicate::sgt, below, number(0), minus(quotient, number(1)), quotient);
    return where(arith::CmpIPredicate::sle, below, least, plus(quotient, number(1)), less);
  }

  Block &body;
  OpBuilder b;
  Location loc = b.getUnknownLoc();
  llvm::DenseMap<Value, Value> narrowed;
};

} // namespace

void narrowIntegers(linalg::GenericOp op) { Narrowing(op).run(); }

} // namespace mmk
