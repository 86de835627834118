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

  /// Whether the next column is at the next index of the last dimension of a window's source, and
  /// at the same one of all others.
  bool isRun(AffineMap map, Block &body) {
    auto rows = dyn_cast<cpu::RowsOp>(body.getParentOp());
    const auto columns = static_cast<int64_t>(rows ? rows.getSizes().size() : 2) - 1;
    const auto at = llvm::find(input.sizes, columns);
    if (at == input.sizes.end() || map.getNumResults() == 0)
      return false;
    const auto dim = static_cast<unsigned>(at - input.sizes.begin());
    for (AffineExpr expression : map.getResults().drop_back())
      if (expression.isFunctionOfDim(dim))
        return false;
    AffineExpr last = map.getResults().back(),
               next = last.replace(b.getAffineDimExpr(dim), b.getAffineDimExpr(dim) + 1);
    return simplifyAffineExpr(next - last, map.getNumDims(), map.getNumSymbols()) ==
           b.getAffineConstantExpr(1);
  }

  // Lanes after the last column are at positions that do not exist, and their indices may be
  // anywhere: they read some element of the source, or none.
  Value window(Block &body, unsigned firstArgument) {
    auto op = cast<ir::WindowOp>(input.op);
    Value source = body.getArgument(firstArgument + input.source);
    SmallVector<Value> positions;
    for (unsigned dim = 0; dim < input.offsets.size(); ++dim)
      positions.push_back(position(dim));
    const bool readsRuns = isRun(op.getMap(), body);
    Value at, isInside, zero = number(0);
    for (auto [i, expression] : llvm::enumerate(op.getMap().getResults())) {
      const bool isOfRun = readsRuns && i + 1 == op.getMap().getNumResults();
      Value index = affine::expandAffineExpr(b, loc, expression, positions, input.symbols);
      if (input.scalar || isOfRun) {
        // Below zero it is very large.
        Value inside =
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index, input.extents[i]);
        isInside = isInside ? arith::AndIOp::create(b, loc, isInside, inside).getResult() : inside;
        if (!isOfRun)
          index = arith::SelectOp::create(b, loc, inside, index, zero);
      } else {
        Value last = arith::SubIOp::create(b, loc, input.extents[i], number(1));
        index = arith::MaxSIOp::create(b, loc, arith::MinSIOp::create(b, loc, index, last), zero);
      }
      Value own = arith::MulIOp::create(b, loc, index, input.strides[i]);
      at = at ? arith::AddIOp::create(b, loc, at, own).getResult() : own;
    }
    Value element =
        readsRuns
            ? cpu::GatherRunOp::create(b, loc, source.getType(), source, at, input.strides.back(),
                                       isInside)
                  .getResult()
            : cpu::GatherOp::create(b, loc, source.getType(), source, at ? at : zero).getResult();
    return input.scalar
               ? arith::SelectOp::create(b, loc, isInside, element, input.scalar).getResult()
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
