// Integer arithmetic over the position in a tensor, evaluated once an element.
#pragma once

#include "frontend/kernel.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mmk {

class IndexProgram {
public:
  /// `dims` has every dimension that the rule reads.
  IndexProgram(const Rule &rule, const std::map<std::string, int64_t> &dims);

  /// At a position in the shape of the value, "#0" first. Divides by zero to zero.
  int64_t operator()(const int64_t *position) const;

private:
  struct Step {
    Rule::Kind kind;
    int64_t number = 0; ///< or the place in the position, of a choice
    size_t left = 0, right = 0;
  };
  size_t add(const Rule &rule, const std::map<std::string, int64_t> &dims);

  std::vector<Step> steps_; ///< operands first
};

} // namespace mmk
