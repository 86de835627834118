#include "cpu/generated.h"

#include "cpu/dialect.h"
#include "cpu/lower.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace mmk {

namespace {

class ElementGenerator {
public:
  ElementGenerator(OpBuilder &b, Location loc, const GeneratedInput &input)
      : b(b), loc(loc), input(input) {}

  Value element(Block &body, unsigned firstArgument) {
    if (isa<ir::PositionsOp>(input.op))
      return position32(0);
    if (isa<ir::RandomOp>(input.op))
      return cpu::RandomOp::create(b, loc, b.getF32Type(), input.scalar, rowMajor(),
                                   input.isContiguous);
    return window(body, firstArgument);
  }

private:
  Value number(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

  Value position32(unsigned dim) {
    if (input.sizes[dim] < 0)
      return arith::IndexCastOp::create(b, loc, b.getI32Type(), input.offsets[dim]);
    return cpu::PositionOp::create(b, loc, b.getI32Type(), input.sizes[dim], input.offsets[dim]);
  }

  Value position(unsigned dim) {
    if (input.sizes[dim] < 0)
      return input.offsets[dim];
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), position32(dim));
  }

  Value rowMajor() {
    Value at = position(0);
    for (unsigned dim = 1; dim < input.offsets.size(); ++dim)
      at = arith::AddIOp::create(
          b, loc, arith::MulIOp::create(b, loc, at, input.extents[dim]).getResult(), position(dim));
    return at;
  }

  /// By how much the index of the last dimension of a window's source grows from column to column,
  /// if it grows and all others stay.
  std::optional<int64_t> stepOfRun(AffineMap map, Block &body) {
    auto rows = dyn_cast<cpu::RowsOp>(body.getParentOp());
    const auto columns = static_cast<int64_t>(rows ? rows.getSizes().size() : 2) - 1;
    const auto at = llvm::find(input.sizes, columns);
    if (at == input.sizes.end() || map.getNumResults() == 0)
      return std::nullopt;
    const auto dim = static_cast<unsigned>(at - input.sizes.begin());
    for (AffineExpr expression : map.getResults().drop_back())
      if (expression.isFunctionOfDim(dim))
        return std::nullopt;
    AffineExpr last = map.getResults().back(),
               next = last.replace(b.getAffineDimExpr(dim), b.getAffineDimExpr(dim) + 1);
    auto step = dyn_cast<AffineConstantExpr>(
        simplifyAffineExpr(next - last, map.getNumDims(), map.getNumSymbols()));
    return step && step.getValue() > 0 ? std::optional(step.getValue()) : std::nullopt;
  }

  Value window(Block &body, unsigned firstArgument) {
    auto op = cast<ir::WindowOp>(input.op);
    Value source = body.getArgument(firstArgument + input.source);
    SmallVector<Value> positions, indices;
    for (unsigned dim = 0; dim < input.offsets.size(); ++dim)
      positions.push_back(position(dim));
    for (AffineExpr expression : op.getMap().getResults())
      indices.push_back(affine::expandAffineExpr(b, loc, expression, positions, input.symbols));
    if (const std::optional<int64_t> step = stepOfRun(op.getMap(), body))
      return run(source, indices, *step);
    return single(source, indices);
  }

  /// Below zero an index is very large.
  Value isInside(ArrayRef<Value> indices) {
    Value all;
    for (auto [index, extent] : llvm::zip(indices, input.extents)) {
      Value inside =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index, extent).getResult();
      all = all ? arith::AndIOp::create(b, loc, all, inside).getResult() : inside;
    }
    return all ? all : arith::ConstantIntOp::create(b, loc, 1, 1).getResult();
  }

  Value place(ArrayRef<Value> indices) {
    Value at = number(0);
    for (auto [i, index] : llvm::enumerate(indices)) {
      Value own = arith::MulIOp::create(b, loc, index, input.strides[i]);
      at = i ? arith::AddIOp::create(b, loc, at, own).getResult() : own;
    }
    return at;
  }

  Value run(Value source, ArrayRef<Value> indices, int64_t step) {
    Value here = isInside(indices.drop_back()), padding = input.scalar;
    if (!padding)
      padding = arith::ConstantOp::create(b, loc, b.getZeroAttr(source.getType()));
    return cpu::GatherRunOp::create(b, loc, source.getType(), source, place(indices), step,
                                    input.strides.back(), here, indices.back(),
                                    input.extents.back(), padding);
  }

  // Lanes after the last column are at positions that do not exist, and their indices may be
  // anywhere: they read some element of the source.
  Value single(Value source, SmallVector<Value> indices) {
    Value inside = isInside(indices), zero = number(0);
    for (auto [index, extent] : llvm::zip(indices, input.extents)) {
      Value last = arith::SubIOp::create(b, loc, extent, number(1));
      index = arith::MaxSIOp::create(b, loc, arith::MinSIOp::create(b, loc, index, last), zero);
    }
    Value element =
        cpu::GatherOp::create(b, loc, source.getType(), source, place(indices)).getResult();
    return input.scalar ? arith::SelectOp::create(b, loc, inside, element, input.scalar).getResult()
                        : element;
  }

  OpBuilder &b;
  Location loc;
  const GeneratedInput &input;
};

} // namespace

Value emitGenerated(OpBuilder &b, Location loc, const GeneratedInput &input, Block &body,
                    unsigned firstArgument) {
  return ElementGenerator(b, loc, input).element(body, firstArgument);
}

GeneratedInput CpuLowering::generatedInput(const GlobalView &view, ArrayRef<int64_t> along,
                                           Tensors &inputs) {
  GeneratedInput input;
  input.op = view.generated;
  input.sizes.assign(view.offsets.size(), -1);
  for (auto [size, dim] : llvm::enumerate(along))
    if (dim >= 0)
      input.sizes[dim] = static_cast<int64_t>(size);
  input.isContiguous = along.back() + 1 == static_cast<int64_t>(view.offsets.size());
  for (Value offset : view.offsets)
    input.offsets.push_back(offset ? offset : index(0));
  if (auto random = dyn_cast<ir::RandomOp>(view.generated)) {
    input.scalar = map.lookupOrDefault(random.getSeed());
    for (unsigned dim = 0; dim < view.offsets.size(); ++dim)
      input.extents.push_back(extentOf(random.getResult(), dim));
  }
  auto window = dyn_cast<ir::WindowOp>(view.generated);
  if (!window)
    return input;
  if (window.getPadding())
    input.scalar = map.lookupOrDefault(window.getPadding());
  for (Value symbol : window.getSymbols())
    input.symbols.push_back(map.lookup(symbol));
  const GlobalView source = viewOf(window.getSource());
  for (auto [i, dim] : llvm::enumerate(source.dims)) {
    input.extents.push_back(extentOf(window.getSource(), i));
    input.strides.push_back(cpu::StrideOp::create(b, loc, b.getIndexType(), source.memref, dim));
  }
  input.source = inputs.tensors.size();
  inputs.add(source, SmallVector<int64_t>(along.size(), -1), index(0));
  return input;
}

} // namespace mmk
