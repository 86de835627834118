#include "passes/rows/split.h"

#include "backend/backend.h"
#include "passes/dead_code.h"
#include "passes/dimensions.h"
#include "passes/passes.h"
#include "passes/rows/online.h"
#include "passes/rows/tile.h"
#include "passes/variant.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_SPLITROWS
#include "passes/Passes.h.inc"

Value RowSplitter::index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

SpaceLoops RowSplitter::kept() const {
  SpaceLoops dims;
  for (auto [dim, isReduced] : llvm::enumerate(space.isReduced))
    if (!isReduced)
      dims.push_back(dim);
  return dims;
}

bool RowSplitter::isKept(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == &rows.block())
    return llvm::none_of(rows.dimsOfInput(argument.getArgNumber()),
                         [&](int64_t dim) { return dim >= 0 && space.isReduced[dim]; });
  Operation *op = value.getDefiningOp();
  return !op || op->getBlock() != &rows.block() || isa<ir::RowReduceOp>(op) ||
         llvm::all_of(op->getOperands(), [&](Value operand) { return isKept(operand); });
}

std::optional<RowSplitter::Shift> RowSplitter::shiftOf(Value value) {
  Shift shift;
  for (auto op : rows.block().getOps<ir::RowReduceOp>()) {
    if (llvm::none_of(op->getResults(), [&](Value it) { return reads(value, it); }))
      continue;
    if (shift.maximum || op.getKind() != aicore::ReduceKind::max ||
        !op.getResult().getType().isF32())
      return std::nullopt;
    shift.maximum = op.getResult();
  }
  shift.value = mmk::shiftOf(value, shift.maximum, [&](Value it) { return isKept(it); });
  return shift.value ? std::optional(shift) : std::nullopt;
}

bool RowSplitter::waits(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == &rows.block() &&
         (isa<ir::RowReduceOp>(op) ||
          llvm::any_of(op->getOperands(), [&](Value operand) { return waits(operand); }));
}

bool RowSplitter::findShifts() {
  for (auto op : rows.block().getOps<ir::RowReduceOp>()) {
    if (!waits(op.getElement()))
      continue;
    const std::optional<Shift> shift = shiftOf(op.getElement());
    if (!shift || op.getKind() != aicore::ReduceKind::add || !op.getElement().getType().isF32())
      return false;
    shifts[op] = *shift;
  }
  return true;
}

LogicalResult RowSplitter::run() {
  if (!findShifts())
    return refuseOnline(kernel, group, space);
  emitParts(nullptr, {}, [&](ir::RowsOp whole, IRMapping &) {
    return SmallVector<Value>(tileOfRows(b, whole, offsets, sizes)->getResults());
  });
  const ValueRange results =
      combination({}, rows->getAttr("mmk.name"), [&](RowsBuilder &combined, IRMapping &map) {
        combineRows(combined, map);
        for (auto [number, element] : llvm::enumerate(rows.elements()))
          combined.give(map.lookupOrDefault(element), inCombination(rows.dimsOfResult(number)));
      });
  for (auto [result, value] : llvm::zip(group.getResults(), yielded()))
    result.replaceAllUsesWith(results[cast<OpResult>(value).getResultNumber()]);
  group.erase();
  return success();
}

//===--- parts --------------------------------------------------------------------------------===//

/// Of a part: a whole number of tiles, where tiles divide the dimension.
Value RowSplitter::lengthOf(int64_t dim, Value extent) {
  const TilePlane plane = planeOf(space);
  const bool isOfTiles = dim == (plane.reducesColumns ? plane.columns : plane.rows);
  const ElementwiseTile literal = backendOf(machine).literalElementwiseTile();
  const int64_t otherwise = plane.reducesColumns ? literal.columns : literal.rows;
  const int64_t unit =
      isOfTiles ? kernel.chosenNumber(("tile." + space.names[dim]).str(), otherwise) : 1;
  Value share = arith::CeilDivSIOp::create(b, loc, extent, index(parts[dim]));
  Value tiles = arith::CeilDivSIOp::create(b, loc, share, index(unit));
  return arith::MulIOp::create(b, loc, tiles, index(unit));
}

// A part behind the end of its row is empty.
void RowSplitter::placePart(Value part, ArrayRef<Value> extents) {
  offsets.assign(extents.size(), b.getIndexAttr(0));
  sizes.assign(extents.begin(), extents.end());
  int64_t left = count;
  for (size_t dim = extents.size(); dim-- > 0;) {
    if (parts[dim] == 1)
      continue;
    left /= parts[dim];
    Value which = part;
    if (left > 1) {
      which = arith::RemSIOp::create(b, loc, part, index(parts[dim]));
      part = arith::DivSIOp::create(b, loc, part, index(parts[dim]));
    }
    Value length = lengthOf(dim, extents[dim]);
    Value first = arith::MinSIOp::create(
        b, loc, arith::MulIOp::create(b, loc, which, length).getResult(), extents[dim]);
    Value rest = arith::SubIOp::create(b, loc, extents[dim], first);
    offsets[dim] = first;
    sizes[dim] = arith::MinSIOp::create(b, loc, rest, length).getResult();
  }
}

SmallVector<OpFoldResult> RowSplitter::extentsOf(Value tensor) {
  SmallVector<OpFoldResult> extents;
  for (int64_t dim = 0; dim < cast<RankedTensorType>(tensor.getType()).getRank(); ++dim)
    extents.push_back(dimValue(b, loc, dimName(tensor, dim)));
  return extents;
}

void RowSplitter::cloneOperands(IRMapping &map) {
  map.map(group.getBody().front().getArgument(0), b.getBlock()->getArgument(0));
  for (Operation &op : group.getBody().front().without_terminator())
    if (!isa<ir::RowsOp, linalg::GenericOp, linalg::ContractOp>(op))
      b.clone(op, map);
}

// With 0 in place of a maximum of -inf, the sum of a part of -inf alone is 0, not NaN.
ir::RowsOp RowSplitter::createParts(const PartWeights *weights, IRMapping &map) {
  RowsBuilder own(rows, map);
  DenseMap<Value, Value> safe;
  DenseMap<Value, IRMapping> changed;
  const auto withSafe = [&](Value value, const Shift &shift) -> Value {
    Value largest = map.lookup(shift.maximum);
    if (isZeroOverNothing(shift.value, shift.maximum))
      return value;
    Value &ofPart = safe[shift.maximum];
    if (!ofPart) {
      OpBuilder behind(own.b);
      behind.setInsertionPointAfterValue(largest);
      ofPart = finite(behind, loc, largest);
    }
    MaximumChange change(own.b, largest);
    change.merges = false;
    return change.with(value, ofPart, changed[shift.maximum]);
  };
  for (auto op : rows.block().getOps<ir::RowReduceOp>()) {
    auto copy = map.lookup(op.getResult()).getDefiningOp<ir::RowReduceOp>();
    if (auto shift = shifts.find(op); shift != shifts.end()) {
      OpBuilder::InsertionGuard guard(own.b);
      own.b.setInsertionPoint(copy);
      copy.getElementMutable().assign(withSafe(copy.getElement(), shift->second));
    }
    for (Value result : copy->getResults())
      own.give(result, kept());
  }
  if (weights) {
    Value rest = map.lookup(weights->rest);
    own.give(weights->shift ? withSafe(rest, *weights->shift) : rest, weights->dims);
  }
  ir::RowsOp whole = own.create(b, loc);
  whole.setParts(parts);
  if (Attribute name = rows->getAttr("mmk.name"))
    whole->setAttr("mmk.name", name);
  return whole;
}

void RowSplitter::emitParts(const PartWeights *weights, Value product, EmitPart emit) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> types;
  const auto addType = [&](Type element, size_t rank) {
    types.push_back(
        RankedTensorType::get(SmallVector<int64_t>(rank + 1, ShapedType::kDynamic), element));
  };
  for (auto op : rows.block().getOps<ir::RowReduceOp>())
    for (Type type : op.getResultTypes())
      addType(type, kept().size());
  if (product)
    addType(getElementTypeOrSelf(product), cast<RankedTensorType>(product.getType()).getRank());
  ofParts = ir::FusionGroupOp::create(b, loc, types, group.getSpaceAttr(), group.getReducedAttr(),
                                      DenseI64ArrayAttr(), DenseI64ArrayAttr());
  b.createBlock(&ofParts.getBody(), {}, b.getIndexType(), loc);
  IRMapping map;
  cloneOperands(map);
  ir::RowsOp whole = createParts(weights, map);
  SmallVector<Value> extents, all;
  for (StringRef name : space.names)
    extents.push_back(dimValue(b, loc, name));
  SmallVector<SmallVector<OpFoldResult>> shapes;
  Value number = dimValue(b, loc, std::to_string(count));
  for (Type type : types) {
    SmallVector<OpFoldResult> &shape = shapes.emplace_back(1, number);
    if (product && shapes.size() == types.size())
      llvm::append_range(shape, extentsOf(product));
    else
      for (int64_t dim : kept())
        shape.push_back(extents[dim]);
    all.push_back(tensor::EmptyOp::create(b, loc, shape, getElementTypeOrSelf(type)));
  }
  auto loop = scf::ForallOp::create(b, loc, ArrayRef<OpFoldResult>{b.getIndexAttr(count)}, all,
                                    std::nullopt);
  b.setInsertionPointToStart(loop.getBody());
  placePart(loop.getInductionVar(0), extents);
  const SmallVector<Value> tiles = emit(whole, map);
  b.setInsertionPointToEnd(loop.getTerminator().getBody());
  for (auto [tile, into, shape] : llvm::zip(tiles, loop.getRegionIterArgs(), shapes)) {
    SmallVector<OpFoldResult> at(shape.size(), b.getIndexAttr(0)),
        strides(shape.size(), b.getIndexAttr(1)), extent(shape);
    at[0] = loop.getInductionVar(0);
    extent[0] = b.getIndexAttr(1);
    tensor::ParallelInsertSliceOp::create(b, loc, tile, into, at, extent, strides);
  }
  b.setInsertionPointAfter(loop);
  ir::YieldOp::create(b, loc, loop.getResults());
  b.eraseOp(whole);
  mergeSlices(b, ofParts);
}

//===--- combination --------------------------------------------------------------------------===//

SpaceLoops RowSplitter::inCombination(ArrayRef<int64_t> dims) const {
  SpaceLoops own;
  for (int64_t dim : dims)
    own.push_back(dim < 0 ? -1 : 1 + llvm::count(ArrayRef(space.isReduced).take_front(dim), false));
  return own;
}

ValueRange RowSplitter::combination(ArrayRef<StringRef> more, Attribute name, Combine combine) {
  SmallVector<std::string> names = {std::to_string(count)};
  for (int64_t dim : kept())
    names.push_back(space.names[dim].str());
  for (StringRef name : more)
    names.push_back(name.str());
  OpBuilder::InsertionGuard guard(b);
  Region body;
  Block *inside = b.createBlock(&body, {}, b.getIndexType(), loc);
  IRMapping map;
  cloneOperands(map);
  RowsBuilder combined(b.getContext());
  combine(combined, map);
  ir::RowsOp own = combined.create(b, loc);
  own.setCombines(true);
  if (name)
    own->setAttr("mmk.name", name);
  ir::YieldOp::create(b, loc, own->getResults());
  eraseDeadOperations(*inside);
  b.setInsertionPoint(group);
  auto all = ir::FusionGroupOp::create(
      b, loc, own->getResultTypes(),
      b.getStrArrayAttr(llvm::map_to_vector(names, [](auto &it) { return StringRef(it); })),
      b.getDenseI64ArrayAttr({0}), DenseI64ArrayAttr(), DenseI64ArrayAttr());
  all.getBody().takeBody(body);
  return all.getResults();
}

// What has other elements for each of the row is of no result, and so is not there in the end.
void RowSplitter::readInputs(RowsBuilder &combined, IRMapping &map) {
  for (auto [number, tensor] : llvm::enumerate(rows.getInputs()))
    map.map(rows.block().getArgument(number),
            combined.element(map.lookupOrDefault(tensor), inCombination(rows.dimsOfInput(number)),
                             loc));
}

void RowSplitter::combineRows(RowsBuilder &combined, IRMapping &map) {
  readInputs(combined, map);
  for (Operation &op : rows.block().without_terminator())
    if (auto reduction = dyn_cast<ir::RowReduceOp>(op))
      combine(combined, reduction, map);
    else
      combined.b.clone(op, map);
}

Value RowSplitter::ofPart(RowsBuilder &combined, Value result) {
  int64_t number = 0;
  for (auto op : rows.block().getOps<ir::RowReduceOp>()) {
    if (op == result.getDefiningOp())
      break;
    number += op->getNumResults();
  }
  SpaceLoops dims = {0};
  llvm::append_range(dims, inCombination(kept()));
  return combined.element(ofParts.getResult(number + cast<OpResult>(result).getResultNumber()),
                          dims, loc);
}

// The sums of the parts go from their own maximum to that of all. The ratio of a sum of nothing may
// be infinite.
Value RowSplitter::rescaled(RowsBuilder &combined, Value part, Value ofPart, Value ofAll,
                            Value shift) {
  OpBuilder &in = combined.b;
  const bool isSafe = isZeroOverNothing(shift, ofAll);
  MaximumChange change(in, ofAll);
  Value ratio = change.quotient(loc, shift, isSafe ? ofPart : finite(in, loc, ofPart),
                                isSafe ? ofAll : finite(in, loc, ofAll)),
        scaled = arith::MulFOp::create(in, loc, part, ratio),
        none = arith::ConstantOp::create(in, loc, in.getF32FloatAttr(0)),
        isEmpty = arith::CmpFOp::create(in, loc, arith::CmpFPredicate::OEQ, part, none);
  return arith::SelectOp::create(in, loc, isEmpty, none, scaled);
}

/// The position of the best element, of the first of the parts that have it.
Value RowSplitter::findPosition(RowsBuilder &combined, Value at, Value which) {
  OpBuilder &in = combined.b;
  Value positions = ir::PositionsOp::create(
      b, loc, RankedTensorType::get({ShapedType::kDynamic}, b.getI32Type()), std::to_string(count));
  const auto real = [&](Value value) {
    return arith::SIToFPOp::create(in, loc, in.getF32Type(), value).getResult();
  };
  Value part = combined.element(positions, {0}, loc),
        isFirst =
            arith::CmpFOp::create(in, loc, arith::CmpFPredicate::OEQ, real(part), real(which));
  const IntegerAttr none = in.getI32IntegerAttr(0);
  Value own = arith::SelectOp::create(in, loc, isFirst, at,
                                      arith::ConstantOp::create(in, loc, none).getResult());
  return combined.reduce(aicore::ReduceKind::add, own, none, loc).getResult();
}

void RowSplitter::combine(RowsBuilder &combined, ir::RowReduceOp op, IRMapping &map) {
  Value part = ofPart(combined, op.getResult());
  const auto shift = shifts.find(op);
  if (shift == shifts.end()) {
    ir::RowReduceOp own = combined.reduce(op.getKind(), part, op.getIdentity(), op.getLoc());
    map.map(op.getResult(), own.getResult());
    if (op.getPosition())
      map.map(op.getPosition(),
              findPosition(combined, ofPart(combined, op.getPosition()), own.getPosition()));
    return;
  }
  Value largest = shift->second.maximum, ofAll = map.lookup(largest),
        taken = map.lookup(shift->second.value),
        summand = rescaled(combined, part, ofPart(combined, largest), ofAll, taken),
        total = combined.reduce(op.getKind(), summand, op.getIdentity(), op.getLoc()).getResult(),
        ratio = MaximumChange(combined.b, ofAll).lastRatio(loc, taken);
  map.map(op.getResult(), arith::MulFOp::create(combined.b, loc, total, ratio).getResult());
}

namespace {

struct SplitRowsPass : impl::SplitRowsBase<SplitRowsPass> {
  void runOnOperation() override {
    for (ir::KernelOp kernel : getOperation().getOps<ir::KernelOp>())
      for (auto group : llvm::make_early_inc_range(kernel.getBody().getOps<ir::FusionGroupOp>()))
        if (ir::RowsOp rows = rowsOf(group); rows && !rows.hasScan())
          if (failed(split(kernel, group)))
            return signalPassFailure();
  }

  LogicalResult split(ir::KernelOp kernel, ir::FusionGroupOp group) {
    if (!group.getBody().getOps<linalg::ContractOp>().empty())
      return splitChain(kernel, group);
    const SmallVector<int64_t> parts = partsOf(kernel, RowSpace(group));
    if (parts.empty())
      return success();
    aicore::MachineAttr machine = expectMachine(getOperation());
    return machine ? RowSplitter(kernel, group, machine, parts).run() : failure();
  }
};

} // namespace
} // namespace mmk
