// How much memory a command may take: what is free, or what --max-memory allows.
#pragma once

#include <optional>
#include <string>

namespace mmk::driver {

/// "2GiB", "500MiB" or a number of bytes, of --max-memory; a UserError for any other text. From
/// here on an allocation that would exceed it fails. Without a text the limit is the memory that is
/// free now.
void limitMemory(const std::optional<std::string> &text);

/// Memory available for tensors and everything else: the limit, if it is below the free memory.
struct AllowedMemory {
  double bytes;
  bool isLimit;
};
AllowedMemory allowedMemory();

} // namespace mmk::driver
