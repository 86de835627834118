#include "place/row_memory.h"

#include "place/vector_scratch.h"

using namespace mlir;

namespace mmk {

using aicore::Broadcast;
using aicore::Space;

namespace {

int64_t elementBytes(Type element) { return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8); }

} // namespace

int64_t RowMemory::padded(int64_t columns, Type element) const {
  return paddedColumns(columns, elementBytes(element), machine.alignment(Space::ub));
}

/// Bytes for each row of the plane.
int64_t RowMemory::bytesOfRow(int64_t width) const {
  auto rowOf = [&](Type element) { return padded(width, element) * elementBytes(element); };
  // Where columns are reduced, each row has one element that is kept.
  auto keptOf = [&](Type element) { return p.plane().reducesColumns ? elementBytes(element) : 0; };
  const int64_t f32Row = rowOf(Float32Type::get(machine.getContext()));
  // A vector unit with registers needs no scratch.
  int64_t bytes =
      machine.getRegisters() > 0 ? 0 : s.scratch * f32Row + llvm::divideCeil(s.masks * f32Row, 32);
  for (RowInput &input : p.inputs()) {
    Type element = input.element.getType();
    const Broadcast cover = broadcastOf(p, input.dims);
    bytes += copies(input.tensor) * (cover == Broadcast::full     ? rowOf(element)
                                     : cover == Broadcast::column ? elementBytes(element)
                                                                  : 0);
  }
  for (const RowTile &tile : s.tiles)
    bytes += tile.isKept ? keptOf(tile.element) : rowOf(tile.element);
  for (RowOutput &output : p.outputs()) {
    Type element = output.element.getType();
    bytes += copies({}) * (varies(p, output.dims) ? rowOf(element) : keptOf(element));
  }
  return bytes;
}

/// Bytes that all rows share.
int64_t RowMemory::sharedBytes(int64_t width) const {
  // Each buffer begins at a whole block, with as many elements as a vector of the host at least.
  constexpr int64_t spare = 128;
  auto rowOf = [&](Type element) { return padded(width, element) * elementBytes(element) + spare; };
  int64_t bytes = spare * (s.tiles.size() + 4);
  for (RowInput &input : p.inputs())
    bytes +=
        copies(input.tensor) *
        (broadcastOf(p, input.dims) == Broadcast::row ? rowOf(input.element.getType()) : spare);
  for (const RowTile &tile : s.tiles)
    if (tile.isKept && !p.plane().reducesColumns)
      bytes += rowOf(tile.element);
  for (RowOutput &output : p.outputs())
    bytes += copies({}) * (!varies(p, output.dims) && !p.plane().reducesColumns
                               ? rowOf(output.element.getType())
                               : spare);
  return bytes;
}

RowMemory::Sizes RowMemory::sizesOf(int64_t rows, int64_t columns, bool whole,
                                    Others others) const {
  const int64_t cores = vectorCoresOf(machine);
  const bool reducesColumns = p.plane().reducesColumns;
  Sizes sizes;
  sizes.width = reducesColumns ? columns : llvm::divideCeil(columns, cores);
  const int64_t most = reducesColumns ? llvm::divideCeil(rows, cores) : rows;
  const int64_t room = machine.capacity(Space::ub) - sharedBytes(sizes.width) - others.shared;
  const int64_t fitting =
      std::max<int64_t>(room, 0) / std::max<int64_t>(1, bytesOfRow(sizes.width) + others.ofRow);
  const bool isWhole = whole && !reducesColumns;
  sizes.fits = fitting >= (isWhole ? most : 1);
  sizes.height = isWhole ? most : std::clamp<int64_t>(fitting, 1, most);
  if (!isWhole)
    sizes.height = llvm::divideCeil(most, llvm::divideCeil(most, sizes.height));
  sizes.kept = reducesColumns ? most : sizes.width;
  return sizes;
}

} // namespace mmk
