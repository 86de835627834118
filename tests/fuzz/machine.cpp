// Any text as a machine description.
#include "machines/machine.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const mmk::fuzz::MemoryFile file(data, size);
  llvm::Expected<mmk::Machine> machine = mmk::loadMachine(file.path());
  if (!machine && llvm::toString(machine.takeError()).empty())
    __builtin_trap();
  return 0;
}
