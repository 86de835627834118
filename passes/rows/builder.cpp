#include "passes/rows/builder.h"

#include "passes/dead_code.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <optional>

using namespace mlir;

namespace mmk {

using aicore::ReduceKind;

/// The last operations of a reduction's region, which combine an element with what precedes it.
struct RowsBuilder::Combination {
  ReduceKind kind;
  Value element;
};

namespace {

std::optional<ReduceKind> kindOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<ReduceKind>>(op)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return ReduceKind::add; })
      .Case<arith::MulFOp, arith::MulIOp>([](auto) { return ReduceKind::mul; })
      // Of conditions, true is the larger.
      .Case<arith::MaximumFOp, arith::MaxSIOp, arith::OrIOp>([](auto) { return ReduceKind::max; })
      .Case<arith::MinimumFOp, arith::MinSIOp, arith::AndIOp>([](auto) { return ReduceKind::min; })
      .Default([](Operation *) { return std::nullopt; });
}

/// The comparison of an element that may take the place of the best: alone, or with whether the
/// best is a number.
std::optional<ReduceKind> kindOfComparison(Value takes) {
  if (auto both = takes.getDefiningOp<arith::AndIOp>())
    takes = both.getLhs();
  if (auto compare = takes.getDefiningOp<arith::CmpFOp>())
    return compare.getPredicate() == arith::CmpFPredicate::UGT ? ReduceKind::argmax
                                                               : ReduceKind::argmin;
  if (auto compare = takes.getDefiningOp<arith::CmpIOp>())
    return compare.getPredicate() == arith::CmpIPredicate::sgt ? ReduceKind::argmax
                                                               : ReduceKind::argmin;
  return std::nullopt;
}

/// The kind, and the element that is combined.
std::optional<std::pair<ReduceKind, Value>> combinationOf(linalg::GenericOp op) {
  ValueRange before = op.getRegionOutputArgs();
  Operation *combine = op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  if (!combine)
    return std::nullopt;
  if (before.size() == 2) {
    auto select = dyn_cast<arith::SelectOp>(combine);
    const std::optional<ReduceKind> kind =
        select ? kindOfComparison(select.getCondition()) : std::nullopt;
    if (!kind || select.getFalseValue() != before[0])
      return std::nullopt;
    return std::pair(*kind, select.getTrueValue());
  }
  const std::optional<ReduceKind> kind = kindOf(combine);
  if (!kind || before.size() != 1)
    return std::nullopt;
  for (unsigned i : {0, 1})
    if (combine->getOperand(i) == before[0])
      return std::pair(*kind, combine->getOperand(1 - i));
  return std::nullopt;
}

SpaceLoops dimsOf(AffineMap map, ArrayRef<int64_t> loops) {
  SpaceLoops dims;
  for (AffineExpr expression : map.getResults())
    dims.push_back(loops[cast<AffineDimExpr>(expression).getPosition()]);
  return dims;
}

} // namespace

RowsBuilder::RowsBuilder(MLIRContext *context) : b(context), region(std::make_unique<Region>()) {
  b.createBlock(region.get());
}

RowsBuilder::RowsBuilder(ir::RowsOp rows, IRMapping &map)
    : b(rows.getContext()), region(std::make_unique<Region>()) {
  rows.getBody().cloneInto(region.get(), map);
  block().getTerminator()->erase();
  b.setInsertionPointToEnd(&block());
  for (auto [number, tensor] : llvm::enumerate(rows.getInputs()))
    inputs.push_back({map.lookupOrDefault(tensor), SpaceLoops(rows.dimsOfInput(number))});
}

Value RowsBuilder::element(Value tensor, ArrayRef<int64_t> dims, Location where) {
  for (auto [number, input] : llvm::enumerate(inputs))
    if (input.tensor == tensor && ArrayRef<int64_t>(input.dims) == dims)
      return block().getArgument(number);
  inputs.push_back({tensor, SpaceLoops(dims)});
  return block().addArgument(cast<RankedTensorType>(tensor.getType()).getElementType(), where);
}

LogicalResult RowsBuilder::add(linalg::GenericOp op, ArrayRef<int64_t> loops) {
  IRMapping map;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    Value value = known.lookup(operand->get());
    map.map(op.getMatchingBlockArgument(operand),
            value ? value
                  : element(operand->get(), dimsOf(op.getMatchingIndexingMap(operand), loops),
                            op.getLoc()));
  }
  if (isRowReduction(op))
    return addReduction(op, map);
  for (Operation &inner : op.getBody()->without_terminator())
    compute(inner, map);
  for (auto [value, result] :
       llvm::zip(op.getBody()->getTerminator()->getOperands(), op->getResults()))
    know(result, map.lookupOrDefault(value));
  return success();
}

void RowsBuilder::add(ir::CumulateOp op) {
  const auto loops = llvm::to_vector(llvm::seq<int64_t>(op.getType().getRank()));
  Value operand = element(op.getOperand(), loops, op.getLoc());
  ir::RowReduceOp scan = reduce(ReduceKind::add, operand,
                                cast<TypedAttr>(b.getZeroAttr(operand.getType())), op.getLoc());
  scan.setScan(true);
  know(op.getResult(), scan.getResult());
}

ir::RowReduceOp RowsBuilder::reduce(ReduceKind kind, Value element, TypedAttr identity,
                                    Location where) {
  const bool isSearch = kind == ReduceKind::argmax || kind == ReduceKind::argmin;
  return ir::RowReduceOp::create(b, where, element.getType(),
                                 isSearch ? Type(b.getI32Type()) : Type(), kind, element, identity,
                                 /*scan=*/false);
}

/// One operation on elements, unless the block has the same one.
void RowsBuilder::compute(Operation &inner, IRMapping &map) {
  Operation *clone = inner.clone(map);
  for (Operation &other : block())
    if (OperationEquivalence::isEquivalentTo(&other, clone,
                                             OperationEquivalence::IgnoreLocations)) {
      map.map(inner.getResults(), other.getResults());
      clone->destroy();
      return;
    }
  b.insert(clone);
  map.map(inner.getResults(), clone->getResults());
}

/// Of a reduction over no elements, which is known when its condition is false at any place: the
/// extreme of as many identities.
std::optional<RowsBuilder::Combination> RowsBuilder::combinationOfNone(linalg::GenericOp op,
                                                                       TypedAttr identity) {
  if (op.getBody()->getTerminator()->getOperands() != op.getRegionOutputArgs())
    return std::nullopt;
  Value element = arith::ConstantOp::create(b, op.getLoc(), identity);
  return Combination{op.getNumResults() > 1 ? ReduceKind::argmax : ReduceKind::max, element};
}

/// Of integers, where folding has left a constant: each element absorbs the result so far, as 0
/// does in a product. That is the maximum or the minimum, whichever takes it over the identity.
std::optional<RowsBuilder::Combination> RowsBuilder::combinationOfAbsorbing(linalg::GenericOp op,
                                                                            TypedAttr identity) {
  auto start = dyn_cast<IntegerAttr>(identity);
  IntegerAttr all;
  if (op.getNumResults() > 1 || !start ||
      !matchPattern(op.getBody()->getTerminator()->getOperand(0), m_Constant(&all)))
    return std::nullopt;
  Value element = arith::ConstantOp::create(b, op.getLoc(), all);
  return Combination{all.getValue().sgt(start.getValue()) ? ReduceKind::max : ReduceKind::min,
                     element};
}

LogicalResult RowsBuilder::addReduction(linalg::GenericOp op, IRMapping &map) {
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  TypedAttr identity;
  if (!fill || !matchPattern(fill.getInputs()[0], m_Constant(&identity)))
    return op.emitOpError("expected to start from a constant");
  std::optional<Combination> combination;
  if (const auto found = combinationOf(op))
    combination = Combination{found->first, found->second};
  if (!combination)
    combination = combinationOfNone(op, identity);
  if (!combination)
    combination = combinationOfAbsorbing(op, identity);
  if (!combination)
    return op.emitOpError("combines its elements in a way that no machine has");
  DenseSet<Value> combined(op.getRegionOutputArgs().begin(), op.getRegionOutputArgs().end());
  for (Operation &inner : op.getBody()->without_terminator()) {
    const bool isOfCombination =
        isa<linalg::IndexOp>(inner) || llvm::any_of(inner.getOperands(), [&](Value operand) {
          return combined.contains(operand);
        });
    if (isOfCombination)
      combined.insert_range(inner.getResults());
    else
      compute(inner, map);
  }
  ir::RowReduceOp reduction =
      reduce(combination->kind, map.lookupOrDefault(combination->element), identity, op.getLoc());
  for (auto [result, element] : llvm::zip(op->getResults(), reduction->getResults()))
    know(result, element);
  return success();
}

Value RowsBuilder::copy(Value value, IRMapping &map) {
  if (Value known = map.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!op || !isa<ir::RowsOp>(op->getParentOp()))
    return value;
  for (Value operand : op->getOperands())
    map.map(operand, copy(operand, map));
  b.clone(*op, map);
  return map.lookup(value);
}

void RowsBuilder::give(Value element, ArrayRef<int64_t> ofResult) {
  elements.push_back(element);
  dims.emplace_back(ofResult);
}

void RowsBuilder::removeUnneeded() {
  eraseDeadOperations(block());
  for (unsigned number = inputs.size(); number-- > 0;)
    if (block().getArgument(number).use_empty()) {
      block().eraseArgument(number);
      inputs.erase(inputs.begin() + number);
    }
}

ir::RowsOp RowsBuilder::create(OpBuilder &at, Location where) {
  ir::RowElementsOp::create(b, where, elements);
  removeUnneeded();
  SmallVector<Type> types;
  SmallVector<Attribute> along, to;
  SmallVector<Value> tensors;
  for (auto [element, ofResult] : llvm::zip(elements, dims)) {
    const SmallVector<int64_t> shape(ofResult.size(), ShapedType::kDynamic);
    types.push_back(RankedTensorType::get(shape, element.getType()));
    to.push_back(b.getDenseI64ArrayAttr(ofResult));
  }
  for (const Input &input : inputs) {
    tensors.push_back(input.tensor);
    along.push_back(b.getDenseI64ArrayAttr(input.dims));
  }
  auto rows = ir::RowsOp::create(at, where, types, tensors, b.getArrayAttr(along),
                                 b.getArrayAttr(to), DenseI64ArrayAttr(), /*combines=*/false);
  rows.getBody().takeBody(*region);
  return rows;
}

LogicalResult buildRows(ir::FusionGroupOp group,
                        const llvm::DenseMap<Operation *, SpaceLoops> &loops) {
  IRRewriter at(group.getContext());
  DominanceInfo dominance;
  eliminateCommonSubExpressions(at, dominance, group);
  RowsBuilder builder(group.getContext());
  SmallVector<Operation *> ops;
  for (Operation &op : group.getBody().front())
    if (loops.contains(&op))
      ops.push_back(&op);
  const auto isOutside = [&](Operation *user) { return !llvm::is_contained(ops, user); };
  SmallVector<Value> results;
  Attribute name;
  for (Operation *op : ops) {
    const SpaceLoops own = loops.lookup(op);
    if (auto cumulation = dyn_cast<ir::CumulateOp>(op))
      builder.add(cumulation);
    else if (failed(builder.add(cast<linalg::GenericOp>(op), own)))
      return failure();
    if (Attribute given = op->getAttr("mmk.name"))
      name = given;
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), isOutside)) {
        builder.giveKnown(result, dimsOfResult(op, own));
        results.push_back(result);
      }
  }
  at.setInsertionPointAfter(ops.back());
  ir::RowsOp rows = builder.create(at, group.getLoc());
  if (name)
    rows->setAttr("mmk.name", name);
  for (auto [result, own] : llvm::zip(results, rows.getResults()))
    result.replaceAllUsesWith(own);
  for (Operation *op : llvm::reverse(ops))
    op->erase();
  eraseDeadOperations(group.getBody().front());
  return success();
}

} // namespace mmk
