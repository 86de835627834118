#include "frontend/schedule.h"

#include "frontend/numbers.h"
#include "frontend/resolve.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace mmk {
namespace {

const std::vector<std::string> directives = {"cores", "grid", "tile",  "stage", "buffers", "keep",
                                             "bias",  "skew", "store", "order", "epilogue"};
const std::vector<std::string> bufferNames = {"l1", "panel", "l0", "bt", "acc", "out", "ub"};
const std::vector<std::string> operandBuffers = {"l1", "l0", "ub"};
constexpr int64_t maximumCores = 1024, maximumBuffers = 8, maximumSwizzle = 1024;

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

/// A legal form to show: "tile M = 128, N = 128".
std::string example(const Kernel &kernel, std::string_view directive) {
  std::string dimension = directive == "stage" ? "K" : "M";
  for (const std::string &candidate : kernel.dimensions)
    if (directive != "stage" || roleOf(kernel, candidate).isReduction) {
      dimension = candidate;
      break;
    }
  if (directive == "buffers")
    return "buffers l1 = 2";
  return fmt::format("{} {} = {}", directive, dimension, directive == "grid" ? 2 : 128);
}

class KeyCheck {
public:
  KeyCheck(const Kernel &kernel, bool knowsBody) : kernel_(kernel), knowsBody_(knowsBody) {}

  /// Empty when the key is legal.
  std::string problem(std::string_view key) const {
    const std::vector<std::string> parts = split(key);
    const std::string &directive = parts.front();
    if (!isIn(directives, directive))
      return unknownDirective(directive);
    if (directive == "grid" || directive == "tile" || directive == "stage")
      return dimensionProblem(directive, parts);
    if (directive == "buffers")
      return bufferProblem(parts);
    if (parts.size() > 1)
      return fmt::format("'{}' is one choice for the whole kernel; expected {} = ..., found {}",
                         directive, directive, key);
    return "";
  }

private:
  static std::string unknownDirective(const std::string &directive) {
    const std::string_view near = nearestWord(directive, directives);
    return fmt::format("unknown directive '{}'{}; directives: {}", directive, didYouMean(near),
                       listOf(directives, "and"));
  }

  std::string dimensionProblem(const std::string &directive,
                               const std::vector<std::string> &parts) const {
    if (parts.size() != 2)
      return fmt::format("'{}' takes dimensions of the kernel; expected such as {}", directive,
                         example(kernel_, directive));
    const std::string &dimension = parts[1];
    if (!isIn(kernel_.dimensions, dimension))
      return fmt::format(
          "'{}' has no dimension {}{}", kernel_.name, dimension,
          kernel_.dimensions.empty() ? "" : "; dimensions: " + listOf(kernel_.dimensions, "and"));
    if (!knowsBody_)
      return "";
    const DimensionRole role = roleOf(kernel_, dimension);
    const auto having = [&](auto property) {
      std::vector<std::string> names;
      for (const std::string &name : kernel_.dimensions)
        if (property(roleOf(kernel_, name)))
          names.push_back(name);
      return names.empty() ? std::string("none here") : listOf(names, "and");
    };
    if (directive == "stage" && !role.isReduction)
      return fmt::format("'stage' is for the inner dimension of a product ({}), found {}",
                         having([](const DimensionRole &each) { return each.isReduction; }),
                         dimension);
    if (!role.isReduction && !role.isOutput)
      return fmt::format(
          "'{}' is for dimensions of a result or inside a product ({}), found {}", directive,
          having([](const DimensionRole &each) { return each.isReduction || each.isOutput; }),
          dimension);
    return "";
  }

  std::string bufferProblem(const std::vector<std::string> &parts) const {
    if (parts.size() < 2)
      return fmt::format("'buffers' takes names of on-chip buffers ({}); expected such as {}",
                         listOf(bufferNames), example(kernel_, "buffers"));
    if (!isIn(bufferNames, parts[1]))
      return fmt::format("unknown buffer '{}'; buffers: {}", parts[1], listOf(bufferNames, "and"));
    if (parts.size() == 2)
      return "";
    if (!isIn(operandBuffers, parts[1]))
      return fmt::format("'{}' holds no operand, so its copies are given for all of it: buffers "
                         "{} = ...; operands can be named in {}",
                         parts[1], parts[1], listOf(operandBuffers, "and"));
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

/// Empty when `word` is an integer from 1 to `maximum`; `legal` says that in words.
std::string rangeProblem(std::string_view key, std::string_view word, int64_t maximum,
                         std::string legal = "") {
  const auto number = parseInteger(word);
  if (number && *number >= 1 && *number <= maximum)
    return "";
  if (legal.empty())
    legal = fmt::format("an integer from 1 to {}", maximum);
  return outside(key, word, legal);
}

std::string tileProblem(std::string_view key, std::string_view word, const DimensionRole &role) {
  if (word == "auto" && role.mayFit())
    return "";
  const std::string legal =
      role.multiple > 1
          ? fmt::format("{}a multiple of {} from {} to {}", role.mayFit() ? "auto or " : "",
                        role.multiple, role.multiple, maximumTile)
          : "";
  if (std::string problem = rangeProblem(key, word, maximumTile, legal); !problem.empty())
    return problem;
  const int64_t number = *parseInteger(word);
  if (number % role.multiple == 0)
    return "";
  return fmt::format("{} = {} is not a multiple of {}, {}; nearest legal: {}", key, number,
                     role.multiple, role.reason,
                     nearestMultiples(number, role.multiple, maximumTile));
}

std::string orderProblem(std::string_view word) {
  const std::vector<std::string> words = {"rows", "columns", "zigzag"};
  if (isIn(words, word))
    return "";
  if (word.starts_with("swizzle(") && word.ends_with(")"))
    return rangeProblem("the width of swizzle", word.substr(8, word.size() - 9), maximumSwizzle);
  return outside("order", word, "rows, columns, zigzag or swizzle(n)");
}

std::string keepProblem(std::string_view word) {
  if (word == "none")
    return "";
  if ((word.starts_with("A(") || word.starts_with("B(")) && word.ends_with(")"))
    return rangeProblem("the depth of a panel that is kept", word.substr(2, word.size() - 3),
                        maximumTile);
  return outside("keep", word, "none, A(n) or B(n)");
}

/// The directives that have few words.
const std::map<std::string, std::vector<std::string>> wordsOf = {
    {"bias", {"vector", "table"}},
    {"skew", {"none", "stages"}},
    {"store", {"after", "overlapped"}},
    {"epilogue", {"fused", "separate"}}};

} // namespace

DimensionRole roleOf(const Kernel &kernel, std::string_view dimension) {
  DimensionRole role;
  const auto isHere = [&](const Shape &shape) {
    return std::ranges::find(shape, dimension, &Dimension::name) != shape.end();
  };
  const auto require = [&](int64_t multiple, std::string reason) {
    if (multiple > role.multiple) {
      role.multiple = multiple;
      role.reason = std::move(reason);
    }
  };
  role.isOutput = std::ranges::any_of(kernel.results,
                                      [&](const Result &result) { return isHere(result.shape); });
  for (const auto &value : kernel.values) {
    if (value->operation != Operation::product)
      continue;
    if (isHere(Shape(value->shape.end() - 2, value->shape.end()))) {
      role.isOfProduct = true;
      require(16, "the cube's width");
    }
    const Value &left = *value->operands[0];
    if (left.shape.back().name == dimension) {
      role.isReduction = true;
      // 32 bytes deep, but 16 elements for f16 and bf16.
      require(32 / static_cast<int64_t>(sizeInBytes(left.type)),
              fmt::format("the cube's depth for {}", spelling(left.type)));
    }
  }
  return role;
}

bool checkKey(const Kernel &kernel, std::string_view key, bool knowsBody, std::string &message) {
  message = KeyCheck(kernel, knowsBody).problem(key);
  return message.empty();
}

bool checkWord(const Kernel &kernel, std::string_view key, std::string_view word, bool knowsBody,
               std::string &message) {
  const std::vector<std::string> parts = split(key);
  const std::string &directive = parts.front();
  if (directive == "cores") {
    message = word == "auto"
                  ? ""
                  : rangeProblem(key, word, maximumCores,
                                 fmt::format("auto or an integer from 1 to {}", maximumCores));
  } else if (directive == "grid") {
    message = rangeProblem(key, word, maximumCores);
  } else if (directive == "buffers") {
    message = rangeProblem(key, word, maximumBuffers);
  } else if (directive == "order") {
    message = orderProblem(word);
  } else if (directive == "keep") {
    message = keepProblem(word);
  } else if (const auto words = wordsOf.find(directive); words != wordsOf.end()) {
    message = isIn(words->second, word) ? "" : outside(key, word, listOf(words->second));
  } else {
    DimensionRole role = knowsBody ? roleOf(kernel, parts[1]) : DimensionRole();
    if (directive == "stage")
      role.isOfProduct = false;
    if (!knowsBody && directive == "tile" && word == "auto")
      return true; // maybe
    message = tileProblem(key, word, role);
  }
  return message.empty();
}

bool checkChoice(const Kernel &kernel, std::string_view key, std::string_view word,
                 std::string &message) {
  return checkKey(kernel, key, true, message) && checkWord(kernel, key, word, true, message);
}

std::string nearestMultiples(int64_t number, int64_t unit, int64_t maximum) {
  const int64_t below = number / unit * unit, above = below + unit;
  std::vector<std::string> legal;
  if (below >= unit)
    legal.push_back(std::to_string(below));
  if (above <= maximum)
    legal.push_back(std::to_string(above));
  return fmt::format("{}", fmt::join(legal, ", "));
}

bool hasNumbers(std::string_view key) {
  return key != "keep" && key != "order" && !wordsOf.contains(std::string(key));
}

} // namespace mmk
