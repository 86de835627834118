#include "ir/random.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <array>

namespace arith = mlir::arith;

namespace mmk {
namespace {

class PhiloxEmitter {
public:
  PhiloxEmitter(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  using Words = std::array<mlir::Value, 4>;

  Words rounds(Words counter, mlir::Value firstKey) {
    mlir::Value secondKey = word(0);
    for (int round = 0; round < 10; ++round) {
      auto first = arith::MulUIExtendedOp::create(b, loc, word(0xD2511F53), counter[0]);
      auto second = arith::MulUIExtendedOp::create(b, loc, word(0xCD9E8D57), counter[2]);
      counter = {exclusiveOr(exclusiveOr(second.getHigh(), counter[1]), firstKey), second.getLow(),
                 exclusiveOr(exclusiveOr(first.getHigh(), counter[3]), secondKey), first.getLow()};
      firstKey = arith::AddIOp::create(b, loc, firstKey, word(0x9E3779B9));
      secondKey = arith::AddIOp::create(b, loc, secondKey, word(0xBB67AE85));
    }
    return counter;
  }

  mlir::Value word(uint32_t bits) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(bits)));
  }
  mlir::Value exclusiveOr(mlir::Value x, mlir::Value y) {
    return arith::XOrIOp::create(b, loc, x, y);
  }
  mlir::Value is(mlir::Value x, uint32_t number) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, word(number));
  }

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
};

} // namespace

mlir::Value emitRandom(mlir::OpBuilder &b, mlir::Location loc, mlir::Value seed,
                       mlir::Value position) {
  PhiloxEmitter e(b, loc);
  const mlir::Type i32 = b.getI32Type(), i64 = b.getI64Type();
  const auto number = [&](int64_t value) -> mlir::Value {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  };
  mlir::Value at = arith::IndexCastOp::create(b, loc, i64, position);
  mlir::Value block = arith::ShRUIOp::create(b, loc, at, number(2));
  mlir::Value low = arith::TruncIOp::create(b, loc, i32, block);
  mlir::Value high =
      arith::TruncIOp::create(b, loc, i32, arith::ShRUIOp::create(b, loc, block, number(32)));
  mlir::Value lane =
      arith::TruncIOp::create(b, loc, i32, arith::AndIOp::create(b, loc, at, number(3)));
  const auto words = e.rounds({low, high, e.word(0), e.word(0)}, seed);
  mlir::Value word = words[3];
  for (uint32_t i = 3; i-- > 0;)
    word = arith::SelectOp::create(b, loc, e.is(lane, i), words[i], word);
  word = arith::ShRUIOp::create(b, loc, word, e.word(8));
  // Of 24 bits, and so exact.
  mlir::Value whole = arith::SIToFPOp::create(b, loc, b.getF32Type(), word);
  mlir::Value scale = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0x1p-24f));
  return arith::MulFOp::create(b, loc, whole, scale);
}

} // namespace mmk
