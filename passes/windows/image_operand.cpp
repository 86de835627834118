#include "passes/windows/image_operand.h"
#include "passes/dimensions.h"
#include "passes/variant.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using llvm::formatv;

namespace mmk {
namespace {

/// The dimensions that an index reads, with their factors, and what it adds.
struct Linear {
  SmallVector<std::pair<unsigned, int64_t>> terms;
  int64_t constant = 0;
};

/// Nothing for an index that is no sum of multiples of `dims` dimensions.
std::optional<Linear> linear(AffineExpr index, unsigned dims) {
  SmallVector<int64_t> flat; // factors, and those of what it divides, then the constant
  if (failed(getFlattenedAffineExpr(index, dims, /*numSymbols=*/0, &flat)) ||
      flat.size() != dims + 1)
    return std::nullopt;
  Linear found;
  for (unsigned dim = 0; dim < dims; ++dim)
    if (flat[dim] != 0)
      found.terms.push_back({dim, flat[dim]});
  found.constant = flat.back();
  return found;
}

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
    const std::optional<Linear> found = linear(index, map.getNumDims());
    if (!found)
      return "an index of it is no sum of multiples of variables";
    const auto &[terms, constant] = *found;
    if (terms.size() == 1 && constant == 0 && terms[0].second == 1 && isDepth(terms[0].first)) {
      if (channelFound)
        return "its depth has two dimensions of channels";
      channelFound = true;
      image.channel = terms[0].first;
      image.channelSource = source;
      return "";
    }
    ImageOperand::Axis axis;
    axis.source = source;
    for (auto [dim, factor] : terms) {
      std::optional<unsigned> &place = isPixel(dim) ? axis.pixel : axis.tap;
      if (!isPixel(dim) && !isDepth(dim)) // a batch
        return terms.size() == 1 && constant == 0 && factor == 1
                   ? ""
                   : "an index of its batches is calculated";
      if (place)
        return "an index of it has two variables of pixels or of taps";
      place = dim;
      (isPixel(dim) ? axis.stride : axis.dilation) = factor;
    }
    if (!axis.pixel)
      return "an index of it has taps but no pixels";
    axis.padding = -constant;
    const bool isPlain = terms.size() == 1 && constant == 0 && axis.stride == 1;
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
    if (axis.stride < 1 || axis.stride > aicore::load3d::mostStride)
      return formatv("its stride is {0}, and the load's 1 to {1}", axis.stride,
                     aicore::load3d::mostStride);
    if (axis.dilation < 1 || axis.dilation > aicore::load3d::mostDilation)
      return formatv("its dilation is {0}, and the load's 1 to {1}", axis.dilation,
                     aicore::load3d::mostDilation);
    if (axis.padding < 0 || axis.padding > aicore::load3d::mostPadding)
      return formatv("its padding is {0}, and the load's 0 to {1}", axis.padding,
                     aicore::load3d::mostPadding);
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
      if (dim != int64_t(image.channel) && names[dim] != "1")
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

std::optional<ImageOperand> imageOperand(linalg::ContractOp contract) {
  Value tensor = contract.getInputs()[0];
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
  if (!findImage(image, 0, image.window.getMap(), names).empty())
    return std::nullopt;
  return image;
}

/// Whether a copy has all dimensions of the window, and beside them those of one element: the taps
/// of a 1x1 window.
static bool readsAllOfWindow(linalg::GenericOp copy) {
  const AffineMap order = copy.getIndexingMapsArray()[0];
  const SmallVector<StringRef> names = dimNames(copy);
  return order.isProjectedPermutation() &&
         llvm::all_of(llvm::seq<unsigned>(0, names.size()), [&](unsigned dim) {
           return order.isFunctionOfDim(dim) || names[dim] == "1";
         });
}

static bool areAlike(const ImageOperand::Axis &x, const ImageOperand::Axis &y) {
  return x.pixel == y.pixel && x.tap == y.tap && x.source == y.source && x.stride == y.stride &&
         x.dilation == y.dilation;
}

/// Through views and places in memories.
static Value sourceOf(Value tensor) {
  for (Value behind = tensor;; tensor = behind) {
    behind = behindViews(tensor);
    if (auto place = behind.getDefiningOp<aicore::PlaceOp>())
      behind = place.getValue();
    if (behind == tensor)
      return tensor;
  }
}

std::optional<PaddingRange> sharedLines(ArrayRef<linalg::ContractOp> contracts) {
  std::optional<ImageOperand> first;
  PaddingRange range;
  for (linalg::ContractOp contract : contracts) {
    std::optional<ImageOperand> image = imageOperand(contract);
    if (!image)
      return std::nullopt;
    const int64_t padding = image->lines.padding;
    range.most = first ? std::max(range.most, padding) : padding;
    range.least = first ? std::min(range.least, padding) : padding;
    if (!first) {
      first = image;
      continue;
    }
    linalg::ContractOp lead = contracts.front();
    if (sourceOf(image->window.getSource()) != sourceOf(first->window.getSource()) ||
        sourceOf(contract.getInputs()[1]) != sourceOf(lead.getInputs()[1]) ||
        contract.getIndexingMaps() != lead.getIndexingMaps() ||
        image->window.getDims() != first->window.getDims() ||
        image->channelSource != first->channelSource || image->depth != first->depth ||
        image->pixels != first->pixels || image->images != first->images ||
        !areAlike(image->lines, first->lines) || !areAlike(image->columns, first->columns))
      return std::nullopt;
  }
  return range;
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
      if (copies && copy.getDpsInputs()[0].getDefiningOp<ir::WindowOp>() && readsAllOfWindow(copy))
        found.push_back({contract, which, copy});
    }
  });
  return found;
}

// The copy's dimension d is dimension `order(d)` of the window.
static AffineMap mapInOrder(linalg::GenericOp copy, ir::WindowOp window) {
  const AffineMap order = copy.getIndexingMapsArray()[0];
  const SmallVector<AffineExpr> dims(order.getResults());
  return window.getMap().replaceDimsAndSymbols(dims, {}, order.getNumDims(),
                                               window.getMap().getNumSymbols());
}

static SmallVector<StringRef> namesInOrder(linalg::GenericOp copy, ir::WindowOp window) {
  const AffineMap order = copy.getIndexingMapsArray()[0];
  SmallVector<StringRef> names(order.getNumDims(), "1");
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

int64_t channelsOfBlock(Type element) {
  return aicore::load3d::blockBytes * 8 / element.getIntOrFloatBitWidth();
}

std::optional<int64_t> directChannels(ir::KernelOp kernel, Type element) {
  StringRef word = kernel.chosenWord("window", "unfolded");
  if (!word.consume_front("direct"))
    return std::nullopt;
  int64_t channels = channelsOfBlock(element);
  if (word.consume_front("("))
    word.consumeInteger(10, channels);
  return channels;
}

} // namespace mmk
