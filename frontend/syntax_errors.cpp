#include "frontend/syntax_errors.h"

#include "MmkParser.h"

#include <BufferedTokenStream.h>
#include <InputMismatchException.h>
#include <algorithm>
#include <atn/ATN.h>
#include <fmt/format.h>
#include <map>

namespace mmk {
namespace {

using antlr4::Token;
using grammar::MmkParser;

/// Several tokens that messages name as one.
struct Group {
  std::string words;
  std::vector<ssize_t> tokens;
};

const std::vector<Group> &groups() {
  static const std::vector<Group> all = {
      {"an expression",
       {MmkParser::NAME, MmkParser::INTEGER, MmkParser::FLOAT, MmkParser::INF, MmkParser::NAN_,
        MmkParser::MINUS, MmkParser::NOT, MmkParser::LEFT_PARENTHESIS, MmkParser::CAST}},
      {"a machine pattern",
       {MmkParser::NAME, MmkParser::INTEGER, MmkParser::FLOAT, MmkParser::STAR, MmkParser::MINUS,
        MmkParser::DOT}},
      {"an operator",
       {MmkParser::STAR, MmkParser::SLASH, MmkParser::PERCENT, MmkParser::AT, MmkParser::PLUS,
        MmkParser::MINUS, MmkParser::LESS, MmkParser::LESS_EQUAL, MmkParser::GREATER,
        MmkParser::GREATER_EQUAL, MmkParser::EQUAL, MmkParser::NOT_EQUAL, MmkParser::AND,
        MmkParser::OR}},
      {"a number",
       {MmkParser::MINUS, MmkParser::INTEGER, MmkParser::FLOAT, MmkParser::INF, MmkParser::NAN_}},
      {"a number", {MmkParser::INTEGER, MmkParser::FLOAT, MmkParser::INF, MmkParser::NAN_}},
      {"a number", {MmkParser::MINUS, MmkParser::INTEGER, MmkParser::FLOAT}},
      {"a number", {MmkParser::INTEGER, MmkParser::FLOAT}},
  };
  return all;
}

std::string spell(size_t type) {
  switch (type) {
  case Token::EOF:
    return "the end of the file";
  case MmkParser::NAME:
    return "a name";
  case MmkParser::INTEGER:
    return "an integer";
  case MmkParser::FLOAT:
    return "a number";
  default:
    static const MmkParser vocabulary(nullptr);
    return vocabulary.getVocabulary().getLiteralName(type);
  }
}

/// "an operator or ';'".
std::string spellExpected(const antlr4::misc::IntervalSet &expected) {
  std::vector<ssize_t> left = expected.toList();
  // The end of the file is listed last: it is the least likely fix.
  if (!left.empty() && left.front() == ssize_t(Token::EOF))
    std::rotate(left.begin(), left.begin() + 1, left.end());
  std::vector<std::string> words;
  for (const Group &group : groups()) {
    const auto has = [&](ssize_t token) { return std::ranges::find(left, token) != left.end(); };
    if (!std::ranges::all_of(group.tokens, has))
      continue;
    words.push_back(group.words);
    std::erase_if(left, [&](ssize_t token) {
      // A call, its brackets and a dotted choice are legal wherever an operator is; naming them
      // does not help.
      const bool noise = token == MmkParser::LEFT_PARENTHESIS || token == MmkParser::DOT ||
                         token == MmkParser::LEFT_BRACKET;
      return std::ranges::find(group.tokens, token) != group.tokens.end() ||
             (noise && group.words == "an operator");
    });
  }
  for (ssize_t token : left)
    if (token != MmkParser::OTHER)
      words.push_back(spell(static_cast<size_t>(token)));
  return listOf(words);
}

std::string spellFound(const Token *token) {
  if (token->getType() == Token::EOF)
    return "the end of the file";
  std::string text = token->getText();
  if (text.size() == 1 && static_cast<unsigned char>(text[0]) < 0x20)
    return fmt::format("the character U+{:04X}", static_cast<unsigned>(text[0]));
  if (text.size() > 40)
    text = text.substr(0, 37) + "...";
  const bool keyword = MmkParser::KERNEL <= token->getType() && token->getType() <= MmkParser::NAN_;
  return fmt::format("{}'{}'", keyword ? "the keyword " : "", text);
}

/// What is meant by a sign of other languages, or of another place.
std::string hintAt(antlr4::Parser *parser, const Token *found, bool isInParentheses) {
  static const std::map<std::string_view, std::string_view> signs = {
      {"&", "&&"}, {"and", "&&"}, {"or", "||"}, {"not", "!"}};
  const std::string text = found->getText();
  if (const auto sign = signs.find(text); sign != signs.end())
    return fmt::format("; the sign is '{}'", sign->second);
  if (text == "=" && isInParentheses)
    return "; equality is '==', and arguments have no names";
  const bool isOperator = text.find_first_not_of("+-*/%") == std::string::npos;
  const size_t rule = parser->getRuleContext()->getRuleIndex();
  return isOperator && rule == MmkParser::RuleType
             ? "; a dimension that is calculated has a name, dim P = ...;"
             : "";
}

/// The token before, which is no comment; null before the first.
Token *tokenBefore(antlr4::Parser *parser, const Token *token) {
  for (size_t index = token->getTokenIndex(); index-- > 0;)
    if (Token *before = parser->getTokenStream()->get(index);
        before->getChannel() == Token::DEFAULT_CHANNEL)
      return before;
  return nullptr;
}

/// Whether a statement or block can begin here; elsewhere a keyword was written as a name.
bool standsFirst(antlr4::Parser *parser, const Token *token) {
  const Token *before = tokenBefore(parser, token);
  return !before || before->getLine() < token->getLine() ||
         before->getType() == MmkParser::SEMICOLON || before->getType() == MmkParser::RIGHT_BRACE;
}

bool beginsItem(antlr4::Parser *parser, const Token *token) {
  const size_t type = token->getType();
  return type == Token::EOF ||
         ((type == MmkParser::KERNEL || type == MmkParser::FN) && standsFirst(parser, token));
}

bool beginsStatement(antlr4::Parser *parser, const Token *token) {
  if (!standsFirst(parser, token))
    return false;
  switch (token->getType()) {
  case MmkParser::LET:
  case MmkParser::SCHEDULE:
  case MmkParser::CASE:
  case MmkParser::CHECK:
  case MmkParser::REQUIRE:
    return true;
  default:
    return false;
  }
}

bool isBlock(size_t rule) {
  return rule == MmkParser::RuleKernel || rule == MmkParser::RuleSchedule ||
         rule == MmkParser::RuleCaseBlock || rule == MmkParser::RuleCheck;
}

size_t next(antlr4::Parser *parser) { return parser->getInputStream()->LA(1); }

} // namespace

void SyntaxErrors::sync(antlr4::Parser *parser) {
  const auto isLegal = [&] {
    // The cheap test first: what may follow in this rule alone.
    const auto &inRule = parser->getATN().nextTokens(parser->getATN().states[parser->getState()]);
    return inRule.contains(next(parser)) ||
           (inRule.contains(Token::EPSILON) && parser->isExpectedToken(next(parser)));
  };
  while (!isLegal()) {
    antlr4::InputMismatchException error(parser);
    const size_t rule = parser->getRuleContext()->getRuleIndex();
    const bool inBlock =
        isBlock(rule) && parser->getExpectedTokens().contains(size_t(MmkParser::RIGHT_BRACE));
    if (rule == MmkParser::RuleProgram) {
      reportError(parser, error);
      skipToItem(parser);
    } else if (inBlock && !beginsItem(parser, parser->getCurrentToken())) {
      reportError(parser, error);
      const size_t begin = parser->getCurrentToken()->getTokenIndex();
      parser->consume();
      skipStatement(parser, begin);
    } else {
      throw error;
    }
  }
}

Token *SyntaxErrors::recoverInline(antlr4::Parser *parser) {
  throw antlr4::InputMismatchException(parser);
}

void SyntaxErrors::reportError(antlr4::Parser *parser, const antlr4::RecognitionException &error) {
  if (recovering_)
    return;
  recovering_ = true;
  Token *found = error.getOffendingToken();
  const auto expected = error.getExpectedTokens();
  std::string message =
      fmt::format("expected {}, found {}", spellExpected(expected), spellFound(found));

  // A token missing at the end of a line is reported there, not at the start of the next line.
  Token *before = tokenBefore(parser, found);
  const bool separatorMissing = expected.contains(size_t(MmkParser::SEMICOLON)) ||
                                expected.contains(size_t(MmkParser::COMMA));
  const bool isEnd = found->getType() == Token::EOF;
  SourceRange where = places_(found);
  if (before && (isEnd || (separatorMissing && before->getLine() < found->getLine()))) {
    where = places_.behind(before);
    if (!isEnd)
      message += fmt::format(" on line {}", found->getLine());
  }
  message += hintAt(parser, found, expected.contains(size_t(MmkParser::RIGHT_PARENTHESIS)));
  noteOpenBrace(parser, found, diagnostics_.error(where, message));
}

void SyntaxErrors::noteOpenBrace(antlr4::Parser *parser, Token *found, Diagnostic &diagnostic) {
  if (!beginsItem(parser, found))
    return;
  int open = 0;
  for (size_t i = found->getTokenIndex(); i-- > 0;) {
    Token *token = parser->getTokenStream()->get(i);
    open += token->getType() == MmkParser::LEFT_BRACE;
    open -= token->getType() == MmkParser::RIGHT_BRACE;
    if (open > 0) {
      diagnostic.notes.push_back({Severity::note, places_(token), "this '{' is not closed", {}});
      return;
    }
  }
}

void SyntaxErrors::recover(antlr4::Parser *parser, std::exception_ptr error) {
  antlr4::ParserRuleContext *context = parser->getContext();
  switch (context->getRuleIndex()) {
  case MmkParser::RuleItem:
    return skipToItem(parser);
  case MmkParser::RuleKernelItem:
  case MmkParser::RuleScheduleItem:
  case MmkParser::RuleBinding:
  case MmkParser::RuleTolerance:
    return skipStatement(parser, context->getStart()->getTokenIndex());
  default:
    std::rethrow_exception(error);
  }
}

void SyntaxErrors::skipToItem(antlr4::Parser *parser) {
  while (!beginsItem(parser, parser->getCurrentToken()))
    parser->consume();
  recovering_ = false;
}

/// Skips to the end of the statement that began at the token `begin` and holds the error.
void SyntaxErrors::skipStatement(antlr4::Parser *parser, size_t begin) {
  recovering_ = false;
  int depth = 0;
  const auto count = [&](const Token *token) {
    depth += token->getType() == MmkParser::LEFT_BRACE;
    depth -= token->getType() == MmkParser::RIGHT_BRACE;
  };
  for (size_t i = begin; i < parser->getCurrentToken()->getTokenIndex(); ++i)
    count(parser->getTokenStream()->get(i));
  while (!beginsItem(parser, parser->getCurrentToken())) {
    const Token *token = parser->getCurrentToken();
    const size_t type = token->getType();
    if (depth <= 0 && (type == MmkParser::RIGHT_BRACE || beginsStatement(parser, token)))
      return;
    count(token);
    parser->consume();
    if (depth <= 0 && (type == MmkParser::SEMICOLON || type == MmkParser::RIGHT_BRACE))
      return;
  }
}

} // namespace mmk
