#include "support/panel_layout.h"

#include <fmt/format.h>

namespace mmk {

std::string PanelLayout::spelling() const {
  std::string text = fmt::format("panels of {} x {} columns", vectors, lanes);
  if (group > 1)
    text += fmt::format(", {} rows side by side", group);
  if (unit > group)
    text += fmt::format(", {} at least", unit);
  return text + (isOffset ? ", offset by 128" : "");
}

std::string PackedDims::spelling() const {
  return first == last ? fmt::format("{}", last) : fmt::format("{} to {}", first, last);
}

} // namespace mmk
