// What a kernel declares: its dimensions, parameters and results.
#include "frontend/check_kernel.h"
#include "frontend/numbers.h"
#include "frontend/resolve.h"
#include "frontend/whole.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace mmk {
namespace {

constexpr size_t maximumRank = 8;

class SignatureCheck {
public:
  SignatureCheck(const WholeValues &wholes, Kernel &kernel, Diagnostics &diagnostics)
      : wholes_(wholes), kernel_(kernel), diagnostics_(diagnostics) {}

  Signature check(const ast::Kernel &tree) {
    for (const ast::Parameter &parameter : tree.parameters)
      this->parameter(parameter);
    for (const ast::Derived &derived : tree.derived)
      this->derived(derived);
    for (const ast::Result &result : tree.results)
      this->result(result);
    if (tree.parameters.empty())
      diagnostics_.error(tree.name.where, fmt::format("'{}' has no parameters; expected at least "
                                                      "one, such as a: f16[M, K]",
                                                      tree.name.text));
    namesAreDistinct();
    return std::move(signature_);
  }

private:
  void parameter(const ast::Parameter &tree) {
    isParameter_ = true;
    declare(tree.name);
    const bool isConstant = qualifiers(tree);
    if (tree.type.element.text == "int" && tree.type.dimensions.empty())
      return whole(tree);
    Parameter &added = kernel_.parameters.emplace_back();
    added.name = tree.name.text;
    added.where = tree.where;
    added.isConstant = isConstant;
    if (!type(tree.type, added.type, added.shape))
      signature_.unsound.insert(added.name);
    if (tree.type.dimensions.empty())
      scalar(tree, added);
    else if (tree.byDefault)
      diagnostics_.error(
          tree.byDefault->where,
          fmt::format("the tensor '{}' cannot have a default; only scalars can", added.name));
  }

  /// Whether `const` stands before the type of a parameter.
  bool qualifiers(const ast::Parameter &tree) {
    const std::vector<ast::Word> &words = tree.type.qualifiers;
    if (tree.type.element.text == "const")
      return false; // reported with the type
    for (const ast::Word &word : words)
      if (word.text != "const") {
        diagnostics_.error(word.where,
                           fmt::format("only 'const' stands before a type, found '{}'", word.text));
        return false;
      }
    if (words.empty())
      return false;
    if (words.size() > 1)
      diagnostics_.error(words[1].where, "'const' stands before a type once");
    else if (tree.type.dimensions.empty())
      diagnostics_.error(words.front().where,
                         fmt::format("'const' is for tensors, which are laid out when they are "
                                     "bound; the scalar '{}' has no layout",
                                     tree.name.text));
    return true;
  }

  void whole(const ast::Parameter &tree) {
    WholeParameter &added =
        kernel_.wholes.emplace_back(WholeParameter{tree.name.text, 0, tree.where});
    if (!tree.byDefault) {
      diagnostics_.error(tree.where,
                         fmt::format("the int parameter '{0}' has no default, which is "
                                     "compiled where none is given; such as {0}: int = 1",
                                     tree.name.text));
      return;
    }
    const std::string problem = problemOfScalar(ElementType::i32, tree.byDefault->text);
    if (!problem.empty())
      diagnostics_.error(tree.byDefault->where, problem);
    added.value = parseInteger(tree.byDefault->text).value_or(0);
    if (const auto given = wholes_.find(added.name); given != wholes_.end())
      added.isDefault = given->second == added.value, added.value = given->second;
  }

  void scalar(const ast::Parameter &tree, Parameter &added) {
    if (!signature_.unsound.contains(added.name) && added.type != ElementType::f32 &&
        added.type != ElementType::i32)
      diagnostics_.error(tree.type.where,
                         fmt::format("the scalar '{}' is {}; scalars are f32, i32 or int (with a "
                                     "shape, such as {}[1], it would be a tensor)",
                                     added.name, spelling(added.type), spelling(added.type)));
    if (!tree.byDefault)
      return;
    if (const std::string problem = problemOfScalar(added.type, tree.byDefault->text);
        !problem.empty())
      diagnostics_.error(tree.byDefault->where, problem);
    added.byDefault = parseNumber(tree.byDefault->text);
  }

  /// `dim P = ...;`: the name alone. What it follows from is checked when all names are known.
  void derived(const ast::Derived &tree) {
    if (!std::isupper(static_cast<unsigned char>(tree.name.text.front()))) {
      dimension(tree.name); // reports it
      return;
    }
    if (const auto first =
            std::ranges::find(kernel_.derived, tree.name.text, &DerivedDimension::name);
        first != kernel_.derived.end()) {
      diagnostics_.error(tree.name.where, fmt::format("'{}' is derived twice", tree.name.text))
          .notes.push_back({Severity::note, first->where, "first here", {}});
      return;
    }
    const bool isNew = signature_.dimensions.try_emplace(tree.name.text, tree.name.where).second;
    DerivedDimension added;
    added.name = tree.name.text;
    added.where = tree.name.where;
    added.isInParameter = !isNew;
    kernel_.derived.push_back(std::move(added));
    if (isNew)
      kernel_.dimensions.push_back(tree.name.text);
  }

  void result(const ast::Result &tree) {
    isParameter_ = false;
    declare(tree.name);
    Result &added = kernel_.results.emplace_back();
    added.name = tree.name.text;
    added.where = tree.where;
    if (!type(tree.type, added.type, added.shape))
      signature_.unsound.insert(added.name);
    if (!tree.type.qualifiers.empty())
      diagnostics_.error(tree.type.qualifiers.front().where,
                         fmt::format("a result has a plain type, found '{}' before it; 'const' is "
                                     "for parameters",
                                     tree.type.qualifiers.front().text));
    added.isScalar = tree.type.dimensions.empty();
    if (added.isScalar)
      added.shape = {{"", 1}};
  }

  void declare(const ast::Word &name) {
    const auto [first, isNew] = signature_.values.try_emplace(name.text, name.where);
    if (isNew)
      return;
    const bool ofParameter = std::ranges::find(kernel_.parameters, name.text, &Parameter::name) !=
                             kernel_.parameters.end();
    diagnostics_
        .error(name.where, fmt::format("'{}' is the name of a {} already", name.text,
                                       ofParameter ? "parameter" : "result"))
        .notes.push_back({Severity::note, first->second, "first here", {}});
  }

  bool type(const ast::Type &tree, ElementType &type, Shape &shape) {
    const bool isConst = tree.element.text == "const";
    if (isConst)
      diagnostics_.error(tree.element.where,
                         "'const' stands before an element type, such as const f16[K, N]");
    const auto element = isConst ? std::nullopt : resolveType(tree.element, diagnostics_);
    type = element.value_or(ElementType::f32);
    bool sound = element.has_value();
    if (tree.dimensions.size() > maximumRank) {
      diagnostics_.error(tree.where, fmt::format("a shape of {} dimensions; at most {} are allowed",
                                                 tree.dimensions.size(), maximumRank));
      sound = false;
    }
    for (const ast::Word &word : tree.dimensions) {
      const auto dimension = this->dimension(word);
      sound &= dimension.has_value();
      if (dimension)
        shape.push_back(*dimension);
    }
    return sound;
  }

  std::optional<Dimension> dimension(const ast::Word &word) {
    const auto first = static_cast<unsigned char>(word.text.front());
    if (std::isdigit(first)) {
      const auto size = parseInteger(word.text);
      if (size && *size >= 1 && *size <= maximumDimension)
        return Dimension{"", *size};
      diagnostics_.error(
          word.where, fmt::format("a dimension is 1 to {}, found {}", maximumDimension, word.text));
      return std::nullopt;
    }
    if (!std::isupper(first)) {
      std::string upper = word.text;
      upper[0] = static_cast<char>(std::toupper(first));
      diagnostics_.error(word.where,
                         fmt::format("a dimension begins with an upper-case letter, found '{}'{}",
                                     word.text, std::isalpha(first) ? "; write " + upper : ""));
      return std::nullopt;
    }
    const bool isNew = signature_.dimensions.try_emplace(word.text, word.where).second;
    if (isNew && isParameter_)
      kernel_.dimensions.push_back(word.text);
    if (isParameter_ ||
        std::ranges::find(kernel_.dimensions, word.text) != kernel_.dimensions.end())
      return Dimension{word.text, 0};
    if (isNew)
      diagnostics_.error(word.where,
                         fmt::format("the dimension {0} is in no parameter, so no argument can "
                                     "bind it{1}; one that follows from others is given by dim {0} "
                                     "= ...",
                                     word.text,
                                     suggestion(word.text, kernel_.dimensions, "dimensions")));
    return std::nullopt;
  }

  void namesAreDistinct() {
    for (const auto &[name, where] : signature_.values)
      if (const auto dimension = signature_.dimensions.find(name);
          dimension != signature_.dimensions.end())
        diagnostics_.error(where, fmt::format("'{}' names both a value and a dimension", name))
            .notes.push_back({Severity::note, dimension->second, "the dimension", {}});
  }

  const WholeValues &wholes_;
  Kernel &kernel_;
  Diagnostics &diagnostics_;
  Signature signature_;
  bool isParameter_ = true;
};

} // namespace

Signature checkSignature(const ast::Kernel &tree, const WholeValues &wholes, Kernel &kernel,
                         Diagnostics &diagnostics) {
  return SignatureCheck(wholes, kernel, diagnostics).check(tree);
}

} // namespace mmk
