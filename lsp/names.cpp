#include "lsp/names.h"

#include "lsp/meanings.h"

#include "frontend/primitives.h"
#include "schedule/directive.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <utility>

namespace mmk::lsp {
namespace {

/// Goes through one syntax tree, with the names in scope. Names that are not known are no symbols.
class NameFinder {
public:
  NameFinder(const ast::Program &tree, const std::vector<std::unique_ptr<Kernel>> &kernels)
      : tree_(tree), kernels_(kernels) {}

  Names all() {
    scopes_.emplace_back();
    for (const ast::Function &function : tree_.functions)
      functions_[function.name.text] =
          define(NameKind::function, function.name, meaningOf(function));
    for (size_t i = 0; i < tree_.kernels.size(); ++i)
      kernel(tree_.kernels[i], i < kernels_.size() ? kernels_[i].get() : nullptr);
    for (const ast::Function &function : tree_.functions)
      this->function(function);
    std::ranges::sort(names_.occurrences, {}, &Occurrence::begin);
    return std::move(names_);
  }

private:
  using Scope = std::map<std::string, size_t>;

  size_t add(NameKind kind, const std::string &name, std::string meaning) {
    names_.symbols.push_back({kind, name, item_, std::move(meaning)});
    return names_.symbols.size() - 1;
  }
  void place(SourceRange where, size_t symbol, bool isDefinition) {
    if (where.end > where.begin)
      names_.occurrences.push_back({where.begin, where.end, symbol, isDefinition});
  }
  size_t define(NameKind kind, const ast::Word &word, std::string meaning) {
    const size_t symbol = add(kind, word.text, std::move(meaning));
    place(word.where, symbol, true);
    return symbol;
  }
  /// Into the innermost scope.
  size_t declare(NameKind kind, const ast::Word &word, std::string meaning) {
    return scopes_.back()[word.text] = define(kind, word, std::move(meaning));
  }
  std::optional<size_t> find(const std::string &name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      if (const auto found = scope->find(name); found != scope->end())
        return found->second;
    return std::nullopt;
  }
  bool use(const ast::Word &word) {
    const std::optional<size_t> symbol = find(word.text);
    if (symbol)
      place(word.where, *symbol, false);
    return symbol.has_value();
  }
  /// A name that the language defines.
  void useOfLanguage(NameKind kind, const ast::Word &word) {
    const auto [found, isNew] = ofLanguage_.try_emplace({kind, word.text}, 0);
    if (isNew) {
      const std::string item = std::exchange(item_, "");
      found->second = add(kind, word.text, "");
      item_ = item;
    }
    place(word.where, found->second, false);
  }

  void kernel(const ast::Kernel &tree, const Kernel *checked) {
    item_.clear();
    define(NameKind::kernel, tree.name, meaningOf(tree));
    item_ = tree.name.text;
    types_ = TypesOfValues(tree, checked);
    scopes_.emplace_back();
    variablesOf_.clear();
    // Their definitions may follow uses in the head of the kernel.
    for (const ast::Derived &derived : tree.derived)
      declare(NameKind::dimension, derived.name,
              fmt::format("dim {} = {}", derived.name.text, derived.text));
    for (const ast::Parameter &parameter : tree.parameters) {
      declare(NameKind::parameter, parameter.name, meaningOf(parameter));
      type(parameter.type);
    }
    for (const ast::Result &result : tree.results) {
      declare(NameKind::result, result.name, meaningOf(result));
      type(result.type);
    }
    for (const ast::Derived &derived : tree.derived)
      expression(*derived.value);
    for (const ast::Requirement &requirement : tree.requirements)
      expression(*requirement.rule);
    for (const ast::Statement &statement : tree.body)
      this->statement(statement);
    for (const ast::Schedule &schedule : tree.schedules)
      this->schedule(schedule);
    for (const ast::Case &block : tree.cases) {
      define(NameKind::kernelCase, block.name, "case " + block.name.text);
      for (const ast::Binding &binding : block.bindings)
        use(binding.name);
    }
    scopes_.pop_back();
  }

  void type(const ast::Type &type) {
    useOfLanguage(NameKind::type, type.element);
    for (const ast::Word &dimension : type.dimensions)
      this->dimension(dimension);
  }
  /// The first place of a dimension introduces it.
  void dimension(const ast::Word &word) {
    if (!use(word) && !std::isdigit(static_cast<unsigned char>(word.text.front())))
      declare(NameKind::dimension, word, "dimension " + word.text);
  }

  void statement(const ast::Statement &statement) {
    const std::string &name = statement.name.text;
    scopes_.emplace_back();
    for (size_t i = 0; i < statement.places.size(); ++i)
      variable(statement.places[i], types_.rangeOf(statement, i));
    expression(*statement.value);
    variablesOf_[name] = std::move(scopes_.back());
    scopes_.pop_back();
    if (statement.isLet)
      declare(NameKind::value, statement.name, types_.meaningOf(name));
    else
      use(statement.name);
  }
  void variable(const ast::Place &place, const std::string &range) {
    if (place.range)
      expression(*place.range);
    declare(NameKind::variable, place.name,
            range.empty() ? "index " + place.name.text
                          : fmt::format("index {0}: 0 <= {0} < {1}", place.name.text, range));
  }

  void expression(const ast::Expression &tree) {
    using Kind = ast::Expression::Kind;
    const ast::Word word{tree.text, tree.textWhere};
    switch (tree.kind) {
    case Kind::name:
      use(word);
      break;
    case Kind::choice:
      return choice(word);
    case Kind::cast:
      useOfLanguage(NameKind::type, word);
      break;
    case Kind::call:
      return call(tree, word);
    case Kind::number:
    case Kind::operation:
    case Kind::element:
      break;
    }
    for (const ast::ExpressionPtr &operand : tree.operands)
      expression(*operand);
  }

  void call(const ast::Expression &tree, const ast::Word &word) {
    if (const auto own = functions_.find(word.text); own != functions_.end())
      place(word.where, own->second, false);
    else
      useOfLanguage(NameKind::libraryFunction, word);
    const NamedReduction *reduction =
        functions_.contains(word.text) ? nullptr : reductionOf(word.text);
    const bool hides = reduction && reduction->reduction;
    scopes_.emplace_back();
    for (const ast::Place &each : tree.over) {
      const std::optional<size_t> known = find(each.name.text);
      const bool isVariable = known && names_.symbols[*known].kind == NameKind::variable;
      if (each.range || !known || (hides && isVariable))
        variable(each, types_.rangeOf(tree, each));
      else
        use(each.name);
    }
    if (tree.guard)
      expression(*tree.guard);
    for (const ast::ExpressionPtr &operand : tree.operands)
      expression(*operand);
    scopes_.pop_back();
  }

  void schedule(const ast::Schedule &schedule) {
    for (const ast::Directive &directive : schedule.directives) {
      useOfLanguage(NameKind::directive, directive.name);
      for (const ast::Setting &setting : directive.settings)
        key(directive.name.text, setting.key);
    }
    for (const ast::Requirement &requirement : schedule.requirements)
      expression(*requirement.rule);
  }
  /// What follows the name of a directive: M, s.i, l1, l1.a.
  void key(const std::string &directive, const std::vector<ast::Word> &words) {
    if (words.empty())
      return;
    if (findBufferGroup(words.front().text) && isOf(directive, "buffers"))
      useOfLanguage(NameKind::bufferGroup, words.front());
    else
      use(words.front());
    if (words.size() < 2)
      return;
    const auto variables = variablesOf_.find(words[0].text);
    if (variables != variablesOf_.end() && variables->second.contains(words[1].text))
      place(words[1].where, variables->second.at(words[1].text), false);
    else
      use(words[1]);
  }
  /// A dotted name of a rule, "tile.M"; with white space in it, its parts are not known.
  void choice(const ast::Word &word) {
    if (word.where.end - word.where.begin != word.text.size())
      return;
    std::vector<ast::Word> parts;
    for (size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
      end = word.text.find('.', begin);
      ast::Word part{word.text.substr(begin, end - begin), word.where};
      part.where.begin = word.where.begin + static_cast<uint32_t>(begin);
      part.where.end = part.where.begin + static_cast<uint32_t>(part.text.size());
      parts.push_back(std::move(part));
    }
    useOfLanguage(NameKind::directive, parts.front());
    key(parts.front().text, {parts.begin() + 1, parts.end()});
  }

  void function(const ast::Function &tree) {
    item_ = tree.name.text;
    types_ = TypesOfValues();
    scopes_.emplace_back();
    for (const ast::Word &dimension : tree.over)
      this->dimension(dimension);
    for (const ast::Argument &argument : tree.arguments) {
      declare(NameKind::parameter, argument.name, meaningOf(argument));
      for (const ast::Word &dimension : argument.dimensions)
        this->dimension(dimension);
      if (argument.type)
        useOfLanguage(NameKind::type, *argument.type);
    }
    for (const ast::Place &place : tree.places)
      variable(place, "");
    expression(*tree.value);
    scopes_.pop_back();
    item_.clear();
  }

  const ast::Program &tree_;
  const std::vector<std::unique_ptr<Kernel>> &kernels_;
  Names names_;
  std::string item_;
  TypesOfValues types_;
  std::vector<Scope> scopes_;
  Scope functions_;
  std::map<std::string, Scope> variablesOf_; ///< of a statement, by the name that it assigns
  std::map<std::pair<NameKind, std::string>, size_t> ofLanguage_;
};

} // namespace

const Occurrence *Names::at(uint32_t offset) const {
  const auto next = std::ranges::upper_bound(occurrences, offset, {}, &Occurrence::begin);
  if (next == occurrences.begin())
    return nullptr;
  const Occurrence &found = *(next - 1);
  return offset <= found.end ? &found : nullptr;
}

const Occurrence *Names::definitionOf(size_t symbol) const {
  for (const Occurrence &each : occurrences)
    if (each.symbol == symbol && each.isDefinition)
      return &each;
  return nullptr;
}

Names namesOf(const ast::Program &tree, const std::vector<std::unique_ptr<Kernel>> &kernels) {
  return NameFinder(tree, kernels).all();
}

} // namespace mmk::lsp
