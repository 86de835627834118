// How much memory a command may take: what is free, or what --max-memory allows.
#pragma once

#include <optional>
#include <string>

namespace mmk::driver {

/// "2GiB", "500MiB" or a number of bytes, of --max-memory; a UserError for any other text. From
/// here on no allocation succeeds that would take the process beyond it. Without a text it is what
/// is free now.
void limitMemory(const std::optional<std::string> &text);

/// What there is for tensors and everything else: the limit, when it is below what is free.
struct AllowedMemory {
  double bytes;
  bool isLimit;
};
AllowedMemory allowedMemory();

} // namespace mmk::driver
