#include "passes/bias_table.h"
#include "passes/passes.h"
#include "passes/variant.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_FUSEEPILOGUE
#include "passes/Passes.h.inc"

namespace {

/// A tensor in an iteration space: the element that each iteration reads.
using Use = std::pair<Value, AffineMap>;

bool isNode(Value value) { return value.getDefiningOp<linalg::LinalgOp>() != nullptr; }
linalg::ContractOp productOf(Value value) { return value.getDefiningOp<linalg::ContractOp>(); }

/// Through the slices that drop broadcast dimensions of extent 1.
Value behindSlices(Value value) {
  while (auto slice = value.getDefiningOp<tensor::ExtractSliceOp>())
    value = slice.getSource();
  return value;
}

/// The same element of the tensor that `use` is a slice of: dropped dimensions are read at 0.
Use throughSlice(Use use) {
  auto slice = use.first.getDefiningOp<tensor::ExtractSliceOp>();
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  SmallVector<AffineExpr> along;
  for (unsigned i = 0, kept = 0; i < dropped.size(); ++i)
    along.push_back(dropped.test(i) ? getAffineConstantExpr(0, use.second.getContext())
                                    : use.second.getResult(kept++));
  return {slice.getSource(),
          AffineMap::get(use.second.getNumDims(), 0, along, use.second.getContext())};
}

// Only values that have to be in global memory end a fusion group: results, operands of a product,
// and values that a fusion group needs of an earlier one. All others are recomputed at their uses,
// in registers. Upstream's elementwise fusion is not used for this: it fuses one producer into one
// consumer, where a fusion group with several results wants one op that computes them all.
class Fuser {
public:
  explicit Fuser(ir::KernelOp kernel)
      : kernel(kernel), block(kernel.getBody().front()), b(kernel.getContext()),
        separate(kernel.chosenWord("fuse", "all") == "none") {}

  LogicalResult run();

private:
  LogicalResult check();
  void chooseKept();
  void chooseGroups();
  /// The kept values and products that `value` is computed from, each with the map from the
  /// iterations of `value`. Stops at kept values other than `value`.
  SmallVector<Use> leavesOf(Value value);
  void collectLeaves(Use use, bool root, llvm::DenseSet<Use> &seen, SmallVectorImpl<Use> &leaves);
  Use resolve(Use use);
  /// An operand for reads of `value` by `map`, whose constant results become a slice of it.
  Value operandFor(Value value, AffineMap &map, IRMapping &inGroup);
  /// Whether `op`, and all between it and a product or a kept value, changes the type alone.
  bool onlyConverts(linalg::LinalgOp op);
  void emitGroup(Operation *owner);
  SmallVector<Value> emitElementwise(ArrayRef<Value> outputs, Operation *owner, IRMapping &inGroup);
  Value outside(Value value, IRMapping &inGroup);

  ir::KernelOp kernel;
  Block &block;
  OpBuilder b;
  bool separate;
  llvm::SetVector<Value> kept;          ///< in block order
  DenseMap<Value, Operation *> groupOf; ///< the op whose fusion group computes a kept value
  llvm::MapVector<Operation *, SmallVector<Value>> outputsOf;
  IRMapping global; ///< kept value -> result of its fusion group
};

void Fuser::chooseKept() {
  DenseSet<Value> wanted;
  for (Value value : cast<ir::ReturnOp>(block.getTerminator()).getValues())
    wanted.insert(value);
  for (auto contract : block.getOps<linalg::ContractOp>())
    for (Value operand : contract.getInputs())
      if (isNode(behindSlices(operand)))
        wanted.insert(behindSlices(operand));
  for (Operation &op : block)
    if (op.getNumResults() == 1 && wanted.contains(op.getResult(0)))
      kept.insert(op.getResult(0));
}

SmallVector<Use> Fuser::leavesOf(Value value) {
  SmallVector<Use> leaves;
  llvm::DenseSet<Use> seen;
  const unsigned loops = value.getDefiningOp<linalg::LinalgOp>().getNumLoops();
  collectLeaves({value, b.getMultiDimIdentityMap(loops)}, true, seen, leaves);
  return leaves;
}

// A value that others read twice is visited once: a chain of such values has many ways through it.
void Fuser::collectLeaves(Use use, bool root, llvm::DenseSet<Use> &seen,
                          SmallVectorImpl<Use> &leaves) {
  auto [value, map] = resolve(use);
  if (!isNode(behindSlices(value)) || !seen.insert({value, map}).second)
    return;
  auto product = productOf(behindSlices(value));
  if (product || (!root && kept.contains(behindSlices(value)))) {
    // After a slice the map does not cover the whole tensor, so it is no identity.
    leaves.push_back({behindSlices(value), behindSlices(value) == value ? map : AffineMap()});
    return;
  }
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  for (OpOperand *input : op.getDpsInputOperands())
    collectLeaves({input->get(), op.getMatchingIndexingMap(input).compose(map)}, false, seen,
                  leaves);
}

// Elementwise values are recomputed wherever they are read, also through a slice that drops
// broadcast dimensions; products and parameters are read through it.
Use Fuser::resolve(Use use) {
  Value source = behindSlices(use.first);
  if (isNode(source) && !productOf(source) && !kept.contains(source))
    while (use.first != source)
      use = throughSlice(use);
  return use;
}

bool Fuser::onlyConverts(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 1 ||
      !llvm::all_of(op.getBlock()->without_terminator(),
                    [](Operation &inner) { return isa<arith::TruncFOp, arith::ExtFOp>(inner); }))
    return false;
  const Value input = op.getDpsInputs().front();
  auto producer = input.getDefiningOp<linalg::LinalgOp>();
  return productOf(input) || kept.contains(input) || (producer && onlyConverts(producer));
}

void Fuser::chooseGroups() {
  // Kept values may grow while products turn out to be needed whole; those are earlier in the
  // block, so they are decided again in a second round.
  for (bool changed = true; changed;) {
    changed = false;
    groupOf.clear();
    SmallVector<Value> order(kept.begin(), kept.end());
    llvm::sort(order, [](Value x, Value y) {
      return x.getDefiningOp()->isBeforeInBlock(y.getDefiningOp());
    });
    for (Value value : order) {
      if (productOf(value)) {
        groupOf[value] = value.getDefiningOp();
        continue;
      }
      auto op = value.getDefiningOp<linalg::LinalgOp>();
      const SmallVector<Use> leaves = leavesOf(value);
      auto group = [&](Value leaf) {
        return productOf(leaf) ? leaf.getDefiningOp() : groupOf.lookup(leaf);
      };
      Operation *last = nullptr;
      for (auto &[leaf, map] : leaves)
        if (!last || last->isBeforeInBlock(group(leaf)))
          last = group(leaf);
      bool fits = last && isa<linalg::ContractOp>(last) &&
                  llvm::all_of(leaves, [&, last = last](const Use &use) {
                    return group(use.first) != last || (use.second && use.second.isIdentity());
                  });
      bool fuse = fits && (!separate || onlyConverts(op));
      groupOf[value] = fuse ? last : op.getOperation();
      for (auto &[leaf, map] : leaves)
        if (productOf(leaf) && !(fuse && leaf.getDefiningOp() == last))
          changed |= kept.insert(leaf);
    }
  }
  SmallVector<Value> order(kept.begin(), kept.end());
  llvm::sort(order, [](Value x, Value y) {
    return x.getDefiningOp()->isBeforeInBlock(y.getDefiningOp());
  });
  for (Value value : order)
    outputsOf[groupOf[value]].push_back(value);
}

// A value from outside of the fusion group: a parameter, an extent, or the result of an earlier
// fusion group, through the slices in between.
Value Fuser::outside(Value value, IRMapping &inGroup) {
  if (Value known = inGroup.lookupOrNull(value))
    return known;
  if (Value known = global.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!op || !isa<tensor::ExtractSliceOp>(op))
    return value;
  IRMapping operands;
  for (Value operand : op->getOperands())
    operands.map(operand, outside(operand, inGroup));
  Value clone = b.clone(*op, operands)->getResult(0);
  inGroup.map(value, clone);
  return clone;
}

Value Fuser::operandFor(Value value, AffineMap &map, IRMapping &inGroup) {
  Value operand = outside(value, inGroup);
  if (llvm::none_of(map.getResults(), llvm::IsaPred<AffineConstantExpr>))
    return operand;
  SmallVector<OpFoldResult> offsets(map.getNumResults(), b.getIndexAttr(0)),
      strides(map.getNumResults(), b.getIndexAttr(1)), sizes;
  SmallVector<AffineExpr> along;
  for (auto [i, expression] : llvm::enumerate(map.getResults())) {
    if (isa<AffineConstantExpr>(expression)) {
      sizes.push_back(b.getIndexAttr(1));
      continue;
    }
    sizes.push_back(tensor::DimOp::create(b, value.getLoc(), operand, i).getResult());
    along.push_back(expression);
  }
  SmallVector<int64_t> shape(along.size(), ShapedType::kDynamic);
  auto type =
      RankedTensorType::get(shape, cast<RankedTensorType>(value.getType()).getElementType());
  map = AffineMap::get(map.getNumDims(), 0, along, b.getContext());
  return tensor::ExtractSliceOp::create(b, value.getLoc(), type, operand, offsets, sizes, strides);
}

SmallVector<Value> Fuser::emitElementwise(ArrayRef<Value> outputs, Operation *owner,
                                          IRMapping &inGroup) {
  auto first = outputs[0].getDefiningOp<linalg::LinalgOp>();
  AffineMap identity = b.getMultiDimIdentityMap(first.getNumLoops());

  auto isInlined = [&](Value value) {
    return isNode(value) && !productOf(value) &&
           (!kept.contains(value) || groupOf.lookup(value) == owner);
  };
  llvm::SetVector<Use> inputs;
  llvm::DenseSet<Use> seen;
  std::function<void(Value, AffineMap)> gather = [&](Value value, AffineMap map) {
    std::tie(value, map) = resolve({value, map});
    if (!seen.insert({value, map}).second)
      return;
    if (!isInlined(value)) {
      inputs.insert({value, map});
      return;
    }
    auto op = value.getDefiningOp<linalg::LinalgOp>();
    for (OpOperand *input : op.getDpsInputOperands())
      gather(input->get(), op.getMatchingIndexingMap(input).compose(map));
  };
  for (Value output : outputs)
    gather(output, identity);

  SmallVector<Value> operands, inits;
  SmallVector<AffineMap> maps;
  SmallVector<Type> types;
  SmallVector<Location> locations;
  for (auto [value, map] : inputs) {
    operands.push_back(operandFor(value, map, inGroup));
    maps.push_back(map);
  }
  for (Value output : outputs) {
    auto op = output.getDefiningOp<linalg::LinalgOp>();
    inits.push_back(b.clone(*op.getDpsInits()[0].getDefiningOp())->getResult(0));
    maps.push_back(identity);
    types.push_back(output.getType());
    locations.push_back(op.getLoc());
  }
  SmallVector<utils::IteratorType> iterators(first.getNumLoops(), utils::IteratorType::parallel);
  auto body = [&](OpBuilder &builder, Location, ValueRange arguments) {
    std::map<std::pair<void *, const void *>, Value> done;
    auto key = [](Value value, AffineMap map) {
      return std::pair(value.getAsOpaquePointer(), map.getAsOpaquePointer());
    };
    for (auto [use, argument] : llvm::zip(inputs, arguments))
      done[key(use.first, use.second)] = argument;
    std::function<Value(Value, AffineMap)> element = [&](Value value, AffineMap map) {
      std::tie(value, map) = resolve({value, map});
      auto known = done.find(key(value, map));
      if (known != done.end())
        return known->second;
      auto op = value.getDefiningOp<linalg::LinalgOp>();
      IRMapping elements;
      for (OpOperand *input : op.getDpsInputOperands())
        elements.map(op.getMatchingBlockArgument(input),
                     element(input->get(), op.getMatchingIndexingMap(input).compose(map)));
      for (Operation &inner : op.getBlock()->without_terminator())
        builder.clone(inner, elements);
      Value result = elements.lookupOrDefault(op.getBlock()->getTerminator()->getOperand(0));
      return done[key(value, map)] = result;
    };
    SmallVector<Value> results;
    for (Value output : outputs)
      results.push_back(element(output, identity));
    linalg::YieldOp::create(builder, first.getLoc(), results);
  };
  auto generic = linalg::GenericOp::create(b, b.getFusedLoc(locations), types, operands, inits,
                                           maps, iterators, body);
  return generic.getResults();
}

void Fuser::emitGroup(Operation *owner) {
  ArrayRef<Value> outputs = outputsOf[owner];
  SmallVector<Type> types;
  for (Value output : outputs)
    types.push_back(output.getType());
  auto group = ir::FusionGroupOp::create(b, owner->getLoc(), types, DenseI64ArrayAttr(),
                                         DenseI64ArrayAttr());
  {
    OpBuilder::InsertionGuard guard(b);
    Block *inside = b.createBlock(&group.getBody(), {}, b.getIndexType(), owner->getLoc());
    b.setInsertionPointToEnd(inside);
    IRMapping inGroup;
    if (auto contract = dyn_cast<linalg::ContractOp>(owner)) {
      IRMapping operands;
      for (Value input : contract.getInputs())
        operands.map(input, outside(input, inGroup));
      // Zero, or the row of a bias.
      auto start = contract.getOutputs()[0].getDefiningOp<linalg::LinalgOp>();
      Value init = start.getDpsInits()[0];
      IRMapping startOperands;
      startOperands.map(init, b.clone(*init.getDefiningOp())->getResult(0));
      for (Value input : start.getDpsInputs())
        startOperands.map(input, outside(input, inGroup));
      operands.map(start->getResult(0), b.clone(*start, startOperands)->getResult(0));
      inGroup.map(contract.getResult(0), b.clone(*contract, operands)->getResult(0));
    }
    SmallVector<Value> computed;
    for (Value output : outputs)
      if (!productOf(output))
        computed.push_back(output);
    if (!computed.empty())
      for (auto [output, value] : llvm::zip(computed, emitElementwise(computed, owner, inGroup)))
        inGroup.map(output, value);
    SmallVector<Value> yielded;
    for (Value output : outputs)
      yielded.push_back(inGroup.lookup(output));
    ir::YieldOp::create(b, owner->getLoc(), yielded);
  }
  for (auto [output, result] : llvm::zip(outputs, group.getResults()))
    global.map(output, result);
}

// The frontend emits nothing else; textual IR may hold other forms.
LogicalResult Fuser::check() {
  for (Operation &op : block) {
    if (isa<ir::FusionGroupOp>(op))
      return op.emitOpError("stands in a kernel that is to be grouped into fusion groups");
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (isa<ir::CumulateOp>(op) || (generic && generic.getNumReductionLoops() > 0))
      return op.emitError("no machine computes a reduction yet; --emit=mmk writes its IR");
    if (!linalgOp || isa<linalg::FillOp, linalg::BroadcastOp>(op))
      continue;
    if (!isa<linalg::ContractOp, linalg::GenericOp>(op) || op.getNumResults() != 1)
      return op.emitOpError("is neither a linalg.contract nor a linalg.generic with one result");
    Value init = linalgOp.getDpsInits()[0];
    auto start = init.getDefiningOp<linalg::LinalgOp>();
    if (isa<linalg::ContractOp>(op) &&
        !isa_and_nonnull<linalg::FillOp, linalg::BroadcastOp>(init.getDefiningOp()))
      return op.emitOpError("expected to start from a linalg.fill or a linalg.broadcast");
    if (start)
      init = start.getDpsInits()[0];
    if (!init.getDefiningOp<tensor::EmptyOp>())
      return op.emitOpError("expected to write to a tensor.empty");
  }
  for (Value value : block.getTerminator()->getOperands())
    if (!isNode(value) || value.getDefiningOp<linalg::FillOp>())
      return block.getTerminator()->emitOpError(
          "expected each result to come from a linalg.contract or linalg.generic");
  return success();
}

LogicalResult Fuser::run() {
  if (failed(checkDims(kernel)) || failed(check()))
    return failure();
  chooseKept();
  chooseGroups();
  Operation *end = block.getTerminator();
  SmallVector<Operation *> old;
  for (Operation &op : block.without_terminator())
    old.push_back(&op);
  b.setInsertionPoint(end);
  for (Operation *op : old)
    if (outputsOf.count(op))
      emitGroup(op);
  for (OpOperand &value : end->getOpOperands())
    value.set(global.lookup(value.get()));
  for (Operation *op : llvm::reverse(old))
    if (op->use_empty())
      op->erase();
  return success();
}

struct FuseEpiloguePass : impl::FuseEpilogueBase<FuseEpiloguePass> {
  void runOnOperation() override {
    for (ir::KernelOp kernel : getOperation().getOps<ir::KernelOp>()) {
      if (kernel.chosenWord("bias", "vector") == "table")
        startFromRows(kernel);
      if (failed(Fuser(kernel).run()))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace mmk
