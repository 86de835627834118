// ANTLR's parse tree of a text, with all that it points into: what the syntax tree is made from, and
// what `mmk format` prints.
#pragma once

#include "frontend/token_places.h"
#include "support/diagnostics.h"

#include "MmkLexer.h"
#include "MmkParser.h"

#include <ANTLRInputStream.h>
#include <CommonTokenStream.h>
#include <memory>

namespace mmk {

class ParseTree {
public:
  /// Parses `file`, which outlives the tree. On an error null; `diagnostics` holds all errors.
  static std::unique_ptr<ParseTree> of(const SourceFile &file, Diagnostics &diagnostics);

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
