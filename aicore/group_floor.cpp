#include "aicore/group_floor.h"

#include "runtime/packets.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace mmk::aicore {
namespace {

constexpr int64_t accumulatorBytes = 4;

} // namespace

/// Cycles of the pipes: of the cube core, and of all vector cores of a core together. On a coupled
/// chip they are one core. Then of pipes that alternate on the only copy of a buffer: they work one
/// after the other.
struct GroupFloor::Pipes {
  double mte2 = 0, mte1 = 0, cube = 0, fixpipe = 0, vectorLoad = 0, vector = 0, vectorStore = 0;
  double onL1 = 0, onL0 = 0, onL0c = 0;
  static constexpr size_t count = 10;
  std::array<double, count> all() const {
    return {mte2, mte1, cube, fixpipe, vectorLoad, vector, vectorStore, onL1, onL0, onL0c};
  }
};

/// Output tiles of the same size: those inside, and those at the edges.
struct GroupFloor::TileClass {
  int64_t rows, columns, depth, count;
  double elements() const { return static_cast<double>(rows) * columns; }
};

GroupFloor::GroupFloor(const GroupWork &work, const Machine &machine)
    : work_(work), machine_(machine),
      readBytes_(std::accumulate(work.reads.begin(), work.reads.end(), int64_t(0))),
      storedBytes_(std::accumulate(work.stores.begin(), work.stores.end(), int64_t(0))) {}

double GroupFloor::startup(const char *link) const {
  const auto found = machine_.links.find(link);
  return found == machine_.links.end() ? 0 : found->second.startupCycles;
}

double GroupFloor::atPort(const char *link, double bytes) const {
  const auto found = machine_.links.find(link);
  return found == machine_.links.end() ? 0 : bytes / found->second.bytesPerCycle;
}

double GroupFloor::fromMemory(int64_t bytes) const {
  return machine_.hbmBytesPerSecond > 0
             ? bytes * machine_.megahertz * 1e6 / machine_.hbmBytesPerSecond
             : 0;
}

/// Of a tile that is `outer` long, over a reduction of `depth`: stage by stage.
double GroupFloor::panel(const OperandWork &operand, int64_t outer, int64_t bytes, int64_t depth,
                         const GroupTiling &tiling, int64_t outerTile) const {
  const Link &link = machine_.links.at("gm_l1");
  const int64_t packet = machine_.packetBytes, step = std::gcd(operand.pitch, packet);
  // Tiles begin at multiples of their length, and rows wherever the pitch puts them.
  const int64_t apart = std::gcd(step, bytes * (operand.isTransposed ? outerTile : tiling.depth));
  const auto transfer = [&](int64_t length) {
    const int64_t rows = operand.isTransposed ? length : outer,
                  run = (operand.isTransposed ? outer : length) * bytes;
    int64_t least = INT64_MAX, requests = INT64_MAX;
    RowCharge charge;
    for (int64_t start = 0; start < step; start += apart) {
      requests = std::min(
          requests, charge.requests(rows, start, operand.pitch, run, packet, link.requestBytes));
      least = std::min(least, run == operand.pitch
                                  ? rows * run // one piece of memory
                                  : charge.bytes(rows, start, operand.pitch, run, packet));
    }
    return link.startupCycles +
           std::max(requests * link.rowCycles, static_cast<double>(least) / link.bytesPerCycle);
  };
  const int64_t whole = std::min(tiling.stage, depth), rest = depth % whole;
  return transfer(whole) * static_cast<double>(depth / whole) + (rest > 0 ? transfer(rest) : 0);
}

std::vector<GroupFloor::TileClass> GroupFloor::classesOf(const GroupTiling &tiling) const {
  struct Part {
    int64_t length, count;
  };
  const auto parts = [](int64_t extent, int64_t tile) {
    const int64_t count = llvm::divideCeilSigned(extent, tile), last = extent - (count - 1) * tile;
    return std::array<Part, 2>{Part{tile, count - 1}, Part{last, 1}};
  };
  const int64_t all = work_.products.front().depth,
                depth = tiling.splits > 1 ? tiling.depthOfSplit(all) : all;
  std::vector<TileClass> classes;
  for (const Part &rows : parts(work_.rows, tiling.rows))
    for (const Part &columns : parts(work_.columns, tiling.columns))
      for (const Part &split : parts(all, depth))
        if (rows.count > 0 && columns.count > 0 && split.count > 0)
          classes.push_back({rows.length, columns.length, split.length,
                             work_.batches * rows.count * columns.count * split.count});
  return classes;
}

// An operand that two products share is loaded once.
void GroupFloor::addOperands(const TileClass &tile, llvm::ArrayRef<GroupTiling> tilings,
                             bool isOneRound, Pipes &pipes) const {
  std::vector<const void *> loaded;
  for (size_t i = 0; i < tilings.size(); ++i) {
    const ProductWork &product = work_.products[i];
    const GroupTiling &tiling = tilings[i];
    const int64_t bytes = sizeInBytes(product.type), unit = machine_.cube.depth.at(product.type),
                  depth = i == 0 ? tile.depth : product.depth,
                  bases = llvm::divideCeilSigned(depth, tiling.depth),
                  alignedDepth = llvm::alignTo(depth, unit);
    const auto rows = static_cast<double>(llvm::alignTo(tile.rows, machine_.cube.m)),
               columns = static_cast<double>(llvm::alignTo(tile.columns, machine_.cube.n));
    const double multiply =
        bases * machine_.cube.startupCycles +
        rows * columns * alignedDepth / machine_.cube.macsPerCycle.at(product.type);
    pipes.cube += multiply;
    const auto add = [&](const OperandWork &operand, int64_t extent, int64_t outer,
                         int64_t outerTile, double aligned, const char *link, int64_t sharers) {
      if (std::ranges::find(loaded, operand.tensor) != loaded.end())
        return;
      loaded.push_back(operand.tensor);
      const double toL0 = bases * startup(link) + atPort(link, aligned * alignedDepth * bytes);
      // A panel that is kept serves a line of tiles.
      double load = panel(operand, outer, bytes, depth, tiling, outerTile) / sharers;
      // Where each core has one tile, all wait for all of them.
      if (isOneRound && !operand.isIntermediate && sharers == 1)
        load = std::max(load,
                        startup("gm_l1") + fromMemory(extent * product.depth * bytes *
                                                      (operand.variesByBatch ? work_.batches : 1)));
      pipes.mte1 += toL0;
      pipes.mte2 += load;
      if (tiling.inL1 == 1 && i == 0 && sharers == 1)
        pipes.onL1 = std::max(pipes.onL1, load + toL0);
      if (tiling.inL0 == 1 && i == 0)
        pipes.onL0 = std::max(pipes.onL0, toL0 + multiply);
    };
    add(product.a, work_.rows, tile.rows, tiling.rows, rows, "l1_l0a",
        tiling.keepsA ? llvm::divideCeilSigned(work_.columns, tiling.columns) : 1);
    add(product.b, work_.columns, tile.columns, tiling.columns, columns, "l1_l0b",
        tiling.keepsB ? llvm::divideCeilSigned(work_.rows, tiling.rows) : 1);
  }
}

// The result of a tile, out of L0C and through the vector cores.
void GroupFloor::addResult(const TileClass &tile, const GroupTiling &tiling, bool usesVector,
                           bool isSplit, Pipes &pipes) const {
  const double elements = tile.elements(), products = work_.products.size();
  const int64_t stored = isSplit ? accumulatorBytes : storedBytes_;
  const bool alternates = tiling.accumulators == 1 && !tiling.overlapped && products == 1;
  const double perElement = work_.vectorPerElement - (tiling.biasTable ? work_.addPerElement : 0);
  if (!isSplitChip()) {
    const double drain = startup("l0c_ub") + atPort("l0c_ub", elements * accumulatorBytes);
    pipes.vector += products * drain;
    if (alternates)
      pipes.onL0c = pipes.cube + drain;
    pipes.vectorStore += startup("ub_gm") + atPort("ub_gm", elements * stored);
    if (usesVector) {
      pipes.vector += elements * perElement + work_.vectorFixed;
      pipes.mte2 += atPort("gm_ub", elements * readBytes_);
    }
    return;
  }
  const double units = machine_.vectorCoresPerCube;
  const bool isDirect = usesVector && drainsToUb();
  // Straight to UB, all vector cores receive at once.
  pipes.fixpipe +=
      isDirect
          ? products * startup("l0c_ub") +
                atPort("l0c_ub", elements * accumulatorBytes * products / units)
          : products * startup("l0c_gm") +
                atPort("l0c_gm", elements * (usesVector ? accumulatorBytes * products : stored));
  if (alternates)
    pipes.onL0c = pipes.cube + pipes.fixpipe;
  if (!usesVector)
    return;
  const double fetched = isDirect ? 0 : accumulatorBytes * products;
  if (fetched + readBytes_ > 0)
    pipes.vectorLoad +=
        startup("gm_ub") / units + atPort("gm_ub", elements * (fetched + readBytes_)) / units;
  pipes.vector += (elements * perElement + work_.vectorFixed) / units;
  pipes.vectorStore += (startup("ub_gm") + atPort("ub_gm", elements * stored)) / units;
}

/// What has to come before and behind the work of each pipe, on the core that has most of it: one
/// tile begins when its first transfers are there, and its result leaves behind its last product.
GroupFloor::Pipes GroupFloor::behind(const TileClass &least, llvm::ArrayRef<GroupTiling> tilings,
                                     bool usesVector) const {
  const GroupTiling &tiling = tilings.front();
  const ProductWork &product = work_.products.front();
  const double toL0 = std::min(startup("l1_l0a"), startup("l1_l0b"));
  const int64_t drainBytes =
      isSplitChip() && !usesVector ? std::min(storedBytes_, accumulatorBytes) : accumulatorBytes;
  // An overlapped store leaves in halves.
  const double drained = least.elements() * drainBytes / (tiling.overlapped ? 2 : 1);
  const bool isDirect = usesVector && drainsToUb();
  const double drain =
      isDirect        ? startup("l0c_ub") + atPort("l0c_ub", drained / machine_.vectorCoresPerCube)
      : isSplitChip() ? startup("l0c_gm") + atPort("l0c_gm", drained)
                      : startup("l0c_ub") + atPort("l0c_ub", drained);
  // The first stage of both operands, and of the last one its base tiles.
  const int64_t bytes = sizeInBytes(product.type), depth = std::min(least.depth, tiling.stage),
                inLast = (least.depth - 1) % tiling.stage + 1,
                basesOfLast = llvm::divideCeilSigned(inLast, tiling.depth),
                inLastBase = (inLast - 1) % tiling.depth + 1;
  const auto rows = static_cast<double>(llvm::alignTo(least.rows, machine_.cube.m)),
             columns = static_cast<double>(llvm::alignTo(least.columns, machine_.cube.n));
  const double loadA = panel(product.a, least.rows, bytes, depth, tiling, tiling.rows),
               loadB = panel(product.b, least.columns, bytes, depth, tiling, tiling.columns),
               first = loadA + loadB;
  const double last =
      std::min(basesOfLast * startup("l1_l0a") + atPort("l1_l0a", rows * inLast * bytes),
               basesOfLast * startup("l1_l0b") + atPort("l1_l0b", columns * inLast * bytes));
  const double multiply = machine_.cube.startupCycles +
                          rows * columns * inLastBase / machine_.cube.macsPerCycle.at(product.type);
  const double store = startup("ub_gm"),
               result = !isSplitChip() ? store
                        : usesVector ? (isDirect ? 0 : startup("gm_ub")) + work_.vectorFixed + store
                                     : 0;
  Pipes rest;
  rest.mte2 = last + multiply + drain + result;
  rest.mte1 = std::min(loadA, loadB) + multiply + drain + result;
  rest.cube = first + toL0 + drain + result;
  rest.fixpipe = first + toL0 + multiply + result;
  rest.vectorLoad = first + toL0 + multiply + drain + store;
  rest.vector = first + toL0 + multiply + store;
  rest.vectorStore = first + toL0 + multiply + drain;
  rest.onL1 = multiply + drain + result;
  rest.onL0 = std::min(loadA, loadB) + drain + result;
  rest.onL0c = first + toL0 + result;
  return rest;
}

// The tiles of all cores are distributed; one core has no fewer of them than the mean, and no less
// work than so many of the smallest.
double GroupFloor::product(llvm::ArrayRef<GroupTiling> tilings, const FloorOptions &options) const {
  const GroupTiling &tiling = tilings.front();
  const std::vector<TileClass> classes = classesOf(tiling);
  const bool isSplit = tiling.splits > 1 && work_.products.front().depth > classes.front().depth;
  const bool usesVector = work_.usesVector(tiling.biasTable) && !isSplit && !options.separate;
  struct Weighted {
    int64_t count;
    double cycles;
  };
  std::array<std::vector<Weighted>, Pipes::count> ofPipes;
  int64_t tiles = 0;
  for (const TileClass &tile : classes)
    tiles += tile.count;
  const bool isOneRound = tiles <= tiling.cores && !machine_.l2Warm;
  for (const TileClass &tile : classes) {
    Pipes pipes;
    addOperands(tile, tilings, isOneRound, pipes);
    addResult(tile, tiling, usesVector, isSplit, pipes);
    for (size_t pipe = 0; pipe < ofPipes.size(); ++pipe)
      ofPipes[pipe].push_back({tile.count, pipes.all()[pipe]});
  }
  const std::array<double, Pipes::count> rest = behind(classes.back(), tilings, usesVector).all();
  const int64_t cores = std::max<int64_t>(1, tiling.cores),
                most = llvm::divideCeilSigned(tiles, cores);
  double longest = 0;
  for (size_t pipe = 0; pipe < ofPipes.size(); ++pipe) {
    std::vector<Weighted> &all = ofPipes[pipe];
    std::ranges::sort(all, {}, &Weighted::cycles);
    double total = 0, ofSmallest = 0;
    int64_t left = most;
    for (const Weighted &each : all) {
      total += each.count * each.cycles;
      const int64_t taken = std::min(left, each.count);
      ofSmallest += taken * each.cycles;
      left -= taken;
    }
    if (total > 0)
      longest =
          std::max(longest, std::max(total / std::min(cores, tiles), ofSmallest) + rest[pipe]);
  }
  return isSplit ? longest + sumOfSplits(llvm::divideCeilSigned(work_.products.front().depth,
                                                                classes.front().depth),
                                         options.cores, options.separate)
                 : longest;
}

// Its epilogue follows in the same phase, unless it is a group of its own.
double GroupFloor::sumOfSplits(int64_t splits, int64_t cores, bool separate) const {
  const double elements =
      static_cast<double>(work_.batches) * work_.rows * work_.columns / (cores * unitsOfCore());
  const double load = atPort("gm_ub",
                             elements * (accumulatorBytes * splits + (separate ? 0 : readBytes_))),
               add = elements * (machine_.vector.at("add").perElement * (splits - 1) +
                                 (separate ? 0 : work_.vectorPerElement)),
               store = atPort("ub_gm", elements * storedBytes_);
  return startup("gm_ub") + startup("ub_gm") + std::max({load, add, store});
}

double GroupFloor::elementwiseTiles(const GroupTiling &tiling) const {
  const auto parts = [](int64_t extent, int64_t tile) {
    return static_cast<double>(llvm::divideCeilSigned(extent, std::max<int64_t>(1, tile)));
  };
  return work_.batches * parts(work_.columns, tiling.columns) *
         (work_.rowDim.empty() ? 1 : parts(work_.rows, tiling.rows));
}

/// Of so many tiles, each of which starts a transfer of its own for every tensor.
double GroupFloor::elementwise(int64_t cores, int64_t readBytes, double tiles) const {
  const auto units = static_cast<double>(cores * unitsOfCore());
  const double elements = static_cast<double>(work_.batches) * work_.rows * work_.columns / units,
               starts = std::max(0.0, tiles / units - 1);
  const double ends = startup("gm_ub") + startup("ub_gm") + work_.vectorFixed;
  return ends + std::max({atPort("gm_ub", elements * readBytes) +
                              starts * work_.reads.size() * startup("gm_ub"),
                          elements * work_.vectorPerElement + starts * work_.vectorFixed,
                          atPort("ub_gm", elements * storedBytes_) +
                              starts * work_.stores.size() * startup("ub_gm")});
}

double GroupFloor::cycles(llvm::ArrayRef<GroupTiling> tilings, const FloorOptions &options) const {
  if (work_.ofRows) // no bound is known
    return 0;
  if (work_.products.empty())
    return elementwise(options.cores, readBytes_, elementwiseTiles(tilings.front()));
  double cycles = product(tilings, options);
  if (options.separate && work_.hasVector)
    cycles += elementwise(options.cores, readBytes_ + accumulatorBytes * work_.products.size(), 0);
  return cycles;
}

} // namespace mmk::aicore
