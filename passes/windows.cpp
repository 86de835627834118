#include "passes/windows.h"
#include "backend/backend.h"
#include "passes/passes.h"
#include "passes/variant.h"

#include "mlir/IR/IRMapping.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using llvm::formatv;

namespace mmk {
namespace {

constexpr int64_t blockBytes = 32;
/// The limits of the fields of the load (LoadData3DParamsV2).
constexpr int64_t mostStride = 63, mostDilation = 255, mostPadding = 255;

/// The linear form of an index: coefficients of dimensions, and a constant.
struct Linear {
  SmallVector<std::pair<unsigned, int64_t>> terms;
  int64_t constant = 0;
  bool isLinear = true;

  explicit Linear(AffineExpr expression) { add(expression, 1); }

private:
  void add(AffineExpr expression, int64_t factor) {
    if (auto dim = dyn_cast<AffineDimExpr>(expression)) {
      terms.push_back({dim.getPosition(), factor});
    } else if (auto number = dyn_cast<AffineConstantExpr>(expression)) {
      constant += factor * number.getValue();
    } else if (auto binary = dyn_cast<AffineBinaryOpExpr>(expression)) {
      auto scale = dyn_cast<AffineConstantExpr>(binary.getRHS());
      if (binary.getKind() == AffineExprKind::Add) {
        add(binary.getLHS(), factor);
        add(binary.getRHS(), factor);
      } else if (binary.getKind() == AffineExprKind::Mul && scale) {
        add(binary.getLHS(), factor * scale.getValue());
      } else {
        isLinear = false;
      }
    } else {
      isLinear = false;
    }
  }
};

/// Finds the parts of a window that is collapsed into an operand, or why it is no image.
class ImageFinder {
public:
  ImageFinder(ImageOperand &image, AffineMap map, ArrayRef<StringRef> names)
      : image(image), map(map), names(names) {}

  std::string find() {
    for (auto [source, index] : llvm::enumerate(map.getResults()))
      if (std::string problem = addIndex(source, index); !problem.empty())
        return problem;
    if (!channelFound)
      return "its depth has no dimension of channels";
    if (axes.empty())
      return "it has no taps";
    if (axes.size() > 2)
      return "it has taps along more than two dimensions";
    if (axes.size() == 2)
      image.lines = axes[0];
    image.columns = axes.back();
    return checkOrder();
  }

private:
  bool isPixel(unsigned dim) const { return llvm::is_contained(image.pixels, int64_t(dim)); }
  bool isDepth(unsigned dim) const { return llvm::is_contained(image.depth, int64_t(dim)); }

  std::string addIndex(unsigned source, AffineExpr index) {
    const Linear linear(index);
    if (!linear.isLinear)
      return "an index of it is no sum of multiples of variables";
    if (linear.terms.size() == 1 && linear.constant == 0 && linear.terms[0].second == 1 &&
        isDepth(linear.terms[0].first)) {
      if (channelFound)
        return "its depth has two dimensions of channels";
      channelFound = true;
      image.channel = linear.terms[0].first;
      image.channelSource = source;
      return "";
    }
    ImageOperand::Axis axis;
    axis.source = source;
    for (auto [dim, factor] : linear.terms) {
      std::optional<unsigned> &place = isPixel(dim) ? axis.pixel : axis.tap;
      if (!isPixel(dim) && !isDepth(dim)) // a batch
        return linear.terms.size() == 1 && linear.constant == 0 && factor == 1
                   ? ""
                   : "an index of its batches is calculated";
      if (place)
        return "an index of it has two variables of pixels or of taps";
      place = dim;
      (isPixel(dim) ? axis.stride : axis.dilation) = factor;
    }
    if (!axis.pixel)
      return "an index of it has taps but no pixels";
    axis.padding = -linear.constant;
    const bool isPlain = linear.terms.size() == 1 && linear.constant == 0 && axis.stride == 1;
    // Images in front of their lines.
    if (isPlain && image.pixels.size() > 1 && int64_t(*axis.pixel) == image.pixels[0] &&
        names[*axis.pixel] == image.nameOfSource(source)) {
      image.images = axis.pixel;
      return "";
    }
    axes.push_back(axis);
    return checkLimits(axis);
  }

  static std::string checkLimits(const ImageOperand::Axis &axis) {
    if (axis.stride < 1 || axis.stride > mostStride)
      return formatv("its stride is {0}, and the load's 1 to {1}", axis.stride, mostStride);
    if (axis.dilation < 1 || axis.dilation > mostDilation)
      return formatv("its dilation is {0}, and the load's 1 to {1}", axis.dilation, mostDilation);
    if (axis.padding < 0 || axis.padding > mostPadding)
      return formatv("its padding is {0}, and the load's 0 to {1}", axis.padding, mostPadding);
    return "";
  }

  // Pixels are lines of columns, and taps likewise.
  std::string checkOrder() {
    SmallVector<int64_t> expected;
    if (image.images)
      expected.push_back(*image.images);
    for (const ImageOperand::Axis &axis : axes)
      expected.push_back(*axis.pixel);
    if (expected != image.pixels)
      return "its pixels are not in the order of its tensor";
    SmallVector<int64_t> taps, found;
    for (const ImageOperand::Axis &axis : axes)
      if (axis.tap)
        taps.push_back(*axis.tap);
    for (int64_t dim : image.depth)
      if (dim != int64_t(image.channel))
        found.push_back(dim);
    if (taps != found)
      return "its taps are not in the order of its tensor";
    if (names[image.channel] != image.nameOfSource(image.channelSource))
      return "it reads a part of the channels of its tensor";
    return "";
  }

  ImageOperand &image;
  AffineMap map;
  ArrayRef<StringRef> names;
  SmallVector<ImageOperand::Axis> axes;
  bool channelFound = false;
};

/// The value of a scalar that is computed from constants alone; null for any other.
Attribute constantOf(Value value) {
  Operation *op = value.getDefiningOp();
  SmallVector<Attribute> operands;
  for (Value operand : op ? op->getOperands() : OperandRange(nullptr, 0))
    if (!operands.emplace_back(constantOf(operand)))
      return {};
  SmallVector<OpFoldResult> results;
  if (!op || failed(op->fold(operands, results)) || results.size() != 1)
    return {};
  if (auto other = dyn_cast<Value>(results[0])) // one of its operands
    return operands[llvm::find(op->getOperands(), other) - op->getOperands().begin()];
  return cast<Attribute>(results[0]);
}

bool isZero(Value value) {
  const Attribute constant = constantOf(value);
  if (auto number = dyn_cast_or_null<FloatAttr>(constant))
    return number.getValue().isPosZero();
  auto number = dyn_cast_or_null<IntegerAttr>(constant);
  return number && number.getValue().isZero();
}

/// A window, or a copy of one with this map, that is collapsed into an operand of a product.
std::string findImage(ImageOperand &image, unsigned which, AffineMap map,
                      ArrayRef<StringRef> names) {
  if (!image.collapse)
    return "its depth is of taps alone";
  const auto pieces = image.collapse.getReassociationIndices();
  const auto &last = pieces.back(), &before = pieces[pieces.size() - 2];
  image.depth.assign(which == 0 ? last : before);
  image.pixels.assign(which == 0 ? before : last);
  if (image.window.getPadding() && !isZero(image.window.getPadding()))
    return "its padding is not zero";
  if (map.getNumSymbols() > 0)
    return "an index of it depends on an extent";
  return ImageFinder(image, map, names).find();
}

} // namespace

StringRef ImageOperand::nameOf(std::optional<unsigned> dim) {
  return dim ? cast<StringAttr>(window.getDims()[*dim]).getValue() : "1";
}

StringRef ImageOperand::nameOfSource(std::optional<unsigned> dim) {
  return dim ? dimName(window.getSource(), *dim) : "1";
}

bool ImageOperand::isChannelsLast() {
  const auto rank = cast<RankedTensorType>(window.getSource().getType()).getRank();
  return channelSource == rank - 1 && *columns.source == rank - 2 &&
         (!lines.source || *lines.source == rank - 3);
}

std::optional<ImageOperand> imageOperand(linalg::ContractOp contract, unsigned which) {
  Value tensor = contract.getInputs()[which];
  ImageOperand image;
  for (Operation *op = tensor.getDefiningOp(); op; op = op->getOperand(0).getDefiningOp()) {
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
      image.collapse = collapse;
    if ((image.window = dyn_cast<ir::WindowOp>(op)))
      break;
    if (op->getNumOperands() == 0 || isa<ir::FusionGroupOp, linalg::LinalgOp>(op))
      break;
  }
  if (!image.window || !image.collapse)
    return std::nullopt;
  image.tensor = image.collapse.getResult();
  const SmallVector<StringRef> names =
      namesOf(llvm::to_vector(image.window.getDims().getAsRange<StringAttr>()));
  if (!findImage(image, which, image.window.getMap(), names).empty())
    return std::nullopt;
  return image;
}

SmallVector<CopiedWindow> copiedWindows(ir::KernelOp kernel) {
  SmallVector<CopiedWindow> found;
  kernel.walk([&](linalg::ContractOp contract) {
    for (unsigned which : {0, 1}) {
      Value tensor = contract.getInputs()[which];
      if (auto collapse = tensor.getDefiningOp<tensor::CollapseShapeOp>())
        tensor = collapse.getSrc();
      auto copy = tensor.getDefiningOp<linalg::GenericOp>();
      if (!copy || copy.getNumDpsInputs() != 1 || copy.getNumReductionLoops() > 0)
        continue;
      const bool copies =
          copy.getBody()->getTerminator()->getOperand(0) == copy.getBody()->getArgument(0);
      if (copies && copy.getDpsInputs()[0].getDefiningOp<ir::WindowOp>() &&
          copy.getIndexingMapsArray()[0].isPermutation())
        found.push_back({contract, which, copy});
    }
  });
  return found;
}

// The copy's dimension d is dimension `order(d)` of the window.
static AffineMap mapInOrder(linalg::GenericOp copy, ir::WindowOp window) {
  const AffineMap order = copy.getIndexingMapsArray()[0];
  SmallVector<AffineExpr> dims(order.getResults());
  return window.getMap().replaceDimsAndSymbols(dims, {}, dims.size(),
                                               window.getMap().getNumSymbols());
}

static SmallVector<StringRef> namesInOrder(linalg::GenericOp copy, ir::WindowOp window) {
  const AffineMap order = copy.getIndexingMapsArray()[0];
  SmallVector<StringRef> names(order.getNumResults());
  for (auto [place, expression] : llvm::enumerate(order.getResults()))
    names[cast<AffineDimExpr>(expression).getPosition()] =
        cast<StringAttr>(window.getDims()[place]).getValue();
  return names;
}

ir::WindowOp inOrderOfCopy(OpBuilder &b, linalg::GenericOp copy) {
  auto window = copy.getDpsInputs()[0].getDefiningOp<ir::WindowOp>();
  SmallVector<Attribute> names;
  for (StringRef name : namesInOrder(copy, window))
    names.push_back(b.getStringAttr(name));
  return ir::WindowOp::create(b, window.getLoc(), copy.getResult(0).getType(), window.getSource(),
                              mapInOrder(copy, window), window.getSymbols(), b.getArrayAttr(names),
                              window.getPadding());
}

std::string problemOf(const CopiedWindow &copied) {
  ImageOperand image;
  linalg::GenericOp copy = copied.copy;
  linalg::ContractOp contract = copied.contract;
  image.window = copy.getDpsInputs()[0].getDefiningOp<ir::WindowOp>();
  image.collapse = contract.getInputs()[copied.which].getDefiningOp<tensor::CollapseShapeOp>();
  const AffineMap along = contract.getIndexingMapsArray()[copied.which];
  const ProductDims dims = *productDims(contract);
  if (along.getDimPosition(along.getNumResults() - 1) !=
      (copied.which == 0 ? dims.reduction : dims.columns))
    return "it lies transposed in the product";
  return findImage(image, copied.which, mapInOrder(copy, image.window),
                   namesInOrder(copy, image.window));
}

aicore::ImageLimit limitOf(ImageOperand &image, StringRef depth, int64_t channels) {
  auto axisOf = [&](const ImageOperand::Axis &axis) {
    return aicore::ImageLimit::Axis{image.nameOf(axis.pixel).str(),
                                    image.nameOfSource(axis.source).str(),
                                    image.nameOf(axis.tap).str(),
                                    axis.stride,
                                    axis.dilation,
                                    axis.padding};
  };
  aicore::ImageLimit limit;
  limit.lines = axisOf(image.lines);
  limit.columns = axisOf(image.columns);
  limit.channels = image.nameOfSource(image.channelSource).str();
  limit.depth = depth.str();
  limit.held = channels;
  limit.block =
      channelsOfBlock(cast<RankedTensorType>(image.window.getResult().getType()).getElementType());
  return limit;
}

int64_t channelsOfBlock(Type element) { return blockBytes * 8 / element.getIntOrFloatBitWidth(); }

std::optional<int64_t> directChannels(ir::KernelOp kernel, Type element) {
  StringRef word = kernel.chosenWord("window", "unfolded");
  if (!word.consume_front("direct"))
    return std::nullopt;
  int64_t channels = channelsOfBlock(element);
  if (word.consume_front("("))
    word.consumeInteger(10, channels);
  return channels;
}

//===--- mmk-read-windows -----------------------------------------------------------------===//

#define GEN_PASS_DEF_READWINDOWS
#include "passes/Passes.h.inc"

namespace {

class WindowReader {
public:
  explicit WindowReader(ir::KernelOp kernel) : kernel(kernel), b(kernel.getContext()) {}

  void run() {
    for (CopiedWindow &copied : copiedWindows(kernel)) {
      if (!problemOf(copied).empty())
        continue; // mmk-apply-variant has refused it where it is chosen
      b.setInsertionPoint(copied.contract);
      read(copied);
      putDepthFirst(copied.contract, 1 - copied.which);
      for (Operation *op = copied.copy; op && op->use_empty() && !isa<ir::KernelOp>(op);) {
        Operation *input = op->getOperand(0).getDefiningOp();
        op->erase(); // the copy, then its window
        op = isa_and_nonnull<ir::WindowOp>(input) ? input : nullptr;
      }
    }
  }

private:
  void read(CopiedWindow &copied) {
    auto collapse =
        copied.contract.getInputs()[copied.which].getDefiningOp<tensor::CollapseShapeOp>();
    ir::WindowOp window = inOrderOfCopy(b, copied.copy);
    IRMapping map;
    map.map(collapse.getSrc(), window.getResult());
    Value collapsed = b.clone(*collapse, map)->getResult(0);
    copied.contract.getInputsMutable()[copied.which].assign(collapsed);
    if (collapse->use_empty())
      collapse.erase();
    putChannelsLast(*imageOperand(copied.contract, copied.which));
  }

  /// A tensor with its dimensions in another order: result dimension i is `order[i]`.
  Value inOrder(Value tensor, ArrayRef<int64_t> order) {
    auto type = cast<RankedTensorType>(tensor.getType());
    const Location loc = tensor.getLoc();
    SmallVector<Value> extents;
    SmallVector<AffineExpr> from(order.size());
    for (auto [i, dim] : llvm::enumerate(order)) {
      extents.push_back(dimValue(b, loc, dimName(tensor, dim)));
      from[dim] = b.getAffineDimExpr(i);
    }
    const SmallVector<int64_t> shape(order.size(), ShapedType::kDynamic);
    Value empty = tensor::EmptyOp::create(b, loc, shape, type.getElementType(), extents);
    const SmallVector<AffineMap> maps = {AffineMap::get(order.size(), 0, from, b.getContext()),
                                         b.getMultiDimIdentityMap(order.size())};
    const SmallVector<utils::IteratorType> loops(order.size(), utils::IteratorType::parallel);
    return linalg::GenericOp::create(b, loc, empty.getType(), tensor, empty, maps, loops,
                                     [](OpBuilder &builder, Location at, ValueRange elements) {
                                       linalg::YieldOp::create(builder, at, elements[0]);
                                     })
        .getResult(0);
  }

  void putChannelsLast(ImageOperand image) {
    if (image.isChannelsLast())
      return;
    ir::WindowOp window = image.window;
    const auto rank = cast<RankedTensorType>(window.getSource().getType()).getRank();
    SmallVector<int64_t> last, order;
    if (image.lines.source)
      last.push_back(*image.lines.source);
    last.append({*image.columns.source, image.channelSource});
    for (int64_t dim = 0; dim < rank; ++dim)
      if (!llvm::is_contained(last, dim))
        order.push_back(dim);
    order.append(last);
    SmallVector<AffineExpr> indices;
    for (int64_t dim : order)
      indices.push_back(window.getMap().getResult(dim));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(window);
    window.getSourceMutable().assign(inOrder(window.getSource(), order));
    window.setMap(AffineMap::get(window.getMap().getNumDims(), 0, indices, b.getContext()));
  }

  /// The operand with its depth outside of the other dimension of its matrices.
  void putDepthFirst(linalg::ContractOp contract, unsigned which) {
    Value tensor = contract.getInputs()[which];
    SmallVector<AffineMap> maps = contract.getIndexingMapsArray();
    const ProductDims dims = *productDims(contract);
    const int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
    if (maps[which].getDimPosition(rank - 1) != dims.reduction)
      return;
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(rank));
    std::swap(order[rank - 2], order[rank - 1]);
    contract.getInputsMutable()[which].assign(inOrder(tensor, order));
    SmallVector<AffineExpr> along(maps[which].getResults());
    std::swap(along[rank - 2], along[rank - 1]);
    maps[which] = AffineMap::get(maps[which].getNumDims(), 0, along, b.getContext());
    contract.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
  }

  ir::KernelOp kernel;
  OpBuilder b;
};

struct ReadWindowsPass : impl::ReadWindowsBase<ReadWindowsPass> {
  void runOnOperation() override {
    aicore::MachineAttr machine = expectMachine(getOperation());
    if (!machine)
      return signalPassFailure();
    for (ir::KernelOp kernel : getOperation().getOps<ir::KernelOp>())
      if (backendOf(machine).hasPipes() && kernel.chosenWord("window", "unfolded") != "unfolded")
        WindowReader(kernel).run();
  }
};

} // namespace
} // namespace mmk
