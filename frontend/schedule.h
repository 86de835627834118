// What a schedule may say: the directives, their legal choices, and the rules over them. Shared by
// the checker of a text and by everybody who takes a choice from elsewhere (`--set tile.M=64`).
#pragma once

#include "frontend/kernel.h"

#include <functional>
#include <string>
#include <string_view>

namespace mmk {

/// What a dimension is to the products of a kernel, which decides what it can be tiled by.
struct DimensionRole {
  bool isOutput = false;    ///< of a result
  bool isReduction = false; ///< the inner dimension of a product
  bool isOfProduct = false; ///< rows or columns of one
  int64_t multiple = 1;     ///< every tile must be a multiple of this
  std::string reason;       ///< for it: "the cube's depth for f16"
  /// Whether a tile may be `auto`: the depth of a product is no matter of its shape.
  bool mayFit() const { return isOfProduct && !isReduction; }
};
DimensionRole roleOf(const Kernel &kernel, std::string_view dimension);

/// Whether the directive `key` ("tile.M") may be given the choice `word` ("64", "auto") in a
/// schedule of this kernel; if not, `message` says why and what is legal. Knows nothing of the
/// machine, nor of the other choices.
bool checkChoice(const Kernel &kernel, std::string_view key, std::string_view word,
                 std::string &message);

/// The key alone: whether such a directive exists for this kernel. `knowsBody` is false while the
/// kernel's values are incomplete.
bool checkKey(const Kernel &kernel, std::string_view key, bool knowsBody, std::string &message);
/// The choice alone, of a legal key.
bool checkWord(const Kernel &kernel, std::string_view key, std::string_view word, bool knowsBody,
               std::string &message);

/// The multiples of `unit` around a number, for messages: "32, 64".
std::string nearestMultiples(int64_t number, int64_t unit, int64_t maximum);
constexpr int64_t maximumTile = 65536;

/// Whether the choices of a key are numbers, which rules can combine: all but `keep`, `bias`,
/// `store`, `order` and `epilogue`.
bool hasNumbers(std::string_view key);

/// The number chosen for a key, or nothing when that is unknown.
using ChosenNumber = std::function<std::optional<int64_t>(std::string_view key)>;

enum class Verdict { holds, broken, undecided };

/// Judges a rule for given choices; undecided when one of them is unknown and matters. A rule that
/// divides by zero or overflows is broken.
Verdict judge(const Requirement &requirement, const ChosenNumber &chosen);

/// Why a rule is broken: the choices that it reads, "tile.M = 128, tile.N = 512".
std::string explain(const Requirement &requirement, const ChosenNumber &chosen);

} // namespace mmk
