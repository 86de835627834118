#include "runtime/tensor.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <unistd.h>

namespace mmk {
namespace {

constexpr std::byte canary{0xC5};
constexpr size_t hugePage = size_t{2} << 20;

/// Elements of the shape, or -1 when they or their bytes do not fit in 63 bits.
int64_t countElements(ElementType type, const std::vector<int64_t> &shape) {
  // A dimension of 0 makes any other harmless, also when the others alone would overflow.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end())
    return 0;
  int64_t bytes = static_cast<int64_t>(sizeInBytes(type));
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      return -1;
  return bytes / static_cast<int64_t>(sizeInBytes(type));
}

double physicalMemory() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

template <typename T> void fill(void *data, int64_t elements, T value) {
  std::fill_n(static_cast<T *>(data), elements, value);
}

} // namespace

llvm::Expected<Tensor> Tensor::allocate(ElementType type, std::vector<int64_t> shape) {
  const std::string text = spelling(type, shape);
  for (int64_t extent : shape)
    if (extent < 0)
      return llvm::createStringError(
          fmt::format("a tensor {} cannot be: {} is below 0", text, extent));
  Tensor tensor;
  tensor.type = type;
  tensor.shape = std::move(shape);
  tensor.elements_ = countElements(type, tensor.shape);
  const double available = physicalMemory();
  if (tensor.elements_ < 0)
    return llvm::createStringError(fmt::format(
        "a tensor {} is larger than any memory: its bytes do not fit in 63 bits", text));
  const std::string refusal = fmt::format("a tensor {} needs {} bytes; this machine has {:.0f} "
                                          "bytes of memory",
                                          text, tensor.bytes(), available);
  if (static_cast<double>(tensor.bytes()) > available)
    return llvm::createStringError(refusal);

  // A large tensor starts at a huge page: with small pages, strided access would miss the TLB.
  const size_t size = tensor.bytes() + 2 * canaryBytes;
  const size_t alignment = size >= 2 * hugePage ? hugePage : 64;
  const size_t rounded = (size + alignment - 1) / alignment * alignment;
  auto *memory = static_cast<std::byte *>(std::aligned_alloc(alignment, rounded));
  if (!memory)
    return llvm::createStringError(refusal + ", not enough of them free");
  if (alignment == hugePage)
    madvise(memory, rounded, MADV_HUGEPAGE);
  tensor.storage_.reset(memory);
  std::fill_n(memory, canaryBytes, canary);
  std::fill_n(memory + canaryBytes + tensor.bytes(), canaryBytes, canary);
  return tensor;
}

bool Tensor::canariesIntact() const {
  if (!storage_)
    return true;
  const auto intact = [](const std::byte *zone) {
    return std::all_of(zone, zone + canaryBytes, [](std::byte b) { return b == canary; });
  };
  return intact(storage_.get()) && intact(storage_.get() + canaryBytes + bytes());
}

void Tensor::poison() {
  const uint32_t pattern = traitsOf(type).poison;
  switch (sizeInBytes(type)) {
  case 1:
    return fill<uint8_t>(data(), elements_, pattern);
  case 2:
    return fill<uint16_t>(data(), elements_, pattern);
  default:
    return fill<uint32_t>(data(), elements_, pattern);
  }
}

std::string spelling(ElementType type, const std::vector<int64_t> &shape) {
  if (shape.empty())
    return std::string(spelling(type));
  return fmt::format("{}[{}]", spelling(type), fmt::join(shape, ", "));
}

} // namespace mmk
