#include "store/identity.h"

#include "backend/backend.h"
#include "frontend/index/arithmetic.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>
#include <map>

namespace mmk::tune {

std::string digest(llvm::StringRef text) {
  const auto hash = llvm::SHA256::hash(llvm::arrayRefFromStringRef(text));
  return llvm::toHex(llvm::ArrayRef(hash).take_front(16), /*LowerCase=*/true);
}

namespace {

/// The GNU build id of a loaded object, as bytes; empty when it has none.
llvm::StringRef buildIdOf(const dl_phdr_info &object) {
  const auto aligned = [](uint32_t size) { return (size_t(size) + 3) & ~size_t(3); };
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const auto &segment = object.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE)
      continue;
    const char *at = reinterpret_cast<const char *>(object.dlpi_addr + segment.p_vaddr);
    const char *end = at + segment.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const auto *note = reinterpret_cast<const ElfW(Nhdr) *>(at);
      const char *name = at + sizeof *note, *bytes = name + aligned(note->n_namesz);
      if (note->n_type == NT_GNU_BUILD_ID &&
          llvm::StringRef(name, note->n_namesz) == llvm::StringRef("GNU\0", 4))
        return {bytes, note->n_descsz};
      at = bytes + aligned(note->n_descsz);
    }
  }
  return {};
}

int addObject(dl_phdr_info *object, size_t, void *text) {
  std::string &all = *static_cast<std::string *>(text);
  const llvm::StringRef path = object->dlpi_name;
  const bool isProgram = path.empty() && all.empty(); // the first is the program itself
  if (!isProgram && !path.contains("libMLIR") && !path.contains("libLLVM") &&
      !path.contains("libmmk"))
    return 0;
  const llvm::StringRef id = buildIdOf(*object);
  if (!id.empty())
    all += "id:" + llvm::toHex(id);
  else if (auto file = llvm::MemoryBuffer::getFile(isProgram ? "/proc/self/exe" : path))
    all += "file:" + digest((*file)->getBuffer());
  return 0;
}

std::string spellingOfDims(const Shape &shape) {
  std::string text;
  for (const Dimension &dimension : shape)
    text += (dimension.isLiteral() ? std::to_string(dimension.literal) : dimension.name) + " ";
  return text;
}

} // namespace

std::string semanticsOf(const Kernel &kernel) {
  std::string text;
  for (const std::string &dimension : kernel.dimensions)
    text += dimension + ";";
  for (const Parameter &parameter : kernel.parameters)
    text += fmt::format("parameter {} {} {}{};", parameter.name, static_cast<int>(parameter.type),
                        spellingOfDims(parameter.shape), parameter.isConstant ? " const" : "");
  std::map<const Value *, size_t> numbers;
  for (const auto &value : kernel.values) {
    text += fmt::format("value {} {} {} {} {}", static_cast<int>(value->operation),
                        static_cast<int>(value->type), spellingOfDims(value->shape),
                        value->constant, value->parameter);
    for (const Value *operand : value->operands)
      text += fmt::format(" {}", numbers.at(operand));
    if (value->operation == Operation::reduce || value->operation == Operation::cumulate)
      text += fmt::format(" along {} {}", static_cast<int>(value->reduction),
                          fmt::join(value->along, " "));
    for (const Index &index : value->indices)
      text += fmt::format(" [{}]", spellingOf(*index));
    if (value->operation == Operation::extent)
      text += " of " + spellingOfDims(value->dimensions);
    text += ';';
    numbers.emplace(value.get(), numbers.size());
  }
  for (const Result &result : kernel.results)
    text += fmt::format("result {} {} {} {};", result.name, static_cast<int>(result.type),
                        spellingOfDims(result.shape), numbers.at(result.value));
  if (kernel.check.isFast)
    text += "fast;";
  return digest(text);
}

std::string digestOf(const Machine &machine) {
  std::string text =
      fmt::format("{} {};", static_cast<int>(machine.kind), static_cast<int>(machine.topology));
  for (const auto &[path, figure] : machine.figures)
    text += path + "=" + figure + ";";
  text += backendOf(machine.kind).identity();
  return digest(text);
}

const std::string &buildId() {
  static const std::string id = [] {
    std::string objects;
    dl_iterate_phdr(addObject, &objects);
    return digest(objects);
  }();
  return id;
}

Identity identityOf(const Kernel &kernel, const Machine &machine) {
  return {semanticsOf(kernel), digestOf(machine), buildId(), kernel.name, machine.name};
}

std::vector<std::pair<std::string, int64_t>> shownDims(const Kernel &kernel, const Dims &dims) {
  std::vector<std::pair<std::string, int64_t>> shown;
  for (const std::string &name : kernel.shownDimensions())
    shown.emplace_back(
        name, dims[std::ranges::find(kernel.dimensions, name) - kernel.dimensions.begin()]);
  return shown;
}

std::string spelling(const Kernel &kernel, const Dims &dims) {
  std::string text;
  for (const auto &[name, value] : shownDims(kernel, dims))
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, value);
  return text;
}

std::string exchangeKey(const Kernel &kernel, const Dims &dims) {
  std::string text;
  for (const auto &[name, value] : shownDims(kernel, dims))
    text += fmt::format("{}{}", text.empty() ? "" : "x", value);
  for (const Parameter &parameter : kernel.parameters)
    if (!parameter.isScalar())
      return fmt::format("{}:{}", text, spelling(parameter.type));
  return text;
}

} // namespace mmk::tune
