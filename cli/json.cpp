#include "cli/json.h"

#include "cli/ending.h"
#include "cli/files.h"
#include "machines/json_document.h"

#include <cmath>
#include <fmt/format.h>

namespace mmk::driver {

llvm::json::Value readJson(const std::string &file) {
  const std::string text = readReport(file);
  if (nestsTooDeep(text))
    throw UserError(
        fmt::format("{}: not a report: nested deeper than {} levels", file, maxJsonNesting));
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value)
    throw UserError(fmt::format("{}: not JSON: {}", file, llvm::toString(value.takeError())));
  return std::move(*value);
}

void writeNumber(llvm::json::OStream &out, llvm::StringRef name, double value) {
  out.attributeBegin(name);
  out.rawValue(std::isfinite(value) ? fmt::format("{}", value) : "null");
  out.attributeEnd();
}

void writeDims(llvm::json::OStream &out, const std::vector<std::pair<std::string, int64_t>> &dims) {
  out.attributeObject("dims", [&] {
    for (const auto &[name, value] : dims)
      out.attribute(name, value);
  });
}

void writeDims(llvm::json::OStream &out, const std::vector<std::string> &names,
               const std::map<std::string, int64_t> &dims) {
  std::vector<std::pair<std::string, int64_t>> inOrder;
  for (const std::string &name : names)
    inOrder.emplace_back(name, dims.at(name));
  writeDims(out, inOrder);
}

bool fromJSON(const llvm::json::Value &value, SavedCheck &check, llvm::json::Path path) {
  llvm::json::ObjectMapper map(value, path);
  return map && map.map("passed", check.passed);
}

void writeConstants(llvm::json::OStream &out, const std::vector<ConstantLayout> &constants,
                    const std::map<std::string, int64_t> &packedBytes) {
  out.attributeObject("constants", [&] {
    for (const ConstantLayout &constant : constants)
      out.attributeObject(constant.name, [&] {
        out.attribute("layout", constant.layout);
        if (const auto bytes = packedBytes.find(constant.name); bytes != packedBytes.end())
          out.attribute("packed_bytes", bytes->second);
      });
  });
}

std::string textOf(const ConstantLayout &constant) {
  const std::string how = constant.layout == "rows"
                              ? "rows, read as they are bound"
                              : constant.layout + ", laid out before the runs";
  return "constant " + constant.name + ": " + how + "\n";
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
