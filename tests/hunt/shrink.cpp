#include "tests/hunt/shrink.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace mmk::hunt {
namespace {

void collect(Expression &expression, std::vector<Expression *> &all) {
  all.push_back(&expression);
  for (Expression &operand : expression.operands)
    collect(operand, all);
}

void collectNames(const Expression &expression, std::set<std::string> &names) {
  // A text in index notation has several.
  std::string word;
  for (char c : expression.head + ' ')
    if (std::isalnum(static_cast<unsigned char>(c))) {
      word += c;
    } else {
      names.insert(word);
      word.clear();
    }
  names.insert(expression.head);
  for (const Expression &operand : expression.operands)
    collectNames(operand, names);
}

/// Removes lets and parameters that nothing reads, except parameters that alone bind a dimension.
void dropUnread(KernelText &kernel) {
  std::set<std::string> read;
  for (size_t i = kernel.body.size(); i-- > 0;) {
    const Statement &statement = kernel.body[i];
    if (statement.isLet && !read.contains(statement.name))
      kernel.body.erase(kernel.body.begin() + static_cast<std::ptrdiff_t>(i));
    else
      collectNames(statement.value, read);
  }
  std::set<std::string> needed;
  for (const Declaration &result : kernel.results)
    needed.insert(result.dims.begin(), result.dims.end());
  const auto binds = [&](const Declaration &parameter, const std::string &dim) {
    return std::ranges::find(parameter.dims, dim) != parameter.dims.end();
  };
  std::erase_if(kernel.parameters, [&](const Declaration &parameter) {
    if (read.contains(parameter.name))
      return false;
    return std::ranges::all_of(parameter.dims, [&](const std::string &dim) {
      return !needed.contains(dim) ||
             std::ranges::any_of(kernel.parameters, [&](const Declaration &other) {
               return &other != &parameter && read.contains(other.name) && binds(other, dim);
             });
    });
  });
}

class Shrinking {
public:
  Shrinking(Sample sample, const std::function<bool(const Sample &)> &fails, int tries)
      : sample_(std::move(sample)), fails_(fails), left_(tries) {}

  Sample run() {
    bool shrank = true;
    while (shrank && left_ > 0) {
      shrank = besides();
      shrank |= results();
      shrank |= lists();
      shrank |= expressions();
      shrank |= extents();
      shrank |= kinds();
    }
    return std::move(sample_);
  }

private:
  /// Keeps a change that still fails.
  bool keep(Sample changed) {
    if (left_-- <= 0)
      return false;
    dropUnread(changed.kernel);
    if (!fails_(changed))
      return false;
    sample_ = std::move(changed);
    return true;
  }

  bool besides() {
    bool shrank = false;
    for (bool Also::*each :
         {&Also::host, &Also::separate, &Also::watched, &Also::object, &Also::mutant})
      if (sample_.also.*each) {
        Sample changed = sample_;
        changed.also.*each = false;
        shrank |= keep(std::move(changed));
      }
    return shrank;
  }

  bool results() {
    bool shrank = false;
    for (size_t i = sample_.kernel.results.size(); i-- > 0 && sample_.kernel.results.size() > 1;) {
      Sample changed = sample_;
      const std::string name = changed.kernel.results[i].name;
      changed.kernel.results.erase(changed.kernel.results.begin() + static_cast<std::ptrdiff_t>(i));
      changed.errors.erase(changed.errors.begin() + static_cast<std::ptrdiff_t>(i));
      std::erase_if(changed.kernel.body,
                    [&](const Statement &statement) { return statement.name == name; });
      shrank |= keep(std::move(changed));
    }
    return shrank;
  }

  template <typename Element> bool without(std::vector<Element> &(*list)(Sample &)) {
    bool shrank = false;
    for (size_t i = list(sample_).size(); i-- > 0;) {
      Sample changed = sample_;
      list(changed).erase(list(changed).begin() + static_cast<std::ptrdiff_t>(i));
      shrank |= keep(std::move(changed));
    }
    return shrank;
  }

  bool lists() {
    using Choice = std::pair<std::string, std::string>;
    bool shrank =
        without<Choice>(+[](Sample &sample) -> std::vector<Choice> & { return sample.choices; });
    shrank |= without<MachineOverride>(
        +[](Sample &sample) -> std::vector<MachineOverride> & { return sample.overrides; });
    shrank |= without<Alternatives>(
        +[](Sample &sample) -> std::vector<Alternatives> & { return sample.kernel.schedule; });
    for (size_t i = 0; i < sample_.kernel.schedule.size(); ++i)
      if (sample_.kernel.schedule[i].words.size() > 1) {
        Sample changed = sample_;
        changed.kernel.schedule[i].words.resize(1);
        shrank |= keep(std::move(changed));
      }
    return shrank;
  }

  /// Each operation becomes one of its operands. The bound of a result that may be off holds for
  /// its whole expression only.
  bool expressions() {
    if (std::ranges::any_of(sample_.errors, [](double error) { return error > 0; }))
      return false;
    bool shrank = false;
    for (size_t i = sample_.kernel.body.size(); i-- > 0;)
      for (size_t node = 0; i < sample_.kernel.body.size(); ++node) {
        std::vector<Expression *> all;
        collect(sample_.kernel.body[i].value, all);
        if (node >= all.size())
          break;
        for (size_t operand = 0; operand < all[node]->operands.size(); ++operand) {
          Sample changed = sample_;
          std::vector<Expression *> nodes;
          collect(changed.kernel.body[i].value, nodes);
          const Expression replacement = nodes[node]->operands[operand];
          *nodes[node] = replacement;
          const size_t statements = sample_.kernel.body.size();
          if (keep(std::move(changed))) {
            shrank = true;
            if (sample_.kernel.body.size() != statements)
              return true;
            break;
          }
        }
      }
    return shrank;
  }

  bool extents() {
    bool shrank = false;
    for (size_t i = 0; i < sample_.dims.size(); ++i)
      for (int64_t extent : {int64_t(1), sample_.dims[i].second / 4, sample_.dims[i].second / 2,
                             sample_.dims[i].second * 3 / 4, sample_.dims[i].second - 1})
        if (extent >= 1 && extent < sample_.dims[i].second) {
          Sample changed = sample_;
          changed.dims[i].second = extent;
          if (keep(std::move(changed))) {
            shrank = true;
            break;
          }
        }
    return shrank;
  }

  bool kinds() {
    bool shrank = false;
    if (sample_.fill != Fill::integers) {
      Sample changed = sample_;
      changed.fill = Fill::integers;
      shrank |= keep(std::move(changed));
    }
    if (sample_.machine != "ascend910b3") {
      Sample changed = sample_;
      changed.machine = "ascend910b3";
      shrank |= keep(std::move(changed));
    }
    return shrank;
  }

  Sample sample_;
  const std::function<bool(const Sample &)> &fails_;
  int left_;
};

} // namespace

Sample shrink(Sample sample, const std::function<bool(const Sample &)> &fails, int tries) {
  return Shrinking(std::move(sample), fails, tries).run();
}

} // namespace mmk::hunt
