// The evaluation of an expression in index notation, of which each file does a part.
#pragma once

#include "frontend/index/statement.h"

#include "frontend/index/arithmetic.h"
#include "frontend/index/tensor_call.h"
#include "frontend/rule_builder.h"

#include <functional>
#include <optional>

namespace mmk {

class IndexBody {
public:
  explicit IndexBody(const BodyContext &context)
      : context_(context), align_(context.values, variables_) {}

  const Value *run(const ast::Statement &statement, const Result *declared);
  const Value *run(const ast::Function &definition);
  const Value *valueOf(const ast::Function &definition);

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

  //--- statement.cpp: expressions
  Indexed evaluate(const ast::Expression &expression, const Frame &frame);
  Indexed name(const ast::Expression &expression, const Frame &frame);
  Indexed number(const std::string &name, SourceRange where);
  Indexed call(const ast::Expression &expression, const Frame &frame);
  Indexed apply(const ast::Expression &expression, std::vector<Indexed> operands,
                const Frame &frame);
  Indexed cast(const ast::Expression &expression, const Indexed &operand, const Frame &frame);
  Indexed inlined(const ast::Expression &expression, const Function &function, const Frame &frame);

  //--- reduction.cpp: reductions, contractions and random numbers
  Indexed reduce(const ast::Expression &expression, const Frame &frame);
  Indexed random(const ast::Expression &expression, const Frame &frame);
  Indexed reduceOver(const Over &over, const NamedReduction &named, const Indexed &operand,
                     const ast::Expression &expression, const Frame &frame);
  /// What the variables of two operands are in their product.
  struct Roles {
    std::string depth, row, column; ///< each may be none
    std::vector<std::string> rows, columns, batches;

    /// Deals out all but the depth: to the rows what the left has alone, to the columns what the
    /// right has. Whether they are a product.
    bool deal(const Indexed &left, const Indexed &right, const Alignment &align);
  };
  /// Chooses row and column, for which the operands may change sides; what is left are batches.
  void chooseMatrix(const std::vector<std::string> &summed, Indexed &left, Indexed &right,
                    Roles &roles);
  /// The sum of a product as `@`; nothing where it is none.
  Indexed contraction(const Over &over, Indexed left, Indexed right,
                      const ast::Expression &expression, const Frame &frame);

  /// The same of a window; an empty value is a sum that is no product. Nothing for another product.
  std::optional<Indexed> contractionOfWindow(const Over &over, const Indexed &left,
                                             const Indexed &right,
                                             const ast::Expression &expression, const Frame &frame);

  //--- window_product.cpp: products of windows
  struct WindowRoles;
  /// The tensor in an operand of a product that is read at computed indices of what is summed, or
  /// of variables that `other` has not; nothing where none is.
  Indexed windowOf(const Indexed &operand, const Indexed &other,
                   const std::vector<std::string> &summed) const;
  Dimension mergedDimension(const std::vector<std::string> &variables, SourceRange where);
  Indexed matrixOf(const Indexed &operand, const std::vector<std::string> &batches,
                   const std::vector<std::string> &rows, const std::vector<std::string> &columns,
                   SourceRange where);
  /// The operands may change sides.
  WindowRoles windowRoles(const std::vector<std::string> &summed, const Indexed &window,
                          Indexed &left, Indexed &right);
  /// The sum over variables that both operands have as one product; each operand has a variable of
  /// its own. A condition stands with the operand `guarded`, which has its variables.
  Indexed windowProduct(const Over &over, size_t guarded, const Indexed &window, Indexed left,
                        Indexed right, const ast::Expression &expression, const Frame &frame);

  //--- variables.cpp: variables, their ranges, and elements
  bool introduce(const ast::Place &place, const std::vector<const ast::Expression *> &within,
                 std::vector<Variable> &introduced);
  void restore(std::vector<Variable> &introduced);
  std::optional<Variables::Range> plainRange(const std::string &variable,
                                             const ast::Expression &within, bool underPad);
  std::optional<Dimension> writtenRange(const ast::Place &place);
  std::optional<Dimension> calculatedRange(const ast::Place &place);
  /// The same index without variables of extent 1 that are reduced.
  std::unique_ptr<Rule> withoutUnits(std::unique_ptr<Rule> rule) const;
  Indexed element(const ast::Expression &expression, const Frame &frame);
  /// x of x[i] and of pad(x, 0)[i].
  const ast::Expression &tensorOfElement(const ast::Expression &element) const;
  /// A tensor that elements are read of, by its name or as the value of a call. Null: reported.
  const Value *tensorAt(const ast::Expression &expression);
  /// The tensor of an element, and the number that is read outside of it.
  const Value *tensorOf(const ast::Expression &expression, const ast::Expression *&padding);
  bool isInside(const Rule &index, const ast::Expression &written, const Dimension &dimension,
                const std::string &tensor);
  /// Whether windows of a padded tensor do not reach its padding at any size, as far as is known.
  bool isWithin(const Rule &index, const Dimension &dimension) const;
  std::unique_ptr<Rule> indexOf(const ast::Expression &expression);
  /// A number or a comparison of variables, whole numbers and dimensions alone.
  bool isWhole(const ast::Expression &expression, bool &readsVariables) const;
  std::unique_ptr<Rule> wholeRule(const ast::Expression &expression);
  Indexed position(std::unique_ptr<Rule> rule, SourceRange where);
  const Rule *wholeNumber(const std::string &name) const;
  IsVariable isVariable() const;

  //--- calls.cpp: calls of functions over tensors
  Indexed scalarCall(const ast::Expression &expression, const Function &function,
                     const Frame &frame);
  const Value *callOfTensors(const ast::Expression &expression, const Function &function);
  bool tensorArgument(const ast::Expression &expression, const ast::Argument &argument,
                      TensorArgument &given);
  const Function *functionOverTensors(const ast::Expression &expression) const;

  Indexed error(SourceRange where, std::string message);
  Indexed report(Problem problem, const ast::Expression &expression,
                 const std::vector<Indexed> &operands, const Frame &frame);
  static SourceRange whereOf(const ast::Expression &expression, const Frame &frame) {
    return frame.function ? frame.call : expression.where;
  }
  /// Where a value is made, in the kernel.
  SourceRange placeOf(const ast::Expression &expression, const Frame &frame) const {
    return context_.inside ? context_.inside->call : whereOf(expression, frame);
  }
  SourceRange placeOf(SourceRange where) const {
    return context_.inside ? context_.inside->call : where;
  }
  bool isOfPrelude(const Frame &frame) const {
    return frame.function ? frame.function->isPrelude
                          : context_.inside && context_.inside->function->isPrelude;
  }

  const BodyContext &context_;
  Variables variables_;
  Alignment align_;
  std::vector<std::string> reduced_;                        ///< variables of the reductions around
  std::map<const ast::Expression *, const Value *> called_; ///< of functions over tensors
};

} // namespace mmk
