// ANTLR's parse tree of a text, with all that it points into: what the syntax tree is made from,
// and what `mmk format` prints.
#pragma once

#include "frontend/token_places.h"
#include "support/diagnostics.h"

#include "MmkLexer.h"
#include "MmkParser.h"

#include <ANTLRInputStream.h>
#include <CommonTokenStream.h>
#include <memory>

namespace mmk {

/// The text as ANTLR reads it, with a character for each of `text`: it would drop a byte order
/// mark, and all places would be off by one; a space replaces it.
std::string textForAntlr(std::string_view text);

class ParseTree {
public:
  /// Parses `file`, which outlives the tree. `diagnostics` holds all errors. Null for a text that
  /// the parser does not read at all.
  static std::unique_ptr<ParseTree> of(const SourceFile &file, Diagnostics &diagnostics);

  /// Whether the text has no syntax error; of another one the tokens alone are of use.
  bool isSound() const { return program_ != nullptr; }

  const SourceFile &file() const { return file_; }
  const TokenPlaces &places() const { return places_; }
  grammar::MmkParser::ProgramContext *program() const { return program_; }
  /// All tokens in the order of the text; comments are on the hidden channel, the last is EOF.
  std::vector<antlr4::Token *> tokens() { return tokens_.getTokens(); }

private:
  ParseTree(const SourceFile &file, const std::string &text);

  const SourceFile &file_;
  TokenPlaces places_;
  antlr4::ANTLRInputStream input_;
  grammar::MmkLexer lexer_;
  antlr4::CommonTokenStream tokens_;
  grammar::MmkParser parser_;
  grammar::MmkParser::ProgramContext *program_ = nullptr;
};

} // namespace mmk
