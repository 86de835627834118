#include "place/row_program.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <optional>

using namespace mlir;

namespace mmk {

using aicore::ReduceKind;

namespace {

/// The last operations of a reduction's region, which combine an element with what precedes it.
struct Combination {
  ReduceKind kind;
  Value element;
};

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

std::optional<Combination> combinationOf(linalg::GenericOp op) {
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
    return Combination{*kind, select.getTrueValue()};
  }
  const std::optional<ReduceKind> kind = kindOf(combine);
  if (!kind || before.size() != 1)
    return std::nullopt;
  for (unsigned i : {0, 1})
    if (combine->getOperand(i) == before[0])
      return Combination{*kind, combine->getOperand(1 - i)};
  return std::nullopt;
}

SpaceLoops dimsOfOperand(linalg::GenericOp op, OpOperand *operand) {
  const SpaceLoops loops = loopsOf(op);
  SpaceLoops dims;
  for (AffineExpr expression : op.getMatchingIndexingMap(operand).getResults())
    dims.push_back(loops[cast<AffineDimExpr>(expression).getPosition()]);
  return dims;
}

} // namespace

class RowProgram::Builder {
public:
  Builder(RowProgram &program, MLIRContext *context) : p(program), b(context) {
    p.region_ = std::make_unique<Region>();
    b.createBlock(p.region_.get());
  }

  LogicalResult add(linalg::GenericOp op) {
    IRMapping map;
    for (OpOperand *operand : op.getDpsInputOperands())
      map.map(op.getMatchingBlockArgument(operand), elementOf(op, operand));
    if (isRowReduction(op))
      return addReduction(op, map);
    for (Operation &inner : op.getBody()->without_terminator())
      compute(inner, map);
    for (auto [value, result] :
         llvm::zip(op.getBody()->getTerminator()->getOperands(), op->getResults())) {
      known[result] = map.lookupOrDefault(value);
      addOutput(op, result);
    }
    return success();
  }

  /// A cumulative sum of a tensor in memory.
  void add(ir::CumulateOp op) {
    Value operand = elementOf(op.getOperand(), loopsOf(op), op.getLoc());
    const Type type = operand.getType();
    RowReduction scan{ReduceKind::add,
                      operand,
                      p.block().addArgument(type, op.getLoc()),
                      {},
                      b.getZeroAttr(type),
                      true,
                      op.getLoc()};
    p.facts_[scan.result] = {p.levelOf(operand), true};
    known[op.getResult()] = scan.result;
    p.reductions_.push_back(scan);
    p.outputs_.push_back({scan.result, op.getResult(), loopsOf(op)});
  }

private:
  /// The element that an operation of the group reads of an operand.
  Value elementOf(linalg::GenericOp op, OpOperand *operand) {
    if (Value value = known.lookup(operand->get()))
      return value;
    return elementOf(operand->get(), dimsOfOperand(op, operand), op.getLoc());
  }

  /// Of a tensor with these dimensions of the space.
  Value elementOf(Value tensor, const SpaceLoops &dims, Location where) {
    for (const RowInput &input : p.inputs_)
      if (input.tensor == tensor && input.dims == dims)
        return input.element;
    Type type = cast<RankedTensorType>(tensor.getType()).getElementType();
    Value element = p.block().addArgument(type, where);
    const bool varies =
        llvm::any_of(dims, [&](int64_t dim) { return dim >= 0 && p.space_.isReduced[dim]; });
    p.facts_[element] = {0, varies};
    p.inputs_.push_back({tensor, dims, element});
    return element;
  }

  /// One operation on elements, unless the block has the same one.
  void compute(Operation &inner, IRMapping &map) {
    Operation *clone = inner.clone(map);
    for (Operation &other : p.block())
      if (OperationEquivalence::isEquivalentTo(&other, clone,
                                               OperationEquivalence::IgnoreLocations)) {
        for (auto [result, value] : llvm::zip(inner.getResults(), other.getResults()))
          map.map(result, value);
        clone->destroy();
        return;
      }
    b.setInsertionPointToEnd(&p.block());
    b.insert(clone);
    Facts facts;
    bool isOfBlock = false;
    for (Value operand : clone->getOperands())
      if (auto found = p.facts_.find(operand); found != p.facts_.end()) {
        isOfBlock = true;
        facts.level = std::max(facts.level, found->second.level);
        facts.varies |= found->second.varies;
      }
    for (auto [result, value] : llvm::zip(inner.getResults(), clone->getResults())) {
      map.map(result, value);
      if (isOfBlock)
        p.facts_[value] = facts;
    }
  }

  /// Of a reduction over no elements, which is known when its condition is false at any place: the
  /// extreme of as many identities.
  std::optional<Combination> combinationOfNone(linalg::GenericOp op, TypedAttr identity) {
    if (op.getBody()->getTerminator()->getOperands() != op.getRegionOutputArgs())
      return std::nullopt;
    b.setInsertionPointToEnd(&p.block());
    Value element = arith::ConstantOp::create(b, op.getLoc(), identity);
    return Combination{op.getNumResults() > 1 ? ReduceKind::argmax : ReduceKind::max, element};
  }

  /// Of integers, where folding has left a constant: each element absorbs the result so far, as 0
  /// does in a product. That is the maximum or the minimum, whichever takes it over the identity.
  std::optional<Combination> combinationOfAbsorbing(linalg::GenericOp op, TypedAttr identity) {
    auto start = dyn_cast<IntegerAttr>(identity);
    IntegerAttr all;
    if (op.getNumResults() > 1 || !start ||
        !matchPattern(op.getBody()->getTerminator()->getOperand(0), m_Constant(&all)))
      return std::nullopt;
    b.setInsertionPointToEnd(&p.block());
    Value element = arith::ConstantOp::create(b, op.getLoc(), all);
    return Combination{all.getValue().sgt(start.getValue()) ? ReduceKind::max : ReduceKind::min,
                       element};
  }

  LogicalResult addReduction(linalg::GenericOp op, IRMapping &map) {
    Value start = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>().getInputs()[0];
    TypedAttr identity;
    if (!matchPattern(start, m_Constant(&identity)))
      return op.emitOpError("expected to start from a constant");
    std::optional<Combination> combination = combinationOf(op);
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
    Value operand = map.lookupOrDefault(combination->element);
    RowReduction reduction{combination->kind, operand, {}, {}, identity, false, op.getLoc()};
    auto argument = [&](unsigned result) {
      Type type = cast<RankedTensorType>(op->getResult(result).getType()).getElementType();
      Value value = p.block().addArgument(type, op.getLoc());
      p.facts_[value] = {p.levelOf(operand) + 1, false};
      known[op->getResult(result)] = value;
      return value;
    };
    reduction.result = argument(0);
    if (op.getNumResults() > 1)
      reduction.position = argument(1);
    p.reductions_.push_back(reduction);
    for (Value result : op->getResults())
      addOutput(op, result);
    return success();
  }

  void addOutput(linalg::GenericOp op, Value result) {
    // A tensor without dimensions is yielded as it is.
    if (llvm::any_of(
            result.getUsers(),
            llvm::IsaPred<tensor::InsertSliceOp, scf::YieldOp, ir::YieldOp, linalg::ContractOp>))
      p.outputs_.push_back({known[result], result, dimsOfResult(op, loopsOf(op))});
  }

  RowProgram &p;
  OpBuilder b;
  DenseMap<Value, Value> known; ///< the element of each result of the tile's operations
};

Value RowProgram::addReduction(ReduceKind kind, Value operand, TypedAttr identity, Location where) {
  Value result = block().addArgument(operand.getType(), where);
  reductions_.push_back({kind, operand, result, {}, identity, false, where});
  updateFacts();
  return result;
}

Value RowProgram::addKeptArgument(Type type, Location where) {
  Value argument = block().addArgument(type, where);
  facts_[argument] = {0, false};
  return argument;
}

void RowProgram::setOnline(OnlineRows online) {
  online_ = std::move(online);
  updateFacts();
}

void RowProgram::setWeights(std::vector<RowWeights> weights) {
  weights_ = std::move(weights);
  updateFacts();
}

const RowWeights *RowProgram::weightsOf(size_t output) const {
  const auto found =
      llvm::find_if(weights_, [&](const RowWeights &it) { return it.output == output; });
  return found == weights_.end() ? nullptr : &*found;
}

// Reductions are arguments, which stand before what they are computed from.
void RowProgram::updateFacts() {
  const auto merge = [&](Value value, Facts facts) {
    Facts &known = facts_[value];
    const bool isNew = known.level != facts.level || known.varies != facts.varies;
    known = facts;
    return isNew;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (Operation &op : block()) {
      Facts facts;
      bool isOfBlock = false;
      for (Value operand : op.getOperands())
        if (auto found = facts_.find(operand); found != facts_.end()) {
          isOfBlock = true;
          facts.level = std::max(facts.level, found->second.level);
          facts.varies |= found->second.varies;
        }
      for (Value result : op.getResults())
        changed |= isOfBlock && merge(result, facts);
    }
    for (const RowReduction &reduction : reductions_)
      for (Value result : {reduction.result, reduction.position})
        if (result)
          changed |=
              merge(result, {levelOf(reduction.operand) + !reduction.isScan, reduction.isScan});
  }
}

unsigned RowProgram::levels() const {
  unsigned levels = 0;
  for (const RowReduction &reduction : reductions_)
    levels = std::max(levels, levelOf(reduction.operand) + 1);
  // A result without reduced dimensions is complete after the pass before.
  for (const RowOutput &output : outputs_)
    if (llvm::any_of(output.dims, [&](int64_t dim) { return dim >= 0 && space_.isReduced[dim]; }))
      levels = std::max(levels, levelOf(output.element) + 1);
  return levels;
}

/// Whether the last `count` dimensions of a tensor are in one piece: those of the tensor in memory,
/// or of random numbers.
static bool endsInOnePiece(Value tensor, int64_t count) {
  while (auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>()) {
    const llvm::SmallBitVector dropped = slice.getDroppedDims();
    for (int64_t i = 0; i < count; ++i)
      if (dropped.test(dropped.size() - 1 - i))
        return false;
    tensor = slice.getSource();
  }
  return !tensor.getDefiningOp() || !isa<ir::WindowOp, ir::PositionsOp>(tensor.getDefiningOp());
}

void RowProgram::joinColumns() {
  const auto rank = static_cast<int64_t>(space_.names.size());
  const auto joins = [&](int64_t count, const SpaceLoops &dims, Value tensor) {
    const auto isJoined = [&](int64_t dim) { return dim >= rank - count; };
    if (llvm::none_of(dims, isJoined))
      return true;
    const auto size = static_cast<int64_t>(dims.size());
    for (int64_t i = 0; i < count; ++i)
      if (i >= size || dims[size - 1 - i] != rank - 1 - i)
        return false;
    return endsInOnePiece(tensor, count) &&
           llvm::none_of(ArrayRef(dims).drop_back(count), isJoined);
  };
  // One dimension that is kept is before them, as the rows of the plane.
  const auto fits = [&](int64_t count) {
    // A part of a dimension is in one piece with those inside of it only.
    for (int64_t dim = rank - count + 1; dim < rank; ++dim)
      if (space_.isDivided(dim))
        return false;
    return llvm::all_of(inputs_, [&](auto &it) { return joins(count, it.dims, it.tensor); }) &&
           llvm::all_of(outputs_, [&](auto &it) { return joins(count, it.dims, it.tensor); }) &&
           llvm::none_of(reductions_, [](auto &it) { return it.position || it.isScan; });
  };
  while (joined_ < rank && space_.isReduced[rank - joined_ - 1] && plane_.reducesColumns &&
         fits(joined_ + 1))
    ++joined_;
}

FailureOr<RowProgram> RowProgram::of(ir::FusionGroupOp group, Block &operations) {
  RowProgram program((RowSpace(group)));
  Builder builder(program, group.getContext());
  for (Operation &op : operations) {
    if (auto cumulation = dyn_cast<ir::CumulateOp>(op))
      builder.add(cumulation);
    else if (auto generic = dyn_cast<linalg::GenericOp>(op);
             generic && generic->hasAttr(loopsAttr) && failed(builder.add(generic)))
      return failure();
  }
  program.joinColumns();
  return program;
}

} // namespace mmk
