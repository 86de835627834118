#include "frontend/parse_tree.h"

#include "frontend/syntax_errors.h"
#include "frontend/text.h"

namespace mmk {
namespace {

constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF";

/// ANTLR would drop a byte order mark, and all places would be off by one; a space replaces it.
std::string withoutMark(std::string_view text) {
  return text.starts_with(byteOrderMark) ? " " + std::string(text.substr(byteOrderMark.size()))
                                         : std::string(text);
}

} // namespace

ParseTree::ParseTree(const SourceFile &file, const std::string &text)
    : file_(file), places_(file), input_(text), lexer_(&input_), tokens_(&lexer_),
      parser_(&tokens_) {}

std::unique_ptr<ParseTree> ParseTree::of(const SourceFile &file, Diagnostics &diagnostics) {
  if (!isParsable(file, diagnostics))
    return nullptr;
  std::unique_ptr<ParseTree> tree(new ParseTree(file, withoutMark(file.text())));
  tree->lexer_.removeErrorListeners();
  tree->parser_.removeErrorListeners();
  tree->parser_.setErrorHandler(std::make_shared<SyntaxErrors>(tree->places_, diagnostics));
  // No decision of the grammar depends on the calling rule, so SLL prediction is exact.
  tree->parser_.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(
      antlr4::atn::PredictionMode::SLL);

  const size_t before = diagnostics.all().size();
  tree->program_ = tree->parser_.program();
  if (diagnostics.all().size() > before)
    return nullptr;
  return tree;
}

} // namespace mmk
