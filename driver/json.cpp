#include "driver/json.h"

#include <cmath>
#include <fmt/format.h>

namespace mmk::driver {

void writeNumber(llvm::json::OStream &out, llvm::StringRef name, double value) {
  out.attributeBegin(name);
  out.rawValue(std::isfinite(value) ? fmt::format("{}", value) : "null");
  out.attributeEnd();
}

void writeMemory(llvm::json::OStream &out, const std::vector<MemoryUse> &memory) {
  out.attributeObject("memory", [&] {
    for (const MemoryUse &use : memory)
      out.attributeObject(use.memory, [&] {
        out.attribute("used", use.used);
        out.attribute("capacity", use.capacity);
      });
  });
}

} // namespace mmk::driver
