#include "frontend/function_signature.h"

#include "frontend/numbers.h"
#include "frontend/whole.h"

#include <cctype>
#include <fmt/format.h>
#include <map>

namespace mmk {
namespace {

constexpr size_t maximumRankOfFunction = 8;

class DeclarationCheck {
public:
  DeclarationCheck(const ast::Function &definition, Diagnostics &diagnostics)
      : definition_(definition), diagnostics_(diagnostics) {}

  bool run() {
    for (const ast::Word &word : definition_.over)
      isNew(word, "dimensions");
    for (const ast::Argument &argument : definition_.arguments) {
      isNew(argument.name, "arguments");
      if (argument.type)
        type(argument);
      rank(argument.dimensions.size(), argument.where, argument.name.text);
      for (const ast::Word &word : argument.dimensions)
        dimension(word);
    }
    rank(definition_.places.size(), definition_.name.where, definition_.name.text);
    if (definition_.isOverTensors() && !definition_.over.empty())
      error(definition_.over.front().where,
            fmt::format("'{}' takes whole tensors, and reduces index variables, such as "
                        "sum[j](x[i, j]); it has no dimensions here",
                        definition_.name.text));
    return sound_;
  }

private:
  Diagnostic &error(SourceRange where, std::string message) {
    sound_ = false;
    return diagnostics_.error(where, std::move(message));
  }

  void isNew(const ast::Word &word, const char *what) {
    const auto [first, isNewWord] = seen_.try_emplace(word.text, word.where);
    if (!isNewWord)
      error(word.where,
            fmt::format("'{}' has two {} named '{}'", definition_.name.text, what, word.text))
          .notes.push_back({Severity::note, first->second, "first here", {}});
  }

  void type(const ast::Argument &argument) {
    const std::string &name = argument.name.text;
    if (argument.type->text != "int")
      error(argument.type->where,
            fmt::format("an argument has the type of what is given for it; expected '{0}', or "
                        "'{0}: int' for a whole number, found '{1}'",
                        name, argument.type->text));
    else if (argument.isTensor())
      error(argument.where,
            fmt::format("'{0}: int' is a single number and has no dimensions", name));
    else if (!definition_.isOverTensors())
      error(argument.where,
            fmt::format("'{0}: int' is for functions over tensors, such as fn {1}(x[M, N], {0}: "
                        "int)[i, j] = ...; here '{0}' alone takes every value",
                        name, definition_.name.text));
  }

  void rank(size_t dimensions, SourceRange where, const std::string &name) {
    if (dimensions > maximumRankOfFunction)
      error(where, fmt::format("'{}' has {} dimensions; a tensor has at most {}", name, dimensions,
                               maximumRankOfFunction));
  }

  void dimension(const ast::Word &word) {
    const auto first = static_cast<unsigned char>(word.text.front());
    if (std::isdigit(first)) {
      const auto number = parseInteger(word.text);
      if (!number || *number < 1 || *number > maximumDimension)
        error(word.where,
              fmt::format("a dimension is 1 to {}, found {}", maximumDimension, word.text));
    } else if (!std::isupper(first)) {
      std::string upper = word.text;
      upper[0] = static_cast<char>(std::toupper(first));
      error(word.where, fmt::format("a dimension begins with an upper-case letter, found '{}'{}",
                                    word.text, std::isalpha(first) ? "; write " + upper : ""));
    }
  }

  const ast::Function &definition_;
  Diagnostics &diagnostics_;
  std::map<std::string, SourceRange> seen_;
  bool sound_ = true;
};

} // namespace

bool checkDeclaration(const ast::Function &definition, Diagnostics &diagnostics) {
  return DeclarationCheck(definition, diagnostics).run();
}

} // namespace mmk
