// The syntax tree as text, for `mmk compile --emit=ast` and for tests of the parser.
#include "frontend/ast.h"

#include <fmt/format.h>

namespace mmk::ast {
namespace {

class Printer {
public:
  std::string text;

  void function(const Function &function) {
    std::string arguments;
    for (const Argument &argument : function.arguments)
      arguments += (arguments.empty() ? "" : ", ") + argument.name.text +
                   over(argument.dimensions) + (argument.type ? ": " + argument.type->text : "");
    line(0, "fn {}{}({}){}", function.name.text, over(function.over), arguments,
         over(function.places));
    ranges(1, function.places);
    expression(1, *function.value);
  }

  void kernel(const Kernel &kernel) {
    line(0, "kernel {}", kernel.name.text);
    for (const Parameter &parameter : kernel.parameters)
      line(1, "parameter {}: {}{}", parameter.name.text, type(parameter.type),
           parameter.byDefault ? " = " + parameter.byDefault->text : "");
    for (const Result &result : kernel.results)
      line(1, "result {}: {}", result.name.text, type(result.type));
    for (const Derived &derived : kernel.derived) {
      line(1, "dim {}", derived.name.text);
      expression(2, *derived.value);
    }
    for (const Requirement &requirement : kernel.requirements) {
      line(1, "require");
      expression(2, *requirement.rule);
    }
    for (const Statement &statement : kernel.body) {
      line(1, "{} {}{}", statement.isLet ? "let" : "assign", statement.name.text,
           over(statement.places));
      ranges(2, statement.places);
      expression(2, *statement.value);
    }
    for (const Schedule &schedule : kernel.schedules)
      this->schedule(schedule);
    for (const Case &block : kernel.cases) {
      line(1, "case {}", block.name.text);
      bindings(block.bindings);
    }
    for (const Check &check : kernel.checks) {
      line(1, "check");
      bindings(check.bindings);
    }
  }

private:
  template <typename... T> void line(int depth, fmt::format_string<T...> format, T &&...values) {
    text.append(2 * depth, ' ');
    text += fmt::format(format, std::forward<T>(values)...) + "\n";
  }

  static std::string type(const Type &type) {
    std::string qualifiers, dimensions;
    for (const Word &qualifier : type.qualifiers)
      qualifiers += qualifier.text + " ";
    for (const Word &dimension : type.dimensions)
      dimensions += (dimensions.empty() ? "[" : ", ") + dimension.text;
    return qualifiers + type.element.text + dimensions + (dimensions.empty() ? "" : "]");
  }

  static std::string over(const std::vector<Word> &dimensions) {
    std::string text;
    for (const Word &dimension : dimensions)
      text += (text.empty() ? "[" : ", ") + dimension.text;
    return text.empty() ? text : text + "]";
  }

  static std::string over(const std::vector<Place> &places) {
    std::vector<Word> words;
    for (const Place &place : places)
      words.push_back(place.name);
    return over(words);
  }

  void ranges(int depth, const std::vector<Place> &places) {
    for (const Place &place : places)
      if (place.range) {
        line(depth, "range of {}", place.name.text);
        expression(depth + 1, *place.range);
      }
  }

  void expression(int depth, const Expression &expression) {
    switch (expression.kind) {
    case Expression::Kind::number:
    case Expression::Kind::name:
    case Expression::Kind::choice:
    case Expression::Kind::operation:
      line(depth, "{}", expression.text);
      break;
    case Expression::Kind::call:
      line(depth, "{}{}()", expression.text, over(expression.over));
      ranges(depth + 1, expression.over);
      if (expression.guard) {
        line(depth + 1, "where");
        this->expression(depth + 2, *expression.guard);
      }
      break;
    case Expression::Kind::element:
      line(depth, "element");
      break;
    case Expression::Kind::cast:
      line(depth, "cast<{}>", expression.text);
      break;
    }
    for (const ExpressionPtr &operand : expression.operands)
      this->expression(depth + 1, *operand);
  }

  void schedule(const Schedule &schedule) {
    line(1, "schedule{}", schedule.pattern ? " for " + schedule.pattern->text : "");
    for (const Directive &directive : schedule.directives)
      for (const Setting &setting : directive.settings) {
        std::string key = directive.name.text;
        for (const Word &part : setting.key)
          key += "." + part.text;
        std::string alternatives;
        for (const Word &alternative : setting.alternatives)
          alternatives += (alternatives.empty() ? "" : " | ") + alternative.text;
        line(2, "{} = {}", key, alternatives);
      }
    for (const Requirement &requirement : schedule.requirements) {
      line(2, "require");
      expression(3, *requirement.rule);
    }
  }

  void bindings(const std::vector<Binding> &bindings) {
    for (const Binding &binding : bindings)
      line(2, "{} = {}", binding.name.text, binding.value.text);
  }
};

} // namespace

std::string print(const Program &program) {
  Printer printer;
  for (const Function &function : program.functions)
    printer.function(function);
  for (const Kernel &kernel : program.kernels)
    printer.kernel(kernel);
  return std::move(printer.text);
}

} // namespace mmk::ast
