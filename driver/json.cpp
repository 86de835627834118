#include "driver/json.h"

#include "driver/ending.h"
#include "driver/files.h"
#include "machines/json_document.h"

#include <cmath>
#include <fmt/format.h>

namespace mmk::driver {

llvm::json::Value readJson(const std::string &file) {
  const std::string text = readReport(file);
  if (nestsTooDeep(text))
    throw Mistake(
        fmt::format("{}: not a report: nested deeper than {} levels", file, maxJsonNesting));
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value)
    throw Mistake(fmt::format("{}: not JSON: {}", file, llvm::toString(value.takeError())));
  return std::move(*value);
}

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
