// The statements of a kernel: every name to its value, every call to the function's own body.
#include "frontend/check_kernel.h"
#include "frontend/index/calculated_dimension.h"
#include "frontend/index/statement.h"
#include "frontend/index/tensor_call.h"
#include "frontend/numbers.h"
#include "frontend/primitives.h"
#include "frontend/resolve.h"
#include "frontend/shapes.h"
#include "frontend/typing/typing.h"
#include "frontend/values.h"
#include "frontend/whole.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk {
namespace {

// Far beyond any kernel. They bound the growth of functions that call each other.
constexpr unsigned maximumDepth = 1500, maximumInlined = 100'000;
constexpr size_t maximumValues = 10'000;

/// Where an expression is evaluated: in the kernel, or in a function for one of its calls. A null
/// value has had its error reported; values computed from it report nothing.
struct Frame {
  std::map<std::string, const Value *> names;
  std::map<std::string, Shape> dimensions; ///< one of a function may stand for several
  const Function *function = nullptr;
  SourceRange call; ///< in the kernel
};

class Body {
public:
  Body(const ast::Kernel &tree, const Signature &signature, const Functions &functions,
       Kernel &kernel, Diagnostics &diagnostics)
      : tree_(tree), signature_(signature), functions_(functions), kernel_(kernel),
        diagnostics_(diagnostics) {}

  bool infer() {
    declare();
    for (const ast::Statement &statement : tree_.body)
      if (statement.isLet)
        let(statement);
      else
        assign(statement);
    for (const Result &result : kernel_.results)
      if (!assigned_.contains(result.name))
        error(result.where,
              fmt::format("the result '{0}' is never assigned; expected {0} = ...;", result.name));
    if (sound_) {
      warnOfUnused();
      warnOfLostDigits();
      warnOfRoundedIntegers();
    }
    takeValues();
    keepIndexed();
    return sound_;
  }

private:
  void takeValues() {
    if (!sound_) {
      kernel_.values = std::move(values_).all();
      return;
    }
    std::vector<const Value *> results;
    for (const Result &result : kernel_.results)
      results.push_back(result.value);
    kernel_.values = std::move(values_).neededBy(results);
  }

  /// The values of index notation that the results need.
  void keepIndexed() {
    for (const ast::Statement &statement : tree_.body) {
      const std::string &name = statement.name.text;
      IndexedValue indexed{name, {}, nullptr};
      for (const ast::Place &place : statement.places)
        indexed.variables.push_back(place.name.text);
      if (const auto let = frame_.names.find(name); statement.isLet && let != frame_.names.end())
        indexed.value = let->second;
      const auto isIt = [&](const auto &value) { return value.get() == indexed.value; };
      const bool isKept = !statement.isLet || std::ranges::any_of(kernel_.values, isIt);
      if (!indexed.variables.empty() && isKept)
        kernel_.indexed.push_back(std::move(indexed));
    }
  }

  Diagnostic &error(SourceRange where, std::string message) {
    sound_ = false;
    return diagnostics_.error(where, std::move(message));
  }

  void declare() {
    for (unsigned i = 0; i < kernel_.parameters.size(); ++i) {
      const Parameter &parameter = kernel_.parameters[i];
      const bool isNew = names_.readable.emplace(parameter.name, false).second;
      if (isNew)
        frame_.names[parameter.name] =
            signature_.unsound.contains(parameter.name) ? nullptr : values_.parameter(i, parameter);
      sound_ &= !signature_.unsound.contains(parameter.name);
    }
    for (const WholeParameter &whole : kernel_.wholes)
      if (names_.readable.emplace(whole.name, false).second)
        frame_.names[whole.name] = values_.whole(whole.value, whole.where);
    for (const Result &result : kernel_.results)
      names_.refused.emplace(result.name,
                             fmt::format("'{}' is a result and cannot be read; name its value "
                                         "with let, and read that",
                                         result.name));
    names_.dimensionsAreNumbers = true;
    for (const auto &[dimension, where] : signature_.dimensions) {
      names_.dimensions.emplace(dimension, false);
      frame_.dimensions[dimension] = {{dimension, 0}};
    }
    for (const ast::Statement &statement : tree_.body)
      if (statement.isLet && !signature_.dimensions.contains(statement.name.text))
        names_.refused.emplace(
            statement.name.text,
            fmt::format("'{}' is read before the let that defines it", statement.name.text));
  }

  void let(const ast::Statement &statement) {
    const std::string &name = statement.name.text;
    const Value *value = valueOf(statement);
    if (const auto first = letPlaces_.find(name); first != letPlaces_.end()) {
      error(statement.name.where, fmt::format("'{}' is defined twice", name))
          .notes.push_back({Severity::note, first->second, "first here", {}});
      return;
    }
    if (std::ranges::find(kernel_.results, name, &Result::name) != kernel_.results.end()) {
      error(statement.name.where,
            fmt::format("'{0}' is a result and is assigned without let: {0} = ...;", name));
      assigned_.try_emplace(name, statement.name.where);
      return;
    }
    for (const auto &[names, what] : {std::pair(&signature_.values, "parameter"),
                                      std::pair(&signature_.dimensions, "dimension")})
      if (const auto first = names->find(name); first != names->end()) {
        error(statement.name.where, fmt::format("'{}' is the name of a {} already", name, what))
            .notes.push_back({Severity::note, first->second, "declared here", {}});
        return;
      }
    letPlaces_.emplace(name, statement.name.where);
    names_.refused.erase(name);
    names_.readable.emplace(name, false);
    frame_.names[name] = value;
    if (value)
      values_.name(value, name);
  }

  void assign(const ast::Statement &statement) {
    const std::string &name = statement.name.text;
    const Value *value = valueOf(statement);
    const auto result = std::ranges::find(kernel_.results, name, &Result::name);
    if (result == kernel_.results.end())
      return refuseAssignment(statement);
    const auto [first, isNew] = assigned_.try_emplace(name, statement.name.where);
    if (!isNew) {
      error(statement.name.where, fmt::format("the result '{}' is assigned twice", name))
          .notes.push_back({Severity::note, first->second, "first here", {}});
      return;
    }
    if (!value || signature_.unsound.contains(name))
      return;
    if (value->type == ElementType::boolean) {
      error(statement.value->where, fmt::format("cannot assign a comparison to '{}', which is {}; "
                                                "use select(condition, 1, 0)",
                                                name, spelling(*result)));
      return;
    }
    if (value->shape.size() > result->shape.size() && isWithoutUnits(value->shape, result->shape))
      value = values_.squeeze(value, result->shape, statement.value->where);
    if (!broadcastsTo(value->shape, result->shape)) {
      Diagnostic &diagnostic =
          error(statement.value->where, fmt::format("cannot assign {} to '{}', which is {}",
                                                    spelling(*value), name, spelling(*result)));
      diagnostic.notes.push_back({Severity::note, result->where, "declared here", {}});
      if (!value->name.empty())
        diagnostic.notes.push_back({Severity::note,
                                    value->where,
                                    fmt::format("'{}' is {}", value->name, spelling(*value)),
                                    {}});
      explainCalculated(value->shape, kernel_, diagnostic);
      return;
    }
    Problem none;
    if (integerOf(*value) && sizeInBytes(result->type) == 4)
      value = typing_.cast(result->type, value, value->where, none);
    result->value = value;
  }

  void refuseAssignment(const ast::Statement &statement) {
    const std::string &name = statement.name.text;
    std::vector<std::string> results;
    for (const Result &result : kernel_.results)
      results.push_back(result.name);
    const std::string expected = "results: " + listOf(results, "and");
    if (letPlaces_.contains(name))
      error(statement.name.where,
            fmt::format("'{}' is defined by a let and cannot change; {}", name, expected));
    else if (signature_.values.contains(name))
      error(statement.name.where,
            fmt::format("'{}' is a parameter and cannot be assigned; {}", name, expected));
    else
      error(statement.name.where,
            fmt::format("'{}' is not a result{}; an intermediate value is named with let", name,
                        suggestion(name, results, "results")));
  }

  const Value *valueOf(const ast::Statement &statement) {
    if (usesIndices(statement))
      return valueOfIndexed(statement);
    sound_ &= resolve(*statement.value, names_, functions_, diagnostics_);
    return evaluate(*statement.value, frame_);
  }

  const Value *valueOfIndexed(const ast::Statement &statement) {
    if (!resolveIndexed(statement.places, *statement.value, names_, functions_, diagnostics_)) {
      sound_ = false;
      return nullptr;
    }
    const auto result = std::ranges::find(kernel_.results, statement.name.text, &Result::name);
    const bool isOfResult = !statement.isLet && result != kernel_.results.end();
    if (!statement.isLet && (!isOfResult || signature_.unsound.contains(result->name)))
      return nullptr;
    const size_t before = diagnostics_.all().size();
    Growth growth;
    const WholeNumbers wholes = wholeNumbersOf(kernel_);
    const Value *value =
        evaluateIndexed(statement, isOfResult ? &*result : nullptr, contextOf(wholes, growth));
    sound_ &= diagnostics_.all().size() == before || value;
    sound_ &= value || !diagnostics_.hasErrors();
    return value;
  }

  BodyContext contextOf(const WholeNumbers &wholes, Growth &growth) {
    return {kernel_,      functions_, values_,   typing_, diagnostics_,
            frame_.names, wholes,     reported_, growth};
  }

  const Value *evaluate(const ast::Expression &expression, const Frame &frame) {
    if (exhausted_ || !staysWithinLimits(expression, frame))
      return nullptr;
    ++depth_;
    const Value *value = evaluateNode(expression, frame);
    --depth_;
    return value;
  }

  bool staysWithinLimits(const ast::Expression &expression, const Frame &frame) {
    const bool inFunction = frame.function != nullptr;
    inlined_ += inFunction;
    if (depth_ < maximumDepth && inlined_ <= maximumInlined && values_.size() < maximumValues)
      return true;
    exhausted_ = true;
    error(inFunction ? frame.call : expression.where,
          depth_ >= maximumDepth
              ? fmt::format("calls nest more than {} operations deep here", maximumDepth)
              : fmt::format("the kernel grows beyond {} operations here{}",
                            inlined_ > maximumInlined ? maximumInlined : maximumValues,
                            inFunction ? ", with its calls inlined" : ""));
    return false;
  }

  const Value *evaluateNode(const ast::Expression &expression, const Frame &frame) {
    using Kind = ast::Expression::Kind;
    if (expression.kind == Kind::number)
      return values_.literal(expression.text, frame.function ? frame.call : expression.where);
    if (expression.kind == Kind::name) {
      const auto found = frame.names.find(expression.text);
      if (found != frame.names.end())
        return found->second;
      return frame.function ? nullptr : extentOf(expression.text, expression.where, frame);
    }
    if (expression.kind == Kind::call && frame.function &&
        functions_.isIndex(expression.text, isOfPrelude(frame))) {
      error(frame.call, "'index' is an index variable; this function is called in index notation, "
                        "such as f[j](x[i, j])")
          .notes.push_back({Severity::note, expression.where, "read here", {}});
      return nullptr;
    }
    if (expression.kind == Kind::call && isExtent(expression, frame))
      return extentOf(expression.operands[0]->text, expression.where, frame);

    const Function *function = expression.kind == Kind::call
                                   ? functions_.find(expression.text, isOfPrelude(frame))
                                   : nullptr;
    if (function && function->definition->isOverTensors())
      return callOfTensors(expression, *function, frame);

    std::vector<const Value *> operands;
    bool known = true;
    for (const ast::ExpressionPtr &operand : expression.operands) {
      operands.push_back(evaluate(*operand, frame));
      known &= operands.back() != nullptr;
    }
    if (!known)
      return nullptr;
    if (expression.kind == Kind::cast)
      return cast(expression, operands[0], frame);
    if (expression.kind == Kind::call && isReduction(expression, frame))
      return reduce(expression, operands[0], frame);
    if (expression.kind == Kind::call && functions_.isRandom(expression.text, isOfPrelude(frame)))
      return random(expression, operands, frame);
    const Primitive *primitive = expression.kind == Kind::operation
                                     ? operatorOf(expression.text, operands.size())
                                     : primitiveFunction(expression.text);
    if (primitive)
      return apply(*primitive, expression, operands, frame);
    return expression.kind == Kind::call ? inlineCall(expression, operands, frame) : nullptr;
  }

  bool isOfPrelude(const Frame &frame) const { return frame.function && frame.function->isPrelude; }

  bool isExtent(const ast::Expression &expression, const Frame &frame) const {
    return functions_.isExtent(expression.text, isOfPrelude(frame)) &&
           expression.operands.size() == 1;
  }

  bool isReduction(const ast::Expression &expression, const Frame &frame) const {
    return !expression.over.empty() && expression.operands.size() == 1 &&
           reductionOf(expression.text) && !functions_.find(expression.text, isOfPrelude(frame));
  }

  const Value *extentOf(const std::string &name, SourceRange where, const Frame &frame) {
    const auto found = frame.dimensions.find(name);
    if (found == frame.dimensions.end())
      return nullptr;
    return values_.extent(found->second, frame.function ? frame.call : where);
  }

  /// Nothing where a name is no dimension, which has been reported.
  std::optional<Shape> dimensionsOf(const ast::Expression &expression, const Frame &frame) const {
    Shape all;
    for (const auto &[word, range] : expression.over) {
      const auto found = frame.dimensions.find(word.text);
      if (found == frame.dimensions.end())
        return std::nullopt;
      all.insert(all.end(), found->second.begin(), found->second.end());
    }
    return all;
  }

  const Value *reduce(const ast::Expression &expression, const Value *operand, const Frame &frame) {
    const std::optional<Shape> over = dimensionsOf(expression, frame);
    if (!over)
      return nullptr;
    Problem problem;
    const Value *value = typing_.reduce(*reductionOf(expression.text), operand, *over,
                                        frame.function ? frame.call : expression.where, problem);
    if (!value)
      reportProblem(std::move(problem), expression, {operand}, frame);
    return value;
  }

  const Value *random(const ast::Expression &expression, const std::vector<const Value *> &operands,
                      const Frame &frame) {
    const std::optional<Shape> over = dimensionsOf(expression, frame);
    if (!over || over->empty() || operands.size() != 1)
      return nullptr; // reported
    Problem problem;
    const Value *value =
        typing_.random(operands[0], *over, frame.function ? frame.call : expression.where, problem);
    if (!value)
      reportProblem(std::move(problem), expression, operands, frame);
    return value;
  }

  const Value *apply(const Primitive &primitive, const ast::Expression &expression,
                     const std::vector<const Value *> &operands, const Frame &frame) {
    if (operands.size() != primitive.operands)
      return nullptr;
    Problem problem;
    const Value *value = typing_.apply(primitive.operation, primitive.name, operands,
                                       frame.function ? frame.call : expression.where, problem);
    if (!value)
      reportProblem(std::move(problem), expression, operands, frame);
    return value;
  }

  const Value *cast(const ast::Expression &expression, const Value *operand, const Frame &frame) {
    const auto type = elementTypeFromSpelling(expression.text);
    if (!type)
      return nullptr;
    Problem problem;
    const Value *value =
        typing_.cast(*type, operand, frame.function ? frame.call : expression.where, problem);
    if (!value)
      reportProblem(std::move(problem), expression, {operand}, frame);
    return value;
  }

  const Value *inlineCall(const ast::Expression &expression,
                          const std::vector<const Value *> &operands, const Frame &frame) {
    const Function *function = functions_.find(expression.text, isOfPrelude(frame));
    const std::optional<Shape> over = dimensionsOf(expression, frame);
    if (!function || !function->isSound || !over ||
        function->definition->arguments.size() != operands.size()) {
      sound_ = false;
      return nullptr;
    }
    Frame inner{{}, {}, function, frame.function ? frame.call : expression.where};
    if (!bindDimensions(*function->definition, expression, *over, frame, inner))
      return nullptr;
    for (size_t i = 0; i < operands.size(); ++i)
      inner.names[function->definition->arguments[i].name.text] = operands[i];
    return evaluate(*function->definition->value, inner);
  }

  /// A function over tensors, whose `int` arguments are calculations.
  const Value *callOfTensors(const ast::Expression &expression, const Function &function,
                             const Frame &frame) {
    const std::vector<ast::Argument> &arguments = function.definition->arguments;
    if (!function.isSound || arguments.size() != expression.operands.size()) {
      sound_ = false;
      return nullptr;
    }
    const SourceRange where = frame.function ? frame.call : expression.where;
    const WholeNumbers wholes =
        frame.function ? wholeNumbersAmong(frame.names) : wholeNumbersOf(kernel_);
    const BodyContext context = contextOf(wholes, growth_);
    std::vector<TensorArgument> given(arguments.size());
    std::vector<const Value *> operands;
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].type)
        given[i].whole = wholeRuleOf(*expression.operands[i], "an int argument", context);
      else
        given[i].value = evaluate(*expression.operands[i], frame);
      operands.push_back(given[i].value);
    }
    Problem problem;
    const bool isKnown = std::ranges::all_of(
        given, [](const TensorArgument &each) { return each.value || each.whole; });
    const Value *value =
        isKnown ? callOverTensors(function, given, where, context, problem) : nullptr;
    if (!problem.message.empty())
      reportProblem(std::move(problem), expression, operands, frame);
    sound_ &= value != nullptr;
    return value;
  }

  /// One dimension of the function takes all that stand in the brackets, several take one word
  /// each.
  bool bindDimensions(const ast::Function &function, const ast::Expression &expression,
                      const Shape &over, const Frame &frame, Frame &inner) {
    if (function.over.size() == 1 && !over.empty()) {
      inner.dimensions[function.over[0].text] = over;
      return true;
    }
    if (function.over.size() != expression.over.size())
      return false; // reported
    for (size_t i = 0; i < function.over.size(); ++i)
      inner.dimensions[function.over[i].text] = frame.dimensions.at(expression.over[i].name.text);
    return true;
  }

  /// Reports at the wrong operation or operand, or, inside a function, at the call; notes say where
  /// each side came from.
  void reportProblem(Problem problem, const ast::Expression &expression,
                     const std::vector<const Value *> &operands, const Frame &frame) {
    const ast::Expression &blamed =
        problem.operand ? *expression.operands[*problem.operand] : expression;
    // A call that reads an argument twice makes one mistake.
    if (frame.function && !reported_.emplace(frame.call.begin, problem.message).second) {
      sound_ = false;
      return;
    }
    // A word of a function's brackets may stand for several dimensions.
    const bool blamesWord = problem.dimension && *problem.dimension < expression.over.size();
    Diagnostic &diagnostic = error(frame.function ? frame.call
                                   : blamesWord   ? expression.over[*problem.dimension].name.where
                                                  : blamed.where,
                                   std::move(problem.message));
    const auto note = [&](SourceRange where, std::string message) {
      diagnostic.notes.push_back({Severity::note, where, std::move(message), {}});
    };
    if (frame.function)
      note(expression.where, fmt::format("inside '{}'", frame.function->definition->name.text));
    std::set<const Value *> noted;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!operands[i])
        continue; // a whole number
      const Value &operand = *operands[i];
      if (problem.operand.value_or(i) != i || operand.operation == Operation::constant ||
          !noted.insert(&operand).second)
        continue;
      if (!operand.name.empty())
        note(operand.where, fmt::format("'{}' is {}", operand.name, spelling(operand)));
      else if (!problem.operand)
        note(expression.operands[i]->where, fmt::format("this is {}", spelling(operand)));
      explainCalculated(operand.shape, kernel_, diagnostic);
    }
  }

  void warnOfUnused() {
    for (const ast::Parameter &parameter : tree_.parameters)
      if (!names_.readable[parameter.name.text] && !isCalculatedWith(kernel_, parameter.name.text))
        diagnostics_.warning(parameter.name.where,
                             fmt::format("the parameter '{}' is not used", parameter.name.text));
    for (const auto &[name, where] : letPlaces_)
      if (!names_.readable[name])
        diagnostics_.warning(where, fmt::format("the value '{}' is not used", name));
  }

  /// Of a small x, 1 + x and exp(x) lose the digits that the logarithm or the difference shows.
  void warnOfLostDigits() {
    const auto isOne = [](const Value *value) {
      return value->operation == Operation::constant && value->constant == 1;
    };
    for (const std::unique_ptr<Value> &value : values_.created()) {
      const Value *operand = value->operands.empty() ? nullptr : value->operands[0];
      if (value->operation == Operation::log && operand->operation == Operation::add &&
          isOne(operand->operands[0]) != isOne(operand->operands[1]))
        diagnostics_.warning(value->where, "log(1 + x) loses the digits of a small x; log1p(x) "
                                           "keeps them");
      if (value->operation == Operation::subtract && operand->operation == Operation::exp &&
          isOne(value->operands[1]))
        diagnostics_.warning(value->where, "exp(x) - 1 loses the digits of a small x; expm1(x) "
                                           "keeps them");
    }
  }

  void warnOfRoundedIntegers() {
    std::set<std::pair<uint32_t, const Value *>> known;
    for (const auto &[value, where] : typing_.roundedIntegers())
      if (known.emplace(where.begin, value).second)
        diagnostics_.warning(
            where, fmt::format("{} is {}, and beside a float f32 rounds it beyond 16777216; write "
                               "cast<f32>(...) if that is meant",
                               value->name.empty() ? "an operand" : "'" + value->name + "'",
                               spelling(*value)));
  }

  const ast::Kernel &tree_;
  const Signature &signature_;
  const Functions &functions_;
  Kernel &kernel_;
  Diagnostics &diagnostics_;
  Values values_;
  Typing typing_{values_};
  Frame frame_; ///< of the kernel itself
  Names names_;
  std::map<std::string, SourceRange> letPlaces_, assigned_;
  std::set<std::pair<size_t, std::string>> reported_; ///< at calls
  unsigned depth_ = 0, inlined_ = 0;
  Growth growth_; ///< of functions over tensors
  bool exhausted_ = false, sound_ = true;
};

} // namespace

bool inferBody(const ast::Kernel &tree, const Signature &signature, const Functions &functions,
               Kernel &kernel, Diagnostics &diagnostics) {
  return Body(tree, signature, functions, kernel, diagnostics).infer();
}

} // namespace mmk
