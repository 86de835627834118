// The evaluation of an expression in index notation, of which each file does a part.
#pragma once

#include "frontend/index_statement.h"

#include "frontend/index_arithmetic.h"
#include "frontend/rule_builder.h"

#include <functional>
#include <optional>

namespace mmk {

class IndexBody {
public:
  explicit IndexBody(const BodyContext &context)
      : context_(context), align_(context.values, variables_) {}

  const Value *run(const ast::Statement &statement, const Result *declared);

private:
  /// What the brackets of a call go over: variables, and the condition behind them.
  struct Over {
    std::vector<std::string> variables;
    std::optional<Indexed> guard;
  };
  /// Where an expression is evaluated: in the statement, or in a function for one of its calls.
  struct Frame {
    std::map<std::string, Indexed> names;
    std::map<std::string, Over> over;
    const Function *function = nullptr;
    SourceRange call;
  };
  using Variable = std::pair<std::string, std::optional<Variables::Range>>;

  //--- index_statement.cpp: expressions
  Indexed evaluate(const ast::Expression &expression, const Frame &frame);
  Indexed name(const ast::Expression &expression, const Frame &frame);
  Indexed call(const ast::Expression &expression, const Frame &frame);
  Indexed apply(const ast::Expression &expression, std::vector<Indexed> operands,
                const Frame &frame);
  Indexed cast(const ast::Expression &expression, const Indexed &operand, const Frame &frame);
  Indexed inlined(const ast::Expression &expression, const Function &function, const Frame &frame);

  //--- index_reduction.cpp: reductions, contractions and random numbers
  Indexed reduce(const ast::Expression &expression, const Frame &frame);
  Indexed random(const ast::Expression &expression, const Frame &frame);
  Indexed reduceOver(const Over &over, const NamedReduction &named, const Indexed &operand,
                     const ast::Expression &expression, const Frame &frame);
  /// The sum of a product as `@`; nothing where it is none.
  Indexed contraction(const std::vector<std::string> &summed, Indexed left, Indexed right,
                      const ast::Expression &expression, const Frame &frame);

  //--- index_variables.cpp: variables, their ranges, and elements
  bool introduce(const ast::Place &place, const std::vector<const ast::Expression *> &within,
                 std::vector<Variable> &introduced);
  void restore(std::vector<Variable> &introduced);
  std::optional<Variables::Range> plainRange(const std::string &variable,
                                             const ast::Expression &within, bool underPad) const;
  std::optional<Dimension> writtenRange(const ast::Expression &range);
  Indexed element(const ast::Expression &expression, const Frame &frame);
  /// The tensor of an element, and the number that is read outside of it.
  const Value *tensorOf(const ast::Expression &expression, const ast::Expression *&padding);
  bool isInside(const Rule &index, const ast::Expression &written, const Dimension &dimension,
                const std::string &tensor);
  std::unique_ptr<Rule> indexOf(const ast::Expression &expression);
  /// A number or a comparison of variables, whole numbers and dimensions alone.
  bool isWhole(const ast::Expression &expression, bool &readsVariables) const;
  std::unique_ptr<Rule> wholeRule(const ast::Expression &expression);
  Indexed position(std::unique_ptr<Rule> rule, SourceRange where);
  const WholeParameter *wholeParameter(const std::string &name) const;
  IsVariable isVariable() const;

  Indexed error(SourceRange where, std::string message);
  Indexed report(Problem problem, const ast::Expression &expression,
                 const std::vector<Indexed> &operands, const Frame &frame);
  static SourceRange whereOf(const ast::Expression &expression, const Frame &frame) {
    return frame.function ? frame.call : expression.where;
  }
  bool isOfPrelude(const Frame &frame) const { return frame.function && frame.function->isPrelude; }

  const BodyContext &context_;
  Variables variables_;
  Alignment align_;
  unsigned depth_ = 0, evaluated_ = 0;
  bool isExhausted_ = false;
};

} // namespace mmk
