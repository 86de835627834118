#include "library/binding.h"

#include "library/layout.h"
#include "support/diagnostics.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace mmk::library {
namespace {

constexpr ElementType typesInOrder[] = {ElementType::f32, ElementType::f16, ElementType::bf16,
                                        ElementType::i8, ElementType::i32};
/// As on the command line.
constexpr int64_t maximumExtent = (int64_t(1) << 31) - 1;

/// A parameter or a result that wants memory.
struct Slot {
  const std::string &name;
  ElementType type;
  const Shape &shape;
  bool isResult;
};

std::vector<Slot> slotsOf(const Kernel &kernel) {
  std::vector<Slot> slots;
  for (const Parameter &parameter : kernel.parameters)
    slots.push_back({parameter.name, parameter.type, parameter.shape, false});
  for (const Result &result : kernel.results)
    slots.push_back({result.name, result.type, result.shape, true});
  return slots;
}

std::string quoted(const char *name) { return name ? fmt::format("'{}'", name) : "without a name"; }

/// Takes the dimensions that a tensor has, or compares them with those of the tensors before.
class Dimensions {
public:
  mmk_error *take(const Slot &slot, const mmk_tensor &tensor) {
    for (size_t i = 0; i < slot.shape.size(); ++i) {
      const Dimension &dimension = slot.shape[i];
      const int64_t extent = tensor.extents[i];
      if (extent < 1 || extent > maximumExtent)
        return mistake(fmt::format("the extent {} of '{}' is from 1 to {}, found {}", i, slot.name,
                                   maximumExtent, extent));
      if (dimension.isLiteral()) {
        if (extent != dimension.literal)
          return mistake(fmt::format("the extent {} of '{}' is {} in the kernel, found {}", i,
                                     slot.name, dimension.literal, extent));
        continue;
      }
      const auto [known, isNew] = values_.try_emplace(dimension.name, std::pair(extent, slot.name));
      if (known->second.first != extent)
        return mistake(fmt::format("{} is {} in '{}' and {} in '{}'", dimension.name,
                                   known->second.first, known->second.second, extent, slot.name));
    }
    return nullptr;
  }

  int64_t operator[](const std::string &name) const { return values_.at(name).first; }

private:
  std::map<std::string, std::pair<int64_t, std::string>> values_; ///< and where from
};

mmk_error *expectAsDeclared(const Slot &slot, const mmk_tensor &tensor) {
  if (static_cast<size_t>(tensor.type) >= std::size(typesInOrder))
    return mistake(fmt::format("'{}' has the unknown type {}", slot.name, tensor.type));
  const ElementType type = typesInOrder[tensor.type];
  if (type != slot.type)
    return mistake(
        fmt::format("'{}' is {}, found {}", slot.name, spelling(slot.type), spelling(type)));
  if (static_cast<size_t>(tensor.rank) != slot.shape.size())
    return mistake(fmt::format("'{}' is {}, of rank {}, found rank {}", slot.name,
                               spelling(slot.type, slot.shape), slot.shape.size(), tensor.rank));
  if (!tensor.data)
    return mistake(fmt::format("'{}' has no memory: its data is NULL", slot.name));
  if (reinterpret_cast<uintptr_t>(tensor.data) % sizeInBytes(slot.type) != 0)
    return mistake(fmt::format("the memory of '{}' is not aligned to its elements of {} bytes",
                               slot.name, sizeInBytes(slot.type)));
  return nullptr;
}

/// The given things by name; each must be wanted, and given once.
template <typename Given>
mmk_error *byName(llvm::ArrayRef<Given> given, const std::vector<std::string> &wanted,
                  std::string_view what, const Kernel &kernel,
                  std::map<std::string, const Given *> &found) {
  for (const Given &each : given) {
    if (!each.name || std::ranges::find(wanted, each.name) == wanted.end())
      return mistake(
          fmt::format("'{}' has no {} {}{}", kernel.name, what, quoted(each.name),
                      wanted.empty() ? "" : fmt::format("; it has {}", listOf(wanted, "and"))));
    if (!found.try_emplace(each.name, &each).second)
      return mistake(fmt::format("the {} '{}' is given twice", what, each.name));
  }
  return nullptr;
}

mmk_error *bindScalars(const Kernel &kernel, llvm::ArrayRef<mmk_scalar> given,
                       std::vector<double> &values) {
  std::vector<std::string> wanted;
  for (const Parameter &parameter : kernel.parameters)
    if (parameter.isScalar())
      wanted.push_back(parameter.name);
  std::map<std::string, const mmk_scalar *> found;
  if (mmk_error *error = byName(given, wanted, "scalar", kernel, found))
    return error;
  for (const Parameter &parameter : kernel.parameters) {
    const auto scalar = found.find(parameter.name);
    if (parameter.isScalar() && scalar == found.end() && !parameter.byDefault)
      return mistake(fmt::format("the scalar '{}' has no value and no default", parameter.name));
    const double value =
        scalar != found.end() ? scalar->second->value : parameter.byDefault.value_or(0);
    if (std::isfinite(value) && !std::isfinite(static_cast<float>(value)))
      return mistake(
          fmt::format("the scalar '{}' = {} is too large for f32", parameter.name, value));
    values.push_back(value);
  }
  return nullptr;
}

} // namespace

mmk_type typeOf(ElementType type) {
  return static_cast<mmk_type>(std::ranges::find(typesInOrder, type) - std::begin(typesInOrder));
}

mmk_error *bind(const Kernel &kernel, llvm::ArrayRef<mmk_tensor> tensors,
                llvm::ArrayRef<mmk_scalar> scalars, Arguments &arguments) {
  const std::vector<Slot> slots = slotsOf(kernel);
  std::vector<std::string> wanted;
  for (const Slot &slot : slots)
    if (!slot.shape.empty())
      wanted.push_back(slot.name);
  std::map<std::string, const mmk_tensor *> found;
  if (mmk_error *error = byName(tensors, wanted, "tensor", kernel, found))
    return error;

  Dimensions dimensions;
  std::vector<Layout> layouts;
  for (const Slot &slot : slots) {
    if (slot.shape.empty()) {
      arguments.tensors.push_back(nullptr);
      arguments.strides.emplace_back();
      continue;
    }
    const auto given = found.find(slot.name);
    if (given == found.end())
      return mistake(fmt::format("the {} '{}' is not bound: {}",
                                 slot.isResult ? "result" : "tensor", slot.name,
                                 spelling(slot.type, slot.shape)));
    const mmk_tensor &tensor = *given->second;
    if (mmk_error *error = expectAsDeclared(slot, tensor))
      return error;
    if (mmk_error *error = dimensions.take(slot, tensor))
      return error;
    Layout &layout = layouts.emplace_back(slot.name, tensor, sizeInBytes(slot.type));
    if (const std::string why = layout.whyNoResult(); slot.isResult && !why.empty())
      return mistake(fmt::format("the result '{}' {}", slot.name, why));
    layout.isResult = slot.isResult;
    arguments.strides.push_back(layout.strides);
    if (slot.isResult)
      arguments.results.push_back(tensor.data);
    else
      arguments.tensors.push_back(tensor.data);
  }
  for (size_t i = 0; i < layouts.size(); ++i)
    for (size_t j = 0; j < layouts.size(); ++j)
      if (i != j && layouts[i].isResult && layouts[i].mayTouch(layouts[j]))
        return mistake(fmt::format("the result '{}' overlaps '{}' in memory", layouts[i].name,
                                   layouts[j].name));
  for (const std::string &name : kernel.dimensions)
    arguments.dims.push_back(dimensions[name]);
  return bindScalars(kernel, scalars, arguments.scalars);
}

mmk_error *bindDimensions(const Kernel &kernel, llvm::ArrayRef<mmk_dimension> given,
                          std::vector<int64_t> &values) {
  std::map<std::string, const mmk_dimension *> found;
  if (mmk_error *error = byName(given, kernel.dimensions, "dimension", kernel, found))
    return error;
  for (const std::string &name : kernel.dimensions) {
    const auto dimension = found.find(name);
    if (dimension == found.end())
      return mistake(fmt::format("the dimension {} has no value", name));
    const int64_t extent = dimension->second->extent;
    if (extent < 1 || extent > maximumExtent)
      return mistake(
          fmt::format("the dimension {} is from 1 to {}, found {}", name, maximumExtent, extent));
    values.push_back(extent);
  }
  return nullptr;
}

} // namespace mmk::library
