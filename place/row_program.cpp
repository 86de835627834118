#include "place/row_program.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace mmk {

Value RowProgram::addReduction(aicore::ReduceKind kind, Value operand, TypedAttr identity,
                               Location where) {
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
  // Results that no reduction is left for are written in a pass too.
  unsigned levels = 1;
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

// Each reduction becomes an argument: what is computed before it and behind it is computed apart.
RowProgram::RowProgram(ir::FusionGroupOp group, ir::RowsOp rows)
    : space_(group), plane_(planeOf(space_)), region_(std::make_unique<Region>()) {
  IRMapping map;
  rows.getBody().cloneInto(region_.get(), map);
  for (auto [number, tensor] : llvm::enumerate(rows.getInputs())) {
    const SpaceLoops dims(rows.dimsOfInput(number));
    Value element = block().getArgument(number);
    const bool varies =
        llvm::any_of(dims, [&](int64_t dim) { return dim >= 0 && space_.isReduced[dim]; });
    facts_[element] = {0, varies};
    inputs_.push_back({tensor, dims, element});
  }
  auto end = cast<ir::RowElementsOp>(block().getTerminator());
  for (auto op : llvm::make_early_inc_range(block().getOps<ir::RowReduceOp>())) {
    const auto argument = [&](Value of) -> Value {
      if (!of)
        return {};
      Value own = block().addArgument(of.getType(), op.getLoc());
      of.replaceAllUsesWith(own);
      return own;
    };
    Value result = argument(op.getResult()), position = argument(op.getPosition());
    reductions_.push_back({op.getKind(), op.getElement(), result, position, op.getIdentity(),
                           op.getScan(), op.getLoc()});
    op.erase();
  }
  for (auto [number, element] : llvm::enumerate(end.getValues()))
    outputs_.push_back({element, rows->getResult(number), SpaceLoops(rows.dimsOfResult(number))});
  end.erase();
  updateFacts();
  joinColumns();
}

FailureOr<RowProgram> RowProgram::of(ir::FusionGroupOp group) {
  if (ir::RowsOp rows = rowsOf(group))
    return RowProgram(group, rows);
  return group.emitOpError("expected a mmk.rows");
}

} // namespace mmk
