// Without a fuzzer: every file of the folders and files named, and damaged copies of each, the same
// ones every time.
//
//   fuzz-TARGET [-damaged=N] FOLDER..
#include "tests/hunt/random.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace {

using Bytes = std::vector<uint8_t>;

Bytes read(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

/// Bytes with a meaning in most formats, and the 0 at the end.
constexpr char telling[] = "09-(\"},\n\xff";

/// Changes, removes or duplicates some bytes.
Bytes damaged(Bytes bytes, mmk::hunt::Random &random) {
  for (int64_t i = random.between(1, 4); i > 0 && !bytes.empty(); --i) {
    const int64_t size = static_cast<int64_t>(bytes.size()), at = random.below(size);
    const int64_t length = std::min<int64_t>(size - at, random.between(1, 16));
    const auto begin = bytes.begin() + at;
    switch (random.below(4)) {
    case 0:
      *begin = static_cast<uint8_t>(random.next());
      break;
    case 1:
      bytes.erase(begin, begin + length);
      break;
    case 2: {
      const Bytes piece(begin, begin + length);
      bytes.insert(bytes.begin() + random.below(size), piece.begin(), piece.end());
      break;
    }
    default:
      *begin = static_cast<uint8_t>(telling[random.below(sizeof telling)]);
    }
  }
  return bytes;
}

} // namespace

int main(int argc, char **argv) {
  int64_t copies = 0, inputs = 0;
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "-damaged=", 9) == 0)
      copies = std::atoll(argv[i] + 9);
    else if (std::filesystem::is_directory(argv[i]))
      for (const auto &entry : std::filesystem::recursive_directory_iterator(argv[i])) {
        if (entry.is_regular_file())
          files.push_back(entry.path());
      }
    else
      files.emplace_back(argv[i]);
  }
  std::ranges::sort(files);
  for (size_t i = 0; i < files.size(); ++i) {
    const Bytes bytes = read(files[i]);
    mmk::hunt::Random random(bytes.size(), i);
    for (int64_t copy = 0; copy <= copies; ++copy, ++inputs) {
      const Bytes input = copy == 0 ? bytes : damaged(bytes, random);
      // The last one has ended the process.
      if (std::getenv("MMK_FUZZ_KEEP"))
        std::ofstream(std::getenv("MMK_FUZZ_KEEP"), std::ios::binary)
            .write(reinterpret_cast<const char *>(input.data()),
                   static_cast<std::streamsize>(input.size()));
      LLVMFuzzerTestOneInput(input.data(), input.size());
    }
  }
  std::printf("%lld inputs of %zu files\n", static_cast<long long>(inputs), files.size());
  return files.empty();
}
