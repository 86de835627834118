// Sizes of memories in messages: one unit throughout, bytes, with KiB for the eye.
#pragma once

#include <cstdint>
#include <string>

namespace mmk {

/// "1 byte", "524032 bytes (511.75 KiB)"; KiB from 1024 bytes on.
std::string inBytes(int64_t bytes);

} // namespace mmk
