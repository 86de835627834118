#include "runtime/events.h"

#include <fmt/format.h>

namespace mmk {

std::string_view spelling(Work work) {
  static constexpr std::string_view words[] = {"load",  "store", "load_l0", "mmad",   "fixpipe",
                                               "spill", "fetch", "drain",   "vector", "scalar",
                                               "set",   "wait",  "barrier", "issue"};
  return words[static_cast<size_t>(work)];
}

std::string_view spelling(Cause cause) {
  static constexpr std::string_view words[] = {"nothing", "pipe", "issue", "queue", "flag"};
  return words[static_cast<size_t>(cause)];
}

std::string spellBuffers(const Event &event, const Origin &origin) {
  std::string text;
  for (size_t i = 0; i < origin.buffers.size(); ++i) {
    const int64_t slot = i < event.slots.size() ? event.slots[i] : -1;
    text += fmt::format("{}{}{} in {}", text.empty() ? "" : ", ", origin.buffers[i].name,
                        slot < 0 ? "" : fmt::format("[{}]", slot), origin.buffers[i].memory);
  }
  return text;
}

} // namespace mmk
