// Any text as input of `mmk cache import`: an accepted text is written back unchanged.
#include "store/exchange.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto rows = mmk::tune::readExchange({reinterpret_cast<const char *>(data), size});
  if (!rows) {
    if (llvm::toString(rows.takeError()).empty())
      __builtin_trap();
    return 0;
  }
  const std::string text = mmk::tune::exchangeText(*rows);
  auto again = mmk::tune::readExchange(text);
  if (!again || again->size() != rows->size() || mmk::tune::exchangeText(*again) != text)
    __builtin_trap();
  return 0;
}
