#include "lower/rule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/ErrorHandling.h"

namespace arith = mlir::arith;

namespace mmk {

mlir::Value emitRule(mlir::OpBuilder &b, mlir::Location loc, const Rule &rule,
                     llvm::function_ref<mlir::Value(const std::string &name)> read) {
  using Kind = Rule::Kind;
  std::vector<mlir::Value> operands;
  for (const auto &operand : rule.operands)
    operands.push_back(emitRule(b, loc, *operand, read));
  auto compare = [&](arith::CmpIPredicate predicate) -> mlir::Value {
    return arith::CmpIOp::create(b, loc, predicate, operands[0], operands[1]);
  };
  switch (rule.kind) {
  case Kind::number:
    return arith::ConstantIndexOp::create(b, loc, rule.number);
  case Kind::choice:
    return read(rule.choice);
  case Kind::add:
    return arith::AddIOp::create(b, loc, operands[0], operands[1]);
  case Kind::subtract:
    return arith::SubIOp::create(b, loc, operands[0], operands[1]);
  case Kind::multiply:
    return arith::MulIOp::create(b, loc, operands[0], operands[1]);
  case Kind::divide:
    return arith::DivSIOp::create(b, loc, operands[0], operands[1]);
  case Kind::remainder:
    return arith::RemSIOp::create(b, loc, operands[0], operands[1]);
  case Kind::floorDivide:
    return arith::FloorDivSIOp::create(b, loc, operands[0], operands[1]);
  case Kind::floorRemainder: {
    mlir::Value quotient = arith::FloorDivSIOp::create(b, loc, operands[0], operands[1]);
    mlir::Value whole = arith::MulIOp::create(b, loc, quotient, operands[1]);
    return arith::SubIOp::create(b, loc, operands[0], whole);
  }
  case Kind::equal:
    return compare(arith::CmpIPredicate::eq);
  case Kind::notEqual:
    return compare(arith::CmpIPredicate::ne);
  case Kind::less:
    return compare(arith::CmpIPredicate::slt);
  case Kind::lessEqual:
    return compare(arith::CmpIPredicate::sle);
  case Kind::greater:
    return compare(arith::CmpIPredicate::sgt);
  case Kind::greaterEqual:
    return compare(arith::CmpIPredicate::sge);
  case Kind::logicalAnd:
    return arith::AndIOp::create(b, loc, operands[0], operands[1]);
  case Kind::logicalOr:
    return arith::OrIOp::create(b, loc, operands[0], operands[1]);
  case Kind::logicalNot: {
    mlir::Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
    return arith::XOrIOp::create(b, loc, operands[0], yes);
  }
  }
  llvm_unreachable("rule");
}

} // namespace mmk
