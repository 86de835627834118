// Reductions over a few literal taps of a window, such as poolings and depthwise convolutions, tap
// by tap: an elementwise operation that reads the window once for each. A vector core then loads
// whole lines of a tile, and its instructions go along the lines; the elements of one window lie
// apart in memory, and a row of them is short.
#include "backend/backend.h"
#include "passes/dead_code.h"
#include "passes/dimensions.h"
#include "passes/passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"

#include <functional>

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_UNROLLWINDOWS
#include "passes/Passes.h.inc"

namespace {

/// So many inputs of a tile leave UB room for tiles of some lines: a window of 5 x 5.
constexpr int64_t mostTaps = 25;

bool isElementwise(linalg::GenericOp op) {
  return op && op.getNumResults() == 1 && op.getNumParallelLoops() == op.getNumLoops() &&
         op.getIndexingMapsArray().back().isIdentity() &&
         op.getBody()->getOps<linalg::IndexOp>().empty();
}

/// Whether a window stands in what is read at a place, through elementwise operations.
bool readsWindow(Value value) {
  if (value.getDefiningOp<ir::WindowOp>())
    return true;
  auto op = value.getDefiningOp<linalg::GenericOp>();
  return isElementwise(op) && llvm::any_of(op.getDpsInputs(), readsWindow);
}

/// One reduction, and what is read for it, in the dimensions that are kept.
class Unroller {
public:
  explicit Unroller(linalg::GenericOp reduction)
      : reduction(reduction), names(dimNames(reduction)), b(reduction) {}

  /// Whether it was a reduction over few literal taps of a window, and is none now.
  bool run() {
    if (!isOfFewTaps() || !llvm::any_of(reduction.getDpsInputs(), readsWindow))
      return false;
    SmallVector<Element> elements;
    const SmallVector<int64_t> strides = computeSuffixProduct(extents);
    for (int64_t tap = 0; tap < computeProduct(extents); ++tap) {
      const AffineMap place = placeOf(delinearize(tap, strides));
      for (OpOperand *input : reduction.getDpsInputOperands()) {
        std::optional<Element> element =
            at(input->get(), reduction.getMatchingIndexingMap(input).compose(place));
        if (!element) {
          for (Operation *op : llvm::reverse(created))
            op->erase();
          return false;
        }
        elements.push_back(std::move(*element));
      }
    }
    reduction.replaceAllUsesWith(ValueRange{emit(elements)});
    reduction.erase();
    return true;
  }

private:
  /// A tensor, and of each of its dimensions the kept one that it is.
  struct Read {
    Value tensor;
    AffineMap map;
  };
  /// An element that is computed from what is read.
  struct Element {
    SmallVector<Read> reads;
    std::function<Value(OpBuilder &, ValueRange)> build; ///< from the elements of those
  };
  static Element elementOf(const Read &read) {
    return {{read}, [](OpBuilder &, ValueRange elements) { return elements[0]; }};
  }

  linalg::FillOp fill() { return reduction.getDpsInits()[0].getDefiningOp<linalg::FillOp>(); }
  /// The tensor that the reduction fills with its identity.
  tensor::EmptyOp empty() {
    return fill() ? fill().getOutputs()[0].getDefiningOp<tensor::EmptyOp>() : tensor::EmptyOp();
  }

  bool isOfFewTaps() {
    if (reduction.getNumResults() != 1 || reduction.getNumReductionLoops() == 0 ||
        !reduction.getBody()->getOps<linalg::IndexOp>().empty() || !empty() ||
        empty().getDynamicSizes().size() != reduction.getNumParallelLoops())
      return false;
    Value soFar = reduction.getBody()->getArguments().back();
    Operation *combination = reduction.getBody()->getTerminator()->getOperand(0).getDefiningOp();
    if (!combination || combination->getNumOperands() != 2 || !soFar.hasOneUse() ||
        *soFar.user_begin() != combination)
      return false;
    int64_t taps = 1;
    for (auto [loop, name] : llvm::enumerate(names)) {
      if (reduction.getIteratorTypesArray()[loop] == utils::IteratorType::parallel) {
        kept.push_back(loop);
        continue;
      }
      int64_t extent = 0;
      if (name.getAsInteger(10, extent) || (taps *= extent) > mostTaps)
        return false;
      extents.push_back(extent);
    }
    return !kept.empty() &&
           reduction.getIndexingMapsArray().back() ==
               AffineMap::getMultiDimMapWithTargets(names.size(), kept, b.getContext());
  }

  /// From the kept dimensions to the loops of the reduction, at a tap.
  AffineMap placeOf(ArrayRef<int64_t> tap) {
    SmallVector<AffineExpr> loops;
    unsigned own = 0, reduced = 0;
    for (unsigned loop = 0; loop < names.size(); ++loop)
      loops.push_back(own < kept.size() && kept[own] == loop
                          ? b.getAffineDimExpr(own++)
                          : b.getAffineConstantExpr(tap[reduced++]));
    return AffineMap::get(kept.size(), 0, loops, b.getContext());
  }

  /// Whether the elements of a line, along the last kept dimension, follow each other in memory.
  bool readsLines(AffineMap map) {
    const unsigned last = kept.size() - 1;
    if (!map.isFunctionOfDim(last))
      return true;
    AffineExpr dim = b.getAffineDimExpr(last), index = map.getResults().back();
    return simplifyAffineExpr(index.replace(dim, dim + 1) - index, kept.size(),
                              map.getNumSymbols()) == b.getAffineConstantExpr(1);
  }

  /// What `map` reads of a source, as a window in those kept dimensions that it reads. Nothing
  /// where it reads none, or would be loaded element by element.
  std::optional<Read> window(Value source, AffineMap map, ValueRange symbols, Value padding) {
    SmallVector<AffineExpr> own;
    SmallVector<Attribute> dims;
    for (unsigned d = 0; d < kept.size(); ++d)
      if (map.isFunctionOfDim(d)) {
        own.push_back(b.getAffineDimExpr(d));
        dims.push_back(b.getStringAttr(names[kept[d]]));
      }
    if (dims.empty() || !readsLines(map))
      return std::nullopt;
    auto type = RankedTensorType::get(SmallVector<int64_t>(dims.size(), ShapedType::kDynamic),
                                      cast<RankedTensorType>(source.getType()).getElementType());
    auto result = ir::WindowOp::create(b, reduction.getLoc(), type, source,
                                       AffineMapAttr::get(compressUnusedDims(map)), symbols,
                                       b.getArrayAttr(dims), padding);
    created.push_back(result);
    return Read{result, AffineMap::get(kept.size(), 0, own, b.getContext())};
  }

  /// What stands in a tensor at a place that `map` gives, from the kept dimensions to those of the
  /// tensor.
  std::optional<Element> at(Value tensor, AffineMap map) {
    if (map.isProjectedPermutation())
      return elementOf({tensor, map});
    if (auto op = tensor.getDefiningOp<linalg::GenericOp>(); isElementwise(op))
      return computed(op, map);
    std::optional<Read> read;
    if (auto source = tensor.getDefiningOp<ir::WindowOp>())
      read = window(source.getSource(), source.getMap().compose(map), source.getSymbols(),
                    source.getPadding());
    else
      read = window(tensor, map, {}, {});
    return read ? std::optional(elementOf(*read)) : std::nullopt;
  }

  /// Computed with each tap, so that few elements are there at a time.
  std::optional<Element> computed(linalg::GenericOp op, AffineMap map) {
    Element whole;
    SmallVector<Element> inputs;
    for (OpOperand *input : op.getDpsInputOperands()) {
      std::optional<Element> element =
          at(input->get(), op.getMatchingIndexingMap(input).compose(map));
      if (!element)
        return std::nullopt;
      whole.reads.append(element->reads);
      inputs.push_back(std::move(*element));
    }
    whole.build = [op, inputs](OpBuilder &builder, ValueRange elements) mutable {
      IRMapping mapping;
      for (auto [argument, input] : llvm::zip(op.getBody()->getArguments(), inputs)) {
        mapping.map(argument, input.build(builder, elements.take_front(input.reads.size())));
        elements = elements.drop_front(input.reads.size());
      }
      for (Operation &inner : op.getBody()->without_terminator())
        builder.clone(inner, mapping);
      return mapping.lookupOrDefault(op.getBody()->getTerminator()->getOperand(0));
    };
    return whole;
  }

  /// The reduction's body for these elements of its inputs, combined with what is there so far;
  /// null: nothing is.
  Value step(OpBuilder &builder, ValueRange elements, Value soFar) {
    Block &body = *reduction.getBody();
    Operation *combination = body.getTerminator()->getOperand(0).getDefiningOp();
    Value before = body.getArguments().back();
    IRMapping mapping;
    mapping.map(body.getArguments().drop_back(), elements);
    if (soFar)
      mapping.map(before, soFar);
    for (Operation &inner : body.without_terminator())
      if (soFar || &inner != combination)
        builder.clone(inner, mapping);
    if (soFar)
      return mapping.lookup(combination->getResult(0));
    return mapping.lookupOrDefault(combination->getOperand(combination->getOperand(0) == before));
  }

  /// The reduction as one operation: its body for one tap after the other.
  Value emit(ArrayRef<Element> inputs) {
    SmallVector<Value> tensors;
    SmallVector<AffineMap> maps;
    for (const Element &input : inputs)
      for (const Read &read : input.reads) {
        tensors.push_back(read.tensor);
        maps.push_back(read.map);
      }
    maps.push_back(b.getMultiDimIdentityMap(kept.size()));
    const Location loc = reduction.getLoc();
    Value target = tensor::EmptyOp::create(b, loc, reduction.getResult(0).getType(),
                                           empty().getDynamicSizes());
    auto result = linalg::GenericOp::create(
        b, loc, target.getType(), tensors, target, maps,
        SmallVector<utils::IteratorType>(kept.size(), utils::IteratorType::parallel),
        [&](OpBuilder &builder, Location, ValueRange read) {
          linalg::YieldOp::create(builder, loc, combined(builder, inputs, read));
        });
    if (auto name = reduction->getAttr("mmk.name"))
      result->setAttr("mmk.name", name);
    return result.getResult(0);
  }

  Value combined(OpBuilder &builder, ArrayRef<Element> inputs, ValueRange read) {
    const unsigned ofTap = reduction.getNumDpsInputs();
    Value result;
    for (; !inputs.empty(); inputs = inputs.drop_front(ofTap)) {
      SmallVector<Value> elements;
      for (const Element &input : inputs.take_front(ofTap)) {
        elements.push_back(input.build(builder, read.take_front(input.reads.size())));
        read = read.drop_front(input.reads.size());
      }
      result = step(builder, elements, result);
    }
    return result;
  }

  linalg::GenericOp reduction;
  SmallVector<StringRef> names; ///< of its loops
  SmallVector<unsigned> kept;   ///< its loops that are not reduced
  SmallVector<int64_t> extents; ///< of those that are
  OpBuilder b;
  SmallVector<Operation *> created;
};

struct UnrollWindowsPass : impl::UnrollWindowsBase<UnrollWindowsPass> {
  void runOnOperation() override {
    auto machine = getOperation()->getAttrOfType<aicore::MachineAttr>("aicore.machine");
    if (machine && !backendOf(machine).readsWindowsByTap())
      return;
    for (ir::KernelOp kernel : getOperation().getOps<ir::KernelOp>()) {
      bool isChanged = false;
      for (auto op : llvm::make_early_inc_range(kernel.getBody().getOps<linalg::GenericOp>()))
        isChanged |= Unroller(op).run();
      if (isChanged)
        eraseDeadOperations(kernel);
    }
  }
};

} // namespace
} // namespace mmk
