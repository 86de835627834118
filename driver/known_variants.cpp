#include "driver/known_variants.h"

#include "backend/backend.h"
#include "cli/terminal.h"
#include "driver/count_case.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

namespace mmk::driver {

std::vector<tune::RunShape> runShapes(const Kernel &kernel, const std::vector<RunCase> &runs) {
  std::vector<tune::RunShape> shapes;
  for (const RunCase &run : runs) {
    tune::RunShape &shape = shapes.emplace_back();
    shape.name = run.name;
    for (const std::string &dimension : kernel.dimensions)
      shape.dims.push_back(run.dims.at(dimension));
    shape.scalars = run.scalars;
  }
  return shapes;
}

std::string memoryFolder() {
  const std::string folder = cacheDirectory();
  return folder.empty() ? "" : folder + "/tune";
}

std::unique_ptr<tune::Store> openMemory(const Kernel &kernel, const Machine &machine,
                                        const std::vector<tune::RunShape> &shapes,
                                        tune::Known &known) {
  const auto without = [](const std::string &why) {
    printError(fmt::format("warning: nothing is remembered: {}\n", why));
    return nullptr;
  };
  if (memoryFolder().empty())
    return without("there is no folder for it; set MMK_CACHE_DIR");
  std::string notice;
  auto store = tune::Store::open(memoryFolder(), notice);
  if (!notice.empty())
    printError(fmt::format("warning: {}\n", notice));
  if (!store)
    return without(llvm::toString(store.takeError()));
  std::vector<tune::StoredShape> stored;
  for (const tune::RunShape &shape : shapes)
    stored.push_back({tune::spelling(kernel, shape.dims), tune::exchangeKey(kernel, shape.dims)});
  if (llvm::Error error = (*store)->choose(tune::identityOf(kernel, machine), stored,
                                           tune::Verifier::ruleOf(kernel)))
    return without(llvm::toString(std::move(error)));
  if (llvm::Error error = (*store)->load(known))
    return without(llvm::toString(std::move(error)));
  return std::move(*store);
}

namespace {

/// The number of nearest tuned shapes tried at a shape that is not tuned.
constexpr size_t nearestTried = 3;
/// The largest ratio of a dimension to the tuned one on the host, where a trial is a run.
constexpr double hostFactor = 2;

std::vector<int64_t> numbersIn(const std::string &dims) {
  std::vector<int64_t> numbers;
  for (size_t at = dims.find('='); at != std::string::npos; at = dims.find('=', at + 1))
    numbers.push_back(std::strtoll(dims.c_str() + at + 1, nullptr, 10));
  return numbers;
}

/// Steps of doubling between two shapes: of all dimensions together, and of the farthest.
struct Distance {
  double all = 0, farthest = 0;
};
Distance distance(const std::vector<int64_t> &a, const std::vector<int64_t> &b) {
  Distance result;
  for (size_t i = 0; i < a.size(); ++i) {
    const double steps =
        std::abs(std::log2(static_cast<double>(a[i])) - std::log2(static_cast<double>(b[i])));
    result.all += steps;
    result.farthest = std::max(result.farthest, steps);
  }
  return result;
}

class Recommendation {
public:
  /// `winners` are checked results of this build; `hints` are not, and have to be tried.
  Recommendation(Session &session, const Kernel &kernel, std::vector<tune::BestRow> winners,
                 std::vector<tune::BestRow> hints)
      : session_(session), kernel_(kernel), winners_(std::move(winners)), hints_(std::move(hints)) {
  }

  KnownVariant of(const RunCase &run, const tune::RunShape &shape, int64_t cycles) {
    if (run.isEmpty())
      return {}; // nothing is launched
    const std::string dims = tune::spelling(kernel_, shape.dims);
    for (const tune::BestRow &winner : winners_)
      if (winner.shape.dims == dims)
        // What a schedule leaves open may have been chosen better than the search had it.
        return cycles > 0 && cycles < winner.measure.cycles ? KnownVariant() : won(winner);
    if (!backendOf(session_.machine().kind).hasClock()) {
      const std::vector<const tune::BestRow *> near = nearest(winners_, shape, hostFactor);
      return near.empty() ? KnownVariant() : won(*near[0]);
    }
    std::vector<const tune::BestRow *> candidates = nearest(hints_, shape, 1);
    for (const std::vector<tune::BestRow> *rows : {&winners_, &hints_})
      for (const tune::BestRow *row : nearest(*rows, shape, INFINITY))
        candidates.push_back(row);
    return fastest(run, candidates, cycles);
  }

  const std::vector<tune::BestRow> &winners() const { return winners_; }

private:
  /// At most `nearestTried`, with no dimension further off than `factor`.
  std::vector<const tune::BestRow *> nearest(const std::vector<tune::BestRow> &rows,
                                             const tune::RunShape &shape, double factor) const {
    std::vector<std::pair<double, const tune::BestRow *>> near;
    for (const tune::BestRow &row : rows) {
      const std::vector<int64_t> dims = numbersIn(row.shape.dims);
      if (dims.size() != shape.dims.size() ||
          std::ranges::any_of(dims, [](int64_t extent) { return extent < 1; }))
        continue;
      const Distance away = distance(shape.dims, dims);
      if (away.farthest <= std::log2(factor))
        near.emplace_back(away.all, &row);
    }
    std::ranges::sort(near, {},
                      [](const auto &it) { return std::pair(it.first, it.second->shape.dims); });
    std::vector<const tune::BestRow *> result;
    for (const auto &[away, row] : near)
      if (result.size() < nearestTried)
        result.push_back(row);
    return result;
  }

  /// A stored variant; nothing for a name of another build that is none of this one.
  std::optional<KnownVariant> known(const tune::BestRow &row) const {
    std::optional<Choices> choices = session_.tryChoicesOf(kernel_, row.variant);
    if (!choices)
      return std::nullopt;
    return KnownVariant{std::move(*choices), row.shape.dims};
  }

  /// One that this build has found. Its name can be read, unless the memory was changed.
  KnownVariant won(const tune::BestRow &winner) const {
    if (std::optional<KnownVariant> own = known(winner))
      return *own;
    printError(
        fmt::format("warning: what mmk tune has found for {} is not used: '{}' is no variant "
                    "of '{}'\n",
                    winner.shape.dims, winner.variant, kernel_.name));
    return {};
  }

  std::optional<int64_t> cyclesOf(const RunCase &run, const Choices &choices) {
    Lowering lowering = session_.tryLower(kernel_, choices);
    if (!lowering || !limitProblem(lowering, kernel_, run).empty())
      return std::nullopt;
    return countCase(lowering, session_.machine(), kernel_, run).cycles;
  }

  KnownVariant fastest(const RunCase &run, const std::vector<const tune::BestRow *> &candidates,
                       int64_t otherwise) {
    KnownVariant best;
    int64_t least = otherwise > 0 ? otherwise : cyclesOf(run, Choices()).value_or(INT64_MAX);
    for (const tune::BestRow *candidate : candidates) {
      const std::optional<KnownVariant> trial = known(*candidate);
      const auto cycles = trial ? cyclesOf(run, trial->choices) : std::nullopt;
      if (cycles && *cycles < least) {
        least = *cycles;
        best = *trial;
      }
    }
    return best;
  }

  Session &session_;
  const Kernel &kernel_;
  std::vector<tune::BestRow> winners_, hints_;
};

} // namespace

std::vector<KnownVariant> knownVariants(Session &session, const Kernel &kernel,
                                        const std::vector<RunCase> &runs,
                                        const std::vector<int64_t> &cycles) {
  std::error_code ignored;
  if (memoryFolder().empty() ||
      !std::filesystem::exists(memoryFolder() + "/memory.sqlite", ignored))
    return {};
  std::string notice;
  auto store = tune::Store::open(memoryFolder(), notice);
  if (!notice.empty())
    printError(fmt::format("warning: {}\n", notice));
  if (!store) {
    printError(fmt::format("warning: what mmk tune has found is not used: {}\n",
                           llvm::toString(store.takeError())));
    return {};
  }
  const tune::Identity identity = tune::identityOf(kernel, session.machine());
  auto winners = (*store)->winners(identity, tune::Verifier::ruleOf(kernel));
  auto hints = (*store)->hints(identity);
  if (!winners || !hints) {
    printError(
        fmt::format("warning: what mmk tune has found is not used: {}\n",
                    llvm::toString(llvm::joinErrors(winners.takeError(), hints.takeError()))));
    return {};
  }
  Recommendation recommendation(session, kernel, std::move(*winners), std::move(*hints));
  const std::vector<tune::RunShape> shapes = runShapes(kernel, runs);
  std::vector<KnownVariant> known;
  for (size_t i = 0; i < runs.size(); ++i) {
    KnownVariant &variant = known.emplace_back(recommendation.of(runs[i], shapes[i], cycles[i]));
    const std::string dims = tune::spelling(kernel, shapes[i].dims);
    auto unchecked = (*store)->unchecked(identity, dims, tune::Verifier::ruleOf(kernel));
    if (!unchecked) {
      printError(fmt::format("warning: what mmk tune has found is not used: {}\n",
                             llvm::toString(unchecked.takeError())));
      continue;
    }
    if (!*unchecked)
      continue;
    // Of a tuned variant, the store has the figures.
    int64_t own = variant.choices.empty() ? cycles[i] : 0;
    for (const tune::BestRow &winner : recommendation.winners())
      if (winner.shape.dims == dims && variant.tunedFor == dims)
        own = winner.measure.cycles;
    if (own > 0 && (*unchecked)->measure.cycles < own)
      variant.uncheckedUs = (*unchecked)->measure.microseconds;
  }
  return known;
}

} // namespace mmk::driver
