// Bytes as a file with a path, for readers that take one, without a disk.
#pragma once

#include <cstdint>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace mmk::fuzz {

class MemoryFile {
public:
  MemoryFile(const uint8_t *data, size_t size) : descriptor_(memfd_create("fuzz", MFD_CLOEXEC)) {
    while (size > 0) {
      const ssize_t written = write(descriptor_, data, size);
      if (written <= 0)
        __builtin_trap();
      data += written;
      size -= static_cast<size_t>(written);
    }
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile &) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

private:
  int descriptor_;
};

} // namespace mmk::fuzz
