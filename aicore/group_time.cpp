#include "aicore/group_time.h"

#include "passes/sizes/split_sum.h"
#include "place/tiled_group.h"
#include "runtime/global_memory.h"
#include "runtime/packets.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace mmk::aicore {
namespace {

/// The stage of an operand with which a core begins, or the part of an image.
int64_t firstPlaceOf(const ProductWork &product, int32_t operand, int64_t stages, int64_t core) {
  if (!product.image)
    return core % stages;
  return operand == 0 ? product.image->firstPart(core) : product.image->firstStage(core);
}

} // namespace

/// What one operand of a tile moves: a panel as deep as the tile's reduction, stage by stage.
struct GroupTime::Panel {
  double bytes = 0;      ///< as charged
  double transfers = 0;  ///< one a stage
  double portCycles = 0; ///< at the core's own port, without start-up
  double lines = 0;      ///< accesses to lines of global memory
};

double GroupTime::link(const char *name, double rows, double bytes) const {
  const auto found = machine_.links.find(name);
  if (found == machine_.links.end())
    return 0;
  const Link &it = found->second;
  const bool isGlobal = std::string_view(name).starts_with("gm_");
  const double rate =
      isGlobal ? std::min(it.bytesPerCycle, machine_.l2BytesPerCycle) : it.bytesPerCycle;
  return it.startupCycles + std::max(rows * it.rowCycles, bytes / rate);
}

int64_t GroupTiling::depthOfSplit(int64_t all) const {
  return mmk::depthOfSplit(Numbers(), all, splits, depth, stage);
}

TileMapping GroupTiling::mapping() const {
  TileMapping mapping;
  mapping.order = order;
  mapping.width = width;
  mapping.cores = std::max<int64_t>(1, cores);
  if (gridRows * gridColumns == 1)
    return mapping;
  mapping.gridM = gridRows;
  mapping.gridN = gridColumns;
  mapping.gridK = splits;
  return mapping;
}

TileLines<Numbers> GroupTime::linesOf(const GroupTiling &tiling, const Tiles &tiles, int64_t core) {
  if (!tiling.keepsA && !tiling.keepsB)
    return {Numbers(), tiles.down, tiles.across};
  return {Numbers(), core, tiles.down, tiles.across, tiling.keepsB, tiling.mapping()};
}

TileOrder<Numbers> GroupTime::orderOf(const GroupTiling &tiling, const Tiles &tiles,
                                      const TileLines<Numbers> &lines) const {
  // Splits come before batches, and batches before tiles.
  return {Numbers(), tiles.splits * work_.batches, lines.rows, lines.columns, tiling.mapping()};
}

GroupTime::Tiles GroupTime::tilesOf(const GroupTiling &tiling) const {
  const ProductWork &product = work_.products.front();
  Tiles tiles{};
  tiles.rows = std::min(tiling.rows, work_.rows);
  tiles.columns = std::min(tiling.columns, work_.columns);
  tiles.down = llvm::divideCeilSigned(work_.rows, tiling.rows);
  tiles.across = llvm::divideCeilSigned(work_.columns, tiling.columns);
  tiles.depth = product.depth;
  tiles.splits = 1;
  if (product.image) {
    // A tile is of one image.
    tiles.rows = std::min(tiling.rows, product.image->pixels);
    tiles.down = product.image->images * llvm::divideCeilSigned(product.image->pixels, tiling.rows);
    tiles.depth = product.image->depth();
  }
  if (tiling.splits > 1) {
    tiles.depth = tiling.depthOfSplit(product.depth);
    tiles.splits = llvm::divideCeilSigned(product.depth, tiles.depth);
    tiles.depth = std::min(tiles.depth, product.depth);
  }
  tiles.stages = product.image
                     ? product.image->stages()
                     : std::max<int64_t>(1, llvm::divideCeilSigned(tiles.depth, tiling.stage));
  tiles.all = work_.batches * tiles.down * tiles.across * tiles.splits;
  const TileLines<Numbers> lines = linesOf(tiling, tiles, 0);
  tiles.lines = orderOf(tiling, tiles, lines).count(0);
  tiles.ofCore = tiles.lines * lines.length;
  return tiles;
}

// `outer`: rows of A or columns of B; `stage`: the depth of one transfer; `depth`: of the panel.
GroupTime::Panel GroupTime::panelOf(const OperandWork &operand, int64_t outer, int64_t stage,
                                    int64_t depth) const {
  const int64_t bytes = sizeInBytes(work_.products.front().type), packet = machine_.packetBytes;
  const Link &link = machine_.links.at("gm_l1");
  const double rate = std::min(link.bytesPerCycle, machine_.l2BytesPerCycle);
  Panel panel;
  RowCharge charge;
  const auto add = [&](int64_t length, int64_t times) {
    if (length <= 0 || times <= 0)
      return;
    const int64_t rows = operand.isTransposed ? length : outer,
                  run = (operand.isTransposed ? outer : length) * bytes;
    // Tiles, or stages, follow each other in a row of memory, so that few begin with a packet.
    const int64_t starts = packet / std::gcd(run, packet);
    double charged = 0, requests = 0;
    for (int64_t start = 0; start < starts; ++start)
      requests += charge.requests(rows, start * run, operand.pitch, run, packet, link.requestBytes);
    requests /= starts;
    if (run == operand.pitch) // one piece of memory
      charged = static_cast<double>(chargedBytes(0, rows * run, packet)) * starts;
    else
      for (int64_t start = 0; start < starts; ++start)
        charged += charge.bytes(rows, start * run, operand.pitch, run, packet);
    charged /= starts;
    panel.bytes += charged * times;
    panel.transfers += times;
    panel.portCycles += std::max(requests * link.rowCycles, charged / rate) * times;
    panel.lines += std::max(requests, charged / packet) * times;
  };
  const int64_t whole = std::min(stage, depth);
  add(whole, depth / whole);
  add(depth % whole, 1);
  return panel;
}

//===--- global memory --------------------------------------------------------------------===//

std::pair<GroupTime::Panel, GroupTime::Panel> GroupTime::panelsOf(const GroupTiling &tiling,
                                                                  const Tiles &tiles) const {
  const ProductWork &product = work_.products.front();
  if (!product.image)
    return {panelOf(product.a, tiles.rows, tiling.stage, tiles.depth),
            panelOf(product.b, tiles.columns, tiling.stage, tiles.depth)};
  // The lines of a tile, of the channels of a stage; the other operand's depth is outside.
  const ImageWork &image = *product.image;
  return {panelOf(product.a, image.pixelsOfTile(tiles.rows), image.limit.held, image.channels),
          panelOf(product.b, tiles.columns, image.depthOfStage(), tiles.depth)};
}

/// The loads of windows from L1, of all base tiles: fractals of 16 pixels with the channels of a
/// block.
double GroupTime::windowCycles(const Tiles &tiles, double bases) const {
  const ImageWork &image = *work_.products.front().image;
  const Machine::WindowLoad &load = machine_.load3d;
  const int64_t unit = machine_.cube.m, stride = image.limit.columns.stride;
  const double fractals = llvm::divideCeilSigned(tiles.rows, unit),
               ends = stride == 1 && image.outWidth % unit != 0
                          ? std::floor(double(tiles.rows) / image.outWidth) * load.lineCycles
                          : 0,
               blocks = tiles.depth / double(image.limit.block);
  return bases * load.startupCycles + blocks * (fractals * load.fractal(stride) + ends);
}

// The tiles that the cores compute at the same time.
std::vector<GroupTime::Place> GroupTime::placesOf(const GroupTiling &tiling, const Tiles &tiles,
                                                  int64_t round) const {
  std::vector<Place> places;
  for (int64_t core = 0; core < tiling.mapping().usedCores(); ++core) {
    TileLines<Numbers> lines = linesOf(tiling, tiles, core);
    TileOrder<Numbers> order = orderOf(tiling, tiles, lines);
    const int64_t line = round / lines.length, inLine = round % lines.length;
    if (inLine >= lines.count || line >= order.count(core))
      continue;
    auto [batch, row, column] = order.coords(line, core);
    if (tiling.keepsA)
      column = lines.tileAt(inLine, row);
    if (tiling.keepsB)
      row = lines.tileAt(inLine, column);
    places.push_back(
        {core, batch / work_.batches, batch % work_.batches, row, column, inLine == 0});
  }
  return places;
}

// Long: it describes all transfers of a round to the model of global memory.
GroupTime::Waits GroupTime::wait(const GroupTiling &tiling) const {
  if (work_.products.empty())
    return {};
  const ProductWork &product = work_.products.front();
  const Tiles tiles = tilesOf(tiling);
  const auto [a, b] = panelsOf(tiling, tiles);
  const double matrices = static_cast<double>(work_.batches),
               ofOperands = double(product.depth) * sizeInBytes(product.type) *
                            (double(product.rows) * (product.a.variesByBatch ? matrices : 1) +
                             double(product.columns) * (product.b.variesByBatch ? matrices : 1));
  GlobalMemory memory(machine_, writtenBack(machine_, ofOperands,
                                            matrices * work_.rows * work_.columns * storedBytes()));
  const auto *image = product.image ? &*product.image : nullptr;
  const auto pieceOf = [&](const Panel &panel, uint64_t name, int64_t core, int32_t tensor) {
    Piece piece;
    piece.name = name;
    piece.extent = image && tensor == 0 ? image->parts() : tiles.stages;
    piece.place = tiling.skewed ? firstPlaceOf(product, tensor, tiles.stages, core) : 0;
    piece.bytes = piece.distinct = static_cast<int64_t>(panel.bytes);
    piece.portCycles = static_cast<int64_t>(panel.portCycles);
    piece.lines = static_cast<int64_t>(panel.lines);
    piece.tensor = tensor;
    piece.isLoad = true;
    piece.core = static_cast<int32_t>(core);
    piece.staysInL2 = (tensor == 0 ? product.a : product.b).staysInL2;
    return piece;
  };
  // Of operand A, by which its panels are told apart.
  const int64_t lines = image ? image->firstLine(tiles.down, tiling.rows) + 1 : tiles.down;
  std::vector<Piece> pieces;
  const bool byVectorCores =
      work_.usesVector(tiling.biasTable) && isSplitChip() && tiles.splits == 1;
  const double elements = double(tiles.rows) * tiles.columns;
  const int64_t resultBytes =
      tiles.splits > 1 ? static_cast<int64_t>(elements * 4)
                       : static_cast<int64_t>(charged(tiles.rows, tiles.columns, storedBytes()));
  const char *resultLink = isSplitChip() ? "l0c_gm" : "ub_gm";
  // Beyond so many tiles, the waits are those of the first.
  constexpr int64_t mostTiles = 1 << 10;
  const int64_t rounds =
      std::min(tiles.ofCore, llvm::divideCeilSigned(mostTiles, std::max<int64_t>(1, tiling.cores)));
  const auto pass = [&] {
    for (int64_t round = 0; round < rounds; ++round) {
      pieces.clear();
      for (const Place &at : placesOf(tiling, tiles, round)) {
        const auto nameOf = [&](const OperandWork &operand, int64_t line, int64_t lines,
                                uint64_t which) {
          const int64_t matrix = operand.variesByBatch ? at.batch : 0;
          return ((at.split * work_.batches + matrix) * lines + line) * 2 + which;
        };
        if (at.beginsLine || !tiling.keepsA)
          pieces.push_back(pieceOf(
              a,
              nameOf(product.a, image ? image->firstLine(at.row, tiling.rows) : at.row, lines, 0),
              at.core, 0));
        if (at.beginsLine || !tiling.keepsB)
          pieces.push_back(pieceOf(b, nameOf(product.b, at.column, tiles.across, 1), at.core, 1));
        Piece &result = pieces.emplace_back();
        result.name = (uint64_t(1) << 62) + round * tiling.cores + at.core;
        result.bytes = result.distinct = resultBytes;
        result.portCycles = static_cast<int64_t>(link(resultLink, tiles.rows, resultBytes));
        result.tensor = 2;
        result.core = static_cast<int32_t>(byVectorCores ? tiling.cores + at.core : at.core);
        result.ofVectorCore = byVectorCores;
        result.staysInL2 = tiles.splits > 1;
      }
      memory.addRound(pieces);
    }
  };
  if (machine_.l2Warm) {
    pass();
    memory.beginAgain();
  }
  pass();
  memory.settle();
  const auto waitOf = [&](const Panel &panel, size_t tensor) {
    Link link = machine_.links.at("gm_l1");
    link.startupCycles = link.rowCycles = 0;
    const double rate = std::min(link.bytesPerCycle, machine_.l2BytesPerCycle);
    const double all = memory.load(link, tensor).cycles(0, static_cast<int64_t>(panel.bytes));
    return std::max(0.0, all - panel.bytes / rate) / std::max(1.0, panel.bytes);
  };
  const Link none = {.bytesPerCycle = 1e9};
  const double rate = std::min(none.bytesPerCycle, machine_.l2BytesPerCycle);
  const double waited = memory.store(none, 2).cycles(0, resultBytes) - resultBytes / rate;
  return {waitOf(a, 0), waitOf(b, 1), std::max(0.0, waited) / std::max<int64_t>(1, resultBytes)};
}

//===--- a product and its epilogue -------------------------------------------------------===//

double GroupTime::vectorTime(const VectorWork &it) const {
  const double steps = std::max(1.0, std::ceil(it.elements * 4 / double(stepBytes)));
  const double in = steps * link("gm_ub", it.rows / steps, it.inputBytes / steps),
               out = steps * link("ub_gm", it.rows / steps, it.storedBytes / steps),
               work = steps * it.fixed + it.elements * it.perElement;
  // Two copies of each buffer: the steps overlap, but the first and the last.
  const double longest = std::max({in, out, work});
  return longest + (in + out + work - longest) / steps;
}

double GroupTime::charged(double rows, double columns, int64_t bytes) const {
  if (columns >= work_.columns)
    return rows * columns * bytes; // one run of memory
  const int64_t run = static_cast<int64_t>(columns) * bytes, packet = machine_.packetBytes,
                starts = packet / std::gcd(run, packet);
  RowCharge charge;
  double sum = 0;
  for (int64_t start = 0; start < starts; ++start)
    sum += charge.bytes(1 << 10, start * run, work_.columns * bytes, run, packet);
  return sum / starts / (1 << 10) * rows;
}

/// What the pipes have to do for one output tile, in cycles.
struct GroupTime::TileWork {
  double loads = 0, mte1 = 0, cube = 0;
  double panel = 0;             ///< load of a panel that is kept for a line of tiles
  double base = 0;              ///< MTE1, of one base tile
  double drain = 0, vector = 0; ///< of the result: out of L0C, and the vector cores
};

// MTE2 brings the panels of both operands, MTE1 and the cube work on base tiles.
GroupTime::TileWork GroupTime::operandWork(const GroupTiling &tiling, const Tiles &tiles,
                                           const Waits &waits) const {
  const ProductWork &product = work_.products.front();
  const double bytes = sizeInBytes(product.type), products = work_.products.size();
  const int64_t unitK = machine_.cube.depth.at(product.type);
  const double rows = llvm::alignTo(tiles.rows, machine_.cube.m),
               columns = llvm::alignTo(tiles.columns, machine_.cube.n),
               depth = llvm::alignTo(tiles.depth, unitK);
  const auto [a, b] = panelsOf(tiling, tiles);
  const double startup = machine_.links.at("gm_l1").startupCycles;
  const Link &toA = machine_.links.at("l1_l0a"), &toB = machine_.links.at("l1_l0b");
  const double bases = product.image
                           ? double(tiles.stages) *
                                 llvm::divideCeilSigned(product.image->depthOfStage(), tiling.depth)
                           : llvm::divideCeilSigned(tiles.depth, tiling.depth);
  const double bytesOfA = rows * depth * bytes, bytesOfB = columns * depth * bytes;
  TileWork work;
  const double ofA = a.transfers * startup + a.portCycles + a.bytes * waits.a,
               ofB = b.transfers * startup + b.portCycles + b.bytes * waits.b;
  // Products that read the same lines load the other operand once, into L1 and into L0.
  const double loadsOfB = work_.sharesLines ? 1 : products;
  work.loads = (tiling.keepsA ? 0 : ofA) + (tiling.keepsB ? 0 : ofB) * loadsOfB;
  work.panel = tiling.keepsA ? ofA : tiling.keepsB ? ofB : 0;
  const double ofL0A = bases * toA.startupCycles + bytesOfA / toA.bytesPerCycle,
               ofL0B = bases * toB.startupCycles + bytesOfB / toB.bytesPerCycle;
  work.mte1 = ofL0A + ofL0B;
  if (product.image)
    work.mte1 = windowCycles(tiles, bases) + ofL0B * loadsOfB / products;
  work.cube = bases * machine_.cube.startupCycles +
              rows * columns * depth / machine_.cube.macsPerCycle.at(product.type);
  work.base = work.mte1 / bases;
  // Reads of L1 and transfers into it delay each other while both are under way.
  if (tiling.inL1 > 1) {
    const MemoryDescription &l1 = machine_.memory(Memory::l1);
    const double both = std::min(work.loads / products, work.mte1);
    work.mte1 += both * l1.readStall;
    work.loads += both * l1.writeStall * products;
  }
  if (tiling.overlapped) {
    // The first and the last stage are computed in halves, each with its own A.
    const double halves = std::min(2.0, double(tiles.stages)) * bases / tiles.stages;
    work.cube += halves * machine_.cube.startupCycles;
    work.mte1 +=
        halves * (toA.startupCycles + toB.startupCycles + bytesOfA / bases / toA.bytesPerCycle);
  }
  if (tiling.biasTable)
    work.mte1 += link("l1_bt", 1, tiles.columns * 4.0);
  work.mte1 *= products;
  work.cube *= products;
  return work;
}

/// The result of a tile, out of L0C and through the vector cores.
void GroupTime::addResult(const GroupTiling &tiling, const Tiles &tiles, const Waits &waits,
                          TileWork &work) const {
  const double elements = double(tiles.rows) * tiles.columns;
  const auto products = static_cast<int64_t>(work_.products.size());
  const bool isSplit = tiles.splits > 1,
             usesVector = work_.usesVector(tiling.biasTable) && !isSplit;
  const double perElement = work_.vectorPerElement - (tiling.biasTable ? work_.addPerElement : 0);
  const auto chargedOf = [&](const std::vector<int64_t> &bytes) {
    double sum = 0;
    for (int64_t each : bytes)
      sum += charged(tiles.rows, tiles.columns, each);
    return sum;
  };
  const double stored = isSplit ? elements * 4 : chargedOf(work_.stores);
  const auto rowCycles = [&](double rows) { // of a step
    const double steps = std::max(1.0, std::ceil(rows * tiles.columns * 4 / double(stepBytes)));
    return work_.ofRows->vectorCycles(RowForm::whole, work_.ofRows->whole.passes.front().body,
                                      machine_, static_cast<int64_t>(std::ceil(rows / steps)),
                                      tiles.columns);
  };
  if (!isSplitChip()) {
    const double fixed = work_.ofRows ? rowCycles(double(tiles.rows)) : work_.vectorFixed;
    work.drain = link("l0c_ub", tiles.rows, elements * 4) * products;
    work.vector = stored * waits.result +
                  vectorTime({elements, double(tiles.rows), chargedOf(work_.reads), stored,
                              usesVector ? perElement : 0, usesVector ? fixed : 0});
    return;
  }
  const double bytesOut = usesVector ? elements * 4 : stored;
  const double cores = std::min<double>(machine_.vectorCoresPerCube, tiles.rows);
  const bool isDirect = usesVector && machine_.has("l0c_ub");
  work.drain =
      isDirect
          ? link("l0c_ub", tiles.rows / cores, bytesOut / cores) * products
          : (link("l0c_gm", tiles.rows, bytesOut) + (usesVector ? 0 : bytesOut * waits.result)) *
                products;
  if (!usesVector)
    return;
  const double fetched = isDirect ? 0 : elements * 4 * products;
  work.vector = vectorTime({elements / cores, tiles.rows / cores,
                            (fetched + chargedOf(work_.reads)) / cores, stored / cores, perElement,
                            work_.ofRows ? rowCycles(tiles.rows / cores) : work_.vectorFixed});
}

// The pipes overlap from stage to stage. With one accumulator the cube waits while it is drained,
// and MTE1 has the first base tiles ready by then.
double GroupTime::product(const GroupTiling &tiling, const Waits &waits) const {
  const Tiles tiles = tilesOf(tiling);
  TileWork work = operandWork(tiling, tiles, waits);
  addResult(tiling, tiles, waits, work);
  double exposed = 0;
  if (tiling.accumulators == 1)
    exposed = tiling.overlapped ? std::max(0.0, work.drain / 2 - work.cube / tiles.stages / 2)
                                : work.drain;
  const double compute =
      tiling.inL0 > 1
          ? std::max({work.mte1, work.cube + exposed, work.mte1 + exposed - 2 * work.base})
          : work.mte1 + work.cube + exposed;
  // The stages of a tile are of one length, but the last, which is shorter.
  const double shortest =
      work_.products.front().image || tiles.stages == 1
          ? 1.0 / tiles.stages
          : double(tiles.depth - (tiles.stages - 1) * tiling.stage) / tiles.depth;
  const double whole = tiles.stages == 1 ? 1 : (1 - shortest) / (tiles.stages - 1);
  const double loadOfStage = whole * work.loads;
  double body = tiles.ofCore * (work.loads + compute);
  if (tiling.inL1 > 1) {
    // Each stage is computed while the next one arrives, that of the next tile behind the last.
    const double next = std::max(loadOfStage, shortest * compute);
    const double ofTile = tiles.stages == 1
                              ? next
                              : (tiles.stages - 2) * whole * std::max(work.loads, compute) +
                                    std::max(shortest * work.loads, whole * compute) + next;
    body = loadOfStage + tiles.ofCore * ofTile - next + shortest * compute;
  }
  double perTile = work.drain + work.vector;
  if (isSplitChip()) {
    // A copy of the result is filled, handed over, read, and handed back.
    const bool isHandedOver = work.vector > 0;
    const double ofCopy = perTile + 2 * machine_.crossFlagCycles;
    perTile = std::max({work.drain, work.vector,
                        isHandedOver ? ofCopy / static_cast<double>(tiling.outOfUb) : 0.0});
  }
  const double behind =
      loadOfStage + work.base + std::max(work.loads, compute) + tiles.ofCore * perTile;
  const double cycles =
      std::max(body + work.drain + work.vector, behind) + tiles.lines * work.panel;
  return tiles.splits > 1 ? cycles + sumOfSplits(tiles, tiling) : cycles;
}

// Each vector core loads the splits of a tile one after the other, adds each while the next
// arrives, and then applies the epilogue, also while those of the next tile arrive.
double GroupTime::sumOfSplits(const Tiles &tiles, const GroupTiling &tiling) const {
  const int64_t units = isSplitChip() ? machine_.vectorCoresPerCube : 1,
                cores = std::max<int64_t>(1, tiling.cores);
  const auto [height, width] =
      sumTile(Numbers(), work_.batches, work_.rows, work_.columns, cores, units);
  const int64_t rows = llvm::divideCeilSigned(std::min(height, work_.rows), units),
                columns = std::min(width, work_.columns),
                all = work_.batches * llvm::divideCeilSigned(work_.rows, height) *
                      llvm::divideCeilSigned(work_.columns, width);
  const double ofCore = llvm::divideCeilSigned(all, cores);
  const double elements = static_cast<double>(rows) * columns;
  const VectorCost &add = machine_.vector.at("add");
  const double load = link("gm_ub", rows, elements * 4),
               sum = add.fixed + add.perElement * elements,
               epilogue = work_.vectorFixed + work_.vectorPerElement * elements,
               store = link("ub_gm", rows, elements * storedBytes());
  double rest = 0;
  if (rowBytes() > 0)
    rest += link("gm_ub", 1, columns * rowBytes());
  if (readBytes() > 0)
    rest += link("gm_ub", rows, elements * readBytes());
  const double loads = tiles.splits * load + rest, work = tiles.splits * sum + epilogue,
               longest = std::max(loads, work);
  return ofCore * longest + std::min(loads, work) + store;
}

//===--- elementwise work -----------------------------------------------------------------===//

// A tile of the schedule is that of one vector core, which a block has several of.
int64_t GroupTime::elementwiseTiles(const GroupTiling &tiling) const {
  const int64_t units = isSplitChip() ? machine_.vectorCoresPerCube : 1;
  const bool hasRows = !work_.rowDim.empty();
  const int64_t ofBlock = hasRows ? tiling.rows * units : 1,
                across = hasRows ? tiling.columns : tiling.columns * units;
  return work_.batches * llvm::divideCeilSigned(work_.rows, ofBlock) *
         llvm::divideCeilSigned(work_.columns, across);
}

double GroupTime::elementwise(const GroupTiling &tiling) const {
  const int64_t units = isSplitChip() ? machine_.vectorCoresPerCube : 1;
  const bool hasRows = !work_.rowDim.empty();
  const int64_t tiles = elementwiseTiles(tiling);
  const double ofCore = llvm::divideCeilSigned(tiles, tiling.cores);
  const double rows =
      hasRows ? std::min(tiling.rows, llvm::divideCeilSigned(work_.rows, units)) : 1;
  const double columns = std::min(
      tiling.columns, hasRows ? work_.columns : llvm::divideCeilSigned(work_.columns, units));
  const double elements = rows * columns;
  // Vector cores that load at the same time share HBM.
  const double loading = static_cast<double>(std::min(tiles, tiling.cores) * units);
  const bool isWhole = hasRows && tiling.columns >= work_.columns;
  RowCharge charge;
  const auto charged = [&](int64_t bytes) {
    if (isWhole || !hasRows)
      return elements * bytes; // one run of memory
    return double(charge.bytes(static_cast<int64_t>(rows), 0, work_.columns * bytes,
                               static_cast<int64_t>(columns) * bytes, machine_.packetBytes));
  };
  // A vector core loads and stores through one port, and all of them share the rate of L2.
  double out = 0;
  for (int64_t bytes : work_.stores)
    out += link("ub_gm", isWhole ? 1 : rows, charged(bytes));
  const double startup = link("gm_ub", 0, 0);
  double in = work_.reads.empty() ? 0 : out;
  const llvm::ArrayRef<int64_t> fetched = llvm::ArrayRef(work_.reads).drop_back(work_.rereads);
  for (auto [number, bytes] : llvm::enumerate(work_.reads)) {
    const double all = loading * charged(bytes),
                 hbm = number < fetched.size() ? cyclesAt(machine_.hbmBytesPerSecond, all) : 0;
    in += startup + std::max({link("gm_ub", isWhole ? 1 : rows, charged(bytes)) - startup, hbm,
                              cyclesAt(machine_.l2VectorBytesPerSecond, all)});
  }
  for (int64_t bytes : work_.rowReads)
    in += link("gm_ub", 1, columns * bytes);
  const double work = work_.vectorFixed + elements * work_.vectorPerElement;
  // Pipes that share the only copy of a buffer alternate.
  const double longest =
      std::max({in + (tiling.inUb == 1 ? work : 0), work, out + (tiling.outOfUb == 1 ? work : 0)});
  const double all = double(work_.batches) * work_.rows * work_.columns;
  const double pipes = (ofCore - 1) * longest + in + out + work,
               hbm = ofHbm(machine_, all * sum(fetched), all * storedBytes());
  // They overlap, but for the first and the last steps.
  return std::max(pipes, hbm) + std::min(pipes, hbm) / 32;
}

double ofHbm(const Machine &machine, double read, double stored) {
  if (machine.l2Warm && read + stored <= static_cast<double>(machine.l2Bytes))
    return 0;
  return hbmCycles(machine, read, stored * writtenBack(machine, read, stored));
}

double GroupTime::steps(const GroupTiling &tiling) const {
  if (work_.products.empty() && work_.ofRows)
    return rowSteps(tiling);
  if (work_.products.empty())
    return static_cast<double>(elementwiseTiles(tiling));
  const Tiles tiles = tilesOf(tiling);
  // Counting the end of a tile takes as long as some stages.
  constexpr int64_t stagesOfEnd = 8;
  return static_cast<double>(tiles.all) * (tiles.stages + stagesOfEnd);
}

double GroupTime::cycles(const GroupTiling &tiling, const Waits &waits) const {
  if (work_.products.empty() && work_.ofRows)
    return rows(tiling);
  return work_.products.empty() ? elementwise(tiling) : product(tiling, waits);
}

} // namespace mmk::aicore
