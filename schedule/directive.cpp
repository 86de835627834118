#include "schedule/directive.h"

#include "support/diagnostics.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace mmk {
namespace {

constexpr int64_t maximumCores = 1024, maximumBuffers = 8, maximumSwizzle = 1024,
                  maximumPreload = 4;

// Long: the table.
std::vector<DirectiveTraits> makeTable() {
  using enum Bottleneck;
  using Index = DirectiveIndex;
  using Naming = DirectiveNaming;
  return {
      {.name = "cores",
       .maximum = maximumCores,
       .mayBeAuto = true,
       .actsOn = {idleCores, imbalance},
       .more = "more cores share the tiles",
       .fewer = "fewer cores share the bandwidth"},
      {.name = "grid",
       .index = Index::dimension,
       .maximum = maximumCores,
       .naming = Naming::each,
       .actsOn = {idleCores, imbalance, loads},
       .more = "cores in a grid read the same rows and columns at the same time",
       .fewer = "cores in a grid read the same rows and columns at the same time",
       .moreOfReduction = "splits of the reduction give work to more cores",
       .fewerOfReduction = "splits of the reduction give work to more cores"},
      {.name = "tile",
       .index = Index::dimension,
       .maximum = maximumTile,
       .isLength = true,
       .mayBeAuto = true,
       .naming = Naming::joined,
       .actsOn = {imbalance, loads, stages, products},
       .more = "a longer tile is loaded for fewer times",
       .fewer = "shorter tiles balance the cores",
       .moreOfReduction = "longer products have fewer starts",
       .fewerOfReduction = "shorter products leave room in L0"},
      {.name = "stage",
       .index = Index::reduction,
       .maximum = maximumTile,
       .isLength = true,
       .naming = Naming::joined,
       .actsOn = {loads, turns, issue},
       .moreOfReduction = "longer transfers have fewer starts and move whole packets",
       .fewerOfReduction = "shorter stages arrive sooner and leave room for another copy"},
      {.name = "extent", .index = Index::dimension, .maximum = 1, .naming = Naming::each},
      {.name = "buffers",
       .index = Index::buffer,
       .maximum = maximumBuffers,
       .naming = Naming::bufferGroup,
       .actsOn = {turns, results, stages},
       .more = "another copy lets both sides work at once",
       .fewer = "fewer copies make room for something else"},
      {.name = "keep",
       .words = {{.word = "none", .benefit = "without a panel L1 has room for longer stages"},
                 {.word = "A",
                  .maximumArgument = maximumTile,
                  .benefit = "a panel in L1 is loaded once for a whole line of tiles"},
                 {.word = "B",
                  .maximumArgument = maximumTile,
                  .benefit = "a panel in L1 is loaded once for a whole line of tiles"}},
       .argument = "the depth of a panel that is kept",
       .subject = "an operand of a product",
       .actsOn = {loads}},
      {.name = "bias",
       .words = {{.word = "vector",
                  .benefit = "the vector unit adds the bias, which the cube core then spares"},
                 {.word = "table",
                  .benefit = "the cube starts from the bias, which the vector unit then spares"}},
       .subject = "what is added to a product",
       .explored = Proposal::ofProducts,
       .needsPipes = true,
       .actsOn = {results, turns}},
      {.name = "skew",
       .words = {{.word = "none",
                  .benefit = "cores at the same stage fetch its lines from memory once"},
                 {.word = "stages",
                  .benefit = "cores at different stages do not wait for each other's lines"}},
       .subject = "the stages of a product",
       .explored = Proposal::ofProducts,
       .needsPipes = true,
       .proposed = Proposal::ofProducts,
       .actsOn = {loads}},
      {.name = "window",
       .words = {{.word = "unfolded",
                  .benefit = "vector cores write the windows as a matrix, of any tensor"},
                 {.word = "direct",
                  .benefit = "the cube core loads windows from lines of the image in L1"},
                 {.word = "direct",
                  .maximumArgument = maximumTile,
                  .triedArguments = {16, 32, 64},
                  .benefit = "the cube core loads windows from lines of the image in L1"}},
       .argument = "the channels of a stage",
       .subject = "an operand of a product that is a window",
       .explored = Proposal::ofWindows,
       .needsPipes = true,
       .proposed = Proposal::ofWindows,
       .actsOn = {loads}},
      {.name = "store",
       .words = {{.word = "after",
                  .benefit = "the cube starts the next tile only when L0C is drained"},
                 {.word = "overlapped",
                  .benefit = "L0C is drained behind the last product instead of after it"}},
       .subject = "the accumulator of a product",
       .explored = Proposal::ofProducts,
       .needsPipes = true,
       .proposed = Proposal::always,
       .actsOn = {turns, results, products}},
      {.name = "order",
       .words = {{.word = "rows"},
                 {.word = "columns"},
                 {.word = "zigzag"},
                 {.word = "swizzle",
                  .maximumArgument = maximumSwizzle,
                  .triedArguments = {2, 4, 8}}},
       .argument = "the width of swizzle",
       .named = Proposal::always,
       .explored = Proposal::always,
       .proposed = Proposal::always,
       .actsOn = {loads},
       .more = "the order of the tiles decides which lines the cores read at the same time"},
      {.name = "reduce",
       .index = Index::reduced,
       .words = {{.word = "two_pass",
                  .benefit = "rows are read in parts, once for each reduction and once more"},
                 {.word = "whole", .benefit = "a row that fits the chip is read once"},
                 {.word = "online",
                  .benefit = "the maximum and the sum of exponentials are of one pass"}},
       .needsPipes = true,
       .actsOn = {loads, results, turns}},
      {.name = "preload",
       .minimum = 0,
       .maximum = maximumPreload,
       .subject = "a product behind another one",
       .needsPipes = true,
       .actsOn = {turns},
       .more = "the cube computes more parts before it needs what the vector cores make of them",
       .fewer = "fewer parts ahead leave room for larger ones"},
      {.name = "through",
       .words = {{.word = "direct",
                  .benefit = "what cube and vector cores exchange does not pass global memory"},
                 {.word = "products",
                  .benefit = "L1 has no room for what the vector cores write ahead"},
                 {.word = "global", .benefit = "UB has no room for the products"}},
       .subject = "the results of a product",
       .needsPipes = true,
       .actsOn = {results, turns}},
      {.name = "fuse",
       .alias = "epilogue",
       .words = {{.word = "all",
                  .alias = "fused",
                  .benefit = "the accumulator passes global memory once less"},
                 {.word = "none",
                  .alias = "separate",
                  .benefit = "a pass of its own over global memory uses all vector cores"},
                 {.word = "rows",
                  .benefit = "rows of a product are reduced while they are on the chip",
                  .ofReductions = true},
                 {.word = "products",
                  .benefit = "a product whose rows another one multiplies stays on the chip",
                  .ofReductions = true},
                 {.word = "windows",
                  .benefit = "a product is pooled while it is on the chip",
                  .ofPoolings = true}},
       .named = Proposal::ofProducts,
       .explored = Proposal::ofProducts,
       .proposed = Proposal::ofProducts,
       .actsOn = {results, turns, loads}},
  };
}

std::string spelled(const DirectiveWord &word, std::string_view argument) {
  return word.maximumArgument == 0 ? std::string(word.word)
                                   : fmt::format("{}({})", word.word, argument);
}

std::optional<int64_t> integer(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

} // namespace

std::span<const DirectiveTraits> allDirectives() {
  static const std::vector<DirectiveTraits> table = makeTable();
  return table;
}

const DirectiveTraits *findDirective(std::string_view key) {
  const std::string_view name = key.substr(0, key.find('.'));
  for (const DirectiveTraits &directive : allDirectives())
    if (name == directive.name || (!name.empty() && name == directive.alias))
      return &directive;
  return nullptr;
}

std::string withoutAlias(std::string_view key) {
  const DirectiveTraits *directive = findDirective(key);
  const size_t dot = std::min(key.find('.'), key.size());
  return std::string(directive ? directive->name : key.substr(0, dot)).append(key.substr(dot));
}

std::string wordWithoutAlias(std::string_view key, std::string_view word) {
  if (const DirectiveTraits *directive = findDirective(key))
    for (const DirectiveWord &each : directive->words)
      if (!word.empty() && word == each.alias)
        return std::string(each.word);
  return std::string(word);
}

std::vector<std::string> directiveNames() {
  std::vector<std::string> names;
  for (const DirectiveTraits &directive : allDirectives())
    names.emplace_back(directive.name);
  return names;
}

std::string_view indexOf(std::string_view key) {
  const size_t dot = key.find('.');
  return dot == key.npos ? std::string_view() : key.substr(dot + 1);
}

bool isOf(std::string_view key, std::string_view directive) {
  return key.substr(0, key.find('.')) == directive;
}

bool hasNumbers(std::string_view key) {
  const DirectiveTraits *directive = findDirective(key);
  return directive && directive->words.empty();
}

std::optional<ReadWord> readWord(const DirectiveTraits &directive, std::string_view text) {
  for (const DirectiveWord &word : directive.words) {
    if (word.maximumArgument == 0 && (text == word.word || (text == word.alias && !text.empty())))
      return ReadWord{&word, ""};
    if (word.maximumArgument > 0 && text.starts_with(word.word) &&
        text.substr(word.word.size()).starts_with('(') && text.ends_with(')'))
      return ReadWord{&word, text.substr(word.word.size() + 1, text.size() - word.word.size() - 2)};
  }
  return std::nullopt;
}

std::optional<ChosenWord> chosenWord(const DirectiveTraits &directive, std::string_view text) {
  const std::optional<ReadWord> read = readWord(directive, text);
  if (!read)
    return std::nullopt;
  if (read->word->maximumArgument == 0)
    return ChosenWord{read->word->word, 0};
  const std::optional<int64_t> argument = integer(read->argument);
  if (!argument || *argument < 1)
    return std::nullopt;
  return ChosenWord{read->word->word, *argument};
}

std::string legalWords(const DirectiveTraits &directive) {
  std::vector<std::string> words;
  for (const DirectiveWord &word : directive.words)
    words.push_back(spelled(word, "n"));
  return listOf(words);
}

std::vector<std::string> triedWords(const DirectiveTraits &directive, bool reduces, bool pools) {
  std::vector<std::string> words;
  for (const DirectiveWord &word : directive.words) {
    if ((word.ofReductions && !reduces) || (word.ofPoolings && !pools))
      continue;
    if (word.maximumArgument == 0)
      words.emplace_back(word.word);
    for (int64_t argument : word.triedArguments)
      words.push_back(spelled(word, std::to_string(argument)));
  }
  return words;
}

std::span<const BufferGroup> bufferGroups() {
  using enum Proposal;
  static constexpr BufferGroup groups[] = {
      {"l1", true, ofProducts,
       "another copy in L1 lets MTE2 load the next stage while MTE1 takes this one"},
      {"panel", false, never, ""},
      {"l0", true, ofProducts,
       "another copy in L0A and L0B lets MTE1 fill it while the cube works"},
      {"bt", false, never, ""},
      {"acc", false, ofProducts,
       "another accumulator lets the cube go on while fixpipe drains this one"},
      {"out", false, ofProducts,
       "another copy of the result lets the vector unit go on while MTE3 stores"},
      {"ub", true, always,
       "another copy in UB lets the next part arrive while this one is worked on"},
  };
  return groups;
}

const BufferGroup *findBufferGroup(std::string_view name) {
  const auto found = std::ranges::find(bufferGroups(), name, &BufferGroup::name);
  return found == bufferGroups().end() ? nullptr : &*found;
}

std::string nearestMultiples(int64_t number, int64_t unit, int64_t maximum) {
  const int64_t below = number / unit * unit, above = below + unit;
  const std::string least = std::to_string(below), most = std::to_string(above);
  if (below < unit)
    return above <= maximum ? most : "";
  return above <= maximum ? least + ", " + most : least;
}

std::string multipleProblem(std::string_view key, int64_t number, int64_t unit,
                            std::string_view reason) {
  if (number % unit == 0)
    return "";
  return fmt::format("{} = {} is not a multiple of {}, {}; nearest legal: {}", key, number, unit,
                     reason, nearestMultiples(number, unit, maximumTile));
}

std::string_view widthReason() { return "the cube's width"; }
std::string depthReason(std::string_view type) {
  return fmt::format("the cube's depth for {}", type);
}

} // namespace mmk
