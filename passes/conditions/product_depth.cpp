#include "passes/conditions/product_depth.h"

#include "ir/excludes.h"
#include "ir/rows.h"
#include "passes/chains/chain.h"
#include "passes/chains/element.h"
#include "passes/conditions/bounds.h"
#include "passes/dimensions.h"
#include "passes/variant.h"
#include "passes/windows/image_operand.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

#include <limits>

using namespace mlir;

namespace mmk {
namespace {

/// Of a product before it is tiled: the number of its condition.
constexpr llvm::StringLiteral conditionAttr = "mmk.condition";

/// The selection of an element where the condition of a sum holds, else 0; null for another value.
arith::SelectOp excludingSelect(Value element) {
  while (Operation *op = element.getDefiningOp()) {
    if (auto select = dyn_cast<arith::SelectOp>(op))
      return select->hasAttr(ir::excludesAttr) ? select : arith::SelectOp();
    if (!isa<arith::TruncFOp, arith::ExtFOp, arith::SIToFPOp, arith::FPToSIOp>(op))
      break;
    element = op->getOperand(0);
  }
  return {};
}

/// The element that another group writes of a tensor, whose dimensions have these ids; nothing for
/// another tensor.
std::optional<Element> written(Value tensor, ArrayRef<int64_t> dims) {
  auto group = tensor.getDefiningOp<ir::FusionGroupOp>();
  if (!group)
    return std::nullopt;
  Value value =
      group.getBody().front().getTerminator()->getOperand(cast<OpResult>(tensor).getResultNumber());
  const unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto rows = value.getDefiningOp<ir::RowsOp>()) {
    Element element{rows, rows.elements()[number], {}};
    element.ids.assign(group.getSpaceAttr().size(), -1);
    for (auto [own, dim] : llvm::zip(rows.dimsOfResult(number), dims))
      if (own >= 0)
        element.ids[own] = dim;
    return element;
  }
  auto op = value.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumReductionLoops() > 0)
    return std::nullopt;
  return elementOf(op, dims, -1).at(op.getBody()->getTerminator()->getOperand(number));
}

/// What writes an operand under a condition, by the loops of the product.
class ConditionReader {
public:
  /// `of`: what is written, with the loops of the product as ids; -1 for others.
  ConditionReader(Element of, const ProductDims &dims) : of(std::move(of)), dims(dims) {}

  std::optional<DepthCondition> read(Value condition) {
    found.linear = linearConditionOf(condition, [&](Value value) { return leafOf(value); });
    const bool isBound = llvm::any_of(found.linear.atLeastZero, [&](const PositionForm &form) {
      return form.factorOf(dims.reduction) != 0;
    });
    return isBound ? std::optional(found) : std::nullopt;
  }

private:
  std::optional<PositionForm> leafOf(Value value) {
    if (auto index = value.getDefiningOp<linalg::IndexOp>())
      return positionAlong(of.ids[index.getDim()]);
    if (value.getParentBlock() != of.body())
      return value.getType().isIntOrIndex() ? std::optional(PositionForm{0, {}, {{value, 1}}, {}})
                                            : std::nullopt;
    OpOperand *read = of.read(value);
    const auto along = read ? of.dimsOf(read) : std::nullopt;
    if (!along)
      return std::nullopt;
    if (read->get().getDefiningOp<ir::PositionsOp>())
      return positionAlong(along->front());
    return elementOf(read->get(), *along);
  }

  static std::optional<PositionForm> positionAlong(int64_t loop) {
    return loop < 0 ? std::nullopt : std::optional(PositionForm{0, {{loop, 1}}, {}, {}});
  }

  /// Of a parameter. Of a tile its elements are those of one row or column.
  std::optional<PositionForm> elementOf(Value tensor, ArrayRef<int64_t> along) {
    DepthCondition::Input input;
    if (auto collapse = tensor.getDefiningOp<tensor::CollapseShapeOp>()) {
      input.joined = collapse.getReassociationIndices();
      input.names = collapse->getAttr(collapsedDimsAttr);
      tensor = collapse.getSrc();
    }
    auto parameter = dyn_cast<BlockArgument>(tensor);
    if (!parameter || !isa<ir::KernelOp>(parameter.getOwner()->getParentOp()) ||
        !cast<RankedTensorType>(tensor.getType()).getElementType().isInteger(32))
      return std::nullopt;
    input.tensor = tensor;
    for (int64_t loop : along) {
      if (loop < 0 || loop == dims.reduction)
        return std::nullopt;
      input.loops.push_back(loop);
    }
    if (llvm::is_contained(input.loops, dims.rows) && llvm::is_contained(input.loops, dims.columns))
      return std::nullopt;
    found.inputs.push_back(std::move(input));
    return PositionForm{0, {}, {}, {{static_cast<unsigned>(found.inputs.size() - 1), 1}}};
  }

  Element of;
  ProductDims dims;
  DepthCondition found;
};

/// The condition for an operand, whose dimensions run along these loops of a product.
std::optional<DepthCondition> conditionOf(Value operand, AffineMap along, const ProductDims &dims) {
  // Of each dimension of the operand, and then of what it is a view of; -1: a part of a joined one.
  SmallVector<int64_t> loopsOfDims;
  for (unsigned dim = 0; dim < along.getNumResults(); ++dim)
    loopsOfDims.push_back(along.getDimPosition(dim));
  while (true) {
    if (auto slice = operand.getDefiningOp<tensor::ExtractSliceOp>()) {
      if (slice.getSourceType().getRank() != slice.getType().getRank())
        return std::nullopt;
      operand = slice.getSource();
    } else if (auto collapse = operand.getDefiningOp<tensor::CollapseShapeOp>()) {
      SmallVector<int64_t> before;
      for (auto [group, loop] : llvm::zip(collapse.getReassociationIndices(), loopsOfDims))
        before.append(group.size(), group.size() == 1 ? loop : -1);
      loopsOfDims = std::move(before);
      operand = collapse.getSrc();
    } else {
      break;
    }
  }
  const std::optional<Element> element = written(operand, loopsOfDims);
  auto select = element ? excludingSelect(element->value) : arith::SelectOp();
  if (!select)
    return std::nullopt;
  return ConditionReader(*element, dims).read(select.getCondition());
}

/// The tensor of which a tile, or the tile of a split, is a slice.
Value sliced(tensor::ExtractSliceOp tile) {
  auto outer = tile.getSource().getDefiningOp<tensor::ExtractSliceOp>();
  return outer ? outer.getSource() : tile.getSource();
}

/// The dimension of an operand along a loop of its product; nothing where it has none.
std::optional<unsigned> dimAlong(linalg::ContractOp product, unsigned operand, unsigned loop) {
  return product.getIndexingMapsArray()[operand].getResultPosition(
      getAffineDimExpr(loop, product.getContext()));
}

/// The numbers of a condition on a tile of a product, whose operands are slices; or on all tiles
/// that share the panel of an operand, which are all along its other dimension.
class NumbersOfTile : public TileNumbers {
public:
  NumbersOfTile(OpBuilder &b, linalg::ContractOp product, const DepthCondition &condition,
                std::optional<unsigned> kept, bool isEmulated)
      : b(b), loc(product.getLoc()), product(product), dims(*productDims(product)),
        condition(condition), isEmulated(isEmulated), inputs(condition.inputs.size()) {
    if (kept)
      whole = *kept == 0 ? dims.columns : dims.rows;
  }

  Extremes ofPosition(int64_t loop) override {
    const auto [first, count] = rangeAlong(loop);
    return {first, arith::SubIOp::create(b, loc, plus(first, count), index(1))};
  }
  Value origin() override { return firstOf(dims.reduction); }
  Value ofScalar(Value scalar, bool isAdded) override {
    Value value = copied(scalar);
    if (!isEmulated || !isa<BlockArgument>(value) || !value.getType().isInteger(32))
      return value;
    // Of what a count does not know, no condition excludes anything.
    return aicore::ScalarBoundOp::create(b, loc, b.getIndexType(), value,
                                         isAdded ? std::numeric_limits<int32_t>::max()
                                                 : std::numeric_limits<int32_t>::min());
  }
  std::optional<Extremes> ofInput(unsigned number) override {
    if (inputs[number])
      return inputs[number];
    const DepthCondition::Input &input = condition.inputs[number];
    SmallVector<OpFoldResult> offsets, sizes, strides(input.loops.size(), b.getIndexAttr(1));
    int64_t along = -1;
    for (auto [dim, loop] : llvm::enumerate(input.loops)) {
      const bool isOfTile = loop == dims.rows || loop == dims.columns;
      const auto [first, count] = rangeAlong(loop);
      offsets.push_back(first);
      sizes.push_back(isOfTile ? OpFoldResult(count) : b.getIndexAttr(1));
      if (isOfTile)
        along = static_cast<int64_t>(dim);
    }
    Value tensor = input.tensor;
    if (!input.joined.empty()) {
      auto joined = tensor::CollapseShapeOp::create(b, loc, tensor, input.joined);
      if (input.names)
        joined->setAttr(collapsedDimsAttr, input.names);
      tensor = joined;
    }
    Value slice =
        tensor::ExtractSliceOp::create(b, loc, tensor, offsets, sizes, strides).getResult();
    auto extremes =
        ir::ExtremesOp::create(b, loc, b.getIndexType(), b.getIndexType(), slice, along);
    inputs[number] = Extremes{extremes.getLeast(), extremes.getGreatest()};
    return inputs[number];
  }

  Value extentOf(unsigned loop) {
    auto [slice, dim] = sliceAlong(loop);
    return getValueOrCreateConstantIndexOp(b, loc, slice.getMixedSizes()[dim]);
  }

private:
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value plus(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }

  std::pair<tensor::ExtractSliceOp, unsigned> sliceAlong(unsigned loop) {
    for (unsigned operand : {0, 1})
      if (const auto dim = dimAlong(product, operand, loop))
        return {product.getInputs()[operand].getDefiningOp<tensor::ExtractSliceOp>(), *dim};
    llvm_unreachable("each loop is one of an operand");
  }
  /// A tile is a slice of the operand, or of that of a split.
  Value firstOf(unsigned loop) {
    auto [slice, dim] = sliceAlong(loop);
    Value first = getValueOrCreateConstantIndexOp(b, loc, slice.getMixedOffsets()[dim]);
    auto outer = slice.getSource().getDefiningOp<tensor::ExtractSliceOp>();
    if (!outer)
      return first;
    return plus(first, getValueOrCreateConstantIndexOp(b, loc, outer.getMixedOffsets()[dim]));
  }
  std::pair<Value, Value> rangeAlong(unsigned loop) {
    if (loop != whole)
      return {firstOf(loop), extentOf(loop)};
    auto [slice, dim] = sliceAlong(loop);
    return {index(0), tensor::DimOp::create(b, loc, sliced(slice), dim)};
  }
  /// A scalar of the kernel, or what a group computes from such.
  Value copied(Value scalar) {
    Operation *op = scalar.getDefiningOp();
    if (!op || isa<ir::KernelOp>(op->getParentOp()))
      return scalar;
    IRMapping map;
    for (Value operand : op->getOperands())
      map.map(operand, copied(operand));
    return b.clone(*op, map)->getResult(cast<OpResult>(scalar).getResultNumber());
  }

  OpBuilder &b;
  Location loc;
  linalg::ContractOp product;
  ProductDims dims;
  const DepthCondition &condition;
  std::optional<unsigned> whole; ///< loop along which all tiles have the same part of the depth
  bool isEmulated;               ///< its clock may not know the scalars of a call
  std::vector<std::optional<Extremes>> inputs; ///< where they have been read
};

bool isSlice(Value operand) {
  auto slice = operand.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || slice.getSourceType().getRank() != slice.getType().getRank())
    return false;
  auto outer = slice.getSource().getDefiningOp<tensor::ExtractSliceOp>();
  return !outer || (outer.getSourceType().getRank() == outer.getType().getRank() &&
                    !outer.getSource().getDefiningOp<tensor::ExtractSliceOp>());
}

} // namespace

std::optional<unsigned> boundedOperand(linalg::ContractOp product) {
  auto operand = product->getAttrOfType<IntegerAttr>(boundedAttr);
  return operand ? std::optional<unsigned>(operand.getInt()) : std::nullopt;
}

bool isMasked(Value operand) {
  auto op = operand.getDefiningOp<linalg::GenericOp>();
  return op && op.getNumReductionLoops() == 0 &&
         excludingSelect(
             op.getBody()->getTerminator()->getOperand(cast<OpResult>(operand).getResultNumber()));
}

ProductDepths::ProductDepths(ir::KernelOp kernel, aicore::MachineAttr machine)
    : kernel(kernel), machine(machine) {
  for (auto group : kernel.getBody().getOps<ir::FusionGroupOp>()) {
    if (Chain::of(group))
      continue;
    group.walk([&](linalg::ContractOp product) {
      const FailureOr<ProductDims> dims = productDims(product);
      if (imageOperand(product) || failed(dims))
        return;
      for (unsigned masked : {0, 1}) {
        auto condition =
            conditionOf(product.getInputs()[masked], product.getIndexingMapsArray()[masked], *dims);
        if (!condition)
          continue;
        condition->masked = masked;
        product->setAttr(conditionAttr, OpBuilder(product).getI64IntegerAttr(conditions.size()));
        conditions.push_back(std::move(*condition));
        return;
      }
    });
  }
}

void ProductDepths::cut(ir::FusionGroupOp group) {
  group.walk([&](linalg::ContractOp product) {
    if (auto number = dyn_cast_or_null<IntegerAttr>(product->removeAttr(conditionAttr)))
      if (llvm::all_of(product.getInputs(), isSlice))
        cut(product, conditions[number.getInt()]);
  });
}

void ProductDepths::cut(linalg::ContractOp product, const DepthCondition &condition) {
  OpBuilder b(product);
  const Location loc = product.getLoc();
  const auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  const std::optional<KeptPanel> panel = keptPanel(kernel);
  NumbersOfTile numbers(b, product, condition, panel ? std::optional(panel->operand) : std::nullopt,
                        machine.getMachineKind() == MachineKind::emulated);
  const unsigned depth = productDims(product)->reduction;
  Value extent = numbers.extentOf(depth);
  const PositionRange some = boundsOf(b, loc, condition.linear, depth, extent, numbers).some;
  Value isEmpty = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, some.end, some.first);
  Value last = arith::SubIOp::create(b, loc, extent, index(1));
  Value first = arith::MinSIOp::create(b, loc, some.first, last);
  Value length = arith::MaxSIOp::create(
      b, loc, arith::SubIOp::create(b, loc, some.end, first).getResult(), index(1));
  for (unsigned operand : {0, 1}) {
    auto slice = product.getInputs()[operand].getDefiningOp<tensor::ExtractSliceOp>();
    SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(), sizes = slice.getMixedSizes();
    const unsigned dim = *dimAlong(product, operand, depth);
    offsets[dim] =
        arith::AddIOp::create(b, loc, getValueOrCreateConstantIndexOp(b, loc, offsets[dim]), first)
            .getResult();
    sizes[dim] = length;
    if (operand != condition.masked) {
      const unsigned rows = offsets.size() - 2;
      Value end = tensor::DimOp::create(b, loc, sliced(slice), rows);
      offsets[rows] =
          arith::SelectOp::create(b, loc, isEmpty, end,
                                  getValueOrCreateConstantIndexOp(b, loc, offsets[rows]))
              .getResult();
    }
    auto part = tensor::ExtractSliceOp::create(b, loc, slice.getType(), slice.getSource(), offsets,
                                               sizes, slice.getMixedStrides());
    product->setOperand(operand, part);
  }
  product->setAttr(boundedAttr, b.getI64IntegerAttr(1 - condition.masked));
}

} // namespace mmk
