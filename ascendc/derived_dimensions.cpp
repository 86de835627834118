#include "ascendc/derived_dimensions.h"

#include "ascendc/kernel_text.h"
#include "frontend/rule_text.h"

#include <fmt/format.h>

namespace mmk::ascendc {

std::string derivedDimensions(const Kernel &kernel, const std::string &body) {
  std::string lines;
  for (auto dimension = kernel.derived.rbegin(); dimension != kernel.derived.rend(); ++dimension)
    if (mentions(lines + body, dimension->name))
      lines = fmt::format("  const int64_t {} = {};\n", dimension->name,
                          textOf(*dimension->value, kernel)) +
              lines;
  return lines;
}

} // namespace mmk::ascendc
