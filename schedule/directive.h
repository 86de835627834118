// The directives of a schedule: one table for the checker of a text, the passes, the names of
// variants, the search and the explanations. A new directive is a row here and the pass that
// carries it out.
#pragma once

#include "machines/machine.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mmk {

/// The bottlenecks of a kernel that a directive can act on, in the order in which to look at them.
enum class Bottleneck {
  idleCores, ///< fewer cores have work than the machine has
  imbalance, ///< most cores are done long before the slowest
  turns,     ///< the critical path alternates between pipes, which wait for each other
  loads,     ///< from global memory
  stages,    ///< from L1 to L0A and L0B
  products,  ///< on the cube
  results,   ///< fixpipe, vector core, stores
  issue      ///< the scalar unit
};

/// The parts after a directive's name in a key: "cores", "tile.M", "stage.K", "buffers.l1.a".
enum class DirectiveIndex {
  none,
  dimension,
  reduction, ///< the inner dimension of a product
  reduced,   ///< one that reductions go over; without it, the directive is of all of them
  buffer
};

/// The form of a directive in a variant's name.
enum class DirectiveNaming {
  one,        ///< "cores=20"; of a reduced dimension "reduce.N=whole"
  each,       ///< "grid.M=2,grid.N=4"
  joined,     ///< "tile=128x256x64", in the order of the kernel's dimensions
  bufferGroup ///< "l1=2,l1.a=3"
};

/// When mmk proposes the words of a directive that the schedule does not list.
enum class Proposal { never, always, ofProducts, ofWindows };

/// A word of a directive. With an argument it is written "swizzle(4)".
struct DirectiveWord {
  std::string_view word;
  std::string_view alias = "";              ///< another spelling, which is read but never printed
  int64_t maximumArgument = 0;              ///< 0: it takes none
  std::vector<int64_t> triedArguments = {}; ///< by a search
  std::string_view benefit = "";            ///< why it may be better than the other words
  bool ofReductions = false;                ///< of no use to a kernel that reduces no rows
  bool ofPoolings = false;                  ///< of no use to one that pools no product
};

struct DirectiveTraits {
  std::string_view name;
  std::string_view alias = ""; ///< another name, which is read but never printed
  DirectiveIndex index = DirectiveIndex::none;

  // Its values: numbers from `minimum` to `maximum`, or words, of which the first is the default.
  int64_t minimum = 1, maximum = 0;
  bool isLength = false; ///< numbers are multiples of the cube's size along their dimension
  bool mayBeAuto = false;
  std::vector<DirectiveWord> words = {};
  std::string_view argument = ""; ///< the argument of a word, for messages

  // Its legality: conditions for every word but the first. The rules that need figures of the
  // kernel are in passes/legal_variant.cpp.
  std::string_view subject = ""; ///< what it is about; empty where it needs no product

  DirectiveNaming naming = DirectiveNaming::one;
  Proposal named = Proposal::never; ///< whether the variant's name also shows a default word

  // How it is searched.
  Proposal explored = Proposal::never; ///< for a kernel without a schedule, on an AI core
  bool needsPipes = false;             ///< no effect on a CPU, and not explored there
  Proposal proposed = Proposal::never; ///< as one change of a variant

  // The bottlenecks that it acts on, and why a larger or smaller number may be better (for words
  // without a reason of their own the text for `more`).
  std::vector<Bottleneck> actsOn = {};
  std::string_view more = "", fewer = "", moreOfReduction = "", fewerOfReduction = "";
};

/// All of them, in the order of messages and of a variant's name.
std::span<const DirectiveTraits> allDirectives();
/// The directive of a name or of a key, "tile" or "tile.M"; null where there is none.
const DirectiveTraits *findDirective(std::string_view key);
std::vector<std::string> directiveNames();

/// The same choice without aliases: "fuse" for "epilogue", "none" for "separate". A key or a word
/// that is unknown stays as it is.
std::string withoutAlias(std::string_view key);
std::string wordWithoutAlias(std::string_view key, std::string_view word);

/// "M" of "tile.M"; empty without a dot.
std::string_view indexOf(std::string_view key);
/// Whether a key is one of this directive: "tile.M" of "tile".
bool isOf(std::string_view key, std::string_view directive);

/// Whether the choices of a key are numbers, which rules can combine.
bool hasNumbers(std::string_view key);

/// A chosen word, with its argument: 4 of "swizzle(4)", 0 where it takes none.
struct ChosenWord {
  std::string_view word;
  int64_t argument = 0;
};
/// Reads a word of a directive; nothing where the directive has no such word. The argument is read,
/// not checked; it is nothing if it is no integer.
struct ReadWord {
  const DirectiveWord *word = nullptr;
  std::string_view argument; ///< "4" of "swizzle(4)"
};
std::optional<ReadWord> readWord(const DirectiveTraits &directive, std::string_view text);
/// The same of a legal word.
std::optional<ChosenWord> chosenWord(const DirectiveTraits &directive, std::string_view text);

/// "rows, columns, zigzag or swizzle(n)".
std::string legalWords(const DirectiveTraits &directive);

/// The words that a search tries: all without an argument, and the others with the arguments of the
/// table. `reduces`: for a kernel that reduces rows; `pools`: for one that pools a product.
std::vector<std::string> triedWords(const DirectiveTraits &directive, bool reduces, bool pools);

/// A group of on-chip buffers, of which `buffers` gives the copies.
struct BufferGroup {
  std::string_view name;
  bool holdsOperands; ///< then one operand can have a number of its own: "buffers.l1.a"
  /// For a kernel without a schedule: with a product (ofProducts), or without (always).
  Proposal explored;
  std::string_view reasonForMore;
};
std::span<const BufferGroup> bufferGroups();
const BufferGroup *findBufferGroup(std::string_view name);

/// Tiles and stages are at most so long.
constexpr int64_t maximumTile = 65536;

/// The multiples of `unit` around a number, for messages: "32, 64".
std::string nearestMultiples(int64_t number, int64_t unit, int64_t maximum);
/// "tile.M = 100 is not a multiple of 16, the cube's width; nearest legal: 96, 112"; empty when it
/// is one.
std::string multipleProblem(std::string_view key, int64_t number, int64_t unit,
                            std::string_view reason);
/// "the cube's width", "the cube's depth for f16": the granularity of tiles.
std::string_view widthReason();
std::string depthReason(std::string_view type);

} // namespace mmk
