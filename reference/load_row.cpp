#include "reference/load_row.h"

#include "runtime/convert.h"

#include <algorithm>
#include <cstring>

namespace mmk {
namespace {

/// Elements that are gathered at a time.
constexpr int64_t step = 1024;

/// Copies `count` elements at a distance of `stride` to a dense row.
template <typename T> void gather(const char *source, int64_t stride, char *target, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    memcpy(target + i * sizeof(T), source + i * stride * static_cast<int64_t>(sizeof(T)),
           sizeof(T));
}

void loadStep(const TensorView &view, int64_t offset, int64_t stride, double *row, int64_t count) {
  const char *source = view.at(offset);
  alignas(64) char together[step * sizeof(float)];
  switch (sizeInBytes(view.type)) {
  case 1:
    gather<char>(source, stride, together, count);
    break;
  case 2:
    gather<uint16_t>(source, stride, together, count);
    break;
  default:
    gather<uint32_t>(source, stride, together, count);
  }
  widen(together, view.type, row, count);
}

} // namespace

void loadRow(const TensorView &view, int64_t offset, int64_t stride, double *row, int64_t count) {
  if (stride == 1)
    return widen(view.at(offset), view.type, row, count);
  if (stride == 0) {
    widen(view.at(offset), view.type, row, 1);
    std::fill_n(row + 1, count - 1, row[0]);
    return;
  }
  for (int64_t i = 0; i < count; i += step)
    loadStep(view, offset + i * stride, stride, row + i, std::min(step, count - i));
}

} // namespace mmk
