// The part of aicore-insert-transfers for products of windows that the cube loads itself
// (`window = direct`). L1 holds lines of the image with some of its channels, and meanwhile, stage
// by stage, the rows of the other operand of a block of these channels with all taps. The depth
// goes over the blocks, the taps, and the channels of a block, as aicore.load3d takes it.
#include "passes/dimensions.h"
#include "place/insert_transfers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

using namespace mlir;

namespace mmk {

Value TransferInserter::multiply(Value x, Value y) {
  return matchPattern(x, m_One())   ? y
         : matchPattern(y, m_One()) ? x
                                    : arith::MulIOp::create(b, loc, x, y).getResult();
}

Value TransferInserter::channelsOf(Product &product) {
  return dimension(product.image->nameOfSource(product.image->channelSource));
}

// All parts but the last have as many stages, one for each block of channels.
Value TransferInserter::depthOf(Product &product) {
  if (!product.image)
    return map.lookup(product.stageLoop.getUpperBound());
  const int64_t ofPart = product.channels / product.block * product.stage;
  return multiply(partsOf(product), index(ofPart));
}

Value TransferInserter::partsOf(Product &product) {
  return arith::CeilDivSIOp::create(b, loc, channelsOf(product), index(product.channels));
}

TransferInserter::StageRange TransferInserter::emitImageLoop(Tile &tile, Product &product) {
  using Predicate = arith::CmpIPredicate;
  ImageLines &lines = product.lines;
  ImageOperand &image = *product.image;
  for (auto [axis, taps] : llvm::zip(image.axes(), lines.taps))
    taps = dimension(image.nameOf(axis.tap));
  Value parts = partsOf(product);
  auto loop = scf::ForOp::create(b, loc, index(0), parts, index(1));
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Value part = loop.getInductionVar(), which = part;
  if (isSkewed())
    which = arith::RemSIOp::create(b, loc, arith::AddIOp::create(b, loc, which, block), parts);
  lines.channel = multiply(which, index(product.channels));
  lines.channels = arith::MinSIOp::create(
      b, loc, arith::SubIOp::create(b, loc, channelsOf(product), lines.channel),
      index(product.channels));
  findLines(tile, product);
  emitImageLoad(product, add(multiply(tile.number, parts), part));
  // No part is empty, which the proof of the flags does not see from here on.
  lines.stages = arith::MaxSIOp::create(
      b, loc, arith::CeilDivSIOp::create(b, loc, lines.channels, index(product.block)), index(1));
  const int64_t ofPart = product.channels / product.block * product.stage;
  Value next = arith::AddIOp::create(b, loc, part, index(1));
  return {multiply(part, index(ofPart)), multiply(lines.stages, index(product.stage)),
          arith::CmpIOp::create(b, loc, Predicate::eq, part, index(0)),
          arith::CmpIOp::create(b, loc, Predicate::sge, next, parts)};
}

// Pixels of a tile are of one image, so that its lines follow each other.
void TransferInserter::findLines(Tile &tile, Product &product) {
  ImageOperand &image = *product.image;
  ImageLines &lines = product.lines;
  Value windows = product.operands[0].inL1.getDefiningOp<aicore::PlaceOp>().getValue();
  while (product.stageLoop->isProperAncestor(windows.getDefiningOp())) // of all stages
    windows = windows.getDefiningOp<tensor::ExtractSliceOp>().getSource();
  const GlobalView view = viewOf(windows);
  auto offsetOf = [&](int64_t dim) { return view.offsets[dim] ? view.offsets[dim] : index(0); };
  lines.width = dimension(image.nameOfSource(image.columns.source));
  lines.outWidth = dimension(image.nameOf(image.columns.pixel));

  Value pixel = offsetOf(image.pixels.back()), number;
  if (image.images) {
    Value ofImage = multiply(dimension(image.nameOf(image.lines.pixel)), lines.outWidth);
    number = arith::DivSIOp::create(b, loc, pixel, ofImage);
    pixel = arith::RemSIOp::create(b, loc, pixel, ofImage);
  }
  lines.view = viewOf(image.window.getSource());
  for (auto [dim, index] : llvm::zip(lines.view.dims, image.window.getMap().getResults()))
    if (auto plain = dyn_cast<AffineDimExpr>(index)) {
      const unsigned own = plain.getPosition();
      const bool isOfImage = llvm::is_contained(image.pixels, int64_t(own)) ||
                             llvm::is_contained(image.depth, int64_t(own));
      if (image.images == own || !isOfImage)
        lines.view.offsets[dim] =
            add(lines.view.offsets[dim], image.images == own ? number : offsetOf(own));
    }

  lines.first = pixel;
  lines.top = index(0);
  lines.count = index(1);
  if (!image.lines.source)
    return;
  const ImageOperand::Axis &axis = image.lines;
  const PaddingRange padding = paddingOf(tile, product);
  // Of the line of the result with this pixel.
  auto firstTapOf = [&](Value at, int64_t inFront) -> Value {
    Value line = arith::DivSIOp::create(b, loc, at, lines.outWidth);
    return arith::SubIOp::create(b, loc, multiply(line, index(axis.stride)), index(inFront));
  };
  Value last = arith::SubIOp::create(b, loc, add(pixel, tile.rows), index(1));
  Value start = firstTapOf(pixel, padding.most),
        from = arith::MaxSIOp::create(b, loc, start, index(0));
  Value span =
      add(multiply(arith::SubIOp::create(b, loc, lines.taps[0], index(1)), index(axis.dilation)),
          index(1));
  Value end = arith::MinSIOp::create(b, loc, add(firstTapOf(last, padding.least), span),
                                     dimension(image.nameOfSource(axis.source)));
  lines.count = arith::MaxSIOp::create(b, loc, arith::SubIOp::create(b, loc, end, from), index(0));
  lines.top = arith::SubIOp::create(b, loc, start, from);
  lines.first = arith::RemSIOp::create(b, loc, pixel, lines.outWidth);
  Value &offset = lines.view.offsets[lines.view.dims[*axis.source]];
  offset = add(offset, from);
}

PaddingRange TransferInserter::paddingOf(const Tile &tile, const Product &product) {
  const int64_t own = product.image->lines.padding;
  return tile.sharedLines.value_or(PaddingRange{own, own});
}

static void fillOffsets(GlobalView &view, Value zero) {
  for (Value &offset : view.offsets)
    offset = offset ? offset : zero;
}

void TransferInserter::emitImageLoad(Product &product, Value number) {
  ImageOperand &image = *product.image;
  ImageLines &lines = product.lines;
  product.slots[0] = slot(number, product.l1[0]);
  GlobalView from = lines.view;
  const unsigned channelDim = from.dims[image.channelSource];
  from.offsets[channelDim] = add(from.offsets[channelDim], lines.channel);
  fillOffsets(from, index(0));
  SmallVector<int64_t> along;
  SmallVector<Value> sizes;
  if (image.lines.source) {
    along.push_back(from.dims[*image.lines.source]);
    sizes.push_back(lines.count);
  }
  along.append({from.dims[*image.columns.source], channelDim});
  sizes.append({lines.width, lines.channels});
  aicore::LoadOp::create(b, loc, from.memref, from.offsets, b.getDenseI64ArrayAttr(along),
                         DenseI64ArrayAttr(), IntegerAttr(), /*clipped=*/false, sizes,
                         product.l1[0], product.slots[0],
                         std::lcm(machine.padding(), product.block)); // whole blocks
}

// Of the other operand, the rows of a block of channels with all taps.
void TransferInserter::emitTapsLoad(Product &product, Value stageNumber) {
  ImageOperand &image = *product.image;
  ImageLines &lines = product.lines;
  Value stage = arith::DivSIOp::create(b, loc, product.inPart, index(product.stage));
  if (isSkewed())
    stage =
        arith::RemSIOp::create(b, loc, arith::AddIOp::create(b, loc, stage, block), lines.stages);
  Value block = index(product.block);
  Value channel = add(lines.channel, multiply(stage, block));
  product.depthOfStage = multiply(multiply(lines.taps[0], lines.taps[1]), block);
  lines.from = multiply(stage, product.depthOfStage);
  product.slots[1] = slot(stageNumber, product.l1[1]);

  Value tensor = product.operands[1].inL1.getDefiningOp<aicore::PlaceOp>().getValue();
  GlobalView matrix = viewOf(tensor);
  const unsigned rank = matrix.dims.size();
  Value memory = behindSlices(tensor);
  // Of the memory, the dimensions of the depth; their offsets are those before the stage.
  SmallVector<int64_t> depth;
  if (auto collapse = memory.getDefiningOp<tensor::CollapseShapeOp>()) {
    const GlobalView whole = viewOf(collapse.getSrc());
    const SmallVector<ReassociationIndices> pieces = collapse.getReassociationIndices();
    for (int64_t dim : pieces.end()[-2]) {
      depth.push_back(whole.dims[dim]);
      matrix.offsets[depth.back()] = whole.offsets[depth.back()];
    }
  } else {
    const MemoryDims dims = *memoryDims(memory);
    depth.assign(dims.pieces.end()[-2]);
    for (int64_t dim : depth)
      matrix.offsets[dim] = Value();
  }
  auto dimOf = [&](std::optional<unsigned> dim) {
    return depth[llvm::find(image.depth, int64_t(*dim)) - image.depth.begin()];
  };
  const int64_t ofChannel = dimOf(image.channel);
  matrix.offsets[ofChannel] = add(matrix.offsets[ofChannel], channel);
  fillOffsets(matrix, index(0));
  SmallVector<int64_t> along;
  SmallVector<Value> sizes;
  for (auto [axis, extent] : llvm::zip(image.axes(), lines.taps))
    if (axis.tap) {
      along.push_back(dimOf(axis.tap));
      sizes.push_back(extent);
    }
  along.append({ofChannel, matrix.dims[rank - 1]});
  sizes.append({block, extentOf(tensor, rank - 1)});
  aicore::LoadOp::create(b, loc, matrix.memref, matrix.offsets, b.getDenseI64ArrayAttr(along),
                         DenseI64ArrayAttr(), IntegerAttr(), /*clipped=*/true, sizes, product.l1[1],
                         product.slots[1], machine.padding());
}

void TransferInserter::emitImageStep(Tile &tile, const Product &lead, const Product &product,
                                     const ImageStep &step, Value targetSlot) {
  const ImageOperand &image = *product.image;
  const ImageLines &lines = lead.lines;
  Value top = add(lines.top, index(paddingOf(tile, lead).most - image.lines.padding));
  aicore::Load3dOp::create(
      b, loc, lead.l1[0], lead.slots[0], lines.count, lines.width, lines.taps[0], lines.taps[1],
      top, lines.outWidth, add(lines.first, step.firstPixel), add(lines.from, step.from),
      step.pixels, step.depth, ArrayRef<int64_t>{image.lines.stride, image.columns.stride},
      ArrayRef<int64_t>{image.lines.dilation, image.columns.dilation}, image.columns.padding,
      lead.block, lead.l0[0], targetSlot);
}

//===--- dimensions -----------------------------------------------------------------------===//

aicore::ImageLimit TransferInserter::limitOf(Tile &tile, Product &product) {
  aicore::ImageLimit limit =
      mmk::limitOf(*product.image, productNames(product.contract).reduction, product.channels);
  const PaddingRange padding = paddingOf(tile, product);
  limit.lines.padding = padding.most;
  limit.lines.further = padding.most - padding.least;
  limit.tile = tile.tileM;
  limit.pixels = cast<MemRefType>(product.l1[0].getType()).getShape()[0];
  limit.stage = product.stage;
  return limit;
}

} // namespace mmk
