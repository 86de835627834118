// Two products with rows between, when the columns of the first are divided: each part of them has
// reductions and a result of its own, as in decoding, where one query reads many keys. The weights
// of a part lack the factors that are the same for a row, and have the maximum of the part. The
// reductions are combined first, and with them the factors; then the results.
#include "passes/chains/chain.h"
#include "passes/chains/known_constants.h"
#include "passes/row_members.h"
#include "passes/row_splitter.h"
#include "passes/variant.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace mmk {
namespace {

/// An element of the weights: a factor of the row times what the parts compute, which may be the
/// exponential of a difference with a function of the maximum.
class WeightsOfParts {
public:
  explicit WeightsOfParts(linalg::GenericOp op) : op(op) { exponential.op = op; }

  /// False where they wait for a reduction in another way.
  bool find() {
    Value element = op.getBody()->getTerminator()->getOperand(0);
    return rest(element, nullptr) != nullptr;
  }
  /// In place of the element, in the body of the operation or of a copy of it.
  Value rest(Value value, OpBuilder *b);

  linalg::GenericOp op;
  SmallVector<std::pair<Value, bool>> factors;    ///< whether the row is divided by it
  SmallVector<std::pair<Value, bool>> conditions; ///< that elements need, and whether to be true
  OnlineSum exponential;                          ///< without a maximum where there is none

  /// Whether a condition makes elements 0 that no reduction of the row leaves out. Where it does so
  /// for a whole row, the factor is not known from the reductions.
  bool hasOwnCondition();

  /// What the factors and the exponential are computed from.
  llvm::SmallSetVector<unsigned, 4> inputsOfFactor();

private:
  void collectInputs(Value value, llvm::SmallSetVector<unsigned, 4> &read);
  Value with(Operation *from, unsigned number, OpBuilder *b);
  bool waits(Value value);
  bool isOfRow(Value value);
  bool findShift(Value shift);
};

bool WeightsOfParts::waits(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    linalg::GenericOp own = cast<linalg::GenericOp>(argument.getOwner()->getParentOp());
    return argument.getOwner() == own.getBody() &&
           argument.getArgNumber() < own.getNumDpsInputs() &&
           isa_and_nonnull<linalg::GenericOp>(
               own.getInputs()[argument.getArgNumber()].getDefiningOp());
  }
  Operation *from = value.getDefiningOp();
  return isa<linalg::GenericOp>(from->getParentOp()) &&
         llvm::any_of(from->getOperands(), [&](Value it) { return waits(it); });
}

bool WeightsOfParts::isOfRow(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto own = dyn_cast<linalg::GenericOp>(argument.getOwner()->getParentOp());
    return !own || !own.getMatchingIndexingMap(own.getMatchingOpOperand(argument))
                        .isFunctionOfDim(own.getNumLoops() - 1);
  }
  Operation *from = value.getDefiningOp();
  return !isa<linalg::GenericOp>(from->getParentOp()) ||
         (!isa<linalg::IndexOp>(from) &&
          llvm::all_of(from->getOperands(), [&](Value it) { return isOfRow(it); }));
}

/// The operation with what is left of one of its operands.
Value WeightsOfParts::with(Operation *from, unsigned number, OpBuilder *b) {
  Value inner = rest(from->getOperand(number), b);
  if (!inner || !b || inner == from->getOperand(number))
    return inner ? from->getResult(0) : Value();
  IRMapping map;
  map.map(from->getOperand(number), inner);
  return b->clone(*from, map)->getResult(0);
}

Value WeightsOfParts::rest(Value value, OpBuilder *b) {
  if (!waits(value))
    return value;
  Operation *from = value.getDefiningOp();
  if (!from)
    return {};
  if (isa<arith::TruncFOp, arith::ExtFOp>(from))
    return with(from, 0, b);
  if (auto quotient = dyn_cast<arith::DivFOp>(from)) {
    if (!waits(quotient.getRhs()))
      return with(from, 0, b);
    if (!isOfRow(quotient.getRhs()))
      return {};
    if (!b)
      factors.push_back({quotient.getRhs(), true});
    return rest(quotient.getLhs(), b);
  }
  if (isa<arith::MulFOp>(from)) {
    for (unsigned i : {0, 1})
      if (waits(from->getOperand(i)) && isOfRow(from->getOperand(i))) {
        if (!b)
          factors.push_back({from->getOperand(i), false});
        return rest(from->getOperand(1 - i), b);
      }
    const bool left = waits(from->getOperand(0)), right = waits(from->getOperand(1));
    return left && right ? Value() : with(from, left ? 0 : 1, b);
  }
  if (auto select = dyn_cast<arith::SelectOp>(from)) {
    for (unsigned i : {1, 2})
      if (matchPattern(from->getOperand(i), m_AnyZeroFloat()) && !waits(select.getCondition())) {
        if (!b)
          conditions.push_back({select.getCondition(), i == 2});
        return with(from, 3 - i, b);
      }
    return {};
  }
  auto exponent = dyn_cast<math::ExpOp>(from);
  auto difference = exponent ? exponent.getOperand().getDefiningOp<arith::SubFOp>() : nullptr;
  if (!difference || waits(difference.getLhs()) || (!b && !findShift(difference.getRhs())))
    return {};
  return value;
}

/// Adds the inputs that a value of the body is computed from.
void WeightsOfParts::collectInputs(Value value, llvm::SmallSetVector<unsigned, 4> &read) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getOwner() == op.getBody())
    read.insert(argument.getArgNumber());
  else if (Operation *from = value.getDefiningOp(); from && from->getBlock() == op.getBody())
    for (Value operand : from->getOperands())
      collectInputs(operand, read);
}

llvm::SmallSetVector<unsigned, 4> WeightsOfParts::inputsOfFactor() {
  llvm::SmallSetVector<unsigned, 4> read;
  for (auto [value, divides] : factors)
    collectInputs(value, read);
  if (exponential.maximum)
    collectInputs(exponential.shift, read);
  return read;
}

/// g of exp(u - g), which depends on one maximum.
bool WeightsOfParts::findShift(Value shift) {
  llvm::SmallSetVector<unsigned, 4> read;
  collectInputs(shift, read);
  if (exponential.maximum || !isOfRow(shift))
    return false;
  for (unsigned input : read) {
    auto reduction = op.getInputs()[input].getDefiningOp<linalg::GenericOp>();
    if (!reduction) {
      exponential.kept.push_back(input);
      continue;
    }
    if (exponential.maximum || !isRowMaximum(reduction))
      return false;
    exponential.maximum = op.getInputs()[input];
    exponential.argument = op.getBody()->getArgument(input);
  }
  exponential.shift = shift;
  return exponential.maximum != nullptr;
}

/// Whether the bodies of two operations compute the same value of the same tensors.
static bool isSame(Value left, Value right) {
  auto ofLeft = dyn_cast<BlockArgument>(left), ofRight = dyn_cast<BlockArgument>(right);
  if (ofLeft && ofRight) {
    const auto read = [](BlockArgument argument) {
      auto op = cast<linalg::GenericOp>(argument.getOwner()->getParentOp());
      return op->getOperand(argument.getArgNumber());
    };
    return read(ofLeft) == read(ofRight);
  }
  Operation *fromLeft = left.getDefiningOp(), *fromRight = right.getDefiningOp();
  return left == right || (fromLeft && fromRight && fromLeft->getName() == fromRight->getName() &&
                           fromLeft->getAttrDictionary() == fromRight->getAttrDictionary() &&
                           llvm::equal(fromLeft->getOperands(), fromRight->getOperands(), isSame));
}

/// Whether a reduction leaves out the elements for which the condition does not hold: it selects
/// others by it.
static bool leavesOut(linalg::GenericOp reduction, Value condition) {
  return llvm::any_of(reduction.getBody()->getOps<arith::SelectOp>(),
                      [&](arith::SelectOp it) { return isSame(it.getCondition(), condition); });
}

bool WeightsOfParts::hasOwnCondition() {
  if (conditions.empty() || (!exponential.maximum && factors.empty()))
    return false;
  return llvm::none_of(conditions, [&](std::pair<Value, bool> condition) {
    return condition.second &&
           llvm::any_of(op->getBlock()->getOps<linalg::GenericOp>(), [&](linalg::GenericOp it) {
             return isRowReduction(it) && leavesOut(it, condition.first);
           });
  });
}

class ChainSplitter : public RowSplitter {
public:
  ChainSplitter(ir::KernelOp kernel, ir::FusionGroupOp group, aicore::MachineAttr machine,
                ArrayRef<int64_t> parts, Chain chain)
      : RowSplitter(kernel, group, machine, parts), chain(chain), first(chain.firsts.front()),
        second(chain.seconds.front()),
        weights(second.weights().getDefiningOp<linalg::GenericOp>()) {}

  LogicalResult run();

private:
  ValueRange yielded() { return group.getBody().front().getTerminator()->getOperands(); }
  bool isOfRows(Value value) { return value.getDefiningOp()->hasAttr(loopsAttr); }
  LogicalResult refuse();
  LogicalResult refuseSeveral();
  bool isFactorFiniteOverNothing();
  void addAny();
  SmallVector<Value> cloneIntoParts(Chain &cloned);
  LogicalResult emitParts();
  Value sliced(linalg::ContractOp product, unsigned dim, ArrayRef<Value> operands);
  SmallVector<Value> combineReductions();
  Value emitFactor();
  void combineResults(Value factor, Value maximum);
  Value emitTotal(Value maximum);
  Value emitScaled(Value total, Value factor);
  SmallVector<OpFoldResult> extentsOf(Value tensor);

  Chain chain;
  linalg::ContractOp first;
  Chain::Second second;
  WeightsOfParts weights;
  Value any; ///< whether the weights of a row have elements; null: a reduction has their condition
  SmallVector<Value> replaced; ///< for each result of the group
};

LogicalResult ChainSplitter::refuse() {
  const std::string key = ("grid." + space.names.back()).str();
  return kernel.choice(key).emitError()
         << key << " = " << count
         << " divides the rows between two products into parts with reductions of their own, but "
            "here a value waits for a reduction in another way than an exponential for its "
            "maximum; nearest legal: "
         << key << " = 1";
}

LogicalResult ChainSplitter::refuseSeveral() {
  const std::string key = ("grid." + space.names.back()).str();
  return kernel.choice(key).emitError()
         << key << " = " << count
         << " divides the rows between one product and another, but this loop computes "
         << chain.firsts.size() + chain.seconds.size() << " products; nearest legal: " << key
         << " = 1";
}

/// A reduction of each row: 1 where the conditions of the weights hold for an element, else 0.
/// Whether the factor of a row is a finite number where its reductions go over nothing.
bool ChainSplitter::isFactorFiniteOverNothing() {
  linalg::GenericOp op = weights.op;
  KnownConstants known;
  const auto isFiniteShift = [&](const OnlineSum &sum) {
    known.set(sum.argument, b.getF32FloatAttr(-std::numeric_limits<float>::infinity()));
    return known.isFinite(sum.shift);
  };
  for (unsigned input : weights.inputsOfFactor()) {
    auto reduction = op.getInputs()[input].getDefiningOp<linalg::GenericOp>();
    if (!reduction || reduction.getNumResults() != 1)
      return false;
    // A sum is rescaled, which makes NaN of it where the ratio is infinite.
    const auto sum = online.find(reduction);
    if (sum != online.end() && !isFiniteShift(sum->second))
      return false;
    Attribute identity;
    auto fill = reduction.getOutputs()[0].getDefiningOp<linalg::FillOp>();
    if (fill && matchPattern(fill.getInputs()[0], m_Constant(&identity)))
      known.set(op.getBody()->getArgument(input), identity);
  }
  return (!weights.exponential.maximum || isFiniteShift(weights.exponential)) &&
         llvm::all_of(weights.factors, [&](auto &factor) {
           const auto number = dyn_cast_if_present<FloatAttr>(known.of(factor.first));
           return number && number.getValue().isFinite() &&
                  (!factor.second || !number.getValue().isZero());
         });
}

void ChainSplitter::addAny() {
  linalg::GenericOp op = weights.op;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op);
  const unsigned rank = space.names.size();
  const FloatAttr number[] = {b.getF32FloatAttr(0), b.getF32FloatAttr(1)};
  SmallVector<OpFoldResult> extents;
  for (StringRef name : ArrayRef(space.names).drop_back())
    extents.push_back(dimValue(b, loc, name));
  Value none = arith::ConstantOp::create(b, loc, number[0]),
        empty = tensor::EmptyOp::create(b, loc, extents, b.getF32Type()),
        start = linalg::FillOp::create(b, loc, none, empty).getResult(0);
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands())
    maps.push_back(op.getMatchingIndexingMap(input));
  maps.push_back(b.getMultiDimIdentityMap(rank).dropResult(rank - 1));
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  iterators.back() = utils::IteratorType::reduction;
  auto reduction = linalg::GenericOp::create(
      b, op.getLoc(), start.getType(), op.getInputs(), start, maps, iterators,
      [&](OpBuilder &inner, Location where, ValueRange it) {
        IRMapping elements;
        elements.map(op.getRegionInputArgs(), it.drop_back());
        Value zero = arith::ConstantOp::create(inner, where, number[0]), element;
        element = arith::ConstantOp::create(inner, where, number[1]);
        for (auto [condition, isTrue] : weights.conditions) {
          Value own = cloneCone(inner, condition, elements);
          element = arith::SelectOp::create(inner, where, own, isTrue ? element : zero,
                                            isTrue ? zero : element);
        }
        linalg::YieldOp::create(
            inner, where, arith::MaximumFOp::create(inner, where, it.back(), element).getResult());
      });
  SmallVector<int64_t> loops(rank);
  std::iota(loops.begin(), loops.end(), 0);
  reduction->setAttr(loopsAttr, b.getDenseI64ArrayAttr(loops));
  reductions.insert(
      llvm::find_if(reductions, [&](Operation *it) { return reduction->isBeforeInBlock(it); }),
      reduction);
  any = reduction.getResult(0);
}

LogicalResult ChainSplitter::run() {
  if (!chain.isSimple())
    return refuseSeveral();
  findOps();
  llvm::erase(others, weights.op);
  for (linalg::GenericOp op : reductions)
    for (Value input : op.getInputs())
      if (llvm::is_contained(reductions, input.getDefiningOp()) && !online.count(op))
        return refuse();
  if (!weights.find())
    return refuse();
  if (weights.hasOwnCondition() || (!weights.conditions.empty() && !isFactorFiniteOverNothing()))
    addAny();
  if (failed(emitParts()))
    return failure();
  replaced.resize(group.getNumResults());
  const SmallVector<Value> ofRows = combineReductions();
  combineResults(ofRows[0], ofRows[1]);
  for (auto [result, value] : llvm::zip(group.getResults(), replaced))
    result.replaceAllUsesWith(value);
  group.erase();
  return success();
}

//===--- parts --------------------------------------------------------------------------------===//

/// A group that yields the reductions and the second product of all parts; these in its body.
SmallVector<Value> ChainSplitter::cloneIntoParts(Chain &cloned) {
  SmallVector<Type> types;
  for (linalg::GenericOp op : reductions)
    for (Type type : op.getResultTypes())
      types.push_back(ofAllParts(type));
  types.push_back(ofAllParts(second.product.getResult(0).getType()));
  ofParts = ir::FusionGroupOp::create(b, loc, types, group.getSpaceAttr(), group.getReducedAttr(),
                                      DenseI64ArrayAttr(), DenseI64ArrayAttr());
  ofParts->setAttr(partsAttr, b.getDenseI64ArrayAttr(parts));
  IRMapping copy;
  group.getBody().cloneInto(&ofParts.getBody(), copy);
  SmallVector<Value> results;
  for (linalg::GenericOp op : reductions) {
    auto own = cast<linalg::GenericOp>(copy.lookup(op.getOperation()));
    if (auto sum = online.find(op); sum != online.end())
      avoidInfinity(b, own, sum->second);
    llvm::append_range(results, own->getResults());
  }
  cloned.firsts = {cast<linalg::ContractOp>(copy.lookup(first.getOperation()))};
  cloned.seconds = {{cast<linalg::ContractOp>(copy.lookup(second.product.getOperation())), {}}};
  results.push_back(cloned.seconds[0].product.getResult(0));
  auto own = cast<linalg::GenericOp>(copy.lookup(weights.op.getOperation()));
  Operation *end = own.getBody()->getTerminator();
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(end);
    end->setOperand(0, weights.rest(end->getOperand(0), &b));
    eraseUnused(*own.getBody());
    if (weights.exponential.maximum)
      avoidInfinity(b, own, weights.exponential);
  }
  cast<ir::YieldOp>(ofParts.getBody().front().getTerminator()).getValuesMutable().assign(results);
  if (second.epilogue)
    b.eraseOp(copy.lookup(second.epilogue.getOperation()));
  for (linalg::GenericOp op : llvm::reverse(others))
    b.eraseOp(copy.lookup(op.getOperation()));
  return results;
}

SmallVector<OpFoldResult> ChainSplitter::extentsOf(Value tensor) {
  SmallVector<OpFoldResult> extents;
  for (int64_t dim = 0; dim < cast<RankedTensorType>(tensor.getType()).getRank(); ++dim)
    extents.push_back(dimValue(b, loc, dimName(tensor, dim)));
  return extents;
}

/// A product of what the part has of its operands along one of its loops.
Value ChainSplitter::sliced(linalg::ContractOp product, unsigned dim, ArrayRef<Value> operands) {
  SmallVector<Value> all;
  for (auto [operand, map] : llvm::zip(operands, product.getIndexingMapsArray())) {
    const std::optional<unsigned> own = map.getResultPosition(b.getAffineDimExpr(dim));
    if (!own || isa_and_nonnull<linalg::GenericOp>(operand.getDefiningOp())) {
      all.push_back(operand);
      continue;
    }
    SmallVector<OpFoldResult> from(map.getNumResults(), b.getIndexAttr(0)),
        extent = extentsOf(operand), strides(from.size(), b.getIndexAttr(1));
    from[*own] = offsets.back();
    extent[*own] = sizes.back();
    all.push_back(tensor::ExtractSliceOp::create(b, loc, operand, from, extent, strides));
  }
  SmallVector<OpFoldResult> extent = extentsOf(product.getResult(0));
  if (const auto own =
          product.getIndexingMapsArray().back().getResultPosition(b.getAffineDimExpr(dim)))
    extent[*own] = sizes.back();
  const Type element = cast<RankedTensorType>(product.getResult(0).getType()).getElementType();
  Value empty = tensor::EmptyOp::create(b, loc, extent, element);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  all.push_back(linalg::FillOp::create(b, loc, zero, empty).getResult(0));
  return mlir::clone(b, product, product->getResultTypes(), all)->getResult(0);
}

LogicalResult ChainSplitter::emitParts() {
  OpBuilder::InsertionGuard guard(b);
  Chain own = chain;
  const SmallVector<Value> results = cloneIntoParts(own);
  linalg::ContractOp ofScores = own.firsts[0], ofWeights = own.seconds[0].product;
  auto yield = cast<ir::YieldOp>(ofParts.getBody().front().getTerminator());
  RowMembers members(ofParts, b);
  if (failed(members.find()))
    return failure();
  b.setInsertionPoint(yield);
  SmallVector<Value> extents, all;
  for (StringRef name : space.names)
    extents.push_back(dimValue(b, loc, name));
  SmallVector<SmallVector<OpFoldResult>> shapes;
  Value number = this->number();
  for (Value value : results) {
    SmallVector<OpFoldResult> &shape = shapes.emplace_back();
    shape.push_back(number);
    llvm::append_range(shape, extentsOf(value));
    all.push_back(tensor::EmptyOp::create(
        b, loc, shape, cast<RankedTensorType>(value.getType()).getElementType()));
  }
  auto loop = scf::ForallOp::create(b, loc, ArrayRef<OpFoldResult>{b.getIndexAttr(count)}, all,
                                    std::nullopt);
  b.setInsertionPointToStart(loop.getBody());
  placePart(loop.getInductionVar(0), extents);
  members.setTile(ofScores.getResult(0), sliced(ofScores, productDims(ofScores)->columns,
                                                SmallVector<Value>(ofScores.getInputs())));
  if (failed(members.tile(offsets, sizes)))
    return failure();
  Value result = sliced(ofWeights, productDims(ofWeights)->reduction,
                        {members.tileOf(own.seconds[0].weights()), ofWeights.getInputs()[1]});
  b.setInsertionPointToEnd(loop.getTerminator().getBody());
  for (auto [value, into, shape] : llvm::zip(results, loop.getRegionIterArgs(), shapes)) {
    SmallVector<OpFoldResult> at(shape.size(), b.getIndexAttr(0)),
        strides(shape.size(), b.getIndexAttr(1)), extent(shape);
    at[0] = loop.getInductionVar(0);
    extent[0] = b.getIndexAttr(1);
    Value part = value == ofWeights.getResult(0) ? result : members.tileOf(value);
    tensor::ParallelInsertSliceOp::create(b, loc, part, into, at, extent, strides);
  }
  yield.getValuesMutable().assign(loop.getResults());
  b.eraseOp(ofWeights);
  members.eraseWhole();
  b.eraseOp(ofScores);
  members.mergeSlices();
  return success();
}

//===--- combination --------------------------------------------------------------------------===//

// The reductions of whole rows, what follows from them, and the factor of the weights.
SmallVector<Value> ChainSplitter::combineReductions() {
  SmallVector<Type> types;
  for (Value value : yielded())
    if (isOfRows(value))
      types.push_back(value.getType());
  const OnlineSum &exponential = weights.exponential;
  const bool hasFactor = exponential.maximum || !weights.factors.empty();
  if (types.empty() && !hasFactor)
    return {Value(), Value()};
  if (hasFactor) {
    SmallVector<int64_t> shape(space.names.size() - 1, ShapedType::kDynamic);
    types.push_back(RankedTensorType::get(shape, b.getF32Type()));
  }
  if (exponential.maximum)
    types.push_back(exponential.maximum.getType());
  Block *inside = createCombination(types, {});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(inside);
  combineRows();
  SmallVector<Value> results;
  for (Value value : yielded())
    if (isOfRows(value))
      results.push_back(map.lookup(value));
  if (hasFactor)
    results.push_back(emitFactor());
  if (exponential.maximum)
    results.push_back(map.lookup(exponential.maximum));
  ir::YieldOp::create(b, loc, results);
  eraseUnused(*inside);
  unsigned next = 0;
  for (auto [i, value] : llvm::enumerate(yielded()))
    if (isOfRows(value))
      replaced[i] = combination.getResult(next++);
  Value factor = hasFactor ? combination.getResult(next++) : Value();
  return {factor, exponential.maximum ? combination.getResult(next) : Value()};
}

Value ChainSplitter::emitFactor() {
  linalg::GenericOp op = weights.op;
  const unsigned rank = space.names.size() - 1;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  const llvm::SmallSetVector<unsigned, 4> numbers = weights.inputsOfFactor();
  for (unsigned number : numbers) {
    const AffineMap along = op.getMatchingIndexingMap(op.getDpsInputOperand(number));
    inputs.push_back(map.lookupOrDefault(op.getInputs()[number]));
    maps.push_back(AffineMap::get(rank, 0, along.getResults(), b.getContext()));
  }
  const AffineMap ofRows = b.getMultiDimIdentityMap(rank);
  if (any) {
    inputs.push_back(map.lookup(any));
    maps.push_back(ofRows);
  }
  maps.push_back(ofRows);
  SmallVector<OpFoldResult> extents;
  for (StringRef name : ArrayRef(space.names).drop_back())
    extents.push_back(dimValue(b, loc, name));
  Value empty = tensor::EmptyOp::create(b, loc, extents, b.getF32Type());
  const SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  auto factor = linalg::GenericOp::create(
      b, op.getLoc(), empty.getType(), inputs, empty, maps, iterators,
      [&](OpBuilder &inner, Location where, ValueRange it) {
        IRMapping elements;
        for (auto [number, element] : llvm::zip(numbers, it))
          elements.map(op.getBody()->getArgument(number), element);
        Value all = arith::ConstantOp::create(inner, where, inner.getF32FloatAttr(1));
        for (auto [value, divides] : weights.factors) {
          Value own = cloneCone(inner, value, elements);
          all = divides ? arith::DivFOp::create(inner, where, all, own).getResult()
                        : arith::MulFOp::create(inner, where, all, own).getResult();
        }
        if (weights.exponential.maximum) {
          SmallVector<Value> kept = {elements.lookup(weights.exponential.argument)};
          for (unsigned input : weights.exponential.kept)
            kept.push_back(elements.lookup(op.getBody()->getArgument(input)));
          all = arith::MulFOp::create(inner, where, all,
                                      lastRatio(inner, where, weights.exponential, kept));
        }
        if (any) {
          Value zero = arith::ConstantOp::create(inner, where, inner.getF32FloatAttr(0));
          Value holds = arith::CmpFOp::create(inner, where, arith::CmpFPredicate::OGT,
                                              it[numbers.size()], zero);
          all = arith::SelectOp::create(inner, where, holds, all, zero);
        }
        linalg::YieldOp::create(inner, where, all);
      });
  SmallVector<int64_t> loops(rank);
  std::iota(loops.begin(), loops.end(), 1);
  factor->setAttr(loopsAttr, b.getDenseI64ArrayAttr(loops));
  return factor.getResult(0);
}

/// The sum of the second product over the parts, each of which goes to the maximum of the row.
Value ChainSplitter::emitTotal(Value maximum) {
  const OnlineSum &exponential = weights.exponential;
  const unsigned rank = space.names.size() + 1;
  const AffineMap all = b.getMultiDimIdentityMap(rank), ofResult = all.dropResult(0),
                  ofRow = ofResult.dropResult(rank - 2);
  SmallVector<Value> inputs = {ofParts.getResults().back()};
  SmallVector<AffineMap> maps = {all};
  if (maximum) {
    const auto ofReduction = llvm::find(reductions, exponential.maximum.getDefiningOp());
    unsigned number = 0;
    for (auto it = reductions.begin(); it != ofReduction; ++it)
      number += it->getNumResults();
    inputs.append({ofParts.getResult(number), maximum});
    maps.append({all.dropResult(rank - 1), ofRow});
    for (unsigned input : exponential.kept) {
      inputs.push_back(map.lookupOrDefault(weights.op.getInputs()[input]));
      const AffineMap own = weights.op.getMatchingIndexingMap(weights.op.getDpsInputOperand(input));
      maps.push_back(AffineMap::get(rank - 1, 0, own.getResults(), b.getContext()).shiftDims(1));
    }
  }
  maps.push_back(ofResult);
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  iterators[0] = utils::IteratorType::reduction;
  Value init = map.lookup(second.product.getOutputs()[0]);
  auto total = linalg::GenericOp::create(
      b, loc, init.getType(), inputs, init, maps, iterators,
      [&](OpBuilder &inner, Location where, ValueRange it) {
        if (maximum)
          return emitRescaledPart(inner, where, exponential, it);
        const bool isFloat = isa<FloatType>(it[0].getType());
        Value sum = isFloat ? arith::AddFOp::create(inner, where, it[1], it[0]).getResult()
                            : arith::AddIOp::create(inner, where, it[1], it[0]).getResult();
        linalg::YieldOp::create(inner, where, sum);
      });
  SmallVector<int64_t> loops(rank);
  std::iota(loops.begin(), loops.end(), 0);
  total->setAttr(loopsAttr, b.getDenseI64ArrayAttr(loops));
  if (Attribute name = second.product->getAttr("mmk.name"))
    total->setAttr("mmk.name", name);
  return total.getResult(0);
}

Value ChainSplitter::emitScaled(Value total, Value factor) {
  const unsigned rank = space.names.size();
  const AffineMap all = b.getMultiDimIdentityMap(rank);
  const SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  Value empty = tensor::EmptyOp::create(b, loc, extentsOf(second.product.getResult(0)),
                                        cast<RankedTensorType>(total.getType()).getElementType());
  auto scaled = linalg::GenericOp::create(
      b, loc, total.getType(), ValueRange{total, factor}, empty,
      ArrayRef{all, all.dropResult(rank - 1), all}, iterators,
      [&](OpBuilder &inner, Location where, ValueRange it) {
        linalg::YieldOp::create(inner, where,
                                arith::MulFOp::create(inner, where, it[0], it[1]).getResult());
      });
  SmallVector<int64_t> loops(rank);
  std::iota(loops.begin(), loops.end(), 1);
  scaled->setAttr(loopsAttr, b.getDenseI64ArrayAttr(loops));
  return scaled.getResult(0);
}

// The results of the parts, and what follows from the second product.
void ChainSplitter::combineResults(Value factor, Value maximum) {
  SmallVector<Type> types;
  for (Value value : yielded())
    if (!isOfRows(value))
      types.push_back(value.getType());
  map.clear();
  const std::string width = productNames(second.product).columns.str();
  Block *inside = createCombination(types, {width});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(inside);
  for (Operation &op : group.getBody().front().without_terminator())
    if (!isa<linalg::GenericOp, linalg::ContractOp>(op))
      b.clone(op, map);
  Value total = emitTotal(maximum);
  map.map(second.product.getResult(0), factor ? emitScaled(total, factor) : total);
  if (second.epilogue) {
    Operation *own = b.clone(*second.epilogue, map);
    SmallVector<int64_t> loops(space.names.size());
    std::iota(loops.begin(), loops.end(), 1);
    own->setAttr(loopsAttr, b.getDenseI64ArrayAttr(loops));
  }
  SmallVector<Value> results;
  for (Value value : yielded())
    if (!isOfRows(value))
      results.push_back(map.lookup(value));
  ir::YieldOp::create(b, loc, results);
  eraseUnused(*inside);
  unsigned next = 0;
  for (auto [i, value] : llvm::enumerate(yielded()))
    if (!isOfRows(value))
      replaced[i] = combination.getResult(next++);
}

} // namespace

LogicalResult splitChain(ir::KernelOp kernel, ir::FusionGroupOp group) {
  std::optional<Chain> chain = Chain::of(group, group.getBody().front());
  if (!chain)
    return success();
  SmallVector<int64_t> parts(group.getSpaceAttr().size(), 1);
  const RowSpace space(group);
  parts.back() = kernel.chosenNumber(("grid." + space.names.back()).str(), 1);
  aicore::MachineAttr machine = expectMachine(kernel->getParentOfType<ModuleOp>());
  if (!machine)
    return failure();
  if (parts.back() == 1)
    return success();
  return ChainSplitter(kernel, group, machine, parts, *chain).run();
}

} // namespace mmk
