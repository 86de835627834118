// The variants of a schedule as a box: an axis a directive, a place on it an alternative. Nothing
// of it is stored; points are enumerated.
#pragma once

#include "frontend/kernel.h"
#include "machines/machine.h"
#include "passes/passes.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mmk::tune {

struct Axis {
  std::string key;                ///< "tile.M"
  std::vector<std::string> words; ///< the default first
};

/// A place on each axis.
using Point = std::vector<uint16_t>;

/// Fixed choices, and choices beyond the alternatives that the schedule lists.
struct SpaceOptions {
  Choices fixed; ///< of `--set` and `--variant`: one word each
  /// `--sweep tile.M=32,64`: these words; without any, all that make sense for the directive.
  std::vector<std::pair<std::string, std::vector<std::string>>> swept;
  /// Every open directive takes the values that make sense for it (tune/value_grid.h). So does
  /// every directive of a kernel without a schedule.
  bool explores = false;
  /// The variant that each shape runs as without a search, all its choices. Their words are part of
  /// the space, and they are where a search starts.
  std::vector<Choices> starts;
  /// The words of open directives in a search of the whole legal space; a start adds to them.
  std::vector<std::pair<std::string, std::vector<std::string>>> opened;
};

class Space {
public:
  /// The error is a message about the options, `--sweep tile.Q: ...`.
  static llvm::Expected<Space> make(const Kernel &kernel, const Machine &machine,
                                    const SpaceOptions &options = {});

  const std::vector<Axis> &axes() const { return axes_; }
  /// Points, legal or not; a double, as it may be beyond any integer.
  double size() const;

  /// The point of a number below size(), the last axis running fastest.
  Point at(uint64_t number) const;
  /// The variant that a shape runs as without a search.
  Point defaultPoint(size_t shape = 0) const {
    return shape < starts_.size() ? starts_[shape] : Point(axes_.size(), 0);
  }

  /// False where a rule of the schedule is broken, a stage is no multiple of its tile, more cores
  /// are requested than there are, a panel is kept in an order that does not reuse it, or windows
  /// are read in place beside a kept panel or a divided depth; other refusals of a machine are
  /// found by compiling.
  bool mayExist(const Point &point) const;

  /// ("tile.M", "64") for every axis.
  Choices choices(const Point &point) const;
  /// The choices as one text, the same for equal ones: sorted by key, `cores = auto` by its number.
  std::string request(const Point &point) const;
  /// The same without the choices of `key`.
  std::string requestWithout(const Point &point, const std::vector<std::string> &keys) const;

  /// The place on an axis of this directive, or nothing.
  std::optional<size_t> axisOf(std::string_view key) const;

  /// Calls `visit` for the points that may exist, in the order of their numbers, until it returns
  /// false.
  void forEach(llvm::function_ref<bool(const Point &)> visit) const;
  /// The point of a request, as above; nothing when it is none of this space.
  std::optional<Point> pointOf(std::string_view request) const;

  /// The same for spaces of the same points, whatever the order of their alternatives: a line a
  /// directive, "tile.M=128|64", and a line a rule of the schedule, "require tile.M <= 128".
  std::string spelling() const;

  /// A stage and the tile of which it has to be a multiple, by their axes.
  struct StageOfTile {
    size_t stage, tile;
  };
  const std::vector<StageOfTile> &stages() const { return stages_; }

  const Machine &machine() const { return *machine_; }

  /// Cores of a point; all of the machine's where the schedule names none.
  int64_t coresOf(const Point &point) const;

private:
  explicit Space(const Machine &machine) : machine_(&machine) {}
  bool canUsePanel(const Point &point) const;
  bool canReadWindows(const Point &point) const;
  void addStarts(const SpaceOptions &options);
  void sortAxes();
  Point pointOf(const Choices &start) const;

  std::optional<int64_t> number(const Point &point, std::string_view key) const;
  /// Whether `mayExist` depends on this directive.
  bool isInRules(std::string_view key) const;

  const Machine *machine_;
  const Schedule *schedule_ = nullptr;
  std::vector<Axis> axes_;
  std::vector<size_t> sorted_; ///< axes by key
  std::vector<Point> starts_;  ///< by shape
  std::vector<StageOfTile> stages_;
};

} // namespace mmk::tune
