// From the syntax of integer arithmetic to a rule: for the `require` of a schedule, and for the
// calculations of a kernel with its dimensions.
#pragma once

#include "frontend/ast.h"
#include "schedule/rule.h"
#include "support/diagnostics.h"

#include <functional>
#include <memory>

namespace mmk {

/// How a kind of rule is spoken of, and how it divides.
struct RuleWords {
  std::string_view what;  ///< "a rule"
  std::string_view reads; ///< "choices"
  bool floors = false;    ///< `/` and `%` round down, instead of to zero
};

class RuleBuilder {
public:
  /// What a name or a dotted name stands for; it reports one that stands for nothing.
  using Names = std::function<std::unique_ptr<Rule>(const ast::Expression &)>;

  RuleBuilder(RuleWords words, Names names, Diagnostics &diagnostics)
      : words_(words), names_(std::move(names)), diagnostics_(diagnostics) {}

  /// Null, after a report, for what is no rule.
  std::unique_ptr<Rule> build(const ast::Expression &tree);

  /// An operation of operands that are built already.
  std::unique_ptr<Rule> join(const ast::Expression &tree,
                             std::vector<std::unique_ptr<Rule>> operands);

  std::unique_ptr<Rule> refuse(SourceRange where, std::string message);

private:
  std::unique_ptr<Rule> number(const ast::Expression &tree);
  std::unique_ptr<Rule> operation(const ast::Expression &tree);

  RuleWords words_;
  Names names_;
  Diagnostics &diagnostics_;
};

std::unique_ptr<Rule> ruleOf(Rule::Kind kind);
/// One that reads `name`.
std::unique_ptr<Rule> ruleThatReads(std::string name);
std::unique_ptr<Rule> ruleOfNumber(int64_t number);

/// Text of several lines as one, for messages.
std::string onOneLine(std::string_view text);

} // namespace mmk
