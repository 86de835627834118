// Any bytes as a .npy file of each type.
#include "runtime/npy.h"
#include "runtime/npy_header.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const mmk::fuzz::MemoryFile file(data, size);
  for (mmk::ElementType type :
       {mmk::ElementType::f32, mmk::ElementType::bf16, mmk::ElementType::i8}) {
    llvm::Expected<mmk::Tensor> tensor = mmk::readNpy(file.path(), type);
    if (!tensor) {
      llvm::consumeError(tensor.takeError());
      continue;
    }
    if (tensor->bytes() > size) // more than the file has
      __builtin_trap();
  }
  llvm::consumeError(mmk::readNpyShape(file.path()).takeError());
  llvm::consumeError(mmk::parseNpyHeader({reinterpret_cast<const char *>(data), size}).takeError());
  return 0;
}
