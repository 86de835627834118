// What a kernel declares: its dimensions, parameters and results.
#include "frontend/check_kernel.h"
#include "frontend/numbers.h"
#include "frontend/resolve.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace mmk {
namespace {

constexpr int64_t maximumDimension = (int64_t(1) << 31) - 1;
constexpr size_t maximumRank = 8;

class SignatureCheck {
public:
  SignatureCheck(Kernel &kernel, Diagnostics &diagnostics)
      : kernel_(kernel), diagnostics_(diagnostics) {}

  Signature check(const ast::Kernel &tree) {
    for (const ast::Parameter &parameter : tree.parameters)
      this->parameter(parameter);
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
    Parameter &added = kernel_.parameters.emplace_back();
    added.name = tree.name.text;
    added.where = tree.where;
    if (!type(tree.type, added.type, added.shape))
      signature_.unsound.insert(added.name);
    if (tree.type.dimensions.empty())
      scalar(tree, added);
    else if (tree.byDefault)
      diagnostics_.error(
          tree.byDefault->where,
          fmt::format("the tensor '{}' cannot have a default; only scalars can", added.name));
  }

  void scalar(const ast::Parameter &tree, Parameter &added) {
    if (!signature_.unsound.contains(added.name) && added.type != ElementType::f32)
      diagnostics_.error(tree.type.where,
                         fmt::format("the scalar '{}' is {}; scalars are f32 (with a shape, such "
                                     "as {}[1], it would be a tensor)",
                                     added.name, spelling(added.type), spelling(added.type)));
    if (!tree.byDefault)
      return;
    if (overflowsF32(tree.byDefault->text))
      diagnostics_.error(
          tree.byDefault->where,
          fmt::format("{} is too large for f32, whose largest number is 3.4028235e38",
                      tree.byDefault->text));
    added.byDefault = parseNumber(tree.byDefault->text);
  }

  void result(const ast::Result &tree) {
    isParameter_ = false;
    declare(tree.name);
    Result &added = kernel_.results.emplace_back();
    added.name = tree.name.text;
    added.where = tree.where;
    if (!type(tree.type, added.type, added.shape))
      signature_.unsound.insert(added.name);
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
    const auto element = resolveType(tree.element, diagnostics_);
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
                         fmt::format("the dimension {} is in no parameter, so no argument can "
                                     "bind it{}",
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

  Kernel &kernel_;
  Diagnostics &diagnostics_;
  Signature signature_;
  bool isParameter_ = true;
};

} // namespace

Signature checkSignature(const ast::Kernel &tree, Kernel &kernel, Diagnostics &diagnostics) {
  return SignatureCheck(kernel, diagnostics).check(tree);
}

} // namespace mmk
