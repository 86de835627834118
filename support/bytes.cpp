#include "support/bytes.h"

#include <fmt/format.h>

namespace mmk {

std::string inBytes(int64_t bytes) {
  std::string text = fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
  if (bytes < 1024)
    return text;
  // Every multiple of 32 bytes, to which memories are aligned, has at most five digits behind the
  // point; two are enough to compare by, and the bytes stand beside them.
  std::string kib = fmt::format("{:.2f}", static_cast<double>(bytes) / 1024);
  kib.erase(kib.find_last_not_of('0') + 1);
  if (kib.ends_with('.'))
    kib.pop_back();
  return fmt::format("{} ({} KiB)", text, kib);
}

} // namespace mmk
