#include "tests/hunt/data.h"

#include "runtime/data.h"

#include <cmath>
#include <limits>

namespace mmk::hunt {
namespace {

/// Every sum of these has one value in any order: of infinities it is an infinity or NaN, and eight
/// products of the large numbers fit into the 24 bits of an f32. They are large enough for a unit
/// in the last place of 1 + erf(x) to be seen behind a product with x.
void strew(Tensor &tensor, Random random) {
  if (!isFloat(tensor.type))
    return;
  const double specials[] = {std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity(),
                             -0.0,
                             -0.0,
                             -0.0,
                             1024,
                             -1024};
  // A few, so that most of a product has none but -0.
  for (int64_t i = random.between(1, 8); i > 0; --i)
    tensor.set(random.below(tensor.elements()), specials[random.below(std::size(specials))]);
}

/// Any number of 32 bits, or one near 0 or near an end.
void spread(Tensor &tensor, Random random) {
  if (tensor.type != ElementType::i32)
    return;
  constexpr int64_t low = std::numeric_limits<int32_t>::min(),
                    high = std::numeric_limits<int32_t>::max();
  for (int64_t i = 0; i < tensor.elements(); ++i)
    switch (random.below(6)) {
    case 0:
      tensor.set(i, static_cast<double>(random.between(-9, 9)));
      break;
    case 1:
      tensor.set(i,
                 static_cast<double>(random.oneOf({low, low, low + 1, low + random.below(600)})));
      break;
    case 2:
      tensor.set(i, static_cast<double>(random.oneOf({high, high, high - random.below(600)})));
      break;
    default:
      tensor.set(i, static_cast<double>(random.between(low, high)));
    }
}

/// Infinities and NaN from a position on along a dimension.
void poison(Tensor &tensor, size_t dim, int64_t from) {
  int64_t inner = 1;
  for (size_t i = dim + 1; i < tensor.shape.size(); ++i)
    inner *= tensor.shape[i];
  const double poisons[] = {std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity()};
  for (int64_t i = 0; i < tensor.elements(); ++i)
    if (i / inner % tensor.shape[dim] >= from)
      tensor.set(i, poisons[i % std::size(poisons)]);
}

} // namespace

void fill(Tensor &tensor, const std::vector<std::string> &dims, const Sample &sample,
          size_t index) {
  const Fill fill = sample.fill;
  const uint64_t seed = sample.number;
  const DataKind kind = fill == Fill::uniform   ? DataKind::uniform
                        : fill == Fill::normal  ? DataKind::normal
                        : fill == Fill::special ? DataKind::special
                                                : DataKind::integers;
  fillWithData(tensor, kind, seed + (static_cast<uint64_t>(index) << 40), 1);
  if (fill == Fill::strewn)
    strew(tensor, Random(seed, index + 1));
  if (fill == Fill::whole)
    spread(tensor, Random(seed, index + 1));
  for (size_t dim = 0; dim < dims.size(); ++dim)
    if (sample.poison && isFloat(tensor.type) && dims[dim] == sample.poison->dim)
      poison(tensor, dim, sample.poison->from);
}

} // namespace mmk::hunt
