#include "explain/remedies.h"

#include "frontend/numbers.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

namespace mmk::tune {
namespace {

struct Remedy {
  std::string_view directive; ///< how its key begins
  std::array<Trouble, 4> troubles;
};

// By directive; a trouble that stands twice only fills the row.
constexpr Remedy remedies[] = {
    {"cores", {Trouble::idleCores, Trouble::imbalance, Trouble::imbalance, Trouble::imbalance}},
    {"grid", {Trouble::idleCores, Trouble::imbalance, Trouble::loads, Trouble::loads}},
    {"tile", {Trouble::imbalance, Trouble::loads, Trouble::stages, Trouble::products}},
    {"stage", {Trouble::loads, Trouble::turns, Trouble::issue, Trouble::issue}},
    {"buffers", {Trouble::turns, Trouble::results, Trouble::stages, Trouble::stages}},
    {"order", {Trouble::loads, Trouble::loads, Trouble::loads, Trouble::loads}},
    {"keep", {Trouble::loads, Trouble::loads, Trouble::loads, Trouble::loads}},
    {"bias", {Trouble::results, Trouble::turns, Trouble::turns, Trouble::turns}},
    {"skew", {Trouble::loads, Trouble::loads, Trouble::loads, Trouble::loads}},
    {"store", {Trouble::turns, Trouble::results, Trouble::products, Trouble::products}},
    {"epilogue", {Trouble::results, Trouble::turns, Trouble::loads, Trouble::loads}},
};

const Remedy *remedyOf(std::string_view key) {
  const auto found = std::ranges::find_if(
      remedies, [&](const Remedy &remedy) { return key.starts_with(remedy.directive); });
  return found == std::end(remedies) ? nullptr : found;
}

/// 1: longer or more than now; -1: shorter or fewer; 0: not a matter of size.
int direction(const std::string &key, const std::string &word, const Choices &variant) {
  const auto now = std::ranges::find(variant, key, &Choices::value_type::first);
  if (now == variant.end())
    return 0;
  const auto before = parseInteger(now->second), after = parseInteger(word);
  return before && after ? (*after > *before) - (*after < *before) : 0;
}

std::string reasonOfBuffers(const std::string &key, int way) {
  static const std::map<std::string, const char *> more = {
      {"buffers.l1", "another copy in L1 lets MTE2 load the next stage while MTE1 takes this one"},
      {"buffers.l0", "another copy in L0A and L0B lets MTE1 fill it while the cube works"},
      {"buffers.acc", "another accumulator lets the cube go on while fixpipe drains this one"},
      {"buffers.ub", "another copy in UB lets the next part arrive while this one is worked on"},
      {"buffers.out", "another copy of the result lets the vector unit go on while MTE3 stores"},
  };
  if (way < 0)
    return "fewer copies make room for something else";
  const auto found = more.find(key);
  return found == more.end() ? "another copy lets both sides work at once" : found->second;
}

std::string reasonOfOne(const std::string &key, const std::string &word, const Choices &variant) {
  const int way = direction(key, word, variant);
  if (key == "cores")
    return way < 0 ? "fewer cores share the bandwidth" : "more cores share the tiles";
  if (key == "grid.K")
    return "parts of the reduction give work to more cores";
  if (key.starts_with("grid"))
    return "cores in a grid read the same rows and columns at the same time";
  if (key == "tile.K")
    return way > 0 ? "longer products have fewer starts" : "shorter products leave room in L0";
  if (key.starts_with("tile"))
    return way > 0 ? "a longer tile is loaded for fewer times"
                   : "shorter tiles are dealt to the cores more evenly";
  if (key.starts_with("stage"))
    return way > 0 ? "longer transfers have fewer starts and move whole packets"
                   : "shorter stages arrive sooner and leave room for another copy";
  if (key.starts_with("buffers"))
    return reasonOfBuffers(key, way);
  if (key == "order")
    return "the order of the tiles decides which lines the cores read at the same time";
  if (key == "keep")
    return word == "none" ? "without a panel L1 has room for longer stages"
                          : "a panel in L1 is loaded once for a whole line of tiles";
  if (key == "bias")
    return word == "table" ? "the cube starts from the bias, which the vector unit then spares"
                           : "the vector unit adds the bias, which the cube core then spares";
  if (key == "skew")
    return word == "none" ? "cores at the same stage fetch its lines from memory once"
                          : "cores at different stages do not wait for each other's lines";
  if (key == "store")
    return word == "overlapped" ? "L0C is drained behind the last product instead of after it"
                                : "the cube starts the next tile only when L0C is drained";
  if (key == "epilogue")
    return word == "fused" ? "the accumulator passes global memory once less"
                           : "a pass of its own over global memory uses all vector cores";
  return "it is another alternative of the schedule";
}

} // namespace

bool actsOn(const Choices &change, Trouble trouble) {
  return std::ranges::any_of(change, [&](const auto &choice) {
    const Remedy *remedy = remedyOf(choice.first);
    return remedy && std::ranges::find(remedy->troubles, trouble) != remedy->troubles.end();
  });
}

std::string reasonOf(const Choices &change, const Choices &variant) {
  const bool isOtherShape = change.size() == 2 && change[0].first.starts_with("tile.") &&
                            change[1].first.starts_with("tile.") &&
                            direction(change[0].first, change[0].second, variant) *
                                    direction(change[1].first, change[1].second, variant) <
                                0;
  if (isOtherShape)
    return "a tile of the same area loads A and B in another proportion, and other cores read the "
           "same lines";
  std::string text;
  for (const auto &[key, word] : change) {
    const std::string reason = reasonOfOne(key, word, variant);
    if (text.find(reason) == std::string::npos)
      text += (text.empty() ? "" : "; ") + reason;
  }
  return text;
}

} // namespace mmk::tune
