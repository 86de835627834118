// Two products with rows between, when the columns of the first are divided: each part of them has
// reductions and a result of its own, as in decoding, where one query reads many keys. The weights
// of a part lack the factors that are the same for a row, and have the maximum of the part. The
// reductions are combined first, and with them the factors; then the results.
#include "passes/rows/split.h"
#include "passes/chains/chain.h"
#include "passes/chains/known_constants.h"
#include "passes/dead_code.h"
#include "passes/dimensions.h"
#include "passes/rows/online.h"
#include "passes/rows/tile.h"
#include "passes/rows/weights.h"
#include "passes/variant.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace mmk {
namespace {

class ChainSplitter : public RowSplitter {
public:
  ChainSplitter(ir::KernelOp kernel, ir::FusionGroupOp group, aicore::MachineAttr machine,
                ArrayRef<int64_t> parts, Chain chain)
      : RowSplitter(kernel, group, machine, parts), chain(chain), first(chain.firsts.front()),
        second(chain.seconds.front()) {}

  LogicalResult run();

private:
  bool isOfRows(Value value) { return value.getDefiningOp() == rows; }
  LogicalResult refuse(StringRef what, StringRef why);
  bool findWeights();
  bool isFiniteOverNothing(Value value);
  void guardFactor();
  void emitChainParts();
  Value sliced(linalg::ContractOp product, unsigned dim, ArrayRef<Value> operands, IRMapping &map);
  void combineReductions();
  LogicalResult combineResults();
  Value total(RowsBuilder &combined, IRMapping &map, TypedAttr start);
  /// The group's results that are of the rows, or those behind the second product.
  void replaceResults(bool areOfRows, ValueRange results);

  Chain chain;
  linalg::ContractOp first;
  Chain::Second second;
  WeightsOfRow weights;
  std::optional<Shift> shift; ///< of the weights
  Value factor, maximum;      ///< of the weights, for each row; null: there is none
};

LogicalResult ChainSplitter::refuse(StringRef what, StringRef why) {
  const std::string key = ("grid." + space.names.back()).str();
  return kernel.choice(key).emitError()
         << key << " = " << count << " divides the rows between " << what << ", but " << why
         << "; nearest legal: " << key << " = 1";
}

/// The weights without their factors, and these with what they lack where the parts have maxima of
/// their own; false where they wait for a reduction in another way.
bool ChainSplitter::findWeights() {
  OpBuilder in(rows.block().getTerminator());
  const unsigned number = cast<OpResult>(second.weights()).getResultNumber();
  weights = withoutFactors(
      in, loc, rows.elements()[number], [&](Value it) { return waits(it); },
      [&](Value it) { return isKept(it); });
  if (!waits(weights.rest))
    return true;
  shift = shiftOf(weights.rest);
  if (!shift)
    return false;
  Value last = MaximumChange(in, shift->maximum).lastRatio(loc, shift->value);
  weights.factor =
      weights.factor ? arith::MulFOp::create(in, loc, weights.factor, last).getResult() : last;
  return true;
}

/// Whether a value of a row is a finite number where its reductions go over nothing.
bool ChainSplitter::isFiniteOverNothing(Value value) {
  KnownConstants known;
  for (auto op : rows.block().getOps<ir::RowReduceOp>()) {
    known.set(op.getResult(), op.getIdentity());
    // A sum is rescaled, which makes NaN of it where the ratio is infinite.
    if (auto own = shifts.find(op); own != shifts.end() && !known.isFinite(own->second.value))
      known.set(op.getResult(), {});
  }
  return (!shift || known.isFinite(shift->value)) && known.isFinite(value);
}

void ChainSplitter::guardFactor() {
  if (!weights.factor || weights.conditions.empty())
    return;
  const bool isKnown =
      llvm::any_of(rows.block().getOps<ir::RowReduceOp>(), [&](ir::RowReduceOp op) {
        return weights.areLeftOutBy(op.getElement(), op.getIdentity());
      });
  if (isKnown && isFiniteOverNothing(weights.factor))
    return;
  OpBuilder in(rows.block().getTerminator());
  weights.factor =
      weights.guarded(in, loc, weights.factor, [&](Value element, FloatAttr identity) -> Value {
        return ir::RowReduceOp::create(in, loc, element.getType(), Type(), aicore::ReduceKind::max,
                                       element, identity, /*scan=*/false)
            .getResult();
      });
}

LogicalResult ChainSplitter::run() {
  if (!chain.isSimple()) {
    const size_t products = chain.firsts.size() + chain.seconds.size();
    return refuse("one product and another",
                  ("this loop computes " + Twine(products) + " products").str());
  }
  if (!findShifts() || !findWeights())
    return refuse("two products into parts with reductions of their own",
                  "here a value waits for a reduction in another way than an exponential for its "
                  "maximum");
  guardFactor();
  emitChainParts();
  combineReductions();
  if (failed(combineResults()))
    return failure();
  group.erase();
  return success();
}

//===--- parts --------------------------------------------------------------------------------===//

/// A product of what the part has of its operands along one of its loops.
Value ChainSplitter::sliced(linalg::ContractOp product, unsigned dim, ArrayRef<Value> operands,
                            IRMapping &map) {
  SmallVector<Value> all;
  for (auto [given, along] : llvm::zip(operands, product.getIndexingMapsArray())) {
    Value operand = map.lookupOrDefault(given);
    const std::optional<unsigned> own = along.getResultPosition(b.getAffineDimExpr(dim));
    if (!own || operand.getDefiningOp<ir::RowsOp>()) {
      all.push_back(operand);
      continue;
    }
    SmallVector<OpFoldResult> from(along.getNumResults(), b.getIndexAttr(0)),
        extent = extentsOf(operand), strides(from.size(), b.getIndexAttr(1));
    from[*own] = offsets.back();
    extent[*own] = sizes.back();
    all.push_back(tensor::ExtractSliceOp::create(b, loc, operand, from, extent, strides));
  }
  SmallVector<OpFoldResult> extent = extentsOf(product.getResult(0));
  if (const auto own =
          product.getIndexingMapsArray().back().getResultPosition(b.getAffineDimExpr(dim)))
    extent[*own] = sizes.back();
  const Type element = getElementTypeOrSelf(product.getResult(0));
  Value empty = tensor::EmptyOp::create(b, loc, extent, element);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  all.push_back(linalg::FillOp::create(b, loc, zero, empty).getResult(0));
  return mlir::clone(b, product, product->getResultTypes(), all)->getResult(0);
}

void ChainSplitter::emitChainParts() {
  const auto number = cast<OpResult>(second.weights()).getResultNumber();
  const PartWeights ofPart{weights.rest, shift, SpaceLoops(rows.dimsOfResult(number))};
  emitParts(&ofPart, second.product.getResult(0), [&](ir::RowsOp whole, IRMapping &map) {
    Value scores =
        sliced(first, productDims(first)->columns, SmallVector<Value>(first.getInputs()), map);
    ir::RowsOp tile = tileOfRows(b, whole, offsets, sizes, {{first.getResult(0), scores}});
    SmallVector<Value> results(tile->getResults());
    results.back() = sliced(second.product, productDims(second.product)->reduction,
                            {results.back(), second.product.getInputs()[1]}, map);
    return results;
  });
}

//===--- combination --------------------------------------------------------------------------===//

void ChainSplitter::replaceResults(bool areOfRows, ValueRange results) {
  for (auto [result, value] : llvm::zip(group.getResults(), yielded()))
    if (isOfRows(value) == areOfRows) {
      result.replaceAllUsesWith(results.front());
      results = results.drop_front();
    }
}

// The reductions of whole rows, what follows from them, and the factor of the weights.
void ChainSplitter::combineReductions() {
  if (!shift && !weights.factor && llvm::none_of(yielded(), [&](Value it) { return isOfRows(it); }))
    return;
  ValueRange results =
      combination({}, rows->getAttr("mmk.name"), [&](RowsBuilder &combined, IRMapping &map) {
        combineRows(combined, map);
        for (Value value : yielded())
          if (isOfRows(value)) {
            const unsigned number = cast<OpResult>(value).getResultNumber();
            combined.give(map.lookup(rows.elements()[number]),
                          inCombination(rows.dimsOfResult(number)));
          }
        if (shift)
          combined.give(map.lookup(shift->maximum), inCombination(kept()));
        if (weights.factor)
          combined.give(map.lookup(weights.factor), inCombination(kept()));
      });
  if (weights.factor) {
    factor = results.back();
    results = results.drop_back();
  }
  if (shift) {
    maximum = results.back();
    results = results.drop_back();
  }
  replaceResults(true, results);
}

/// An element of the second product, the sum over the parts, each of which goes to the maximum of
/// the row.
Value ChainSplitter::total(RowsBuilder &combined, IRMapping &map, TypedAttr start) {
  const SpaceLoops ofRow = inCombination(kept());
  SpaceLoops all(ofRow.size() + 2);
  std::iota(all.begin(), all.end(), 0);
  Value product = ofParts.getResults().back(), part = combined.element(product, all, loc);
  if (shift) {
    Value largest = shift->maximum, own = ofPart(combined, largest),
          ofAll = combined.element(maximum, ofRow, loc);
    map.map(largest, ofAll);
    readInputs(combined, map);
    part = rescaled(combined, part, own, ofAll, combined.copy(shift->value, map));
  }
  Value sum = combined.reduce(aicore::ReduceKind::add, part, start, loc).getResult();
  if (!factor)
    return sum;
  return arith::MulFOp::create(combined.b, loc, sum, combined.element(factor, ofRow, loc));
}

// The results of the parts, and what follows from the second product.
LogicalResult ChainSplitter::combineResults() {
  auto fill = second.product.getOutputs()[0].getDefiningOp<linalg::FillOp>();
  TypedAttr start;
  if (!fill || !matchPattern(fill.getInputs()[0], m_Constant(&start)))
    return second.product.emitOpError("expected to start from a constant");
  const std::string width = productNames(second.product).columns.str();
  SpaceLoops dims(space.names.size());
  std::iota(dims.begin(), dims.end(), 1);
  LogicalResult added = success();
  const ValueRange results = combination(
      {width}, second.product->getAttr("mmk.name"), [&](RowsBuilder &combined, IRMapping &map) {
        Value product = second.product.getResult(0);
        combined.know(product, total(combined, map, start));
        map.map(product, product);
        if (second.epilogue) {
          auto own = cast<linalg::GenericOp>(b.clone(*second.epilogue, map));
          added = combined.add(own, dims);
          own.erase();
        }
        for (Value value : yielded())
          if (!isOfRows(value))
            combined.giveKnown(map.lookup(value), dims);
      });
  replaceResults(false, results);
  return added;
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
