#include "ascendc/element_names.h"

#include "ir/element_type.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace mmk::ascendc {

static constexpr std::array names = {
    ElementNames{ElementType::f16, "half", "at::kHalf"},
    ElementNames{ElementType::bf16, "bfloat16_t", "at::kBFloat16"},
    ElementNames{ElementType::f32, "float", "at::kFloat"},
    ElementNames{ElementType::i8, "int8_t", "at::kChar"},
    ElementNames{ElementType::i32, "int32_t", "at::kInt"},
};

const ElementNames *namesOf(mlir::Type element) {
  const std::optional<ElementType> type = elementTypeOf(element);
  const auto *found =
      std::ranges::find_if(names, [&](const ElementNames &each) { return each.type == type; });
  return found == names.end() ? nullptr : found;
}

std::string deviceType(mlir::Type element) { return std::string(namesOf(element)->device); }

std::string converted(const std::string &number, mlir::Type element) {
  if (element.isF32())
    return number;
  return element.isBF16() ? fmt::format("ToBfloat16({})", number)
                          : fmt::format("static_cast<{}>({})", namesOf(element)->device, number);
}

} // namespace mmk::ascendc
