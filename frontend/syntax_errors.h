// Error recovery: one message in the words of the language, then parsing resumes at the next
// statement, so that every wrong statement is reported once.
#pragma once

#include "frontend/token_places.h"
#include "support/diagnostics.h"

#include <ANTLRErrorStrategy.h>
#include <Parser.h>
#include <misc/IntervalSet.h>

namespace mmk {

class SyntaxErrors : public antlr4::ANTLRErrorStrategy {
public:
  SyntaxErrors(const TokenPlaces &places, Diagnostics &diagnostics)
      : places_(places), diagnostics_(diagnostics) {}

  void reset(antlr4::Parser *) override { recovering_ = false; }
  bool inErrorRecoveryMode(antlr4::Parser *) override { return recovering_; }
  void reportMatch(antlr4::Parser *) override { recovering_ = false; }

  /// Stops at an unexpected token while the whole legal set is still known: before an optional
  /// part or a repetition is left. In a block, skips what is no statement.
  void sync(antlr4::Parser *parser) override;
  antlr4::Token *recoverInline(antlr4::Parser *parser) override;
  void reportError(antlr4::Parser *parser, const antlr4::RecognitionException &error) override;
  /// Leaves rule after rule, up to one that can resume after the error.
  void recover(antlr4::Parser *parser, std::exception_ptr error) override;

private:
  void skipToItem(antlr4::Parser *parser);
  void skipStatement(antlr4::Parser *parser, size_t begin);
  void noteOpenBrace(antlr4::Parser *parser, antlr4::Token *found, Diagnostic &diagnostic);

  const TokenPlaces &places_;
  Diagnostics &diagnostics_;
  bool recovering_ = false;
};

} // namespace mmk
