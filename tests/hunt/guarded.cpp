#include "tests/hunt/guarded.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace mmk::hunt {
namespace {

size_t pageBytes() {
  static const size_t bytes = sysconf(_SC_PAGESIZE);
  return bytes;
}

bool agree(double x, double y, double error) {
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) && std::isnan(y);
  if (error == 0 || std::isinf(x) || std::isinf(y))
    return std::bit_cast<uint64_t>(x) == std::bit_cast<uint64_t>(y);
  return std::abs(x - y) <= error;
}

} // namespace

Guarded::Guarded(ElementType type, const std::vector<int64_t> &shape, Page page) : type_(type) {
  for (int64_t extent : shape)
    elements_ *= extent;
  bytes_ = elements_ * sizeInBytes(type);
  const size_t inside = (bytes_ + pageBytes() - 1) / pageBytes() * pageBytes();
  pages_ = inside + 2 * pageBytes();
  void *memory = mmap(nullptr, pages_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    std::abort();
  memory_ = static_cast<char *>(memory);
  mprotect(memory_ + pageBytes(), inside, PROT_READ | PROT_WRITE);
  data_ = memory_ + pageBytes() + (page == Page::behind ? inside - bytes_ : 0);
  poison();
}

Guarded::Guarded(const Tensor &tensor, Page page) : Guarded(tensor.type, tensor.shape, page) {
  std::memcpy(data_, tensor.data(), bytes_);
  freeze();
}

Guarded::Guarded(Guarded &&other) noexcept
    : type_(other.type_), elements_(other.elements_), bytes_(other.bytes_), pages_(other.pages_),
      memory_(std::exchange(other.memory_, nullptr)), data_(other.data_) {}

Guarded::~Guarded() {
  if (memory_)
    munmap(memory_, pages_);
}

void Guarded::poison() {
  // NaNs of all float types, and no integer that a sum of small ones gives.
  std::memset(data_, 0x7f, bytes_);
  if (type_ == ElementType::f32)
    std::fill_n(static_cast<uint32_t *>(static_cast<void *>(data_)), elements_, 0x7fc0dead);
}

void Guarded::freeze() { mprotect(memory_ + pageBytes(), pages_ - 2 * pageBytes(), PROT_READ); }

int64_t Guarded::firstDifference(const void *other, double error) const {
  if (error == 0 && std::memcmp(data_, other, bytes_) == 0)
    return -1;
  for (int64_t i = 0; i < elements_; ++i)
    if (!agree(loadElement(data_, i, type_), loadElement(other, i, type_), error))
      return i;
  return -1;
}

} // namespace mmk::hunt
