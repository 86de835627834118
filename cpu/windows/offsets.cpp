#include "cpu/windows/offsets.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <algorithm>

using namespace llvm;

namespace mmk {

namespace arith = mlir::arith;

class RunOffsets::Reader {
public:
  Reader(mlir::Block &region, size_t dims) : region(region), dims(dims) {}

  /// Adds `scale` times the value, in units of `stride`; false where it is no sum of positions.
  bool add(mlir::Value value, int64_t scale = 1, mlir::Value stride = {}) {
    if (isScalar(value))
      return true; // the same everywhere
    mlir::Operation *op = value.getDefiningOp();
    if (!op)
      return false; // an element of a tensor
    if (auto position = dyn_cast<cpu::PositionOp>(op)) {
      formOf(stride)[position.getSizeAttr().getInt()] += scale;
      return true;
    }
    if (isa<arith::IndexCastOp>(op))
      return add(op->getOperand(0), scale, stride);
    if (isa<arith::AddIOp, arith::SubIOp>(op))
      return add(op->getOperand(0), scale, stride) &&
             add(op->getOperand(1), isa<arith::AddIOp>(op) ? scale : -scale, stride);
    return isa<arith::MulIOp>(op) && addProduct(op, scale, stride);
  }

  /// Adds the bounds of a condition; false where it has others.
  bool addBounds(mlir::Value condition, RunOffsets &offsets) {
    if (isScalar(condition))
      return matchPattern(condition, mlir::m_One());
    mlir::Operation *op = condition.getDefiningOp();
    if (isa_and_nonnull<arith::AndIOp>(op))
      return addBounds(op->getOperand(0), offsets) && addBounds(op->getOperand(1), offsets);
    auto compared = dyn_cast_or_null<arith::CmpIOp>(op);
    Reader reader(region, dims);
    if (!compared || compared.getPredicate() != arith::CmpIPredicate::ult ||
        !isScalar(compared.getRhs()) || !reader.add(compared.getLhs()) ||
        any_of(reader.strides, [](mlir::Value stride) { return stride; }))
      return false;
    offsets.bounds_.push_back({compared.getLhs(), compared.getRhs()});
    offsets.ofBounds.push_back(reader.forms.empty() ? Form(dims, 0) : reader.forms.front());
    return true;
  }

  SmallVector<mlir::Value> strides;
  SmallVector<Form> forms;

private:
  bool addProduct(mlir::Operation *op, int64_t scale, mlir::Value stride) {
    for (unsigned i : {0u, 1u}) {
      mlir::Value factor = op->getOperand(i), other = op->getOperand(1 - i);
      APInt constant;
      if (mlir::matchPattern(factor, mlir::m_ConstantInt(&constant)))
        return add(other, scale * constant.getSExtValue(), stride);
      if (!stride && isScalar(factor))
        return add(other, scale, factor);
    }
    return false;
  }

  bool isScalar(mlir::Value value) const {
    return value.getParentBlock() != &region || value.getDefiningOp<arith::ConstantOp>();
  }

  Form &formOf(mlir::Value stride) {
    const auto found = std::ranges::find(strides, stride);
    if (found != strides.end())
      return forms[found - strides.begin()];
    strides.push_back(stride);
    return forms.emplace_back(dims, 0);
  }

  mlir::Block &region;
  const size_t dims;
};

std::optional<RunOffsets> RunOffsets::of(cpu::GatherRunOp run, size_t dims) {
  Reader reader(*run->getBlock(), dims);
  RunOffsets offsets;
  if (!reader.add(run.getAt()) || !reader.addBounds(run.getHere(), offsets))
    return std::nullopt;
  offsets.strides_ = std::move(reader.strides);
  offsets.ofStrides = std::move(reader.forms);
  return offsets;
}

RunOffsets::Distance RunOffsets::distance(ArrayRef<int64_t> moves) const {
  auto of = [&](ArrayRef<Form> forms) {
    std::vector<int64_t> distances;
    for (const Form &form : forms) {
      int64_t indices = 0;
      for (auto [factor, move] : zip(form, moves))
        indices += factor * move;
      distances.push_back(indices);
    }
    return distances;
  };
  return {of(ofStrides), of(ofBounds)};
}

} // namespace mmk
