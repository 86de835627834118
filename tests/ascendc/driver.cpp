// Runs an emitted kernel on the shim with the tensors of files:
//   driver PARAMETER-FILE.. RESULT-FILE:BYTES DIMENSION..
// A file of a parameter is a path with a slash. KERNEL is the header of the kernel, LAUNCH its
// call.
#include KERNEL

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

int main(int argc, char **argv) {
  std::vector<void *> t;  // the tensors on the device, in the order of the command line
  std::vector<int64_t> d; // the dimensions
  std::string resultFile;
  size_t resultBytes = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    void *address = nullptr;
    if (const size_t colon = word.find(':'); colon != std::string::npos) {
      resultFile = word.substr(0, colon);
      resultBytes = std::stoull(word.substr(colon + 1));
      aclrtMalloc(&address, resultBytes, ACL_MEM_MALLOC_HUGE_FIRST);
    } else if (word.find('/') != std::string::npos) {
      std::ifstream file(word, std::ios::binary);
      const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
      aclrtMalloc(&address, bytes.size(), ACL_MEM_MALLOC_HUGE_FIRST);
      aclrtMemcpy(address, bytes.size(), bytes.data(), bytes.size(), ACL_MEMCPY_HOST_TO_DEVICE);
    } else {
      d.push_back(std::stoll(word));
      continue;
    }
    t.push_back(address);
  }
  void *workspace = nullptr;
  aclrtMalloc(&workspace, WORKSPACE, ACL_MEM_MALLOC_HUGE_FIRST);
  LAUNCH;
  std::ofstream(resultFile, std::ios::binary)
      .write(static_cast<const char *>(t.back()), static_cast<std::streamsize>(resultBytes));
}
