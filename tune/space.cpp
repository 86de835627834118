#include "tune/space.h"

#include "frontend/numbers.h"
#include "frontend/schedule.h"
#include "passes/variant.h"
#include "schedule/directive.h"
#include "schedule/joined_dimension.h"
#include "tune/projection.h"
#include "tune/value_grid.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mmk::tune {
namespace {

Axis *axisNamed(std::vector<Axis> &axes, std::string_view key) {
  const auto found = std::ranges::find(axes, key, &Axis::key);
  return found == axes.end() ? nullptr : &*found;
}

Axis &findOrAdd(std::vector<Axis> &axes, const std::string &key) {
  if (Axis *found = axisNamed(axes, key))
    return *found;
  return axes.emplace_back(Axis{key, {}});
}

/// Appends missing words; the default stays first.
void merge(std::vector<std::string> &words, const std::vector<std::string> &more) {
  for (const std::string &word : more)
    if (std::ranges::find(words, word) == words.end())
      words.push_back(word);
}

std::string resolved(const Axis &axis, size_t place, const Machine &machine) {
  const std::string &word = axis.words[place];
  if (axis.key == "cores" && word == "auto")
    return std::to_string(machine.cubeCores);
  return word;
}

} // namespace

llvm::Expected<Space> Space::make(const Kernel &kernel, const Machine &machine,
                                  const SpaceOptions &options) {
  Space space(machine);
  space.schedule_ = kernel.scheduleFor(machine.name);
  std::vector<Axis> &axes = space.axes_;
  if (space.schedule_)
    for (const Directive &directive : space.schedule_->directives)
      for (const Directive::Alternative &alternative : directive.alternatives)
        findOrAdd(axes, directive.key).words.push_back(alternative.word);
  if (options.explores || !space.schedule_)
    for (const std::string &key : tunableKeys(kernel, machine)) {
      const std::vector<std::string> words = valueGrid(kernel, machine, key);
      if (axisNamed(axes, key) || !words.empty())
        merge(findOrAdd(axes, key).words, words);
    }
  for (const auto &[key, words] : options.swept) {
    std::string message;
    if (!checkKey(kernel, key, /*knowsBody=*/true, message))
      return llvm::createStringError(fmt::format("--sweep {}: {}", key, message));
    for (const std::string &word : words)
      if (!checkChoice(kernel, &machine.cube, key, word, message))
        return llvm::createStringError(fmt::format("--sweep {}={}: {}", key, word, message));
    if (words.empty()) {
      merge(findOrAdd(axes, key).words, valueGrid(kernel, machine, key));
      continue;
    }
    findOrAdd(axes, key).words.clear();
    merge(findOrAdd(axes, key).words, words);
  }
  for (const auto &[key, words] : options.opened)
    findOrAdd(axes, key).words = words;
  // A later fixed choice overrides an earlier one, as on the command line.
  for (const auto &[key, word] : options.fixed)
    findOrAdd(axes, key).words = {word};
  // Of dimensions that the variants leave out there is nothing to choose.
  std::erase_if(axes, [&](const Axis &axis) {
    return !isOf(axis.key, "extent") &&
           llvm::any_of(factorsOf(indexOf(axis.key)), [&](std::string_view dim) {
             return llvm::is_contained(llvm::make_first_range(options.fixed),
                                       fmt::format("extent.{}", dim));
           });
  });
  space.addStarts(options);
  space.sortAxes();
  // The base depth of a dimension that is an output as well follows from its tile.
  std::erase_if(space.stages_, [&](const StageOfTile &it) {
    return roleOf(kernel, indexOf(axes[it.tile].key)).isOfProduct;
  });
  for (const Choices &start : options.starts)
    space.starts_.push_back(space.pointOf(start));
  return space;
}

/// The word of a directive that is not chosen; empty where it follows from others.
static std::string defaultWord(std::string_view key) {
  const DirectiveTraits *directive = findDirective(key);
  if (directive && !directive->words.empty())
    return std::string(directive->words.front().word);
  return isOf(key, "grid") ? "1" : "";
}

// What the author and the user leave open, a start may choose; the search then varies it as well.
void Space::addStarts(const SpaceOptions &options) {
  const auto isGiven = [&](const std::string &key) {
    return llvm::is_contained(llvm::make_first_range(options.fixed), key) ||
           llvm::any_of(options.swept,
                        [&](const auto &it) { return it.first == key && !it.second.empty(); }) ||
           (schedule_ && std::ranges::find(schedule_->directives, key, &Directive::key) !=
                             schedule_->directives.end());
  };
  for (const Choices &start : options.starts)
    for (const auto &[key, word] : start) {
      if (isGiven(key))
        continue;
      const Axis *axis = axisNamed(axes_, key);
      std::vector<std::string> words = {word};
      if (const std::string usual = defaultWord(key); !axis && !usual.empty())
        words.push_back(usual);
      merge(findOrAdd(axes_, key).words, words);
    }
}

void Space::sortAxes() {
  sorted_.resize(axes_.size());
  for (size_t i = 0; i < axes_.size(); ++i)
    sorted_[i] = i;
  std::ranges::sort(sorted_, {}, [&](size_t axis) { return axes_[axis].key; });
  for (size_t i = 0; i < axes_.size(); ++i)
    if (isOf(axes_[i].key, "stage"))
      if (const auto tile = axisOf(fmt::format("tile.{}", indexOf(axes_[i].key))))
        stages_.push_back({i, *tile});
}

/// The point of a start: other directives have their default word, or the first of the schedule.
Point Space::pointOf(const Choices &start) const {
  Point point(axes_.size(), 0);
  for (size_t i = 0; i < axes_.size(); ++i) {
    const auto given =
        std::ranges::find(start, axes_[i].key, [](const auto &choice) { return choice.first; });
    const std::string word = given != start.end() ? given->second : defaultWord(axes_[i].key);
    for (size_t place = 0; place < axes_[i].words.size(); ++place)
      if (resolved(axes_[i], place, *machine_) == word)
        point[i] = place;
  }
  return point;
}

double Space::size() const {
  double size = 1;
  for (const Axis &axis : axes_)
    size *= static_cast<double>(axis.words.size());
  return size;
}

Point Space::at(uint64_t number) const {
  Point point(axes_.size());
  for (size_t i = axes_.size(); i-- > 0;) {
    point[i] = number % axes_[i].words.size();
    number /= axes_[i].words.size();
  }
  return point;
}

std::optional<int64_t> Space::number(const Point &point, std::string_view key) const {
  const auto axis = axisOf(key);
  return axis ? parseInteger(resolved(axes_[*axis], point[*axis], *machine_)) : std::nullopt;
}

bool Space::canUsePanel(const Point &point) const {
  const auto keep = axisOf("keep"), order = axisOf("order");
  const auto panel = keep ? keptPanel(axes_[*keep].words[point[*keep]]) : std::nullopt;
  return !panel || orderAlong(*panel) == (order ? axes_[*order].words[point[*order]] : "rows");
}

bool Space::canReadWindows(const Point &point) const {
  const auto window = axisOf("window");
  if (!window || !axes_[*window].words[point[*window]].starts_with("direct"))
    return true;
  if (const auto keep = axisOf("keep"); keep && axes_[*keep].words[point[*keep]] != "none")
    return false;
  return std::ranges::all_of(stages_, [&](const StageOfTile &it) {
    return number(point, fmt::format("grid.{}", indexOf(axes_[it.stage].key))).value_or(1) == 1;
  });
}

bool Space::mayExist(const Point &point) const {
  if (const auto cores = number(point, "cores"); cores && *cores > machine_->cubeCores)
    return false;
  for (const auto &[stage, tile] : stages_) {
    const auto length = parseInteger(axes_[stage].words[point[stage]]);
    const auto step = parseInteger(axes_[tile].words[point[tile]]);
    if (length && step && *length % *step != 0)
      return false;
  }
  if (!canUsePanel(point) || !canReadWindows(point))
    return false;
  if (!schedule_)
    return true;
  const ChosenNumber chosen = [&](std::string_view key) { return number(point, key); };
  return std::ranges::none_of(schedule_->requirements, [&](const Requirement &requirement) {
    return judge(*requirement.rule, chosen) == Verdict::broken;
  });
}

bool Space::isInRules(std::string_view key) const {
  return key == "cores" || key == "keep" || key == "order" || key == "window" ||
         (isOf(key, "grid") && axisOf("window")) ||
         std::ranges::any_of(stages_,
                             [&](const StageOfTile &it) {
                               return axes_[it.stage].key == key || axes_[it.tile].key == key;
                             }) ||
         (schedule_ &&
          std::ranges::any_of(schedule_->requirements, [&](const Requirement &requirement) {
            return requirement.rule->reads(key);
          }));
}

// Few directives occur in rules, so each combination of these is evaluated once.
void Space::forEach(llvm::function_ref<bool(const Point &)> visit) const {
  const Projection ruled(*this, [&](std::string_view key) { return isInRules(key); });
  enum : uint8_t { unknown, legal, broken };
  std::vector<uint8_t> verdicts(ruled.size(), unknown);
  Point point(axes_.size(), 0);
  while (true) {
    uint8_t &verdict = verdicts[ruled.of(point)];
    if (verdict == unknown)
      verdict = mayExist(point) ? legal : broken;
    if (verdict == legal && !visit(point))
      return;
    size_t axis = axes_.size();
    while (axis-- > 0 && ++point[axis] == axes_[axis].words.size())
      point[axis] = 0;
    if (axis == SIZE_MAX)
      return;
  }
}

std::optional<Point> Space::pointOf(std::string_view request) const {
  Point point(axes_.size(), 0);
  for (size_t axis : sorted_) {
    const std::string &key = axes_[axis].key;
    if (!request.starts_with(key) || request.substr(key.size(), 1) != "=")
      return std::nullopt;
    request.remove_prefix(key.size() + 1);
    const std::string_view word = request.substr(0, request.find(','));
    size_t place = 0;
    while (place < axes_[axis].words.size() && resolved(axes_[axis], place, *machine_) != word)
      ++place;
    if (place == axes_[axis].words.size())
      return std::nullopt;
    point[axis] = place;
    request.remove_prefix(std::min(request.size(), word.size() + 1));
  }
  return request.empty() ? std::optional(point) : std::nullopt;
}

Choices Space::choices(const Point &point) const {
  Choices choices;
  for (size_t i = 0; i < axes_.size(); ++i)
    choices.emplace_back(axes_[i].key, axes_[i].words[point[i]]);
  return choices;
}

std::string Space::request(const Point &point) const { return requestWithout(point, {}); }

std::string Space::requestWithout(const Point &point, const std::vector<std::string> &keys) const {
  std::string text;
  for (size_t axis : sorted_) {
    if (std::ranges::find(keys, axes_[axis].key) != keys.end())
      continue;
    text += text.empty() ? "" : ",";
    text += axes_[axis].key;
    text += '=';
    text += resolved(axes_[axis], point[axis], *machine_);
  }
  return text;
}

std::optional<size_t> Space::axisOf(std::string_view key) const {
  const auto found = std::ranges::find(axes_, key, &Axis::key);
  return found == axes_.end() ? std::nullopt : std::optional<size_t>(found - axes_.begin());
}

std::string Space::spelling() const {
  std::string text;
  for (size_t axis : sorted_) {
    std::vector<std::string> words = axes_[axis].words;
    std::ranges::sort(words);
    text += fmt::format("{}={}\n", axes_[axis].key, fmt::join(words, "|"));
  }
  std::vector<std::string> rules;
  if (schedule_)
    for (const Requirement &requirement : schedule_->requirements)
      rules.push_back(fmt::format("require {}\n", requirement.text));
  std::ranges::sort(rules);
  return fmt::format("{}{}", text, fmt::join(rules, ""));
}

int64_t Space::coresOf(const Point &point) const {
  return number(point, "cores").value_or(machine_->cubeCores);
}

} // namespace mmk::tune
