#include "frontend/schedule.h"

#include "frontend/numbers.h"
#include "frontend/resolve.h"
#include "frontend/shapes.h"
#include "schedule/directive.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace mmk {
namespace {

bool isIn(const std::vector<std::string> &words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

std::vector<std::string> split(std::string_view key) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= key.size();) {
    const size_t end = std::min(key.find('.', begin), key.size());
    parts.emplace_back(key.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// A legal form to show: "tile M = 128".
std::string example(const Kernel &kernel, const DirectiveTraits &directive) {
  if (directive.index == DirectiveIndex::buffer)
    return fmt::format("{} {} = 2", directive.name, bufferGroups().front().name);
  const bool ofReduction = directive.index == DirectiveIndex::reduction;
  std::string dimension = ofReduction ? "K" : "M";
  for (const std::string &candidate : kernel.dimensions)
    if (!ofReduction || roleOf(kernel, candidate).isReduction) {
      dimension = candidate;
      break;
    }
  return fmt::format("{} {} = {}", directive.name, dimension, directive.isLength ? 128 : 2);
}

std::vector<std::string> namesOfBuffers(bool ofOperands) {
  std::vector<std::string> names;
  for (const BufferGroup &group : bufferGroups())
    if (!ofOperands || group.holdsOperands)
      names.emplace_back(group.name);
  return names;
}

/// Where a dimension is in a shape, which has so many dimensions then.
struct Placed {
  size_t first, end, rank;
};

/// The places of a dimension, also where grouped ones are two (mmk-join-dimensions).
class Places {
public:
  explicit Places(const Kernel &kernel) : groups_(groupedDimensions(kernel)) {}

  std::vector<Placed> of(const Shape &shape, std::string_view dimension) const {
    std::vector<Placed> all;
    const auto add = [&](const Shape &form) {
      for (auto [first, end] : placesOf(form, dimension))
        all.push_back({first, end, form.size()});
    };
    add(shape);
    for (const GroupedDimension &group : groups_)
      if (const auto at = std::ranges::find(shape, group.all); at != shape.end()) {
        Shape form(shape.begin(), at);
        form.push_back(group.groups);
        form.push_back({"", group.count});
        form.insert(form.end(), at + 1, shape.end());
        add(form);
      }
    return all;
  }

private:
  std::vector<GroupedDimension> groups_;
};

class KeyCheck {
public:
  KeyCheck(const Kernel &kernel, bool knowsBody) : kernel_(kernel), knowsBody_(knowsBody) {}

  /// Empty when the key is legal.
  std::string problem(std::string_view key) const {
    const std::vector<std::string> parts = split(key);
    const DirectiveTraits *directive = findDirective(parts.front());
    if (!directive)
      return unknownDirective(parts.front());
    switch (directive->index) {
    case DirectiveIndex::dimension:
    case DirectiveIndex::reduction:
      return dimensionProblem(*directive, parts);
    case DirectiveIndex::reduced:
      return parts.size() == 1 ? "" : reducedProblem(*directive, parts);
    case DirectiveIndex::buffer:
      return bufferProblem(*directive, parts);
    case DirectiveIndex::none:
      break;
    }
    if (parts.size() > 1)
      return fmt::format("'{}' is one choice for the whole kernel; expected {} = ..., found {}",
                         directive->name, directive->name, key);
    return "";
  }

private:
  static std::string unknownDirective(const std::string &name) {
    const std::vector<std::string> names = directiveNames();
    return fmt::format("unknown directive '{}'{}; directives: {}", name,
                       didYouMean(nearestWord(name, names)), listOf(names, "and"));
  }

  /// A name, or that of a role, "s.i".
  static std::string dimensionOf(const std::vector<std::string> &parts) {
    return fmt::format("{}", fmt::join(parts.begin() + 1, parts.end(), "."));
  }

  /// Whether it is several dimensions of a tensor that follow each other: mmk may join them.
  bool isOfSeveral(const std::string &dimension) const {
    const Places places(kernel_);
    const auto has = [&](const auto &each) { return !places.of(each.shape, dimension).empty(); };
    return std::ranges::any_of(kernel_.parameters, has) ||
           std::ranges::any_of(kernel_.results, has) ||
           std::ranges::any_of(kernel_.values, [&](const auto &value) { return has(*value); });
  }

  std::string unknownDimension(const std::string &dimension) const {
    const std::vector<std::string> dimensions = tiledDimensions(kernel_);
    const bool isRole = dimension.find('.') != dimension.npos;
    if (isIn(dimensions, dimension) || (isRole && !knowsBody_) || isOfSeveral(dimension))
      return "";
    return fmt::format("'{}' has no dimension {}{}", kernel_.name, dimension,
                       dimensions.empty() ? "" : "; dimensions: " + listOf(dimensions, "and"));
  }

  /// The dimensions whose role has a property, for messages.
  template <typename Property> std::string having(Property property) const {
    std::vector<std::string> names;
    for (const std::string &name : tiledDimensions(kernel_))
      if (property(roleOf(kernel_, name)))
        names.push_back(name);
    return names.empty() ? std::string("none here") : listOf(names, "and");
  }

  std::string reducedProblem(const DirectiveTraits &directive,
                             const std::vector<std::string> &parts) const {
    const std::string dimension = dimensionOf(parts);
    if (std::string unknown = unknownDimension(dimension); !unknown.empty() || !knowsBody_)
      return unknown;
    const auto isReduced = [](const DimensionRole &each) { return each.isReduced; };
    if (isReduced(roleOf(kernel_, dimension)))
      return "";
    return fmt::format("'{}' is for dimensions that are reduced ({}), found {}", directive.name,
                       having(isReduced), dimension);
  }

  std::string dimensionProblem(const DirectiveTraits &directive,
                               const std::vector<std::string> &parts) const {
    if (parts.size() < 2)
      return fmt::format("'{}' takes dimensions of the kernel; expected such as {}", directive.name,
                         example(kernel_, directive));
    const std::string dimension = dimensionOf(parts);
    if (std::string unknown = unknownDimension(dimension); !unknown.empty() || !knowsBody_)
      return unknown;
    const DimensionRole role = roleOf(kernel_, dimension);
    if (directive.index == DirectiveIndex::reduction && !role.isReduction)
      return fmt::format(
          "'{}' is for the inner dimension of a product ({}), found {}", directive.name,
          having([](const DimensionRole &each) { return each.isReduction; }), dimension);
    // What is in between has tiles, too; a grid of cores is for the results.
    const bool takesValues = directive.isLength;
    const auto isLegal = [&](const DimensionRole &each) {
      return each.isReduction || each.isOutput || (takesValues ? each.isOfValue : each.isDivided);
    };
    if (!isLegal(role))
      return fmt::format("'{}' is for dimensions of a result{} inside a product{} ({}), found {}",
                         directive.name, takesValues ? " or" : ",",
                         takesValues ? "" : " or reduced", having(isLegal), dimension);
    return "";
  }

  std::string bufferProblem(const DirectiveTraits &directive,
                            const std::vector<std::string> &parts) const {
    const std::vector<std::string> buffers = namesOfBuffers(/*ofOperands=*/false);
    if (parts.size() < 2)
      return fmt::format("'{}' takes names of on-chip buffers ({}); expected such as {}",
                         directive.name, listOf(buffers), example(kernel_, directive));
    const BufferGroup *group = findBufferGroup(parts[1]);
    if (!group)
      return fmt::format("unknown buffer '{}'; buffers: {}", parts[1], listOf(buffers, "and"));
    if (parts.size() == 2)
      return "";
    if (!group->holdsOperands)
      return fmt::format("'{}' holds no operand, so its copies are given for all of it: {} {} = "
                         "...; operands can be named in {}",
                         parts[1], directive.name, parts[1],
                         listOf(namesOfBuffers(/*ofOperands=*/true), "and"));
    std::vector<std::string> tensors;
    for (const Parameter &parameter : kernel_.parameters)
      if (!parameter.isScalar())
        tensors.push_back(parameter.name);
    const std::string operand = fmt::format("{}", fmt::join(parts.begin() + 2, parts.end(), "."));
    if (!isIn(tensors, operand))
      return fmt::format("unknown operand '{}'; tensors of '{}': {}", operand, kernel_.name,
                         listOf(tensors, "and"));
    return "";
  }

  const Kernel &kernel_;
  bool knowsBody_;
};

std::string outside(std::string_view key, std::string_view word, std::string_view legal) {
  const bool isNumber = word.find_first_of("-0123456789") == 0;
  const std::string found = word.empty() ? "nothing"
                            : isNumber   ? std::string(word)
                                         : fmt::format("'{}'", word);
  return fmt::format("{} is {}, found {}", key, legal, found);
}

/// Empty when `word` is an integer from `minimum` to `maximum`; `legal` says that in words.
std::string rangeProblem(std::string_view key, std::string_view word, int64_t maximum,
                         std::string legal = "", int64_t minimum = 1) {
  const auto number = parseInteger(word);
  if (number && *number >= minimum && *number <= maximum)
    return "";
  if (legal.empty())
    legal = minimum == maximum ? std::to_string(minimum)
                               : fmt::format("an integer from {} to {}", minimum, maximum);
  return outside(key, word, legal);
}

std::string lengthProblem(std::string_view key, std::string_view word,
                          const DirectiveTraits &directive, const DimensionRole &role) {
  const bool mayFit = directive.mayBeAuto && role.mayFit();
  if (word == "auto" && mayFit)
    return "";
  const std::string legal =
      fmt::format("{}{}", mayFit ? "auto or " : "",
                  role.multiple > 1 ? fmt::format("a multiple of {} from {} to {}", role.multiple,
                                                  role.multiple, directive.maximum)
                                    : fmt::format("an integer from 1 to {}", directive.maximum));
  if (std::string problem = rangeProblem(key, word, directive.maximum, legal); !problem.empty())
    return problem;
  return multipleProblem(key, *parseInteger(word), role.multiple, role.reason);
}

std::string wordProblem(std::string_view key, const DirectiveTraits &directive,
                        std::string_view word) {
  const std::optional<ReadWord> read = readWord(directive, word);
  if (!read)
    return outside(key, word, legalWords(directive));
  if (read->word->maximumArgument == 0)
    return "";
  return rangeProblem(directive.argument, read->argument, read->word->maximumArgument);
}

} // namespace

std::vector<std::string> tiledDimensions(const Kernel &kernel) {
  std::vector<std::string> names = kernel.dimensions;
  const auto add = [&](const Shape &shape) {
    for (const Dimension &dimension : shape)
      if (dimension.literal > 1 && !isIn(names, spelling(dimension)))
        names.push_back(spelling(dimension));
  };
  for (const Parameter &parameter : kernel.parameters)
    add(parameter.shape);
  for (const Result &result : kernel.results)
    add(result.shape);
  // Values in between may have ranges of their own, and reductions go over such.
  for (const auto &value : kernel.values)
    add(value->shape);
  return names;
}

DimensionRole roleOf(const Kernel &kernel, std::string_view dimension, Cube cube) {
  DimensionRole role;
  const Places known(kernel);
  const auto isHere = [&](const Shape &shape) { return !known.of(shape, dimension).empty(); };
  // Whether the last of it is this dimension, from the end.
  const auto endsAt = [&](const Shape &shape, size_t fromEnd) {
    return std::ranges::any_of(known.of(shape, dimension), [&](const Placed &place) {
      return place.end + fromEnd == place.rank;
    });
  };
  const auto isAll = [&](const Shape &shape) {
    const auto places = placesOf(shape, dimension);
    return std::ranges::find(places, std::pair(size_t(0), shape.size())) != places.end();
  };
  const auto require = [&](int64_t multiple, std::string_view reason) {
    if (multiple > role.multiple)
      role.reason = reason;
    role.multiple = std::lcm(role.multiple, multiple);
  };
  role.isOutput = std::ranges::any_of(kernel.results,
                                      [&](const Result &result) { return isHere(result.shape); });
  for (const auto &value : kernel.values) {
    role.isOfValue |= value->operation != Operation::parameter && isHere(value->shape);
    if (value->operation == Operation::reduce || value->operation == Operation::cumulate) {
      role.isOfValue |= isHere(value->operands[0]->shape);
      for (auto [first, end] : placesOf(value->operands[0]->shape, dimension))
        if (std::ranges::find(value->along, end - 1) != value->along.end()) {
          role.isReduced = true;
          role.isDivided |= value->operation == Operation::reduce;
        }
    }
    // Merged dimensions are those of a result until it is split.
    if (value->operation == Operation::reshape)
      role.isOutput |=
          value->operands[0]->operation == Operation::product && isHere(value->operands[0]->shape);
    const std::optional<PooledProduct> pooled = pooledProduct(*value);
    if (!pooled && value->operation != Operation::product)
      continue;
    const Shape &shape = value->shape;
    const bool isRow = pooled ? isAll(pooled->rows) : endsAt(shape, 1),
               isColumn = pooled ? isAll(pooled->columns) : endsAt(shape, 0);
    role.isOfProduct |= isRow || isColumn;
    if (cube && isRow)
      require(cube->m, widthReason());
    if (cube && isColumn)
      require(cube->n, widthReason());
    if (pooled) {
      role.isOutput |= isRow || isColumn;
      continue;
    }
    const Value &left = *value->operands[0];
    if (endsAt(left.shape, 0)) {
      role.isReduction = true;
      if (cube && cube->depth.contains(left.type))
        require(cube->depth.at(left.type), depthReason(spelling(left.type)));
    }
  }
  role.isDivided &= !role.isOfProduct && !role.isReduction;
  return role;
}

bool checkKey(const Kernel &kernel, std::string_view key, bool knowsBody, std::string &message) {
  message = KeyCheck(kernel, knowsBody).problem(key);
  return message.empty();
}

bool checkWord(const Kernel &kernel, Cube cube, std::string_view key, std::string_view word,
               bool knowsBody, std::string &message) {
  const DirectiveTraits &directive = *findDirective(key);
  if (!directive.words.empty()) {
    message = wordProblem(withoutAlias(key), directive, word);
  } else if (directive.isLength) {
    if (!knowsBody && directive.mayBeAuto && word == "auto")
      return true; // maybe
    message = lengthProblem(key, word, directive,
                            knowsBody ? roleOf(kernel, indexOf(key), cube) : DimensionRole());
  } else if (directive.mayBeAuto) {
    message = word == "auto"
                  ? ""
                  : rangeProblem(key, word, directive.maximum,
                                 fmt::format("auto or an integer from 1 to {}", directive.maximum));
  } else {
    message = rangeProblem(key, word, directive.maximum, "", directive.minimum);
  }
  return message.empty();
}

bool isProposed(Proposal when, const Kernel &kernel) {
  switch (when) {
  case Proposal::never:
    return false;
  case Proposal::always:
    return true;
  case Proposal::ofProducts:
    return kernel.hasProduct();
  case Proposal::ofWindows:
    return kernel.hasWindow();
  }
  return false;
}

bool checkChoice(const Kernel &kernel, Cube cube, std::string_view key, std::string_view word,
                 std::string &message) {
  return checkKey(kernel, key, true, message) && checkWord(kernel, cube, key, word, true, message);
}

} // namespace mmk
