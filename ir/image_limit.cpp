#include "ir/image_limit.h"
#include "ir/aicore.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using llvm::formatv;

namespace mmk::aicore {

static constexpr StringLiteral attributeName = "images";

/// Pixels of the image from the first tap of a pixel of the result to the last, of all windows.
static int64_t spanOf(const ImageLimit::Axis &axis, ImageLimit::Extents extentOf) {
  return (extentOf(axis.taps) - 1) * axis.dilation + 1 + axis.further;
}

int64_t ImageLimit::pixelsOfTile(Extents extentOf) const {
  const int64_t ofLine = extentOf(columns.pixels),
                touched = llvm::divideCeilSigned(tile - 1, ofLine) + 1,
                results = std::min({touched, extentOf(lines.pixels), tile}),
                held = std::min((results - 1) * lines.stride + spanOf(lines, extentOf),
                                extentOf(lines.extent));
  return held * extentOf(columns.extent);
}

int64_t ImageLimit::depthOfStage(Extents extentOf) const {
  return extentOf(lines.taps) * extentOf(columns.taps) * block;
}

std::string ImageLimit::problem(Extents extentOf) const {
  for (const Axis *axis : {&lines, &columns}) {
    if (extentOf(axis->taps) > load3d::mostTaps)
      return formatv("{0} = {1}, but window = direct loads windows of at most {2} taps; legal: "
                     "window = unfolded",
                     axis->taps, extentOf(axis->taps), load3d::mostTaps);
    if (extentOf(axis->extent) > load3d::mostExtent)
      return formatv(
          "{0} = {1}, but window = direct loads images of at most {2} lines and columns; "
          "legal: window = unfolded",
          axis->extent, extentOf(axis->extent), load3d::mostExtent);
    const int64_t behind = (extentOf(axis->pixels) - 1) * axis->stride + spanOf(*axis, extentOf) -
                           extentOf(axis->extent) - axis->padding;
    if (behind > load3d::mostPadding)
      return formatv(
          "windows end {0} pixels behind {1} = {2}, and window = direct pads at most {3}; "
          "legal: window = unfolded",
          behind, axis->extent, extentOf(axis->extent), load3d::mostPadding);
  }
  if (const int64_t deep = depthOfStage(extentOf); deep > stage)
    return formatv(
        "the taps of {0} channels are {1} deep, but stage.{2} is {3}; legal: stage.{2} of "
        "{1} or more, or window = unfolded",
        block, deep, depth, stage);
  if (const int64_t most = pixelsOfTile(extentOf); most > pixels)
    return formatv(
        "a tile of {0} pixels takes {1} pixels of the image, but this variant holds {2} in "
        "L1; legal: shorter tiles or stages, fewer channels in window = direct(n), or "
        "window = unfolded",
        tile, most, pixels);
  return "";
}

DictionaryAttr ImageLimit::attribute(MLIRContext *context) const {
  Builder b(context);
  SmallVector<NamedAttribute> all;
  for (const auto &[name, axis] : {std::pair("lines", &lines), {"columns", &columns}})
    all.push_back(b.getNamedAttr(
        name, b.getArrayAttr({b.getStringAttr(axis->pixels), b.getStringAttr(axis->extent),
                              b.getStringAttr(axis->taps),
                              b.getDenseI64ArrayAttr(
                                  {axis->stride, axis->dilation, axis->padding, axis->further})})));
  all.push_back(b.getNamedAttr("channels", b.getStringAttr(channels)));
  all.push_back(b.getNamedAttr("depth", b.getStringAttr(depth)));
  all.push_back(
      b.getNamedAttr("sizes", b.getDenseI64ArrayAttr({tile, pixels, stage, held, block})));
  return b.getDictionaryAttr(all);
}

ImageLimit::ImageLimit(DictionaryAttr attribute) {
  const auto word = [](Attribute it) { return cast<StringAttr>(it).getValue().str(); };
  for (const auto &[name, axis] : {std::pair("lines", &lines), {"columns", &columns}}) {
    auto parts = attribute.getAs<ArrayAttr>(name);
    const ArrayRef<int64_t> numbers = cast<DenseI64ArrayAttr>(parts[3]);
    *axis = {word(parts[0]), word(parts[1]), word(parts[2]), numbers[0],
             numbers[1],     numbers[2],     numbers[3]};
  }
  channels = word(attribute.get("channels"));
  depth = word(attribute.get("depth"));
  const ArrayRef<int64_t> sizes = attribute.getAs<DenseI64ArrayAttr>("sizes");
  tile = sizes[0];
  pixels = sizes[1];
  stage = sizes[2];
  held = sizes[3];
  block = sizes[4];
}

std::vector<ImageLimit> imageLimits(KernelOp kernel) {
  std::vector<ImageLimit> all;
  if (auto limits = kernel->getAttrOfType<ArrayAttr>(attributeName))
    for (auto limit : limits.getAsRange<DictionaryAttr>())
      all.emplace_back(limit);
  return all;
}

void setImageLimits(KernelOp kernel, ArrayRef<ImageLimit> limits) {
  SmallVector<Attribute> all;
  for (const ImageLimit &limit : limits)
    all.push_back(limit.attribute(kernel.getContext()));
  if (!all.empty())
    kernel->setAttr(attributeName, ArrayAttr::get(kernel.getContext(), all));
}

std::string problemOf(ArrayRef<ImageLimit> limits, ArrayRef<std::string> names,
                      ArrayRef<int64_t> dims) {
  const auto extentOf = [&](StringRef name) -> int64_t {
    int64_t literal = 1;
    if (!name.getAsInteger(10, literal))
      return literal;
    return dims[llvm::find(names, name) - names.begin()];
  };
  for (const ImageLimit &limit : limits)
    if (std::string problem = limit.problem(extentOf); !problem.empty())
      return problem;
  return "";
}

} // namespace mmk::aicore
