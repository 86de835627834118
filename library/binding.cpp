#include "library/binding.h"

#include "frontend/whole.h"
#include "frontend/whole_range.h"
#include "support/diagnostics.h"

#include "llvm/Support/Alignment.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace mmk::library {
namespace {

/// As on the command line.
constexpr int64_t maximumExtent = (int64_t(1) << 31) - 1;

std::string quoted(const char *name) { return name ? fmt::format("'{}'", name) : "without a name"; }

/// The arguments by the number of their name; each must be expected, and given once.
template <typename Given>
mmk_error *byName(llvm::ArrayRef<Given> given, const std::vector<std::string> &wanted,
                  std::string_view what, const Kernel &kernel,
                  llvm::SmallVectorImpl<const Given *> &found) {
  found.assign(wanted.size(), nullptr);
  for (auto [i, each] : llvm::enumerate(given)) {
    // Mostly they are in the kernel's order.
    const bool isInOrder = each.name && i < wanted.size() && wanted[i] == each.name;
    auto name = wanted.begin() + (isInOrder ? i : 0);
    if (!isInOrder)
      name = each.name ? std::ranges::find(wanted, each.name) : wanted.end();
    if (name == wanted.end())
      return mistake(
          fmt::format("'{}' has no {} {}{}", kernel.name, what, quoted(each.name),
                      wanted.empty() ? "" : fmt::format("; it has {}", listOf(wanted, "and"))));
    const Given *&place = found[name - wanted.begin()];
    if (place)
      return mistake(fmt::format("the {} '{}' is given twice", what, each.name));
    place = &each;
  }
  return nullptr;
}

bool isPacked(const mmk_tensor &tensor) { return tensor.type >= MMK_PACKED; }

} // namespace

mmk_type typeOf(ElementType type) {
  return static_cast<mmk_type>(std::ranges::find(languageTypes, type) - languageTypes.begin());
}

Signature::Signature(const Kernel &kernel, bool isOfForm) : kernel_(kernel), isOfForm_(isOfForm) {
  size_t slot = 0;
  auto add = [&](const std::string &name, ElementType type, const Shape &shape, bool isResult,
                 bool isConstant) {
    Tensor tensor{slot, name, type, shape, {}, isResult, isConstant, {}};
    for (const mmk::Dimension &dimension : shape) {
      Extent &extent = tensor.extents.emplace_back(std::nullopt, dimension.literal);
      if (!dimension.isLiteral())
        extent.dimension =
            std::ranges::find(kernel.dimensions, dimension.name) - kernel.dimensions.begin();
    }
    tensors_.push_back(std::move(tensor));
    tensorNames_.push_back(name);
  };
  for (const Parameter &parameter : kernel.parameters) {
    if (parameter.isScalar()) {
      scalars_.push_back({slot, parameter.byDefault, parameter.type});
      scalarNames_.push_back(parameter.name);
    } else {
      add(parameter.name, parameter.type, parameter.shape, false, parameter.isConstant);
    }
    ++slot;
  }
  for (const Result &result : kernel.results) {
    add(result.name, result.type, result.shape, true, false);
    ++slot;
  }
}

mmk_error *Signature::notBound(const Tensor &wanted) {
  return mistake(fmt::format("the {} '{}' is not bound: {}", wanted.isResult ? "result" : "tensor",
                             wanted.name, spelling(wanted.type, wanted.shape)));
}

mmk_error *Signature::expectAsDeclared(const Tensor &wanted, const mmk_tensor &tensor) {
  const auto number =
      static_cast<size_t>(isPacked(tensor) ? tensor.type - MMK_PACKED : tensor.type);
  if (number >= languageTypes.size())
    return mistake(fmt::format("'{}' has the unknown type {}", wanted.name, tensor.type));
  const ElementType type = languageTypes[number];
  if (type != wanted.type)
    return mistake(
        fmt::format("'{}' is {}, found {}", wanted.name, spelling(wanted.type), spelling(type)));
  if (static_cast<size_t>(tensor.rank) != wanted.shape.size())
    return mistake(fmt::format("'{}' is {}, of rank {}, found rank {}", wanted.name,
                               spelling(wanted.type, wanted.shape), wanted.shape.size(),
                               tensor.rank));
  if (!tensor.data && std::ranges::count(tensor.extents, tensor.extents + tensor.rank, 0) == 0)
    return mistake(fmt::format("'{}' has no memory: its data is NULL", wanted.name));
  if (isPacked(tensor)) {
    if (!wanted.isConstant)
      return mistake(
          fmt::format("'{}' is packed, but the kernel does not declare it as const", wanted.name));
    if (std::ranges::any_of(tensor.strides, [](int64_t stride) { return stride != 0; }))
      return mistake(fmt::format("'{}' is packed, so its strides are all 0", wanted.name));
    return nullptr;
  }
  if (!llvm::isAddrAligned(llvm::Align(sizeInBytes(wanted.type)), tensor.data))
    return mistake(fmt::format("the memory of '{}' is not aligned to its elements of {} bytes",
                               wanted.name, sizeInBytes(wanted.type)));
  return nullptr;
}

// The dimensions of a tensor must equal those of the tensors before.
mmk_error *Signature::takeExtents(const Tensor &wanted, const mmk_tensor &tensor,
                                  llvm::MutableArrayRef<Dimension> dimensions) const {
  for (auto [i, declared] : llvm::enumerate(wanted.extents)) {
    const int64_t extent = tensor.extents[i];
    if (extent < 0 || extent > maximumExtent)
      return mistake(fmt::format("the extent {} of '{}' is from 0 to {}, found {}", i, wanted.name,
                                 maximumExtent, extent));
    if (!declared.dimension) {
      if (extent != declared.literal)
        return mistake(fmt::format("the extent {} of '{}' is {} in the kernel, found {}", i,
                                   wanted.name, declared.literal, extent));
      continue;
    }
    Dimension &known = dimensions[*declared.dimension];
    if (!known.from)
      known = {extent, &wanted};
    if (known.value != extent)
      return mistake(fmt::format("{} is {} in '{}' and {} in '{}'",
                                 kernel_.dimensions[*declared.dimension], known.value,
                                 known.from->name, extent, wanted.name));
  }
  return nullptr;
}

mmk_error *Signature::bindScalars(llvm::ArrayRef<mmk_scalar> given, Arguments &arguments) const {
  llvm::SmallVector<const mmk_scalar *, 8> found;
  if (mmk_error *error = byName(given, scalarNames_, "scalar", kernel_, found))
    return error;
  arguments.scalars.assign(kernel_.parameters.size(), 0);
  for (auto [name, scalar, of] : llvm::zip(scalarNames_, scalars_, found)) {
    if (!of && !scalar.byDefault)
      return mistake(fmt::format("the scalar '{}' has no value and no default", name));
    const double value = of ? of->value : *scalar.byDefault;
    if (scalar.type == ElementType::i32 &&
        !(value == std::floor(value) && std::fabs(value + 0.5) < 2147483648.0))
      return mistake(fmt::format("the scalar '{}' is i32: expected an integer from -2147483648 to "
                                 "2147483647, found {}",
                                 name, value));
    if (std::isfinite(value) && !std::isfinite(static_cast<float>(value)))
      return mistake(fmt::format("the scalar '{}' = {} is too large for f32", name, value));
    arguments.scalars[scalar.slot] = value;
  }
  return nullptr;
}

// In the kernel's order, with the shapes that were checked for `last`.
bool Signature::isSameButMemory(const Bound &last, llvm::ArrayRef<mmk_tensor> tensors) const {
  if (last.signature != number_ || tensors.size() != last.tensors.size())
    return false;
  for (auto [name, before, given] : llvm::zip(tensorNames_, last.tensors, tensors)) {
    if (given.type != before.type || given.rank != before.rank || !given.name ||
        std::strcmp(given.name, name.c_str()) != 0)
      return false;
    for (int i = 0; i < given.rank; ++i)
      if (given.extents[i] != before.extents[i] || given.strides[i] != before.strides[i])
        return false;
  }
  return true;
}

mmk_error *Signature::bind(llvm::ArrayRef<mmk_tensor> tensors, llvm::ArrayRef<mmk_scalar> scalars,
                           const Arguments *&arguments) const {
  static thread_local Bound lasts[2];
  Bound &last = lasts[isOfForm_];
  arguments = &last.arguments;
  const auto isItsMemory = [](const auto &pair) {
    return std::get<0>(pair).data == std::get<1>(pair).data;
  };
  const bool isLikeLast = isSameButMemory(last, tensors);
  if (!isLikeLast || !llvm::all_of(llvm::zip(last.tensors, tensors), isItsMemory)) {
    last.signature = 0; // until the check has passed
    if (!isLikeLast)
      last.tensors.assign(tensors.begin(), tensors.end());
    if (mmk_error *error = isLikeLast ? bindMemory(tensors, last) : bindTensors(last))
      return error;
    last.signature = number_;
  }
  return bindScalars(scalars, last.arguments);
}

mmk_error *Signature::bindTensors(Bound &all) const {
  llvm::SmallVector<const mmk_tensor *, 8> found;
  if (mmk_error *error =
          byName(llvm::ArrayRef<mmk_tensor>(all.tensors), tensorNames_, "tensor", kernel_, found))
    return error;

  Arguments &arguments = all.arguments;
  const size_t parameters = kernel_.parameters.size();
  arguments.tensors.assign(parameters, nullptr);
  arguments.results.assign(kernel_.results.size(), nullptr);
  arguments.strides.resize(parameters + kernel_.results.size());
  arguments.packed.assign(parameters, false);
  llvm::SmallVector<Dimension, 8> dimensions(kernel_.dimensions.size());
  all.layouts.clear();
  for (auto [wanted, given] : llvm::zip(tensors_, found)) {
    if (!given)
      return notBound(wanted);
    if (mmk_error *error = expectAsDeclared(wanted, *given))
      return error;
    if (mmk_error *error = takeExtents(wanted, *given, dimensions))
      return error;
    Layout &layout = all.layouts.emplace_back(*given, sizeInBytes(wanted.type));
    for (const aicore::MergedDims &dims : wanted.merged)
      if (const std::string why = layout.join(dims.first, dims.last, wanted.isResult); !why.empty())
        return mistake(fmt::format("'{}' {}", wanted.name, why));
    arguments.strides[wanted.slot] = layout.strides;
    if (!wanted.isResult) {
      arguments.tensors[wanted.slot] = given->data;
      if (isPacked(*given))
        if (mmk_error *error = openPacked(wanted, *given, layout, arguments))
          return error;
      continue;
    }
    if (const std::string why = layout.whyNoResult(); !why.empty())
      return mistake(fmt::format("the result '{}' {}", wanted.name, why));
    arguments.results[wanted.slot - parameters] = given->data;
  }
  if (mmk_error *error = complete(dimensions))
    return error;
  arguments.dims.clear();
  for (const Dimension &dimension : dimensions)
    arguments.dims.push_back(dimension.value);
  return expectApart(all.layouts);
}

// The derived dimensions, also those of results, are compared with what they follow from.
mmk_error *Signature::complete(llvm::MutableArrayRef<Dimension> dimensions) const {
  if (kernel_.derived.empty() && kernel_.conditions.empty() && !has32Bits_)
    return nullptr; // without an allocation
  std::map<std::string, int64_t> known;
  for (auto [name, dimension] : llvm::zip(kernel_.dimensions, dimensions))
    if (dimension.from)
      known.emplace(name, dimension.value);
  if (const std::string problem = completeDimensions(kernel_, known); !problem.empty())
    return mistake(problem);
  if (has32Bits_)
    if (const std::string problem = beyond32Bits(kernel_, known); !problem.empty())
      return mistake(problem);
  for (auto [name, dimension] : llvm::zip(kernel_.dimensions, dimensions))
    dimension.value = known.at(name);
  return nullptr;
}

void Signature::expect32Bits() {
  has32Bits_ = std::ranges::any_of(
      kernel_.values, [](const auto &value) { return value->operation == Operation::position; });
}

// Binds tensors of the last shapes: only their addresses are new.
mmk_error *Signature::bindMemory(llvm::ArrayRef<mmk_tensor> tensors, Bound &all) const {
  for (auto [wanted, given, before, layout] :
       llvm::zip(tensors_, tensors, all.tensors, all.layouts)) {
    if (mmk_error *error = expectAsDeclared(wanted, given))
      return error;
    before.data = given.data;
    layout.data = static_cast<const char *>(given.data);
    if (wanted.isResult)
      all.arguments.results[wanted.slot - kernel_.parameters.size()] = given.data;
    else
      all.arguments.tensors[wanted.slot] = given.data;
    if (isPacked(given))
      if (mmk_error *error = openPacked(wanted, given, layout, all.arguments))
        return error;
  }
  return expectApart(all.layouts);
}

// What lies behind the header of packed bytes.
mmk_error *Signature::openPacked(const Tensor &wanted, const mmk_tensor &tensor, Layout &layout,
                                 Arguments &arguments) {
  const PackedForm form{wanted.type, {tensor.extents, wanted.extents.size()}, wanted.panels};
  const void *operand = nullptr;
  if (mmk_error *error = form.open(wanted.name, tensor.data, operand))
    return error;
  layout.packedBytes = form.bytes();
  arguments.tensors[wanted.slot] = operand;
  arguments.packed[wanted.slot] = wanted.panels.has_value();
  return nullptr;
}

void Signature::setPacked(llvm::ArrayRef<PackedOperand> operands) {
  for (const PackedOperand &operand : operands)
    for (Tensor &tensor : tensors_)
      if (tensor.slot == operand.parameter && !tensor.isResult)
        tensor.panels = operand;
}

void Signature::setInPlace(WhyNotInPlace why) { whyNotInPlace_ = std::move(why); }

void Signature::setMerged(llvm::ArrayRef<aicore::MergedDims> dims) {
  for (const aicore::MergedDims &each : dims)
    for (Tensor &tensor : tensors_)
      if (tensor.slot == static_cast<size_t>(each.tensor))
        tensor.merged.push_back(each);
}

bool Signature::isBetterApart(llvm::ArrayRef<mmk_tensor> tensors) const {
  if (llvm::all_of(tensors_, [](const Tensor &it) { return it.merged.empty(); }))
    return false;
  return llvm::any_of(tensors_, [&](const Tensor &wanted) {
    const auto given = llvm::find_if(tensors, [&](const mmk_tensor &it) {
      return it.name && wanted.name == it.name && !isPacked(it);
    });
    if (given == tensors.end() || given->rank < 0 ||
        static_cast<size_t>(given->rank) != wanted.shape.size())
      return false; // bind has a message
    if (wanted.isResult && llvm::any_of(tensors, [&](const mmk_tensor &it) {
          return &it != &*given && it.data && it.data == given->data;
        }))
      return true;
    Layout layout(*given, sizeInBytes(wanted.type));
    return llvm::any_of(wanted.merged, [&](const aicore::MergedDims &dims) {
      return !layout.join(dims.first, dims.last, wanted.isResult).empty();
    });
  });
}

mmk_error *Signature::pack(const mmk_tensor &tensor, void *packed, size_t &bytes) const {
  std::vector<std::string> constants;
  const Tensor *wanted = nullptr;
  for (const Tensor &each : tensors_) {
    if (each.isConstant)
      constants.push_back(each.name);
    if (each.isConstant && tensor.name && each.name == tensor.name)
      wanted = &each;
  }
  if (!wanted)
    return mistake(fmt::format("'{}' has no constant {}{}", kernel_.name, quoted(tensor.name),
                               constants.empty()
                                   ? "; it declares none as const"
                                   : fmt::format("; it has {}", listOf(constants, "and"))));
  if (isPacked(tensor))
    return mistake(fmt::format("'{}' is packed already", wanted->name));
  if (mmk_error *error = expectAsDeclared(*wanted, tensor))
    return error;
  llvm::SmallVector<Dimension, 8> dimensions(kernel_.dimensions.size());
  if (mmk_error *error = takeExtents(*wanted, tensor, dimensions))
    return error;
  const Layout layout(tensor, sizeInBytes(wanted->type));
  const PackedForm form{wanted->type, layout.extents, wanted->panels};
  const auto needed = static_cast<size_t>(form.bytes());
  if (packed && bytes < needed)
    return mistake(fmt::format("'{}' takes {} bytes as {}, found room for {}", wanted->name, needed,
                               form.spelling(), bytes));
  if (packed && !llvm::isAddrAligned(llvm::Align(8), packed))
    return mistake(
        fmt::format("the packed memory of '{}' is not aligned to 8 bytes", wanted->name));
  bytes = needed;
  if (packed)
    form.pack(tensor.data, layout.strides, packed);
  return nullptr;
}

mmk_error *Signature::expectApart(llvm::ArrayRef<Layout> layouts) const {
  for (size_t i = 0; i < layouts.size(); ++i)
    for (size_t j = 0; j < layouts.size(); ++j)
      if (i != j && tensors_[i].isResult && layouts[i].mayTouch(layouts[j]))
        if (mmk_error *error = expectInPlace(tensors_[i], layouts[i], tensors_[j], layouts[j]))
          return error;
  return nullptr;
}

// A result in the memory of another argument.
mmk_error *Signature::expectInPlace(const Tensor &result, const Layout &layout, const Tensor &other,
                                    const Layout &otherLayout) const {
  if (other.isResult)
    return mistake(fmt::format("the result '{}' overlaps '{}' in memory", result.name, other.name));
  if (!layout.isSameAs(otherLayout))
    return mistake(fmt::format("the result '{}' overlaps '{}' in memory; legal: memory of its own, "
                               "or exactly that of a parameter where the kernel allows it",
                               result.name, other.name));
  const std::string why = whyNotInPlace_(other.slot, result.slot - kernel_.parameters.size());
  if (why.empty())
    return nullptr;
  return mistake(fmt::format("the result '{}' has the memory of '{}', which {}; legal: memory of "
                             "its own",
                             result.name, other.name, why));
}

mmk_error *Signature::inferResults(llvm::ArrayRef<mmk_tensor> tensors,
                                   int64_t (*extents)[MMK_MAX_RANK]) const {
  llvm::SmallVector<const mmk_tensor *, 8> found;
  if (mmk_error *error = byName(tensors, tensorNames_, "tensor", kernel_, found))
    return error;
  llvm::SmallVector<Dimension, 8> dimensions(kernel_.dimensions.size());
  for (auto [wanted, given] : llvm::zip(tensors_, found))
    if (given) {
      if (mmk_error *error = expectAsDeclared(wanted, *given))
        return error;
      if (mmk_error *error = takeExtents(wanted, *given, dimensions))
        return error;
    } else if (!wanted.isResult) {
      return notBound(wanted);
    }
  // Each dimension is one of a parameter, or follows from these.
  if (mmk_error *error = complete(dimensions))
    return error;
  for (const Tensor &result : tensors_)
    if (result.isResult)
      for (auto [i, extent] : llvm::enumerate(result.extents))
        extents[result.slot - kernel_.parameters.size()][i] =
            extent.dimension ? dimensions[*extent.dimension].value : extent.literal;
  return nullptr;
}

mmk_error *Signature::bindDimensions(llvm::ArrayRef<mmk_dimension> given,
                                     std::vector<int64_t> &values) const {
  llvm::SmallVector<const mmk_dimension *, 8> found;
  const std::vector<std::string> bound = kernel_.boundDimensions();
  if (mmk_error *error = byName(given, bound, "dimension", kernel_, found))
    return error;
  std::map<std::string, int64_t> known;
  for (auto [name, dimension] : llvm::zip(bound, found)) {
    if (!dimension)
      return mistake(fmt::format("the dimension {} has no value", name));
    const int64_t extent = dimension->extent;
    if (extent < 0 || extent > maximumExtent)
      return mistake(
          fmt::format("the dimension {} is from 0 to {}, found {}", name, maximumExtent, extent));
    known.emplace(name, extent);
  }
  if (const std::string problem = completeDimensions(kernel_, known); !problem.empty())
    return mistake(problem);
  for (const std::string &name : kernel_.dimensions)
    values.push_back(known.at(name));
  return nullptr;
}

} // namespace mmk::library
