#include "tune/evaluator.h"

#include "frontend/numbers.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk::tune {
namespace {

constexpr std::string_view coresKey = "cores=";

} // namespace

int64_t coresOf(const std::string &variant) {
  const bool fits = variant.find("auto") != std::string::npos;
  // A grid maps rectangles, and a kernel that keeps panels whole lines of tiles.
  const bool hasGrid = variant.find("grid.") != std::string::npos ||
                       variant.find("keep=A") != std::string::npos ||
                       variant.find("keep=B") != std::string::npos;
  if (!variant.starts_with(coresKey) || fits || hasGrid)
    return 0;
  const std::string_view rest = std::string_view(variant).substr(coresKey.size());
  return parseInteger(rest.substr(0, rest.find(','))).value_or(0);
}

std::string withCores(const std::string &variant, int64_t cores) {
  return fmt::format("{}{}{}", coresKey, cores, variant.substr(variant.find(',')));
}

Evaluator::Evaluator(const Space &space, llvm::ArrayRef<Dims> shapes, Known &known, Store *store,
                     Team &team, const std::atomic<bool> &stop)
    : space_(space), shapes_(shapes.begin(), shapes.end()), known_(known), store_(store),
      team_(team), stop_(stop), refusals_(space) {
  for (const auto &[request, code] : known.codes)
    if (code.variant == Known::Code::none)
      if (const auto point = space.pointOf(request))
        refusals_.learn(*point, code.code);
}

// Tiles are mapped one by one, so cores beyond the number of tiles have none, and the others one
// each, in any order of the tiles: leaving out the idle ones changes nothing.
void Evaluator::learnCores(const Point &point, int32_t variant, size_t shape,
                           const Measure &measure) {
  const int64_t named = coresOf(known_.nameOf(variant));
  if (named == 0 || measure.cores == 0 || measure.cores >= named)
    return;
  std::vector<Family> &family = families_[space_.requestWithout(point, {"cores", "order"})];
  family.resize(shapes_.size());
  // The first of them in the space, in whichever order they are learned.
  if (family[shape].cores != 0 && family[shape].point <= point)
    return;
  const int32_t same = known_.numberOf(withCores(known_.nameOf(variant), measure.cores));
  known_.measures[shape].try_emplace(same, measure);
  family[shape] = {measure.cores, same, point};
}

std::optional<Evaluator::Answer> Evaluator::at(const Point &point, size_t shape) {
  if (const auto family = families_.find(space_.requestWithout(point, {"cores", "order"}));
      family != families_.end() && family->second[shape].cores != 0) {
    if (space_.coresOf(point) >= family->second[shape].cores) {
      const int32_t variant = family->second[shape].variant;
      return Answer{variant, &known_.measures[shape].at(variant)};
    }
  }
  const auto code = known_.codes.find(space_.request(point));
  if (code == known_.codes.end() || code->second.variant == Known::Code::none)
    return std::nullopt;
  const auto measure = known_.measures[shape].find(code->second.variant);
  if (measure == known_.measures[shape].end())
    return std::nullopt;
  return Answer{code->second.variant, &measure->second};
}

bool Evaluator::isMeasured(const Point &point) {
  for (size_t shape = 0; shape < shapes_.size(); ++shape)
    if (at(point, shape))
      return true;
  return false;
}

/// Whether all shapes are known; else the shapes that are not.
bool Evaluator::isKnown(Task &task) {
  const auto code = known_.codes.find(task.request);
  task.shapes.clear();
  for (size_t shape : task.wanted) {
    if (code != known_.codes.end() && !isWithin(code->second.limits, shapes_[shape]))
      continue;
    if (code != known_.codes.end())
      if (const auto measure = known_.measures[shape].find(code->second.variant);
          measure != known_.measures[shape].end())
        learnCores(*task.point, code->second.variant, shape, measure->second);
    if (!at(*task.point, shape))
      task.shapes.push_back(shape);
  }
  return task.shapes.empty();
}

void Evaluator::recall(llvm::ArrayRef<Point> points) {
  for (const Point &point : points)
    if (const auto code = known_.codes.find(space_.request(point)); code != known_.codes.end())
      for (size_t shape = 0; shape < shapes_.size(); ++shape)
        if (const auto measure = known_.measures[shape].find(code->second.variant);
            measure != known_.measures[shape].end())
          learnCores(point, code->second.variant, shape, measure->second);
}

bool Evaluator::isSettled(Task &task) {
  if (isRefused(task)) {
    ++refused;
    return true;
  }
  const bool known = isKnown(task);
  remembered += known;
  return known;
}

std::optional<DiagnosticCode> Evaluator::refusalOf(const Point &point) const {
  const auto code = known_.codes.find(space_.request(point));
  if (code != known_.codes.end() && code->second.variant == Known::Code::none)
    return code->second.code;
  return refusals_.reasonFor(point);
}

bool Evaluator::isRefused(const Task &task) {
  if (isRefused(*task.point))
    return true;
  const auto code = known_.codes.find(task.request);
  return code != known_.codes.end() && code->second.variant == Known::Code::none;
}

void Evaluator::evaluate(llvm::ArrayRef<Point> points, llvm::ArrayRef<Shapes> shapesOf) {
  std::vector<Task> tasks;
  std::set<std::string> inThisCall;
  for (size_t i = 0; i < points.size(); ++i) {
    Task task{&points[i], space_.request(points[i]), shapesOf[i], {}};
    if (inThisCall.insert(task.request).second && !isSettled(task))
      tasks.push_back(std::move(task));
  }
  // In batches, so that the results of one batch prune the next.
  const size_t part = std::max<size_t>(32, 8 * team_.size());
  for (size_t from = 0; from < tasks.size() && !stopped(); from += part) {
    std::vector<Job> jobs;
    std::vector<const Task *> of;
    for (size_t i = from; i < std::min(from + part, tasks.size()); ++i) {
      Task &task = tasks[i];
      if (isSettled(task))
        continue;
      Job &job = jobs.emplace_back(Job{space_.choices(*task.point), {}});
      for (size_t shape : task.shapes)
        job.shapes.push_back(shapes_[shape]);
      of.push_back(&task);
    }
    std::vector<std::pair<size_t, Counted>> results;
    // Kept in the order of the jobs: what is known of a search that was ended is a part from its
    // beginning, and the search that goes on from there names the same variants.
    std::vector<std::optional<Finding>> found(jobs.size());
    std::vector<bool> isDone(jobs.size());
    size_t kept = 0;
    const auto keepDone = [&] {
      for (; kept < jobs.size() && isDone[kept]; ++kept)
        if (found[kept])
          keep(*found[kept]);
    };
    team_.count(
        jobs,
        [&](size_t job, Counted counted) {
          const Task &task = *of[job];
          Finding finding{task.request, counted.variant, counted.reason, counted.limits,
                          {},           counted.code};
          // Without a clock, the times are measured later.
          for (size_t i = 0; i < counted.measures.size(); ++i)
            if (counted.measures[i] && counted.measures[i]->cycles > 0)
              finding.measures.emplace_back(task.shapes[i], *counted.measures[i]);
          isDone[job] = true;
          if (counted.bug.empty())
            found[job] = std::move(finding);
          keepDone();
          results.emplace_back(job, std::move(counted));
          if (watch)
            watch();
        },
        stop_);
    // In the order of the jobs, not of their ends: the same on every run.
    std::ranges::sort(results, {}, [](const auto &result) { return result.first; });
    for (const auto &[job, counted] : results)
      take(*of[job], counted);
  }
}

void Evaluator::take(const Task &task, const Counted &found) {
  if (!found.bug.empty()) {
    bugs.push_back(task.request + ": " + found.bug);
    known_.codes[task.request] = {Known::Code::none, found.bug};
    return;
  }
  if (!found.exists()) {
    ++refused;
    known_.codes[task.request] = {Known::Code::none, found.reason, {}, found.code};
    refusals_.learn(*task.point, found.code);
    return;
  }
  const int32_t variant = known_.numberOf(found.variant);
  known_.codes[task.request] = {variant, "", found.limits};
  bool exists = false;
  for (size_t i = 0; i < found.measures.size(); ++i) {
    if (!found.measures[i])
      continue;
    exists = true;
    known_.measures[task.shapes[i]][variant] = *found.measures[i];
    learnCores(*task.point, variant, task.shapes[i], *found.measures[i]);
  }
  // The same variant at further shapes.
  if (!exists)
    ++refused;
  else
    counted += countedNow_.insert(task.request).second;
}

// Stored one by one: a kill loses only the variants that are being counted.
void Evaluator::keep(const Finding &finding) {
  if (!store_ || !storeError.empty())
    return;
  if (llvm::Error error = store_->add(finding))
    storeError = llvm::toString(std::move(error));
}

} // namespace mmk::tune
