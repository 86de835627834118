// Arithmetic with the indices of index notation: what a rule reads, between what it stays, how it
// is written.
#pragma once

#include "frontend/kernel.h"
#include "schedule/rule.h"

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace mmk {

/// A sum of names with factors and a number, "2*p + r - 1"; nothing for what divides.
struct LinearForm {
  std::map<std::string, int64_t> factors;
  int64_t number = 0;
};
std::optional<LinearForm> linearForm(const Rule &rule);

/// As the language writes it.
std::string spellingOf(const Rule &rule);

std::unique_ptr<Rule> copyOf(const Rule &rule);

/// The same with other names.
std::unique_ptr<Rule> renamed(const Rule &rule,
                              const std::function<std::string(const std::string &)> &name);

/// Whether a rule reads a name for which `isVariable` holds.
using IsVariable = std::function<bool(const std::string &)>;
bool readsVariable(const Rule &rule, const IsVariable &isVariable);

/// Why a rule is no affine index; empty when it is one. Variables have whole factors; what holds
/// one is divided by positive numbers only.
std::string whyNotAffine(const Rule &rule, const IsVariable &isVariable);

/// The least and the greatest value of an affine index; `greatest` is that of a variable.
struct Interval {
  std::unique_ptr<Rule> low, high;
};
Interval intervalOf(const Rule &rule,
                    const std::function<std::unique_ptr<Rule>(const std::string &)> &greatest);

} // namespace mmk
