#include "tune/bound.h"

#include "tune/evaluator.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

namespace mmk::tune {
namespace {

int64_t at(const PipeCycles &cycles, Pipe pipe) { return cycles[static_cast<size_t>(pipe)]; }

/// Busy cycles of a pipe of the cube cores without its flags, of all of them. There are fewer flags
/// than instructions that the scalar unit has issued; means are rounded.
int64_t workOfAll(const Measure &measure, const Machine &machine, Pipe pipe) {
  const auto issue = static_cast<int64_t>(std::ceil(machine.issueCycles)),
             flag = static_cast<int64_t>(std::ceil(machine.flagCycles));
  if (issue == 0 && flag > 0)
    return 0;
  const int64_t issued = at(measure.busyCycles, Pipe::scalar) + 1;
  const int64_t flags = flag == 0 ? 0 : (issued / issue + 1) * flag;
  return std::max<int64_t>(0, (at(measure.busyCycles, pipe) - flags - 1) * measure.cores);
}

bool isOfMapping(std::string_view key) { return key == "cores" || key == "order"; }
bool isOfLoads(std::string_view key) {
  return key.starts_with("buffers.l1") || key.starts_with("buffers.l0");
}
bool isOfVectorCores(std::string_view key) {
  return key.starts_with("buffers.out") || key.starts_with("buffers.ub");
}

constexpr int64_t unknown = -1;

/// The row of a key, made where there is none.
uint32_t rowOf(llvm::DenseMap<uint64_t, uint32_t> &rows, uint64_t key,
               std::vector<int64_t> &figures, size_t shapes) {
  const auto [row, isNew] = rows.try_emplace(key, figures.size());
  if (isNew)
    figures.resize(figures.size() + shapes, unknown);
  return row->second;
}

} // namespace

Bounds::Aspect::Aspect(const Space &space, size_t shapes, Use use, Figure figure,
                       llvm::function_ref<bool(std::string_view)> matters)
    : use(use), figure(std::move(figure)), key(space, matters),
      withoutMapping(space,
                     [&](std::string_view directive) {
                       return matters(directive) && !isOfMapping(directive);
                     }),
      shapes(shapes) {}

void Bounds::Aspect::learn(const Point &point, size_t shape, const Measure &measure,
                           bool hasOneTile) {
  int64_t &slot = figures[rowOf(known, key.of(point), figures, shapes) + shape];
  // Each is a lower bound; the work without flags is known within the rounding of a mean.
  slot = std::max(slot, figure(measure));
  if (!hasOneTile || use == Use::ofAllCores)
    return;
  const uint32_t row = rowOf(ofOneTile, withoutMapping.of(point), figures, shapes);
  cores.resize(figures.size(), 0);
  figures[row + shape] = std::max(figures[row + shape], figure(measure));
  cores[row + shape] = measure.cores;
}

Bounds::KnownFigures::KnownFigures(const Aspect &aspect, const Point &point, int64_t cores)
    : cores_(cores) {
  if (const auto row = aspect.known.find(aspect.key.of(point)); row != aspect.known.end())
    known_ = &aspect.figures[row->second];
  if (aspect.ofOneTile.empty())
    return;
  if (const auto row = aspect.ofOneTile.find(aspect.withoutMapping.of(point));
      row != aspect.ofOneTile.end()) {
    ofOneTile_ = &aspect.figures[row->second];
    coresWithTile_ = &aspect.cores[row->second];
  }
}

int64_t Bounds::KnownFigures::at(size_t shape) const {
  // Both are lower bounds.
  const int64_t known = known_ ? known_[shape] : unknown;
  return ofOneTile_ && cores_ >= coresWithTile_[shape] ? std::max(known, ofOneTile_[shape]) : known;
}

Bounds::Bounds(const Space &space, size_t shapes)
    : shapes_(shapes), coresAxis_(space.axisOf("cores").value_or(0)) {
  Point point(space.axes().size(), 0);
  if (space.axisOf("cores"))
    for (; point[coresAxis_] < space.axes()[coresAxis_].words.size(); ++point[coresAxis_])
      cores_.push_back(space.coresOf(point));
  else
    cores_.assign(point.empty() ? 1 : space.axes()[coresAxis_].words.size(), space.coresOf(point));

  // A stage that is not chosen follows from the tile.
  const auto isTileOfDepth = [&](std::string_view key) {
    return key.starts_with("tile.") && space.axisOf("stage." + std::string(key.substr(5)));
  };
  const auto isOfDepth = [&](std::string_view key) {
    return key.starts_with("stage.") || isTileOfDepth(key);
  };

  // Operands with copies of their own share no flag, and wait otherwise for their data.
  const bool hasOwnCopies = std::ranges::any_of(space.axes(), [](const Axis &axis) {
    return axis.key.starts_with("buffers.l1.") || axis.key.starts_with("buffers.l0.");
  });
  const auto mayWait = [hasOwnCopies](std::string_view key) {
    return hasOwnCopies || !isOfLoads(key);
  };
  // The work of the cube core until its last product is done.
  const auto isOfProducts = [](std::string_view key) {
    return !isOfLoads(key) && !isOfVectorCores(key) && key != "fuse";
  };
  using Use = Aspect::Use;
  const auto add = [&](Use use, Aspect::Figure figure,
                       llvm::function_ref<bool(std::string_view)> matters) {
    aspects_.emplace_back(space, shapes, use, std::move(figure), matters);
  };
  // Neither the order nor the mapping to cores changes the sum; MTE1 brings the bias, and may find
  // panels.
  const Machine &machine = space.machine();
  add(
      Use::ofAllCores, [&](const Measure &it) { return workOfAll(it, machine, Pipe::cube); },
      [&](std::string_view key) {
        return isOfProducts(key) && !isOfMapping(key) && key != "keep" && key != "bias";
      });
  // Where L1 stalls its reads, they take longer the more of them meet loads, which depends on all.
  if (machine.memory(Memory::l1).readStall == 0)
    add(
        Use::ofAllCores, [&](const Measure &it) { return workOfAll(it, machine, Pipe::mte1); },
        [&](std::string_view key) { return isOfProducts(key) && !isOfMapping(key); });

  for (Pipe pipe : {Pipe::cube, Pipe::mte1})
    add(
        Use::ofBlock, [pipe](const Measure &it) { return at(it.least.cubeWork, pipe); },
        isOfProducts);
  const auto isOfResults = [&](std::string_view key) { return !isOfLoads(key) && !isOfDepth(key); };
  add(
      Use::ofBlock, [](const Measure &it) { return at(it.least.cubeWork, Pipe::fixpipe); },
      isOfResults);
  // The time that loads wait for HBM depends on the stores of the same core; on a coupled chip on
  // all of its work.
  if (machine.topology != Topology::split)
    return;
  add(
      Use::ofBlock, [](const Measure &it) { return at(it.least.cubeWork, Pipe::mte2); },
      [&](std::string_view key) { return !key.starts_with("buffers.") && !isTileOfDepth(key); });
  add(
      Use::ofBlock,
      [](const Measure &it) { return *std::ranges::max_element(it.least.vectorWork); },
      isOfResults);
  add(Use::ofBlock, [](const Measure &it) { return it.least.cycles; }, mayWait);

  add(
      Use::summand, [](const Measure &it) { return it.least.multiplied; },
      [&](std::string_view key) { return mayWait(key) && !isOfVectorCores(key); });
  for (auto figure : {+[](const Measure &it) { return it.least.drain; },
                      +[](const Measure &it) { return it.least.rest; }})
    add(Use::summand, figure, isOfResults);
}

int64_t Bounds::coresOf(const Point &point) const {
  return cores_[point.empty() ? 0 : point[coresAxis_]];
}

void Bounds::learn(const Point &point, const std::string &variant, const Measure &measure,
                   size_t shape) {
  if (measure.least.cycles == 0) // of an older database
    return;
  // Where tiles are fitted to the cores, or mapped by a grid, the work depends on their number.
  const int64_t named = tune::coresOf(variant);
  const bool hasOneTile = named != 0 && measure.cores < coresOf(point);
  for (Aspect &aspect : aspects_)
    if (named != 0 || aspect.use != Aspect::Use::ofAllCores)
      aspect.learn(point, shape, measure, hasOneTile);
}

std::vector<size_t> Bounds::within(const Point &point, llvm::ArrayRef<int64_t> limits) const {
  const int64_t cores = coresOf(point);
  struct Left {
    size_t shape;
    int64_t sum;
  };
  llvm::SmallVector<Left, 8> left;
  for (size_t shape = 0; shape < shapes_; ++shape)
    left.push_back({shape, 0});
  for (const Aspect &aspect : aspects_) {
    const KnownFigures figures(aspect, point, cores);
    llvm::erase_if(left, [&](Left &it) {
      const int64_t figure = std::max<int64_t>(0, figures.at(it.shape));
      if (aspect.use == Aspect::Use::summand)
        return (it.sum += figure) > limits[it.shape];
      return (aspect.use == Aspect::Use::ofBlock ? figure : figure / cores) > limits[it.shape];
    });
    if (left.empty())
      break;
  }
  std::vector<size_t> shapes;
  for (const Left &it : left)
    shapes.push_back(it.shape);
  return shapes;
}

void Bounds::appendUnknown(const Point &point, llvm::ArrayRef<size_t> shapes,
                           std::vector<uint64_t> &names) const {
  const int64_t cores = coresOf(point);
  for (const auto &[number, aspect] : llvm::enumerate(aspects_)) {
    if (aspect.use == Aspect::Use::ofAllCores)
      continue;
    const KnownFigures figures(aspect, point, cores);
    if (llvm::any_of(shapes, [&](size_t shape) { return figures.at(shape) == unknown; }))
      names.push_back(aspect.withoutMapping.of(point) * aspects_.size() + number);
  }
}

} // namespace mmk::tune
