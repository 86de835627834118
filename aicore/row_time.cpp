// The time of a row group in closed form: what each pipe of a vector core does for one part of a
// window, how many parts and windows there are, and what all of them take from memory.
#include "aicore/group_time.h"

#include "runtime/packets.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace mmk::aicore {

/// How a row group is divided.
struct GroupTime::RowTiles {
  int64_t tiles = 1, ofCore = 1; ///< of blocks; of the busiest of them
  int64_t windows = 1, kept = 1; ///< of a tile; kept rows or columns of one
  int64_t parts = 1, part = 1;   ///< of the reduced dimensions; of the plane's one
};

// Parts of rows are tiles of their own, as mmk-split-rows and passes/tile_rows.cpp make them.
GroupTime::RowTiles GroupTime::partTiles(const GroupTiling &tiling) const {
  using Place = RowWork::Reduced::Place;
  RowWork &work = *work_.ofRows;
  const bool reducesColumns = work.program.plane().reducesColumns;
  const int64_t units = isSplitChip() ? machine_.vectorCoresPerCube : 1;
  const RowMemory::Sizes sizes = work.sizesOf(tiling.rows * (reducesColumns ? units : 1),
                                              tiling.columns * (reducesColumns ? 1 : units),
                                              tiling.form, tiling.inUb, tiling.outOfUb);
  int64_t inRow = 1, outside = 1, length = 1, parts = 1;
  bool isFirst = true, isDivided = false;
  for (auto [dim, number] : llvm::zip(work.reduced, tiling.parts)) {
    parts *= number;
    const int64_t share = llvm::divideCeilSigned(dim.extent, number);
    // What is inside of a divided dimension is in one piece with its part.
    isDivided |= number > 1 && !isFirst;
    isFirst = isFirst && dim.place == Place::outside;
    if (dim.place == Place::plane) {
      const int64_t tile = reducesColumns ? tiling.columns : tiling.rows;
      length = number > 1 ? std::min<int64_t>(llvm::alignTo(share, tile), dim.extent) : dim.extent;
    } else {
      (dim.place == Place::joined ? inRow : outside) *= share;
    }
  }
  (isDivided ? outside : length) *= inRow;
  RowTiles tiles;
  const int64_t ofTile = sizes.kept;
  tiles.tiles = work.batches * llvm::divideCeilSigned(work.keptExtent, ofTile) *
                llvm::divideCeilSigned(parts, units);
  tiles.ofCore = llvm::divideCeilSigned(tiles.tiles, tiling.cores);
  const int64_t share = std::min(ofTile, work.keptExtent);
  tiles.windows = reducesColumns ? llvm::divideCeilSigned(share, sizes.height) : 1;
  tiles.kept = reducesColumns ? std::min(share, sizes.height) : share;
  tiles.part = std::min(length, reducesColumns ? sizes.width : sizes.height);
  tiles.parts = outside * llvm::divideCeilSigned(length, tiles.part);
  return tiles;
}

GroupTime::RowTiles GroupTime::rowTiles(const GroupTiling &tiling) const {
  if (!tiling.parts.empty())
    return partTiles(tiling);
  RowWork &work = *work_.ofRows;
  const bool reducesColumns = work.program.plane().reducesColumns;
  const int64_t units = isSplitChip() ? machine_.vectorCoresPerCube : 1;
  const RowMemory::Sizes sizes = work.sizesOf(tiling.rows * (reducesColumns ? units : 1),
                                              tiling.columns * (reducesColumns ? 1 : units),
                                              tiling.form, tiling.inUb, tiling.outOfUb);
  RowTiles tiles;
  const int64_t ofBlock = sizes.kept * units;
  tiles.tiles = work.batches * llvm::divideCeilSigned(work.keptExtent, ofBlock);
  tiles.ofCore = llvm::divideCeilSigned(tiles.tiles, tiling.cores);
  const int64_t share = llvm::divideCeilSigned(std::min(ofBlock, work.keptExtent), units);
  tiles.windows = reducesColumns ? llvm::divideCeilSigned(share, sizes.height) : 1;
  tiles.kept = reducesColumns ? std::min(share, sizes.height) : share;
  tiles.part = std::min(work.reducedExtent, tiling.form == RowForm::whole ? work.reducedExtent
                                            : reducesColumns              ? sizes.width
                                                                          : sizes.height);
  tiles.parts = work.outerReduced * llvm::divideCeilSigned(work.reducedExtent, tiles.part);
  return tiles;
}

double GroupTime::rowSteps(const GroupTiling &tiling) const {
  const RowTiles tiles = rowTiles(tiling);
  return double(tiles.tiles) * tiles.windows * tiles.parts;
}

/// Where rows are divided, the results of a pass are a group of their own, whose tiles all cores
/// share.
GroupTime::RowTiles GroupTime::resultTiles(const GroupTiling &tiling) const {
  RowWork &work = *work_.ofRows;
  const bool reducesColumns = work.program.plane().reducesColumns;
  const int64_t units = isSplitChip() ? machine_.vectorCoresPerCube : 1;
  const RowWork::Result &result = work.result;
  RowTiles tiles;
  tiles.tiles = result.batches * llvm::divideCeilSigned(result.rows, tiling.resultRows * units) *
                llvm::divideCeilSigned(result.columns, tiling.columns);
  tiles.ofCore = llvm::divideCeilSigned(tiles.tiles, tiling.cores);
  const int64_t height = std::min(llvm::divideCeilSigned(result.rows, units), tiling.resultRows),
                width = std::min(result.columns, tiling.columns);
  tiles.kept = reducesColumns ? height : width;
  tiles.part = reducesColumns ? width : height;
  return tiles;
}

double GroupTime::rows(const GroupTiling &tiling) const {
  if (tiling.parts.empty())
    return passes(tiling, rowTiles(tiling), [](const RowPass &) { return true; });
  // To start the parts, and to combine what they give; what the instructions of a step wait for
  // each other. Without the latter many short steps would seem best. Both as counted on
  // ascend910b2.
  constexpr double betweenGroups = 1500, betweenSteps = 64;
  double cycles = 0;
  for (const RowPass &pass : work_.ofRows->scheduleOf(tiling.form).passes) {
    const bool stores = !pass.outputs.empty();
    const RowTiles tiles = stores ? resultTiles(tiling) : rowTiles(tiling);
    cycles += passes(tiling, tiles, [&](const RowPass &it) { return &it == &pass; }) +
              betweenSteps * double(tiles.ofCore) * tiles.windows * tiles.parts +
              (stores ? 0 : betweenGroups);
  }
  return cycles;
}

/// The passes of a row group that are `chosen`.
double GroupTime::passes(const GroupTiling &tiling, const RowTiles &tiles,
                         llvm::function_ref<bool(const RowPass &)> chosen) const {
  RowWork &work = *work_.ofRows;
  const bool reducesColumns = work.program.plane().reducesColumns;
  const int64_t units = isSplitChip() ? machine_.vectorCoresPerCube : 1;
  const RowSchedule &schedule = work.scheduleOf(tiling.form);
  const int64_t rows = reducesColumns ? tiles.kept : tiles.part,
                columns = reducesColumns ? tiles.part : tiles.kept;
  const double working = static_cast<double>(std::min(tiles.tiles, tiling.cores) * units);
  const int64_t whole = reducesColumns ? work.reducedExtent : work.keptExtent;
  // As charged: pieces of rows, or whole rows as one piece, of which few begin with a packet.
  RowCharge charge;
  const auto bytesOf = [](mlir::Type type) -> int64_t {
    return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
  };
  const auto planeBytes = [&](mlir::Type type) {
    const int64_t element = bytesOf(type);
    if (columns < whole)
      return double(
          charge.bytes(rows, 0, whole * element, columns * element, machine_.packetBytes));
    constexpr int64_t many = 1 << 10;
    const int64_t bytes = rows * columns * element;
    return double(charge.bytes(many, 0, bytes, bytes, machine_.packetBytes)) / many;
  };
  // Of a plane, or of a row of what it keeps; what several cores read at once shares L2 and HBM.
  auto transfer = [&](const char *name, mlir::Type element, bool isFull) {
    const double amount =
        isFull ? planeBytes(element) : double(bytesOf(element)) * std::max(rows, columns);
    const double lines = isFull && columns < whole ? rows : 1;
    return std::max({link(name, lines, amount),
                     cyclesAt(machine_.hbmBytesPerSecond, working * amount),
                     cyclesAt(machine_.l2VectorBytesPerSecond, working * amount)});
  };
  double cycles = 0, bytesRead = 0, bytesWritten = 0;
  const double planes = double(work.batches) * work.outerReduced * work.keptExtent *
                        work.reducedExtent / (double(rows) * columns);
  double ends = 0;
  for (const RowPass &pass : schedule.passes) {
    if (!chosen(pass))
      continue;
    double in = 0, out = 0;
    for (unsigned number : pass.inputs) {
      RowInput &input = work.program.inputs()[number];
      const bool isFull = broadcastOf(work.program, input.dims) == Broadcast::full;
      in += transfer("gm_ub", input.element.getType(), isFull);
      bytesRead += isFull ? planes * planeBytes(input.element.getType()) : 0;
    }
    for (unsigned number : pass.outputs) {
      const mlir::Type element = work.program.outputs()[number].element.getType();
      out += transfer("ub_gm", element, true);
      bytesWritten += planes * planeBytes(element);
    }
    const double once = work.vectorCycles(tiling.form, pass.before, machine_, rows, columns) +
                        work.vectorCycles(tiling.form, pass.after, machine_, rows, columns),
                 body = work.vectorCycles(tiling.form, pass.body, machine_, rows, columns);
    const double longest = std::max(
        {in + (tiling.inUb == 1 ? body : 0), body, out + (tiling.outOfUb == 1 ? body : 0)});
    cycles += tiles.parts * longest + once;
    // Passes after the first wait for what they read, unless it comes ahead.
    ends = std::max(ends, in + out + body - longest);
    if (schedule.passes.size() > 1 || !tiling.parts.empty())
      cycles += in;
  }
  const double pipes = double(tiles.ofCore) * tiles.windows * cycles + ends;
  const double hbm = ofHbm(machine_, bytesRead, bytesWritten);
  return std::max(pipes, hbm) + std::min(pipes, hbm) / 32;
}

} // namespace mmk::aicore
