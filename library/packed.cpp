#include "library/packed.h"

#include "runtime/pack.h"

#include "llvm/Support/Alignment.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace mmk::library {
namespace {

/// Changes with the layout of the bytes behind the header.
constexpr char magic[8] = {'m', 'm', 'k', 'p', 'a', 'c', 'k', '1'};
/// Lines of the operand stay lines.
constexpr int64_t headerBytes = 512;

struct Header {
  char magic[8];
  int64_t bytes; ///< with the header
  char spelling[headerBytes - 16];
};
static_assert(sizeof(Header) == headerBytes);

int64_t elementsOf(llvm::ArrayRef<int64_t> extents) {
  int64_t elements = 1;
  for (int64_t extent : extents)
    elements *= extent;
  return elements;
}

/// Copies the elements in row-major order.
void copyRows(const PackedForm &form, const char *from, llvm::ArrayRef<int64_t> strides, char *to) {
  const int64_t size = static_cast<int64_t>(sizeInBytes(form.type)), all = elementsOf(form.extents);
  const size_t rank = form.extents.size();
  llvm::SmallVector<int64_t, 8> place(rank, 0);
  const int64_t row = form.extents.back();
  for (int64_t done = 0; done < all; done += row) {
    int64_t offset = 0;
    for (size_t dim = 0; dim + 1 < rank; ++dim)
      offset += place[dim] * strides[dim];
    for (int64_t i = 0; i < row; ++i)
      std::memcpy(to + (done + i) * size, from + (offset + i * strides.back()) * size,
                  static_cast<size_t>(size));
    for (size_t dim = rank - 1; dim-- > 0;) {
      if (++place[dim] < form.extents[dim])
        break;
      place[dim] = 0;
    }
  }
}

} // namespace

std::string PackedForm::spelling() const {
  std::string text;
  for (int64_t extent : extents)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", extent);
  text = fmt::format("{}[{}] as ", mmk::spelling(type), text);
  return panels ? fmt::format("{}{}, of dimension {} by {}", text, panels->layout.spelling(),
                              panels->k.spelling(), panels->n.spelling())
                : text + "rows";
}

int64_t PackedForm::bytes() const {
  return headerBytes + (panels ? packedBytes(*panels, extents)
                               : elementsOf(extents) * static_cast<int64_t>(sizeInBytes(type)));
}

void PackedForm::pack(const void *data, llvm::ArrayRef<int64_t> strides, void *to) const {
  Header header = {};
  std::memcpy(header.magic, magic, sizeof magic);
  header.bytes = bytes();
  const std::string text = spelling();
  std::memcpy(header.spelling, text.data(), std::min(text.size(), sizeof header.spelling - 1));
  char *operand = static_cast<char *>(to) + headerBytes;
  if (panels)
    packPanels(*panels, {data, extents, strides}, operand);
  else
    copyRows(*this, static_cast<const char *>(data), strides, operand);
  std::memcpy(to, &header, sizeof header);
}

mmk_error *PackedForm::open(const std::string &name, const void *packed,
                            const void *&operand) const {
  if (!llvm::isAddrAligned(llvm::Align(8), packed))
    return mistake(fmt::format("the packed memory of '{}' is not aligned to 8 bytes", name));
  Header header;
  std::memcpy(&header, packed, sizeof header);
  if (std::memcmp(header.magic, magic, sizeof magic) != 0)
    return mistake(fmt::format("the memory of '{}' does not begin as mmk_pack of this version "
                               "fills it",
                               name));
  header.spelling[sizeof header.spelling - 1] = 0;
  if (header.spelling != spelling() || header.bytes != bytes())
    return mistake(fmt::format("'{}' was packed as {}, of {} bytes; this kernel on this machine "
                               "reads {}, of {} bytes",
                               name, header.spelling, header.bytes, spelling(), bytes()));
  operand = static_cast<const char *>(packed) + headerBytes;
  return nullptr;
}

} // namespace mmk::library
