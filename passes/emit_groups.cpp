// The fusion groups of a kernel: each value of a group that is not kept is inlined where it is
// read.
#include "passes/fuser.h"

using namespace mlir;

namespace mmk {

// A value from outside of the fusion group: a parameter, an extent, a generated tensor, or the
// result of an earlier fusion group, through the slices, reshapes and windows in between.
Value Fuser::outside(Value value, IRMapping &inGroup) {
  if (Value known = inGroup.lookupOrNull(value))
    return known;
  if (Value known = global.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!isReshape(op) && !isa_and_nonnull<tensor::ExtractSliceOp, ir::WindowOp>(op))
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

/// One operation of a group: the values that it reads from memory or from other operations of the
/// group, and its elements, computed from those.
class Fuser::Inlining {
public:
  Inlining(Fuser &fuser, Operation *owner) : fuser(fuser), owner(owner) {}

  /// Adds what `value` is computed from to the inputs.
  void gather(Value value, AffineMap map) {
    std::tie(value, map) = fuser.resolve({value, map});
    if (!seen.insert({value, map}).second)
      return;
    if (!isInlined(value)) {
      inputs.insert({value, map});
      return;
    }
    auto op = value.getDefiningOp<linalg::LinalgOp>();
    for (OpOperand *input : op.getDpsInputOperands())
      gather(input->get(), op.getMatchingIndexingMap(input).compose(map));
  }

  /// Of all elements that follow, the inputs are these arguments.
  void start(ValueRange arguments) {
    for (auto [use, argument] : llvm::zip(inputs, arguments))
      done[use] = argument;
  }

  Value element(OpBuilder &builder, Value value, AffineMap map) {
    std::tie(value, map) = fuser.resolve({value, map});
    auto known = done.find({value, map});
    if (known != done.end())
      return known->second;
    IRMapping elements;
    elementsOf(builder, value.getDefiningOp<linalg::LinalgOp>(), map, elements);
    auto op = value.getDefiningOp<linalg::LinalgOp>();
    Value result = elements.lookupOrDefault(op.getBlock()->getTerminator()->getOperand(0));
    done[{value, map}] = result;
    return result;
  }

  /// The body of `op` on the elements of its inputs.
  void elementsOf(OpBuilder &builder, linalg::LinalgOp op, AffineMap map, IRMapping &elements) {
    for (OpOperand *input : op.getDpsInputOperands())
      elements.map(op.getMatchingBlockArgument(input),
                   element(builder, input->get(), op.getMatchingIndexingMap(input).compose(map)));
    for (Operation &inner : op.getBlock()->without_terminator())
      builder.clone(inner, elements);
  }

  /// The operands for the inputs, with their maps.
  void operands(IRMapping &inGroup, SmallVectorImpl<Value> &operands,
                SmallVectorImpl<AffineMap> &maps) {
    for (auto [value, map] : inputs) {
      operands.push_back(fuser.operandFor(value, map, inGroup));
      maps.push_back(map);
    }
  }

private:
  bool isInlined(Value value) {
    return isNode(value) && !isAnchor(value) &&
           (!fuser.kept.contains(value) || fuser.groupOf.lookup(value) == owner);
  }

  Fuser &fuser;
  Operation *owner;
  llvm::SetVector<Use> inputs;
  llvm::DenseSet<Use> seen;
  llvm::DenseMap<Use, Value> done;
};

SmallVector<Value> Fuser::emitElementwise(ArrayRef<Value> outputs, Operation *owner,
                                          IRMapping &inGroup) {
  auto first = outputs[0].getDefiningOp<linalg::LinalgOp>();
  AffineMap identity = b.getMultiDimIdentityMap(first.getNumLoops());
  Inlining inlining(*this, owner);
  for (Value output : outputs)
    inlining.gather(output, identity);

  SmallVector<Value> operands, inits;
  SmallVector<AffineMap> maps;
  SmallVector<Type> types;
  SmallVector<Location> locations;
  inlining.operands(inGroup, operands, maps);
  for (Value output : outputs) {
    auto op = output.getDefiningOp<linalg::LinalgOp>();
    Value init = op.getDpsInits()[0];
    if (productOf(output)) // that is zero, or a bias
      init = init.getDefiningOp<linalg::LinalgOp>().getDpsInits()[0];
    inits.push_back(b.clone(*init.getDefiningOp())->getResult(0));
    maps.push_back(identity);
    types.push_back(output.getType());
    locations.push_back(op.getLoc());
  }
  SmallVector<utils::IteratorType> iterators(first.getNumLoops(), utils::IteratorType::parallel);
  auto generic =
      linalg::GenericOp::create(b, b.getFusedLoc(locations), types, operands, inits, maps,
                                iterators, [&](OpBuilder &builder, Location, ValueRange arguments) {
                                  inlining.start(arguments);
                                  SmallVector<Value> results;
                                  for (Value output : outputs)
                                    results.push_back(inlining.element(builder, output, identity));
                                  linalg::YieldOp::create(builder, first.getLoc(), results);
                                });
  return generic.getResults();
}

/// A reduction, with the elementwise work on its operands inlined.
linalg::GenericOp Fuser::emitReduction(linalg::GenericOp op, Operation *owner, IRMapping &inGroup) {
  const AffineMap identity = b.getMultiDimIdentityMap(op.getNumLoops());
  Inlining inlining(*this, owner);
  for (OpOperand *input : op.getDpsInputOperands())
    inlining.gather(input->get(), op.getMatchingIndexingMap(input).compose(identity));
  SmallVector<Value> operands, inits;
  SmallVector<AffineMap> maps;
  inlining.operands(inGroup, operands, maps);
  for (OpOperand &init : op.getDpsInitsMutable()) {
    auto start = init.get().getDefiningOp<linalg::LinalgOp>();
    IRMapping own;
    Value empty = start.getDpsInits()[0];
    own.map(empty, b.clone(*empty.getDefiningOp())->getResult(0));
    inits.push_back(b.clone(*start, own)->getResult(0));
    maps.push_back(op.getMatchingIndexingMap(&init));
  }
  auto generic = linalg::GenericOp::create(
      b, op.getLoc(), op.getResultTypes(), operands, inits, maps, op.getIteratorTypesArray(),
      [&](OpBuilder &builder, Location, ValueRange arguments) {
        inlining.start(arguments);
        IRMapping elements;
        for (auto [init, argument] :
             llvm::zip(op.getRegionOutputArgs(), arguments.take_back(inits.size())))
          elements.map(init, argument);
        inlining.elementsOf(builder, op, identity, elements);
        SmallVector<Value> yielded;
        for (Value value : op.getBody()->getTerminator()->getOperands())
          yielded.push_back(elements.lookupOrDefault(value));
        linalg::YieldOp::create(builder, op.getLoc(), yielded);
      });
  if (Attribute name = op->getAttr("mmk.name"))
    generic->setAttr("mmk.name", name);
  return generic;
}

// In block order: what an operation reads of the others precedes it.
void Fuser::emitRows(Operation *owner, IRMapping &inGroup) {
  RowGroup &group = rowGroups.find(owner)->second;
  SmallVector<std::pair<Operation *, SpaceLoops>> members(group.members.begin(),
                                                          group.members.end());
  llvm::sort(members, [](auto &x, auto &y) { return x.first->isBeforeInBlock(y.first); });
  for (auto &[op, loops] : members) {
    if (isa<linalg::ContractOp>(op))
      continue; // emitted before
    Operation *emitted = nullptr;
    if (isRowReduction(op))
      emitted = emitReduction(cast<linalg::GenericOp>(op), owner, inGroup);
    else
      emitted = emitElementwise({op->getResult(0)}, owner, inGroup)[0].getDefiningOp();
    rowLoops[emitted] = loops;
    // An elementwise result is inlined where the group reads it.
    for (auto [result, value] : llvm::zip(op->getResults(), emitted->getResults()))
      inGroup.map(result, value);
  }
}

void Fuser::emitProduct(linalg::ContractOp contract, IRMapping &inGroup) {
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

void Fuser::emitCumulation(ir::CumulateOp op, IRMapping &inGroup) {
  auto emitted = ir::CumulateOp::create(b, op.getLoc(), op.getType(),
                                        outside(op.getOperand(), inGroup), op.getAlong());
  rowLoops[emitted] = llvm::to_vector(llvm::seq<int64_t>(op.getType().getRank()));
  inGroup.map(op.getResult(), emitted.getResult());
}

void Fuser::emitInOrder(Operation *owner) {
  if (!emitted.insert(owner).second)
    return;
  for (Operation *read : readsOf.lookup(owner))
    emitInOrder(read);
  emitGroup(owner);
}

// A second product that is a result itself is one of those computed from it: a chain stores the
// results of the last operation behind each.
std::vector<SmallVector<Value>> Fuser::byProduct(Operation *owner, ArrayRef<Value> outputs) {
  llvm::MapVector<Value, SmallVector<Value>> groups;
  for (Value output : outputs) {
    Value product;
    for (const Use &use : leavesOf(output))
      if (isSecond(use.first.getDefiningOp()))
        product = use.first;
    groups[product].push_back(output);
  }
  std::vector<SmallVector<Value>> all;
  for (auto &[product, values] : groups) {
    if (product && llvm::is_contained(outputsOf[owner], product))
      values.push_back(product);
    all.push_back(values);
  }
  return all;
}

void Fuser::emitOperations(Operation *owner, IRMapping &inGroup) {
  const auto chain = chains.find(owner);
  auto contract = dyn_cast<linalg::ContractOp>(owner);
  if (chain != chains.end())
    for (linalg::ContractOp first : chain->second.firsts)
      emitProduct(first, inGroup);
  else if (contract)
    for (auto each : block.getOps<linalg::ContractOp>())
      if (each == contract || joined.lookup(each) == owner)
        emitProduct(each, inGroup);
  if (rowGroups.count(owner))
    emitRows(owner, inGroup);
  if (auto cumulation = dyn_cast<ir::CumulateOp>(owner))
    emitCumulation(cumulation, inGroup);
  if (chain != chains.end())
    for (linalg::ContractOp second : chain->second.seconds)
      emitProduct(second, inGroup);
  // Rows and cumulative sums have emitted theirs.
  SmallVector<Value> computed;
  for (Value output : outputsOf[owner])
    if (!inGroup.contains(output) && !productOf(output))
      computed.push_back(output);
  for (const SmallVector<Value> &values : byProduct(owner, computed))
    for (auto [output, value] : llvm::zip(values, emitElementwise(values, owner, inGroup)))
      inGroup.map(output, value);
}

void Fuser::emitGroup(Operation *owner) {
  ArrayRef<Value> outputs = outputsOf[owner];
  SmallVector<Type> types;
  for (Value output : outputs)
    types.push_back(output.getType());
  std::optional<RowSpace> space;
  if (auto rows = rowGroups.find(owner); rows != rowGroups.end())
    space = rows->second.space;
  else if (auto cumulation = dyn_cast<ir::CumulateOp>(owner))
    space.emplace(cumulation);
  auto group = ir::FusionGroupOp::create(
      b, owner->getLoc(), types, space ? b.getStrArrayAttr(space->names) : ArrayAttr(),
      space ? b.getDenseI64ArrayAttr(space->reduced()) : DenseI64ArrayAttr(), DenseI64ArrayAttr(),
      DenseI64ArrayAttr());
  {
    OpBuilder::InsertionGuard guard(b);
    Block *inside = b.createBlock(&group.getBody(), {}, b.getIndexType(), owner->getLoc());
    b.setInsertionPointToEnd(inside);
    IRMapping inGroup;
    emitOperations(owner, inGroup);
    SmallVector<Value> yielded;
    for (Value output : outputs)
      yielded.push_back(inGroup.lookup(output));
    ir::YieldOp::create(b, owner->getLoc(), yielded);
  }
  for (auto [output, result] : llvm::zip(outputs, group.getResults()))
    global.map(output, result);
}

} // namespace mmk
