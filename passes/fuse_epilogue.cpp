#include "backend/backend.h"
#include "ir/aicore.h"
#include "passes/bias_table.h"
#include "passes/chains/chain.h"
#include "passes/compare_integers.h"
#include "passes/dead_code.h"
#include "passes/expand_functions.h"
#include "passes/fuser.h"
#include "passes/narrow_integers.h"
#include "passes/passes.h"
#include "passes/read_positions.h"
#include "passes/rows/builder.h"
#include "passes/variant.h"
#include "passes/windows/image_operand.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_FUSEEPILOGUE
#include "passes/Passes.h.inc"

Value behindWindows(Value value) {
  value = behindViews(value);
  if (auto window = value.getDefiningOp<ir::WindowOp>())
    return behindWindows(window.getSource());
  return value;
}

/// The same element of the tensor that `use` is a slice of: dropped dimensions are read at 0.
static Use throughSlice(Use use) {
  auto slice = use.first.getDefiningOp<tensor::ExtractSliceOp>();
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  SmallVector<AffineExpr> along;
  for (unsigned i = 0, kept = 0; i < dropped.size(); ++i)
    along.push_back(dropped.test(i) ? getAffineConstantExpr(0, use.second.getContext())
                                    : use.second.getResult(kept++));
  return {slice.getSource(),
          AffineMap::get(use.second.getNumDims(), 0, along, use.second.getContext())};
}

SmallVector<Value> Fuser::operandsInMemory() {
  SmallVector<Value> operands;
  for (auto contract : block.getOps<linalg::ContractOp>())
    llvm::append_range(operands, operandsOf(contract));
  for (auto cumulation : block.getOps<ir::CumulateOp>())
    operands.push_back(cumulation.getOperand());
  for (auto window : block.getOps<ir::WindowOp>())
    operands.push_back(window.getSource());
  addRepeated(operands);
  return operands;
}

void Fuser::chooseKept() {
  kept.clear();
  DenseSet<Value> wanted;
  for (Value value : cast<ir::ReturnOp>(block.getTerminator()).getValues())
    wanted.insert(behindReshapes(value));
  for (auto cumulation : block.getOps<ir::CumulateOp>())
    wanted.insert(cumulation.getResult());
  SmallVector<Value> inMemory = operandsInMemory();
  for (Operation &op : block)
    if (isReshape(&op))
      inMemory.push_back(op.getOperand(0));
  for (Value operand : inMemory)
    if (Value tensor = behindWindows(operand); isNode(tensor))
      wanted.insert(tensor);
  for (auto op : block.getOps<linalg::GenericOp>())
    for (OpOperand *input : op.getDpsInputOperands())
      if (const AffineMap map = op.getMatchingIndexingMap(input);
          (map.isPermutation() && !map.isIdentity() && isBehindProduct(input->get())) ||
          (map.getNumResults() < map.getNumDims() && isOfDividedRows(input->get())))
        wanted.insert(input->get());
  for (Operation &op : block)
    for (Value result : op.getResults())
      if (wanted.contains(result))
        kept.insert(result);
}

// Where it is read transposed, the product has to be whole in memory, or what follows it has.
bool Fuser::isBehindProduct(Value value) {
  return isNode(value) && !isAnchor(value) && llvm::any_of(leavesOf(value), [](const Use &use) {
           return productOf(use.first) && use.second && use.second.isIdentity();
         });
}

// The group that combines the parts of rows computes it once for each row; its reader would for
// each element. One element for all rows would be no elementwise work, if it did not fit there.
// What has a dimension that is divided is not of rows.
bool Fuser::isOfDividedRows(Value value) {
  const auto type = cast<RankedTensorType>(value.getType());
  const int64_t rank = type.getRank();
  // A condition is no tensor of memory.
  if (separate || !isNode(value) || isAnchor(value) || rank == 0 ||
      type.getElementType().isInteger(1))
    return false;
  const auto has = [&](StringRef name) {
    return llvm::any_of(llvm::seq(rank), [&](int64_t dim) { return dimName(value, dim) == name; });
  };
  return llvm::any_of(leavesOf(value), [&](const Use &use) {
    if (!isReduction(use.first))
      return false;
    const RowSpace space(use.first.getDefiningOp<linalg::LinalgOp>());
    const SmallVector<int64_t> parts = partsOf(kernel, space);
    return !parts.empty() && llvm::none_of(llvm::zip(space.names, parts), [&](auto each) {
      return std::get<1>(each) > 1 && has(std::get<0>(each));
    });
  });
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
  // What a window reads has to be whole before.
  if (auto window = behindViews(value).getDefiningOp<ir::WindowOp>())
    std::tie(value, map) = Use(window.getSource(), AffineMap());
  if (!isNode(behindViews(value)) || !seen.insert({value, map}).second)
    return;
  const bool isOther = isAnchor(behindViews(value)) && !root, isBehindWindow = !map;
  if (isOther || isBehindWindow || (!root && kept.contains(behindViews(value)))) {
    // Behind a slice the map does not cover the whole tensor, so it is no identity.
    leaves.push_back({behindViews(value), behindViews(value) == value ? map : AffineMap()});
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
  Value source = behindViews(use.first);
  if (isNode(source) && !isAnchor(source) && !kept.contains(source))
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

Operation *Fuser::groupOfLeaf(Value leaf) {
  if (Operation *owner = chainOf.lookup(leaf.getDefiningOp()))
    return owner;
  if (Operation *owner = joined.lookup(leaf.getDefiningOp()))
    return owner;
  return productOf(leaf) || isCumulation(leaf) ? leaf.getDefiningOp() : groupOf.lookup(leaf);
}

Operation *Fuser::lastGroupOf(ArrayRef<Use> leaves) {
  Operation *last = nullptr;
  for (auto &[leaf, map] : leaves)
    if (Operation *group = groupOfLeaf(leaf); !last || last->isBeforeInBlock(group))
      last = group;
  return last;
}

SmallVector<Value> Fuser::groupedValues() {
  llvm::SetVector<Value> grouped(kept.begin(), kept.end());
  for (Operation &op : block)
    if (isRowReduction(&op) &&
        !llvm::any_of(op.getResults(), [&](Value result) { return kept.contains(result); }))
      grouped.insert(op.getResults().back());
  for (auto &[owner, chain] : chains)
    for (linalg::ContractOp second : chain.seconds)
      grouped.insert(second.getInputs()[0]);
  SmallVector<Value> values = grouped.takeVector();
  llvm::sort(values, [](Value x, Value y) {
    return x.getDefiningOp()->isBeforeInBlock(y.getDefiningOp());
  });
  return values;
}

Operation *Fuser::chooseGroup(Value value, ArrayRef<Use> leaves) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (Operation *rows = chooseRowGroup(value, leaves)) {
    takeReadResults(rows, leaves);
    return rows;
  }
  if (Operation *last = joinProducts(value, leaves))
    return last;
  // Behind a chain, of what it computes only a second product is there for each element.
  llvm::SetVector<Value> seconds;
  for (const Use &use : leaves)
    if (isSecond(use.first.getDefiningOp()))
      seconds.insert(use.first);
  Operation *last = lastGroupOf(leaves);
  const bool fits = isa_and_nonnull<linalg::ContractOp>(last) &&
                    (!rowGroups.count(last) || chains.contains(last)) && seconds.size() <= 1 &&
                    llvm::all_of(leaves, [&](const Use &use) {
                      return groupOfLeaf(use.first) != last ||
                             (use.second && use.second.isIdentity() &&
                              (!chains.contains(last) || seconds.contains(use.first)));
                    });
  return fits && (!separate || onlyConverts(op)) ? last : op.getOperation();
}

bool Fuser::chooseGroups() {
  // Kept values may grow while products and reductions turn out to be needed whole; those are
  // earlier in the block, so they are decided again in a second round.
  for (bool changed = true; changed;) {
    changed = false;
    groupOf.clear();
    joined.clear();
    rowGroups.clear();
    readBefore.clear();
    leavesRead.clear();
    for (Value value : groupedValues()) {
      if (productOf(value) || isCumulation(value)) {
        groupOf[value] = groupOfLeaf(value);
        for (Value operand : value.getDefiningOp()->getOperands())
          readBefore.insert(behindWindows(operand));
        continue;
      }
      const SmallVector<Use> leaves = leavesOf(value);
      if (Operation *owner = chainOfWeights(value)) {
        if (!joinChain(owner, value, leaves))
          return breakChain(value), false;
      } else {
        groupOf[value] = chooseGroup(value, leaves);
      }
      for (auto &[leaf, map] : leaves) {
        leavesRead.push_back({value, leaf});
        if (groupOfLeaf(leaf) == groupOf[value])
          continue;
        readBefore.insert(leaf);
        if (isAnchor(leaf))
          changed |= kept.insert(leaf);
      }
    }
    takeIndependentResults();
  }
  findReads();
  return !breakChains();
}

void Fuser::findReads() {
  readsOf.clear();
  for (auto &[value, leaf] : leavesRead)
    if (Operation *group = groupOf.lookup(value), *read = groupOfLeaf(leaf); group != read)
      readsOf[group].insert(read);
  for (auto contract : block.getOps<linalg::ContractOp>())
    for (Value operand : operandsOf(contract))
      if (Value source = behindWindows(operand); kept.contains(source))
        readsOf[groupOfLeaf(contract.getResult(0))].insert(groupOf.lookup(source));
}

void Fuser::listOutputs() {
  SmallVector<Value> order(kept.begin(), kept.end());
  llvm::sort(order, [](Value x, Value y) {
    return x.getDefiningOp()->isBeforeInBlock(y.getDefiningOp());
  });
  for (Value value : order)
    outputsOf[groupOf[value]].push_back(value);
}

/// Whether it is generated where it is read; but a product reads the matrices of a window in place.
static bool isNowhere(Value tensor) {
  auto window = tensor.getDefiningOp<ir::WindowOp>();
  return ir::isGenerated(tensor.getDefiningOp()) && !(window && window.isOfMatrices());
}

// The frontend emits nothing else; textual IR may hold other forms.
LogicalResult Fuser::check() {
  for (Operation &op : block) {
    if (isa<ir::FusionGroupOp>(op))
      return op.emitOpError("stands in a kernel that is to be grouped into fusion groups");
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp || isa<linalg::FillOp, linalg::BroadcastOp>(op))
      continue;
    // A reduction may have a second result, such as a position.
    if (!isa<linalg::ContractOp, linalg::GenericOp>(op) ||
        (op.getNumResults() != 1 && !isRowReduction(&op)))
      return op.emitOpError("is neither a linalg.contract nor a linalg.generic with one result");
    Value init = linalgOp.getDpsInits()[0];
    auto start = init.getDefiningOp<linalg::LinalgOp>();
    if ((isa<linalg::ContractOp>(op) || isRowReduction(&op)) &&
        !isa_and_nonnull<linalg::FillOp, linalg::BroadcastOp>(init.getDefiningOp()))
      return op.emitOpError("expected to start from a linalg.fill or a linalg.broadcast");
    if (start)
      init = start.getDpsInits()[0];
    if (!init.getDefiningOp<tensor::EmptyOp>())
      return op.emitOpError("expected to write to a tensor.empty");
  }
  DenseSet<Value> images; // of which the cube loads windows
  for (auto contract : block.getOps<linalg::ContractOp>())
    if (imageOperand(contract))
      images.insert(contract.getInputs()[0]);
  for (Value operand : operandsInMemory())
    if (isNowhere(behindViews(operand)) && !images.contains(operand))
      return operand.getDefiningOp()->emitOpError(
          "is read where its elements have to be in memory: a linalg.generic writes them there");
  for (Value result : block.getTerminator()->getOperands())
    if (Value value = behindReshapes(result);
        !isNode(value) || value.getDefiningOp<linalg::FillOp>())
      return block.getTerminator()->emitOpError(
          "expected each result to come from a linalg.contract or linalg.generic");
  return success();
}

LogicalResult Fuser::refuseChains() {
  InFlightDiagnostic error = kernel.choice("fuse").emitError();
  if (exceedsRange)
    return error << "fuse = products divides by sums of rows, and multiplies by other factors of "
                    "rows, behind the second product; the weights without them may exceed the "
                    "range of f16; nearest legal: fuse = all, or weights of bf16";
  return error << "fuse = products computes a product together with one that multiplies what is "
                  "computed from its rows and needed nowhere else, and this kernel has no such "
                  "two; nearest legal: fuse = all";
}

LogicalResult Fuser::run() {
  if (failed(checkDims(kernel)) || failed(check()))
    return failure();
  do {
    findChains();
    chooseKept();
  } while (!chooseGroups());
  if (chainsProducts && chains.empty())
    return refuseChains();
  listOutputs();
  Operation *end = block.getTerminator();
  SmallVector<Operation *> old;
  for (Operation &op : block.without_terminator())
    old.push_back(&op);
  b.setInsertionPoint(end);
  for (Operation *op : old)
    if (outputsOf.count(op))
      emitInOrder(op);
  IRMapping inGroup;
  for (OpOperand &value : end->getOpOperands())
    value.set(outside(value.get(), inGroup));
  for (Operation *op : llvm::reverse(old))
    if (op->use_empty())
      op->erase();
  return success();
}

namespace {

/// Drops the results of a group that nothing reads, and what was computed for them alone: values of
/// rows that are inlined where they are read.
void dropUnreadResults(ir::FusionGroupOp group) {
  if (llvm::none_of(group.getResults(), [](Value it) { return it.use_empty(); }))
    return;
  Block &body = group.getBody().front();
  auto yield = cast<ir::YieldOp>(body.getTerminator());
  SmallVector<Value> read, yielded;
  for (auto [result, value] : llvm::zip(group.getResults(), yield.getValues()))
    if (!result.use_empty()) {
      read.push_back(result);
      yielded.push_back(value);
    }
  yield.getValuesMutable().assign(yielded);
  eraseDeadOperations(body);
  OpBuilder b(group);
  auto copy = ir::FusionGroupOp::create(b, group.getLoc(), ValueRange(read).getTypes(),
                                        group->getOperands(), group->getAttrs());
  copy.getBody().takeBody(group.getBody());
  for (auto [value, own] : llvm::zip(read, copy.getResults()))
    value.replaceAllUsesWith(own);
  group.erase();
}

struct FuseEpiloguePass : impl::FuseEpilogueBase<FuseEpiloguePass> {
  void runOnOperation() override {
    for (ir::KernelOp kernel : getOperation().getOps<ir::KernelOp>()) {
      readPositions(kernel);
      if (kernel.chosenWord("bias", "vector") == "table" && failed(startFromRows(kernel)))
        return signalPassFailure();
      auto machine = getOperation()->getAttrOfType<aicore::MachineAttr>("aicore.machine");
      Fuser fuser(kernel, !machine || backendOf(machine).hasPipes());
      if (failed(fuser.run()))
        return signalPassFailure();
      for (auto group : llvm::make_early_inc_range(kernel.getBody().getOps<ir::FusionGroupOp>()))
        dropUnreadResults(group);
      kernel.walk([](linalg::GenericOp op) { compareIntegers(op); });
      if (machine && !backendOf(machine).hasWideIntegers())
        kernel.walk([](linalg::GenericOp op) { narrowIntegers(op); });
      if (machine && backendOf(machine).hasPipes())
        kernel.walk([](linalg::GenericOp op) { expandFunctions(op); });
      for (auto group : kernel.getBody().getOps<ir::FusionGroupOp>())
        if (group.getSpaceAttr() && failed(buildRows(group, fuser.loopsOfRows())))
          return signalPassFailure();
      // The CPU computes whole parts of columns, and multiplies those that are excluded by 0.
      if (!machine || backendOf(machine).hasPipes())
        readChainValues(kernel);
    }
  }
};

} // namespace
} // namespace mmk
