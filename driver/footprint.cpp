#include "driver/footprint.h"

#include "cli/ending.h"
#include "cli/memory_limit.h"
#include "runtime/tensor.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk::driver {
namespace {

/// For the compiler, the emulated memories and everything else that is not a tensor.
constexpr double ownBytes = 300e6;

struct Item {
  std::string name; ///< "a", "c and its reference"
  ElementType type;
  std::vector<int64_t> extents;
  int64_t bytes;
};

int64_t bytesOf(const std::string &name, ElementType type, const std::vector<int64_t> &extents) {
  if (std::ranges::find(extents, 0) != extents.end())
    return 0;
  int64_t bytes = static_cast<int64_t>(sizeInBytes(type));
  for (int64_t extent : extents)
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      throw UserError(fmt::format("{}: a tensor {} is larger than any memory: its bytes do not fit "
                                  "in 63 bits",
                                  name, spelling(type, extents)));
  return bytes;
}

std::vector<Item> itemsOf(const Kernel &kernel, const RunCase &run, bool withReference) {
  std::vector<Item> items;
  const auto add = [&](const std::string &name, ElementType type, const Shape &shape, int copies) {
    const std::vector<int64_t> extents = run.extents(shape);
    for (int i = 0; i < copies; ++i)
      items.push_back({i == 0 ? name : name + " in the reference", type, extents,
                       bytesOf(name, type, extents)});
  };
  for (const Parameter &parameter : kernel.parameters)
    if (!parameter.isScalar())
      add(parameter.name, parameter.type, parameter.shape, 1);
  for (const Result &result : kernel.results)
    add(result.name, result.type, result.shape, withReference ? 2 : 1);
  for (const auto &value : kernel.values)
    if (withReference && value->operation == Operation::product)
      add(value->name.empty() ? "a product of the reference" : value->name + " of the reference",
          value->type, value->shape, 1);
  return items;
}

std::string inBinaryUnits(double bytes) {
  if (bytes < 1024)
    return fmt::format("{:.0f} bytes", bytes);
  const char *units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t unit = 0;
  for (bytes /= 1024; bytes >= 1024 && unit + 1 < std::size(units); ++unit)
    bytes /= 1024;
  return fmt::format("{:.1f} {}", bytes, units[unit]);
}

} // namespace

void expectSizes(const Kernel &kernel, const RunCase &run) { itemsOf(kernel, run, false); }

void expectRoomFor(const Kernel &kernel, const RunCase &run, bool withReference,
                   const std::vector<Workspace> &workspaces, const std::vector<Workspace> &packed) {
  const std::vector<Item> items = itemsOf(kernel, run, withReference);
  double total = ownBytes;
  for (const Workspace &workspace : workspaces)
    total += static_cast<double>(workspace.bytes);
  for (const Workspace &constant : packed)
    total += static_cast<double>(constant.bytes);
  for (const Item &item : items)
    total += static_cast<double>(item.bytes);
  const AllowedMemory allowed = allowedMemory();
  if (total <= allowed.bytes)
    return;
  Diagnostics diagnostics;
  Diagnostic &error = diagnostics.error(
      {}, allowed.isLimit
              ? fmt::format("{} needs {} of memory, but --max-memory allows {}", run.title(),
                            inBinaryUnits(total), inBinaryUnits(allowed.bytes))
              : fmt::format("{} needs {} of memory, but {} are free", run.title(),
                            inBinaryUnits(total), inBinaryUnits(allowed.bytes)));
  for (const Item &item : items)
    error.notes.push_back({Severity::note,
                           {},
                           fmt::format("{}: {}, {}", item.name, spelling(item.type, item.extents),
                                       inBinaryUnits(static_cast<double>(item.bytes))),
                           {}});
  for (const Workspace &workspace : workspaces)
    error.notes.push_back({Severity::note,
                           {},
                           fmt::format("{} between two passes: {}", workspace.name,
                                       inBinaryUnits(static_cast<double>(workspace.bytes))),
                           {}});
  for (const Workspace &constant : packed)
    error.notes.push_back({Severity::note,
                           {},
                           fmt::format("{} as it is laid out: {}", constant.name,
                                       inBinaryUnits(static_cast<double>(constant.bytes))),
                           {}});
  throw UserError(diagnostics);
}

} // namespace mmk::driver
