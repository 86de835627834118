// The legal directives and choices of a kernel's schedule: the table of directives applied to its
// dimensions and tensors. Used by the checker of a text and by options such as `--set tile.M=64`.
#pragma once

#include "frontend/kernel.h"
#include "machines/machine.h"
#include "schedule/directive.h"

#include <string>
#include <string_view>

namespace mmk {

/// The cube that tiles are checked against; null without a machine, so that tiles of every size are
/// legal.
using Cube = const Machine::Cube *;

/// The dimensions that a directive can name: those with a name, and the literal extents but 1.
std::vector<std::string> tiledDimensions(const Kernel &kernel);

/// The role of a dimension in the products and reductions of a kernel, which decides the legal
/// tiles.
struct DimensionRole {
  bool isOutput = false;    ///< of a result
  bool isReduction = false; ///< the inner dimension of a product
  bool isOfProduct = false; ///< rows or columns of one
  bool isReduced = false;   ///< by a reduction, or a cumulative sum goes along it
  bool isDivided = false;   ///< by `grid`: reduced by a reduction, and of no product
  bool isOfValue = false;   ///< of a value that is computed, or of what a reduction reads
  int64_t multiple = 1;     ///< every tile must be a multiple of this
  std::string reason;       ///< for it: "the cube's depth for f16"
  /// Whether a tile may be `auto`: not the depth of a product, which `auto` does not choose from
  /// the shape.
  bool mayFit() const { return isOfProduct && !isReduction; }
};
DimensionRole roleOf(const Kernel &kernel, std::string_view dimension, Cube cube = nullptr);

/// Whether mmk proposes words for this kernel; the answer for AI cores.
bool isProposed(Proposal when, const Kernel &kernel);

/// Whether the directive `key` ("tile.M") may be given the choice `word` ("64", "auto") in a
/// schedule of this kernel; if not, `message` says why and what is legal. The other choices are not
/// considered, and of the machine only the cube.
bool checkChoice(const Kernel &kernel, Cube cube, std::string_view key, std::string_view word,
                 std::string &message);

/// The key alone: whether such a directive exists for this kernel. `knowsBody` is false while the
/// kernel's values are incomplete.
bool checkKey(const Kernel &kernel, std::string_view key, bool knowsBody, std::string &message);
/// The choice alone, of a legal key.
bool checkWord(const Kernel &kernel, Cube cube, std::string_view key, std::string_view word,
               bool knowsBody, std::string &message);

} // namespace mmk
