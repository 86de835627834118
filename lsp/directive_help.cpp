#include "lsp/directive_help.h"

#include "schedule/directive.h"

#include <fmt/format.h>
#include <map>

namespace mmk::lsp {
namespace {

/// One sentence a directive; docs/language.md has more.
std::string_view purposeOf(std::string_view name) {
  static const std::map<std::string_view, std::string_view> all = {
      {"cores", "The cores to use. `auto` is all cores of the machine."},
      {"grid", "The parts into which a dimension is distributed over the cores; of the inner "
               "dimension of a product, split-K."},
      {"tile",
       "The size of one step: in the memories of the matrix unit, or, without a product, of "
       "the vector unit. `auto` shrinks it until enough cores have work."},
      {"stage", "The depth of one transfer from global memory to L1; a multiple of the tile."},
      {"extent", "The variant is for shapes in which this dimension is 1, and leaves it out."},
      {"buffers",
       "The copies of an on-chip buffer. With two, one is filled while the other is used."},
      {"keep", "A panel of an operand stays in L1 for a whole row or column of tiles."},
      {"bias",
       "The vector unit adds a row to a product, or the accumulator is initialised with it."},
      {"skew",
       "All cores compute the stages of a product in the same order, or each core starts at "
       "another stage."},
      {"window", "The windows of a product are written as a matrix first, or loaded from lines of "
                 "the image."},
      {"store", "The accumulator is stored when its tile is done, or in two halves, each while the "
                "other is computed."},
      {"order", "The order in which the tiles of the result are computed."},
      {"fuse",
       "The elementwise part is applied while the tile is on the chip, or in a separate pass "
       "over global memory."},
      {"preload", "With `fuse = products`, how many parts of the first product are computed before "
                  "the second one needs the first of them."},
      {"through", "What the cube and the vector cores of a block exchange goes directly, where the "
                  "machine has such paths, or through global memory."},
      {"reduce", "Rows are read in parts, or stay on the chip as a whole."},
  };
  const auto found = all.find(name);
  return found == all.end() ? std::string_view() : found->second;
}

} // namespace

std::string directiveHelp(std::string_view name) {
  const DirectiveTraits *directive = findDirective(name);
  if (!directive)
    return "";
  std::string text = fmt::format("**{}**\n\n{}\n\n", directive->name, purposeOf(directive->name));
  if (directive->words.empty())
    text += fmt::format("Legal: {}{} to {}{}.\n", directive->mayBeAuto ? "`auto`, " : "",
                        directive->minimum, directive->maximum,
                        directive->isLength ? ", in steps of the cube along that dimension" : "");
  for (const DirectiveWord &word : directive->words)
    text += fmt::format("- `{}{}`{}{}\n", word.word, word.maximumArgument > 0 ? "(n)" : "",
                        word.benefit.empty() ? "" : ": ", word.benefit);
  if (directive->words.empty() && !directive->more.empty())
    text += fmt::format("\nMore: {}. Fewer: {}.\n", directive->more, directive->fewer);
  return text;
}

std::vector<std::string> directiveValues(std::string_view name) {
  const DirectiveTraits *directive = findDirective(name);
  if (!directive)
    return {};
  std::vector<std::string> values;
  if (directive->mayBeAuto)
    values.push_back("auto");
  for (const DirectiveWord &word : directive->words)
    if (word.maximumArgument == 0)
      values.emplace_back(word.word);
    else
      for (const int64_t argument : word.triedArguments)
        values.push_back(fmt::format("{}({})", word.word, argument));
  return values;
}

} // namespace mmk::lsp
