// Runs emitted kernels on the shim with the tensors of files:
//   driver VARIANT PARAMETER-FILE.. RESULT-FILE:BYTES.. DIMENSION..
// A file of a parameter is a path with a slash. The file that includes this one defines `launch`.
#pragma once

#include "driver_headers.h"

/// Launches the kernel of a number with the tensors on the device, in the order of the command
/// line, and the dimensions.
void launch(int variant, const std::vector<void *> &t, const std::vector<int64_t> &d);

inline void *allocated(int64_t bytes) {
  void *address = nullptr;
  aclrtMalloc(&address, static_cast<size_t>(bytes), ACL_MEM_MALLOC_HUGE_FIRST);
  return address;
}

int main(int argc, char **argv) {
  std::vector<void *> t;
  std::vector<int64_t> d;
  struct Result {
    std::string file;
    size_t bytes;
    void *address;
  };
  std::vector<Result> results;
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    if (const size_t colon = word.find(':'); colon != std::string::npos) {
      const size_t bytes = std::stoull(word.substr(colon + 1));
      t.push_back(allocated(static_cast<int64_t>(bytes)));
      results.push_back({word.substr(0, colon), bytes, t.back()});
    } else if (word.find('/') != std::string::npos) {
      std::ifstream file(word, std::ios::binary);
      const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
      t.push_back(allocated(static_cast<int64_t>(bytes.size())));
      aclrtMemcpy(t.back(), bytes.size(), bytes.data(), bytes.size(), ACL_MEMCPY_HOST_TO_DEVICE);
    } else {
      d.push_back(std::stoll(word));
    }
  }
  launch(std::atoi(argv[1]), t, d);
  for (const Result &result : results)
    std::ofstream(result.file, std::ios::binary)
        .write(static_cast<const char *>(result.address),
               static_cast<std::streamsize>(result.bytes));
}
