#include "tune/bound.h"

#include "tune/evaluator.h"

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

bool isOfDealing(std::string_view key) { return key == "cores" || key == "order"; }
bool isOfFeed(std::string_view key) {
  return key.starts_with("buffers.l1") || key.starts_with("buffers.l0");
}
bool isOfVectorCores(std::string_view key) {
  return key.starts_with("buffers.out") || key.starts_with("buffers.ub");
}

} // namespace

Bounds::Aspect::Aspect(const Space &space, Figure figure,
                       llvm::function_ref<bool(std::string_view)> matters)
    : figure(std::move(figure)), key(space, matters),
      withoutDealing(space, [&](std::string_view directive) {
        return matters(directive) && !isOfDealing(directive);
      }) {}

std::optional<int64_t> Bounds::Aspect::at(const Point &point, int64_t cores) const {
  if (const auto found = known.find(key.of(point)); found != known.end())
    return found->second;
  if (const auto found = ofOneTile.find(withoutDealing.of(point));
      found != ofOneTile.end() && cores >= found->second.second)
    return found->second.first;
  return std::nullopt;
}

Bounds::Bounds(const Space &space) : coresAxis_(space.axisOf("cores").value_or(0)) {
  Point point = space.defaultPoint();
  if (space.axisOf("cores"))
    for (; point[coresAxis_] < space.axes()[coresAxis_].words.size(); ++point[coresAxis_])
      cores_.push_back(space.coresOf(point));
  else
    cores_.assign(point.empty() ? 1 : space.axes()[coresAxis_].words.size(), space.coresOf(point));

  // Without a stage of its own, that follows from the tile.
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
    return hasOwnCopies || !isOfFeed(key);
  };
  // What the cube core does until its last product is done.
  const auto isOfProducts = [](std::string_view key) {
    return !isOfFeed(key) && !isOfVectorCores(key) && key != "epilogue";
  };
  // Neither the walk nor who does what changes the sum; MTE1 brings the bias, and may find panels.
  const Machine &machine = space.machine();
  ofAllCores_.emplace_back(
      space, [&](const Measure &it) { return workOfAll(it, machine, Pipe::cube); },
      [&](std::string_view key) {
        return isOfProducts(key) && !isOfDealing(key) && key != "keep" && key != "bias";
      });
  ofAllCores_.emplace_back(
      space, [&](const Measure &it) { return workOfAll(it, machine, Pipe::mte1); },
      [&](std::string_view key) { return isOfProducts(key) && !isOfDealing(key); });

  for (Pipe pipe : {Pipe::cube, Pipe::mte1})
    ofBlock_.emplace_back(
        space, [pipe](const Measure &it) { return at(it.least.cubeWork, pipe); }, isOfProducts);
  const auto isOfResults = [&](std::string_view key) { return !isOfFeed(key) && !isOfDepth(key); };
  ofBlock_.emplace_back(
      space, [](const Measure &it) { return at(it.least.cubeWork, Pipe::fixpipe); }, isOfResults);
  // How long loads wait for HBM depends on what the same core stores beside them; on a coupled
  // chip that is everything.
  if (machine.topology != Topology::split)
    return;
  ofBlock_.emplace_back(
      space, [](const Measure &it) { return at(it.least.cubeWork, Pipe::mte2); },
      [&](std::string_view key) { return !key.starts_with("buffers.") && !isTileOfDepth(key); });
  ofBlock_.emplace_back(
      space, [](const Measure &it) { return *std::ranges::max_element(it.least.vectorWork); },
      isOfResults);
  ofBlock_.emplace_back(space, [](const Measure &it) { return it.least.cycles; }, mayWait);

  parts_.emplace_back(
      space, [](const Measure &it) { return it.least.multiplied; },
      [&](std::string_view key) { return mayWait(key) && !isOfVectorCores(key); });
  for (auto figure : {+[](const Measure &it) { return it.least.drain; },
                      +[](const Measure &it) { return it.least.rest; }})
    parts_.emplace_back(space, figure, isOfResults);
}

int64_t Bounds::coresOf(const Point &point) const {
  return cores_[point.empty() ? 0 : point[coresAxis_]];
}

void Bounds::learn(const Point &point, const std::string &variant, const Measure &measure) {
  if (measure.least.cycles == 0) // of somebody who did not say
    return;
  // Where tiles fit themselves to the cores, or a grid deals them, the work depends on the number.
  const int64_t asked = tune::coresOf(variant);
  const bool hasOneTile = asked != 0 && measure.cores < coresOf(point);
  if (asked != 0)
    for (Aspect &aspect : ofAllCores_)
      aspect.known.try_emplace(aspect.key.of(point), aspect.figure(measure));
  for (std::vector<Aspect> *aspects : {&ofBlock_, &parts_})
    for (Aspect &aspect : *aspects) {
      const int64_t figure = aspect.figure(measure);
      aspect.known.try_emplace(aspect.key.of(point), figure);
      if (hasOneTile)
        aspect.ofOneTile.try_emplace(aspect.withoutDealing.of(point), figure, measure.cores);
    }
}

/// Goes on until there is a figure above `limit`.
int64_t Bounds::cyclesUpTo(const Point &point, int64_t limit) const {
  const int64_t cores = coresOf(point);
  int64_t most = 0, sum = 0;
  for (const Aspect &aspect : ofAllCores_)
    if (most = std::max(most, aspect.at(point, cores).value_or(0) / cores); most > limit)
      return most;
  for (const Aspect &aspect : ofBlock_)
    if (most = std::max(most, aspect.at(point, cores).value_or(0)); most > limit)
      return most;
  for (const Aspect &aspect : parts_)
    sum += aspect.at(point, cores).value_or(0);
  return std::max(most, sum);
}

int64_t Bounds::cycles(const Point &point) const { return cyclesUpTo(point, INT64_MAX); }

bool Bounds::exceed(const Point &point, int64_t limit) const {
  return cyclesUpTo(point, limit) > limit;
}

void Bounds::appendUnknown(const Point &point, std::vector<uint64_t> &names) const {
  const int64_t cores = coresOf(point);
  uint64_t number = 0;
  for (const std::vector<Aspect> *aspects : {&ofBlock_, &parts_})
    for (const Aspect &aspect : *aspects) {
      if (!aspect.at(point, cores))
        names.push_back(aspect.withoutDealing.of(point) * (ofBlock_.size() + parts_.size()) +
                        number);
      ++number;
    }
}

} // namespace mmk::tune
