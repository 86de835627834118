// The known results of the variants of one kernel on one machine, in this process.
#pragma once

#include "store/decision.h"
#include "store/result.h"
#include "support/diagnostics.h"

#include <unordered_map>

namespace mmk::tune {

class Known {
public:
  /// The variant to which a request (a choice for every directive of the schedule) compiles.
  struct Code {
    static constexpr int32_t none = -1;
    int32_t variant = none; ///< number of the variant, or none: it is not legal
    std::string reason;     ///< why it is not legal
    std::vector<ShapeLimit> limits = {};
    DiagnosticCode code = DiagnosticCode::none; ///< of the reason
  };

  explicit Known(size_t shapes) : measures(shapes), checks(shapes) {}

  int32_t numberOf(const std::string &variant) {
    const auto [entry, isNew] = numbers_.try_emplace(variant, static_cast<int32_t>(names_.size()));
    if (isNew)
      names_.push_back(variant);
    return entry->second;
  }
  const std::string &nameOf(int32_t variant) const { return names_[variant]; }
  /// Whether a check found its results wrong; such a variant never wins.
  bool isWrong(int32_t variant, size_t shape) const {
    const auto check = checks[shape].find(variant);
    return check != checks[shape].end() && check->second.state == CheckState::failed;
  }

  std::unordered_map<std::string, Code> codes; ///< by request
  /// By shape, then by number of the variant.
  std::vector<std::unordered_map<int32_t, Measure>> measures;
  std::vector<std::unordered_map<int32_t, Check>> checks;

  /// Decisions for these shapes together, perhaps with others.
  std::vector<Decision> decisions;

private:
  std::unordered_map<std::string, int32_t> numbers_;
  std::vector<std::string> names_;
};

} // namespace mmk::tune
