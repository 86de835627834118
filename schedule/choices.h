// The choices of a variant: directives with their words. They are read from a text once, where it
// comes in, and printed for people.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mmk {

/// In the order in which they apply: ("tile.M", "64"). Of two for a directive the later one counts.
using Choices = std::vector<std::pair<std::string, std::string>>;

/// The word of a directive; null where it has none.
const std::string *wordOf(const Choices &choices, std::string_view key);
/// Some choices, then others.
Choices both(Choices choices, const Choices &others);

/// Whether both have a choice for one directive.
bool shareDirective(const Choices &one, const Choices &other);

/// "tile.M=64,order=rows"
std::string variantText(const Choices &choices);
/// Reads such a text, of which every part is a choice.
Choices choicesFrom(std::string_view text);
/// "tile.M = 64, tile.N = 128"
std::string spelling(const Choices &choices);
/// "--set tile.M=64 --set 'order=swizzle(4)'", quoted for a shell.
std::string optionsOf(const Choices &choices);

} // namespace mmk
