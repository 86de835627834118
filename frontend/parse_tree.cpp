#include "frontend/parse_tree.h"

#include "frontend/syntax_errors.h"
#include "frontend/text.h"

namespace mmk {
std::string textForAntlr(std::string_view text) {
  constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF";
  return text.starts_with(byteOrderMark) ? " " + std::string(text.substr(byteOrderMark.size()))
                                         : std::string(text);
}

ParseTree::ParseTree(const SourceFile &file, const std::string &text)
    : file_(file), places_(file), input_(text), lexer_(&input_), tokens_(&lexer_),
      parser_(&tokens_) {}

std::unique_ptr<ParseTree> ParseTree::of(const SourceFile &file, Diagnostics &diagnostics) {
  if (!isParsable(file, diagnostics))
    return nullptr;
  std::unique_ptr<ParseTree> tree(new ParseTree(file, textForAntlr(file.text())));
  tree->lexer_.removeErrorListeners();
  tree->parser_.removeErrorListeners();
  tree->parser_.setErrorHandler(std::make_shared<SyntaxErrors>(tree->places_, diagnostics));
  // No decision of the grammar depends on the calling rule, so SLL prediction is exact.
  tree->parser_.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(
      antlr4::atn::PredictionMode::SLL);

  const size_t before = diagnostics.all().size();
  grammar::MmkParser::ProgramContext *program = tree->parser_.program();
  if (diagnostics.all().size() == before)
    tree->program_ = program;
  return tree;
}

} // namespace mmk
