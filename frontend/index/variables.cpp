// The variables of index notation: what they range over, and the elements that they read.
#include "frontend/index/body.h"
#include "frontend/index/calculated_dimension.h"
#include "frontend/numbers.h"
#include "frontend/resolve.h"
#include "frontend/shapes.h"
#include "frontend/whole.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk {
namespace {

constexpr size_t mostVariables = 16;

constexpr RuleWords indexWords = {"an index", "variables, dimensions, int parameters",
                                  /*floors=*/true};

std::unique_ptr<Rule> constantRule(int64_t number) {
  auto rule = ruleOf(Rule::Kind::number);
  rule->number = number;
  return rule;
}

std::unique_ptr<Rule> extentRule(const Dimension &dimension) {
  return dimension.isLiteral() ? constantRule(dimension.literal) : ruleThatReads(dimension.name);
}

std::unique_ptr<Rule> binaryRule(Rule::Kind kind, std::unique_ptr<Rule> left,
                                 std::unique_ptr<Rule> right) {
  auto rule = ruleOf(kind);
  rule->operands.push_back(std::move(left));
  rule->operands.push_back(std::move(right));
  return rule;
}

} // namespace

const Rule *IndexBody::wholeNumber(const std::string &name) const {
  const auto found = context_.wholes.find(name);
  return found == context_.wholes.end() ? nullptr : found->second.get();
}

IsVariable IndexBody::isVariable() const {
  return [this](const std::string &name) { return variables_.find(name) != nullptr; };
}

//--- ranges -------------------------------------------------------------------------------------

bool IndexBody::introduce(const ast::Place &place,
                          const std::vector<const ast::Expression *> &within,
                          std::vector<Variable> &introduced) {
  const std::string &name = place.name.text;
  if (variables_.names().size() >= mostVariables && !variables_.find(name))
    return bool(error(place.name.where,
                      fmt::format("more than {} index variables in one statement", mostVariables)));
  std::optional<Variables::Range> range;
  if (place.range) {
    const std::optional<Dimension> written = writtenRange(place);
    if (!written)
      return false;
    range = {*written, place.range->where};
  }
  for (const bool underPad : {false, true})
    for (const ast::Expression *each : within)
      if (!range)
        range = plainRange(name, *each, underPad);
  // A call that has no value was reported; it may be what has the variable in a place.
  const bool isReported =
      context_.growth.isExhausted ||
      std::ranges::any_of(called_, [](const auto &call) { return !call.second; });
  if (!range && isReported)
    return false;
  if (!range)
    return bool(
        error(place.name.where,
              fmt::format("'{0}' stands in no dimension's place of its own, so it says what "
                          "it ranges over: {0}: N",
                          name)));
  introduced.emplace_back(name, variables_.set(name, std::move(*range)));
  return true;
}

void IndexBody::restore(std::vector<Variable> &introduced) {
  for (; !introduced.empty(); introduced.pop_back())
    variables_.restore(introduced.back().first, std::move(introduced.back().second));
}

std::optional<Variables::Range>
IndexBody::plainRange(const std::string &variable, const ast::Expression &within, bool underPad) {
  if (within.kind == ast::Expression::Kind::element) {
    const ast::Expression &tensor = tensorOfElement(within);
    const bool isPadded = &tensor != within.operands[0].get();
    const Value *value = isPadded == underPad ? tensorAt(tensor) : nullptr;
    if (value && value->shape.size() + 1 == within.operands.size())
      for (size_t d = 1; d < within.operands.size(); ++d)
        if (within.operands[d]->kind == ast::Expression::Kind::name &&
            within.operands[d]->text == variable)
          return Variables::Range{value->shape[d - 1], within.operands[d]->where};
    return std::nullopt;
  }
  for (const ast::Place &inner : within.over)
    if (const NamedReduction *named = reductionOf(within.text);
        inner.name.text == variable && named && named->reduction)
      return std::nullopt; // it hides this one
  for (const ast::ExpressionPtr &operand : within.operands)
    if (auto found = plainRange(variable, *operand, underPad))
      return found;
  return within.guard ? plainRange(variable, *within.guard, underPad) : std::nullopt;
}

std::optional<Dimension> IndexBody::writtenRange(const ast::Place &place) {
  const ast::Expression &range = *place.range;
  if (context_.inside)
    return calculatedRange(place);
  if (range.kind == ast::Expression::Kind::name)
    if (const Rule *whole = wholeNumber(range.text)) {
      if (whole->kind == Rule::Kind::choice)
        return Dimension{whole->choice, 0};
      if (whole->number >= 1)
        return Dimension{"", whole->number};
    }
  if (range.kind == ast::Expression::Kind::number)
    if (const auto number = parseInteger(range.text);
        number && *number >= 1 && *number <= maximumDimension)
      return Dimension{"", *number};
  error(range.where, "a range is a dimension, a positive integer or such an int parameter; a "
                     "calculation is named by dim");
  return std::nullopt;
}

// The statement of a kernel names it by `dim`, which a function cannot.
std::optional<Dimension> IndexBody::calculatedRange(const ast::Place &place) {
  std::unique_ptr<Rule> rule = wholeRuleOf(*place.range, "a range", context_);
  if (!rule)
    return std::nullopt;
  std::string text = spellingOf(*rule);
  const Dimension dimension =
      calculatedDimension(std::move(rule), place.name.text, context_.inside->call, context_.kernel);
  if (!dimension.isLiteral() || (dimension.literal >= 1 && dimension.literal <= maximumDimension))
    return dimension;
  const std::string number = std::to_string(dimension.literal);
  error(place.range->where,
        fmt::format("the range of '{}' is {}, and a dimension is 1 to {}", place.name.text,
                    text == number ? text : fmt::format("{} = {}", text, number),
                    maximumDimension));
  return std::nullopt;
}

//--- elements -----------------------------------------------------------------------------------

std::unique_ptr<Rule> IndexBody::indexOf(const ast::Expression &expression) {
  const auto names = [&](const ast::Expression &tree) -> std::unique_ptr<Rule> {
    if (variables_.find(tree.text))
      return ruleThatReads(tree.text);
    if (const Rule *whole = wholeNumber(tree.text))
      return copyOf(*whole);
    error(tree.where, fmt::format("'{}' is a value; an index is of variables, dimensions, int "
                                  "parameters and integers",
                                  tree.text));
    return nullptr;
  };
  auto rule = RuleBuilder(indexWords, names, context_.diagnostics).build(expression);
  if (!rule)
    return nullptr;
  const std::string why =
      rule->isTruth()
          ? fmt::format("'{}' is a condition, and an index is a number", spellingOf(*rule))
          : whyNotAffine(*rule, isVariable());
  if (why.empty())
    return rule;
  error(expression.where, why);
  return nullptr;
}

const ast::Expression &IndexBody::tensorOfElement(const ast::Expression &element) const {
  const ast::Expression &base = *element.operands[0];
  const bool isPadding = base.kind == ast::Expression::Kind::call && !functionOverTensors(base);
  return isPadding ? *base.operands[0] : base;
}

const Value *IndexBody::tensorAt(const ast::Expression &expression) {
  if (expression.kind != ast::Expression::Kind::name) {
    const Function *function = functionOverTensors(expression);
    return function ? callOfTensors(expression, *function) : nullptr;
  }
  const auto found = context_.names.find(expression.text);
  return found == context_.names.end() ? nullptr : found->second;
}

const Value *IndexBody::tensorOf(const ast::Expression &expression,
                                 const ast::Expression *&padding) {
  const ast::Expression &base = *expression.operands[0], &tensor = tensorOfElement(expression);
  if (&tensor != &base)
    padding = base.operands[1].get();
  const Value *value = tensorAt(tensor);
  if (!value)
    return nullptr; // reported
  const size_t indices = expression.operands.size() - 1;
  if (value->shape.empty())
    return error(tensor.where, fmt::format("'{}' is {}, which has no elements; it is read by its "
                                           "name alone",
                                           tensor.text, spelling(*value)))
        .value;
  if (value->shape.size() == indices)
    return value;
  return error(tensor.where, fmt::format("'{}' is {}, found {} ind{}", tensor.text,
                                         spelling(*value), indices, indices == 1 ? "ex" : "ices"))
      .value;
}

// The extremes are sums of dimensions mostly: then it is known at once, for all sizes or none.
bool IndexBody::isInside(const Rule &index, const ast::Expression &written,
                         const Dimension &dimension, const std::string &tensor) {
  const auto greatest = [&](const std::string &name) -> std::unique_ptr<Rule> {
    const Variables::Range *range = variables_.find(name);
    if (!range)
      return nullptr;
    return range->dimension.isLiteral()
               ? constantRule(range->dimension.literal - 1)
               : binaryRule(Rule::Kind::subtract, extentRule(range->dimension), constantRule(1));
  };
  Interval interval = intervalOf(index, greatest);
  auto lowest = binaryRule(Rule::Kind::greaterEqual, std::move(interval.low), constantRule(0)),
       highest = binaryRule(Rule::Kind::less, std::move(interval.high), extentRule(dimension));
  for (std::unique_ptr<Rule> *condition : {&lowest, &highest}) {
    const auto difference =
        fixedDifference(*(*condition)->operands[0], *(*condition)->operands[1], context_.kernel);
    if (difference) {
      if (condition == &lowest ? *difference >= 0 : *difference < 0)
        continue;
      return bool(
          error(written.where,
                fmt::format("the index {} is outside of '{}' at every size: its {} value is "
                            "{}, and the dimension has {} elements; pad(...) reads a number "
                            "there",
                            spellingOf(index), tensor, condition == &lowest ? "least" : "greatest",
                            spellingOf(*(*condition)->operands[0]), spelling(dimension))));
    }
    Condition added;
    added.text = spellingOf(**condition);
    added.why = context_.inside
                    ? fmt::format(" (for the index {} of '{}' in '{}')", spellingOf(index), tensor,
                                  context_.inside->function->definition->name.text)
                    : fmt::format(" (for the index {} of '{}')", spellingOf(index), tensor);
    added.where = placeOf(written.where);
    for (const std::string &name : variables_.names())
      if (const Variables::Range *range = variables_.find(name);
          range && !range->dimension.isLiteral())
        added.over.push_back(range->dimension.name);
    added.rule = std::move(*condition);
    context_.kernel.conditions.push_back(std::move(added));
  }
  return true;
}

// One variable counts windows, and the others the elements of one.
bool IndexBody::isWithin(const Rule &index, const Dimension &dimension) const {
  const std::optional<LinearForm> form = linearForm(index);
  if (!form || form->number < 0)
    return false;
  const Variables::Range *windows = nullptr;
  int64_t step = 0, most = form->number;
  for (const auto &[name, factor] : form->factors) {
    const Variables::Range *range = variables_.find(name);
    if (!range || factor < 0 || (windows && !range->dimension.isLiteral()))
      return false;
    if (range->dimension.isLiteral()) {
      most += factor * (range->dimension.literal - 1);
      continue;
    }
    windows = range;
    step = factor;
  }
  if (!windows)
    return false;
  const std::optional<int64_t> room =
      roomBehind(windows->dimension, step, dimension, context_.kernel);
  return room && most <= *room;
}

// A variable of extent 1 that is reduced is 0: the filter of a 1x1 convolution takes each pixel as
// it is.
std::unique_ptr<Rule> IndexBody::withoutUnits(std::unique_ptr<Rule> rule) const {
  std::optional<LinearForm> form = linearForm(*rule);
  if (!form || rule->kind == Rule::Kind::choice)
    return rule;
  const auto isUnit = [&](const auto &factor) {
    const Variables::Range *range = variables_.find(factor.first);
    return range && range->dimension == Dimension{"", 1} &&
           std::ranges::find(reduced_, factor.first) != reduced_.end();
  };
  const bool hasUnits = std::erase_if(form->factors, isUnit) > 0;
  if (form->number == 0 && form->factors.size() == 1 && form->factors.begin()->second == 1)
    return ruleThatReads(form->factors.begin()->first);
  if (!hasUnits)
    return rule;
  auto sum = constantRule(form->number);
  for (const auto &[name, factor] : form->factors)
    sum = binaryRule(Rule::Kind::add,
                     binaryRule(Rule::Kind::multiply, constantRule(factor), ruleThatReads(name)),
                     std::move(sum));
  return sum;
}

Indexed IndexBody::element(const ast::Expression &expression, const Frame &frame) {
  const ast::Expression *padding = nullptr;
  const Value *tensor = tensorOf(expression, padding);
  if (!tensor)
    return {};
  const std::string &name = tensorOfElement(expression).text;
  Indexed outside;
  if (padding) {
    outside = evaluate(*padding, frame);
    if (outside && !outside.value->shape.empty())
      outside = error(padding->where, "pad(x, value) has one value for all elements outside");
    if (!outside)
      return {};
  }
  std::vector<std::unique_ptr<Rule>> rules;
  std::vector<std::string> read;
  bool isPlain = true;
  bool staysInside = true;
  for (size_t d = 0; d < tensor->shape.size(); ++d) {
    const ast::Expression &written = *expression.operands[d + 1];
    const Dimension &dimension = tensor->shape[d];
    rules.push_back(indexOf(written));
    if (!rules.back())
      return {};
    const Rule &rule = *rules.back();
    const Variables::Range *range =
        rule.kind == Rule::Kind::choice ? variables_.find(rule.choice) : nullptr;
    if (range && !padding && range->dimension != dimension) {
      Diagnostic &diagnostic = context_.diagnostics.error(
          written.where,
          fmt::format("'{}' ranges over {}, and stands in the place of {} in '{}', which is "
                      "{}",
                      rule.choice, spelling(range->dimension), spelling(dimension), name,
                      spelling(*tensor)));
      explainCalculated({range->dimension, dimension}, context_.kernel, diagnostic);
      diagnostic.notes.push_back(
          {Severity::note,
           range->where,
           fmt::format("'{}' ranges over {} from here", rule.choice, spelling(range->dimension)),
           {}});
      return {};
    }
    if (!padding && !range && !isInside(rule, written, dimension, name))
      return {};
    rules.back() = withoutUnits(std::move(rules.back()));
    const Rule &simple = *rules.back();
    const Variables::Range *own =
        simple.kind == Rule::Kind::choice ? variables_.find(simple.choice) : nullptr;
    const bool isOwn = own && own->dimension == dimension;
    isPlain &= isOwn && std::ranges::find(read, simple.choice) == read.end();
    staysInside &= isOwn || isWithin(simple, dimension);
    for (const std::string &variable : variables_.names())
      if (simple.reads(variable))
        read.push_back(variable);
  }
  if (staysInside)
    padding = nullptr;
  if (isPlain && !padding)
    return {tensor, read};
  const std::vector<std::string> own = variables_.sorted(read);
  std::vector<Index> indices;
  for (const auto &rule : rules)
    indices.push_back(renamed(*rule, [&](const std::string &each) {
      const auto place = std::ranges::find(own, each);
      return place == own.end() ? each : fmt::format("#{}", place - own.begin());
    }));
  const Value *padded = nullptr;
  if (padding) {
    Problem ignored;
    padded = context_.typing.cast(tensor->type, outside.value, placeOf(padding->where), ignored);
  }
  return {context_.values.access(tensor, variables_.shapeOf(own), std::move(indices), padded,
                                 placeOf(expression.where)),
          own};
}

//--- whole numbers ------------------------------------------------------------------------------

bool IndexBody::isWhole(const ast::Expression &expression, bool &readsVariables) const {
  using Kind = ast::Expression::Kind;
  switch (expression.kind) {
  case Kind::number:
    return parseInteger(expression.text).has_value();
  case Kind::name:
    readsVariables |= variables_.find(expression.text) != nullptr;
    return variables_.find(expression.text) || wholeNumber(expression.text);
  case Kind::call:
    // The floor of a quotient.
    return expression.text == "floor" && expression.operands.size() == 1 &&
           expression.operands[0]->kind == Kind::operation && expression.operands[0]->text == "/" &&
           isWhole(*expression.operands[0]->operands[0], readsVariables) &&
           isWhole(*expression.operands[0]->operands[1], readsVariables);
  case Kind::operation:
    return expression.text != "/" && expression.text != "@" &&
           std::ranges::all_of(expression.operands, [&](const auto &operand) {
             return isWhole(*operand, readsVariables);
           });
  default:
    return false;
  }
}

std::unique_ptr<Rule> IndexBody::wholeRule(const ast::Expression &expression) {
  using Kind = ast::Expression::Kind;
  if (expression.kind == Kind::call)
    return wholeRule(*expression.operands[0]); // floor, which '/' is here
  if (expression.kind == Kind::operation) {
    std::vector<std::unique_ptr<Rule>> operands;
    for (const ast::ExpressionPtr &operand : expression.operands) {
      operands.push_back(wholeRule(*operand));
      if (!operands.back())
        return nullptr;
    }
    return RuleBuilder(indexWords, {}, context_.diagnostics).join(expression, std::move(operands));
  }
  return indexOf(expression);
}

Indexed IndexBody::position(std::unique_ptr<Rule> rule, SourceRange where) {
  if (!rule)
    return {};
  std::vector<std::string> own;
  for (const std::string &variable : variables_.names())
    if (rule->reads(variable))
      own.push_back(variable);
  const ElementType type = rule->isTruth() ? ElementType::boolean : ElementType::i32;
  Index index = renamed(*rule, [&](const std::string &each) {
    const auto place = std::ranges::find(own, each);
    return place == own.end() ? each : fmt::format("#{}", place - own.begin());
  });
  return {context_.values.position(type, variables_.shapeOf(own), std::move(index), where), own};
}

} // namespace mmk
