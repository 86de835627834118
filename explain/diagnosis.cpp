#include "explain/diagnosis.h"

#include "count/count.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mmk::tune {
namespace {

/// Below this share of the critical path no pipe holds the kernel by itself.
constexpr double holds = 0.7;
/// Below this mean share of the time at work, cores wait for the slowest.
constexpr double balanced = 0.95;

struct OnPath {
  bool onVectorCore;
  Pipe pipe;
  double share;
};

std::vector<OnPath> sharesOf(const PathReport &path) {
  std::vector<OnPath> shares;
  for (const auto &[where, cycles] : path.byPipe)
    shares.push_back({where.first, where.second,
                      static_cast<double>(cycles) / std::max<double>(1, path.cycles)});
  std::ranges::sort(
      shares, {}, [](const OnPath &it) { return std::tuple(-it.share, it.onVectorCore, it.pipe); });
  return shares;
}

double percent(double share) { return 100 * share; }
double megabytes(double bytes) { return bytes / 1e6; }

Bottleneck bottleneckOf(const OnPath &it) {
  if (it.onVectorCore)
    return Bottleneck::results;
  switch (it.pipe) {
  case Pipe::mte2:
    return Bottleneck::loads;
  case Pipe::mte1:
    return Bottleneck::stages;
  case Pipe::cube:
    return Bottleneck::products;
  case Pipe::scalar:
    return Bottleneck::issue;
  default:
    return Bottleneck::results;
  }
}

class Symptoms {
public:
  Symptoms(const Diagnosis &at, const Machine &machine) : at_(at), machine_(machine) {}

  std::vector<Symptom> all() {
    cores();
    pipes();
    return std::move(symptoms_);
  }

private:
  void cores() {
    const ClockReport &clock = at_.clock;
    if (clock.cores < machine_.cubeCores)
      add(Bottleneck::idleCores,
          fmt::format("{} of {} cores have work", clock.cores, machine_.cubeCores));
    const double mean = static_cast<double>(clock.cubeCoreCycles) /
                        static_cast<double>(std::max<int64_t>(1, clock.cores * clock.cycles));
    if (clock.cores > 1 && mean < balanced)
      add(Bottleneck::imbalance,
          fmt::format("the cores are at work {:.1f} % of the time, then wait for the slowest",
                      percent(mean)));
  }

  void pipes() {
    const std::vector<OnPath> shares = sharesOf(at_.path);
    if (shares.empty())
      return;
    const OnPath &first = shares.front();
    if (first.share < holds) {
      std::vector<std::string> parts;
      for (const OnPath &it : shares)
        if (it.share >= 0.05 && parts.size() < 4)
          parts.push_back(fmt::format("{} {:.1f} %", nameOf(it), percent(it.share)));
      add(Bottleneck::turns, fmt::format("no pipe holds it alone, they wait for each other: the "
                                         "critical path is {}",
                                         fmt::join(parts, ", ")));
      return;
    }
    const ClockReport::PipeTimes &units =
        first.onVectorCore ? at_.clock.vectorUnits : at_.clock.cubeUnit;
    std::string text = fmt::format(
        "{} has {:.1f} % of the critical path and is busy {:.1f} % of the time", nameOf(first),
        percent(first.share), percent(units[static_cast<size_t>(first.pipe)].ratio));
    if (bottleneckOf(first) == Bottleneck::loads)
      text += fmt::format("; it loads {:.1f} MB, of tensors of {:.1f} MB",
                          megabytes(static_cast<double>(at_.traffic.cubeLoads)),
                          megabytes(at_.roof.tensorBytes));
    add(bottleneckOf(first), std::move(text));
  }

  std::string nameOf(const OnPath &it) const {
    return fmt::format("{} of the {} core", spelling(it.pipe),
                       nameOfCore(machine_.topology, it.onVectorCore));
  }

  void add(Bottleneck bottleneck, std::string text) {
    symptoms_.push_back({bottleneck, std::move(text)});
  }

  const Diagnosis &at_;
  const Machine &machine_;
  std::vector<Symptom> symptoms_;
};

} // namespace

llvm::Expected<Diagnosis> diagnose(Lowering &lowering, const Kernel &kernel, const Machine &machine,
                                   const std::vector<int64_t> &dims,
                                   llvm::ArrayRef<KnownParameter> parameters) {
  Recorder recorder(pathEvents, 0);
  TrafficMeter traffic(&recorder);
  llvm::Expected<ClockReport> clock =
      countCall(lowering.kernel(), machine, {dims, parameters}, &traffic);
  if (!clock)
    return clock.takeError();
  Diagnosis at;
  at.variant = lowering.variant;
  at.choices = lowering.choices;
  at.clock = *clock;
  at.traffic = traffic.report();
  std::map<std::string, int64_t> named;
  for (size_t i = 0; i < dims.size(); ++i)
    named[kernel.dimensions[i]] = dims[i];
  at.roof = rooflineOf(kernel, named, machine, recorder.phases());
  at.path = pathReport(recorder.phases());
  at.waits = busyFirst(waitReport(recorder.phases()), at.clock);
  at.symptoms = Symptoms(at, machine).all();
  return at;
}

} // namespace mmk::tune
