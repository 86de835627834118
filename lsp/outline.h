// Kernels, functions and cases of a text by its tokens alone, so that a text that does not parse
// has them, too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mmk {
class ParseTree;
}

namespace mmk::lsp {

/// A token that is no comment, by offsets in bytes.
struct TextToken {
  size_t type; ///< of grammar::MmkLexer
  uint32_t begin, end;
};
std::vector<TextToken> tokensOf(std::string_view text);
/// The same of a text that was parsed.
std::vector<TextToken> tokensOf(ParseTree &tree);

struct OutlineItem {
  enum class Kind { kernel, function, kernelCase };
  Kind kind;
  std::string name;
  uint32_t begin, end;         ///< from its keyword to its last brace or semicolon
  uint32_t nameBegin, nameEnd; ///< of the name
  std::vector<OutlineItem> cases = {};
};

/// Each item ends at the next one at the latest.
std::vector<OutlineItem> outlineOf(std::string_view text, const std::vector<TextToken> &tokens);

} // namespace mmk::lsp
