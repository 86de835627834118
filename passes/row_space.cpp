#include "passes/row_space.h"

#include "backend/backend.h"
#include "ir/aicore.h"
#include "ir/rows.h"
#include "passes/dimensions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace mmk {

RowSpace::RowSpace(linalg::LinalgOp reduction) : names(dimNames(reduction)) {
  for (utils::IteratorType iterator : reduction.getIteratorTypesArray())
    isReduced.push_back(iterator == utils::IteratorType::reduction);
}

RowSpace::RowSpace(linalg::ContractOp product) {
  const int64_t rank = cast<RankedTensorType>(product.getResult(0).getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim) {
    names.push_back(dimName(product.getResult(0), dim));
    isReduced.push_back(dim + 1 == rank);
  }
}

RowSpace::RowSpace(ir::CumulateOp cumulation) {
  for (int64_t dim = 0; dim < cumulation.getType().getRank(); ++dim) {
    names.push_back(dimName(cumulation.getResult(), dim));
    isReduced.push_back(dim == static_cast<int64_t>(cumulation.getAlong()));
  }
}

RowSpace::RowSpace(ir::FusionGroupOp group) {
  const ArrayAttr space = group.getSpaceAttr();
  for (Attribute name : space)
    names.push_back(cast<StringAttr>(name).getValue());
  isReduced.assign(names.size(), false);
  const std::optional<ArrayRef<int64_t>> reduced = group.getReduced();
  for (int64_t dim : *reduced)
    isReduced[dim] = true;
  ir::RowsOp rows = rowsOf(group);
  if (rows && rows.getParts())
    parts.assign(rows.getParts()->begin(), rows.getParts()->end());
  combines = rows && rows.getCombines();
}

SmallVector<int64_t> RowSpace::reduced() const {
  SmallVector<int64_t> dims;
  for (auto [i, is] : llvm::enumerate(isReduced))
    if (is)
      dims.push_back(i);
  return dims;
}

bool isRowReduction(Operation *op) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  return generic && generic.getNumReductionLoops() > 0;
}

SmallVector<RowSpace> reducedSpaces(ir::KernelOp kernel) {
  SmallVector<RowSpace> spaces;
  kernel.walk([&](Operation *op) {
    auto rows = dyn_cast<ir::RowsOp>(op);
    if (isRowReduction(op))
      spaces.emplace_back(cast<linalg::LinalgOp>(op));
    else if (rows && !rows.hasScan() && !rows.block().getOps<ir::RowReduceOp>().empty())
      spaces.emplace_back(rows->getParentOfType<ir::FusionGroupOp>());
  });
  return spaces;
}

SpaceLoops dimsOfResult(Operation *op, ArrayRef<int64_t> loops) {
  if (isa<ir::CumulateOp, linalg::ContractOp>(op))
    return SpaceLoops(loops);
  SpaceLoops dims;
  const AffineMap map = cast<linalg::LinalgOp>(op).getIndexingMapsArray().back();
  for (AffineExpr expression : map.getResults())
    dims.push_back(loops[cast<AffineDimExpr>(expression).getPosition()]);
  return dims;
}

SmallVector<StringRef> dividedDims(ir::KernelOp kernel) {
  llvm::SmallSetVector<StringRef, 8> dims;
  for (const RowSpace &space : reducedSpaces(kernel))
    for (int64_t dim : space.reduced())
      dims.insert(space.names[dim]);
  llvm::SmallSetVector<StringRef, 8> columns, reductions;
  kernel.walk([&](linalg::ContractOp contract) {
    const ProductNames names = productNames(contract);
    for (StringRef dim : {names.rows, names.columns, names.reduction})
      dims.remove(dim);
    columns.insert(names.columns);
    reductions.insert(names.reduction);
  });
  if (kernel.chosenWord("fuse", "all") == "products")
    for (StringRef dim : columns)
      if (reductions.contains(dim))
        dims.insert(dim);
  return dims.takeVector();
}

SmallVector<int64_t> partsOf(ir::KernelOp kernel, const RowSpace &space) {
  const auto machine = kernel->getParentOp()->getAttrOfType<aicore::MachineAttr>("aicore.machine");
  if (machine && !backendOf(machine).hasPipes())
    return {};
  SmallVector<int64_t> parts(space.names.size(), 1);
  const SmallVector<StringRef> divided = dividedDims(kernel);
  for (int64_t dim : space.reduced())
    if (llvm::is_contained(divided, space.names[dim]))
      parts[dim] = kernel.chosenNumber(("grid." + space.names[dim]).str(), 1);
  const bool isDivided = llvm::any_of(parts, [](int64_t count) { return count > 1; });
  return isDivided ? parts : SmallVector<int64_t>();
}

namespace {

constexpr int64_t unknown = -2;

/// The loops by which the operation reads reductions of the group; false where two disagree.
bool assignByUses(ArrayRef<RowUse> uses, SpaceLoops &loops) {
  for (const RowUse &use : uses)
    for (auto [expression, dim] : llvm::zip(use.map.getResults(), use.dims)) {
      auto loop = dyn_cast<AffineDimExpr>(expression);
      if (!loop)
        return false;
      int64_t &known = loops[loop.getPosition()];
      if (known != unknown && known != dim)
        return false;
      known = dim;
    }
  return true;
}

bool assignByNames(const RowSpace &space, ArrayRef<StringRef> names, SpaceLoops &loops) {
  for (auto [name, loop] : llvm::zip(names, loops)) {
    if (loop != unknown)
      continue;
    for (auto [dim, other] : llvm::enumerate(space.names))
      if (other == name && !llvm::is_contained(loops, static_cast<int64_t>(dim)))
        loop = dim;
    if (loop == unknown && name == "1")
      loop = -1;
    if (loop == unknown)
      return false;
  }
  return true;
}

} // namespace

std::optional<SpaceLoops> loopsIn(const RowSpace &space, linalg::LinalgOp op,
                                  ArrayRef<RowUse> uses) {
  SpaceLoops loops(op.getNumLoops(), unknown);
  if (!assignByUses(uses, loops) || !assignByNames(space, dimNames(op), loops))
    return std::nullopt;
  SpaceLoops own;
  llvm::copy_if(loops, std::back_inserter(own), [](int64_t dim) { return dim >= 0; });
  if (!llvm::is_sorted(own) || std::adjacent_find(own.begin(), own.end()) != own.end())
    return std::nullopt;
  size_t reduced = 0;
  for (auto [dim, isReduced] : llvm::enumerate(space.isReduced)) {
    const bool has = llvm::is_contained(own, static_cast<int64_t>(dim));
    if (!isReduced && !has)
      return std::nullopt;
    reduced += isReduced && has;
  }
  if (reduced != 0 && reduced != space.reduced().size())
    return std::nullopt;
  if (!isRowReduction(op))
    return loops;
  for (auto [loop, iterator] : llvm::zip(loops, op.getIteratorTypesArray()))
    if (loop < 0 || space.isReduced[loop] != (iterator == utils::IteratorType::reduction))
      return std::nullopt;
  return loops;
}

TilePlane planeOf(const RowSpace &space) {
  TilePlane plane;
  plane.columns = static_cast<int64_t>(space.names.size()) - 1;
  plane.reducesColumns = space.isReduced.back();
  for (int64_t dim = 0; dim < plane.columns; ++dim)
    if (space.isReduced[dim] != plane.reducesColumns)
      plane.rows = dim;
  return plane;
}

// The words for several dimensions of a space are the same; see reduce_words.h.
std::string rowChoiceOf(ir::KernelOp kernel, const RowSpace &space) {
  for (int64_t dim : space.reduced())
    if (std::string key = ("reduce." + space.names[dim]).str(); kernel.choice(key))
      return key;
  return "reduce";
}

LogicalResult refuseOnline(ir::KernelOp kernel, ir::FusionGroupOp group, const RowSpace &space) {
  const std::string key = rowChoiceOf(kernel, space);
  return group.emitError() << key
                           << " = online rescales sums of exponentials while their maximum grows; "
                              "here a reduction waits for another in another way; nearest legal: "
                           << key << " = two_pass";
}

RowForm rowFormOf(ir::KernelOp kernel, const RowSpace &space) {
  if (space.combines)
    return RowForm::passes;
  const StringRef word = kernel.chosenWord(rowChoiceOf(kernel, space), "two_pass");
  if (word == "whole" && space.reduced().size() == 1)
    return RowForm::whole;
  return word == "online" ? RowForm::online : RowForm::passes;
}

} // namespace mmk
