#include "reference/reduction.h"

#include "reference/load_row.h"
#include "runtime/convert.h"
#include "runtime/threads.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mmk {
namespace {

/// Elements of a row that are read at once.
constexpr int64_t columnsOfBlock = 1024;

/// One element of a result while it is reduced.
struct Accumulator {
  double number = 0;
  uint32_t wrapped = 0; ///< of a sum or product of integers
  int64_t position = 0; ///< of an argmax or argmin
};

bool isMaximum(Reduction reduction) {
  return reduction == Reduction::maximum || reduction == Reduction::argmax;
}

/// Whether `x` takes the place of `best`: NaN does, and of zeros the positive one is larger.
bool isBeyond(double x, double best, bool isMaximum) {
  if (std::isnan(best) || std::isnan(x))
    return std::isnan(x) && !std::isnan(best);
  if (x == best)
    return std::signbit(x) != std::signbit(best) && std::signbit(x) != isMaximum;
  return (x > best) == isMaximum;
}

/// An argument is the first of equals, and zeros are equal.
bool isArgumentBeyond(double x, double best, bool isMaximum) {
  return isBeyond(x, best, isMaximum) && !(x == best);
}

class Reducer {
public:
  Reducer(Reduction reduction, ElementType type)
      : reduction_(reduction),
        wraps_(type == ElementType::i32 &&
               (reduction == Reduction::sum || reduction == Reduction::product)) {}

  Accumulator start() const {
    const double infinity = std::numeric_limits<double>::infinity();
    switch (reduction_) {
    case Reduction::product:
      return {1, 1};
    case Reduction::all:
      return {1};
    case Reduction::maximum:
    case Reduction::argmax:
      return {-infinity};
    case Reduction::minimum:
    case Reduction::argmin:
      return {infinity};
    case Reduction::sum:
    case Reduction::any:
      break;
    }
    return {};
  }

  /// The elements of `row` have the positions from `first` on.
  void addRow(const double *row, int64_t count, int64_t first, Accumulator &to) const {
    if (reduction_ != Reduction::sum || wraps_) {
      for (int64_t i = 0; i < count; ++i)
        add(row[i], first + i, to);
      return;
    }
    double sum = 0;
    for (int64_t i = 0; i < count; ++i)
      sum += row[i];
    to.number += sum;
  }

  void add(double x, int64_t position, Accumulator &to) const {
    switch (reduction_) {
    case Reduction::sum:
      if (wraps_)
        to.wrapped += static_cast<uint32_t>(static_cast<int64_t>(x));
      else
        to.number += x;
      return;
    case Reduction::product:
      if (wraps_)
        to.wrapped *= static_cast<uint32_t>(static_cast<int64_t>(x));
      else
        to.number *= x;
      return;
    case Reduction::any:
      to.number = std::max(to.number, x);
      return;
    case Reduction::all:
      to.number = std::min(to.number, x);
      return;
    case Reduction::maximum:
    case Reduction::minimum:
      if (isBeyond(x, to.number, isMaximum(reduction_)))
        to.number = x;
      return;
    case Reduction::argmax:
    case Reduction::argmin:
      if (isArgumentBeyond(x, to.number, isMaximum(reduction_)))
        to.number = x, to.position = position;
      return;
    }
  }

  double result(const Accumulator &of) const {
    if (wraps_)
      return static_cast<int32_t>(of.wrapped);
    const bool isArgument = reduction_ == Reduction::argmax || reduction_ == Reduction::argmin;
    return isArgument ? static_cast<double>(of.position) : of.number;
  }

private:
  Reduction reduction_;
  bool wraps_;
};

/// The dimensions of the operand in two groups, each with its extents and strides.
struct Axes {
  std::vector<int64_t> extents, strides;

  int64_t elements() const {
    int64_t all = 1;
    for (int64_t extent : extents)
      all *= extent;
    return all;
  }
  int64_t offsetOf(int64_t index) const {
    int64_t offset = 0;
    for (size_t d = extents.size(); d-- > 0; index /= extents[d])
      offset += index % extents[d] * strides[d];
    return offset;
  }
};

/// Those along which `value` goes, and the others.
std::pair<Axes, Axes> axesOf(const Value &value, const TensorView &operand) {
  Axes along, kept;
  for (size_t d = 0; d < operand.shape.size(); ++d) {
    Axes &axes = std::ranges::find(value.along, d) == value.along.end() ? kept : along;
    axes.extents.push_back(operand.shape[d]);
    axes.strides.push_back(operand.strides[d]);
  }
  return {along, kept};
}

} // namespace

// Where the last dimension is kept, neighbours of the result are reduced together, so that memory
// is read in order.
void reduceView(const Value &value, const TensorView &operand, Tensor &result, unsigned threads) {
  auto [along, kept] = axesOf(value, operand);
  const Reducer reducer(value.reduction, operand.type);
  const bool keepsLast = !operand.shape.empty() && !kept.extents.empty() &&
                         value.along.back() != operand.shape.size() - 1;
  Axes &rows = keepsLast ? kept : along;
  const int64_t columns = rows.extents.empty() ? 1 : rows.extents.back(),
                stride = rows.strides.empty() ? 0 : rows.strides.back();
  if (!rows.extents.empty())
    rows.extents.pop_back(), rows.strides.pop_back();
  const int64_t outer = kept.elements(), inner = along.elements(),
                blocks = (columns + columnsOfBlock - 1) / columnsOfBlock;
  const auto store = [&](int64_t index, const Accumulator &from) {
    storeElement(result.as<char>(), static_cast<size_t>(index), result.type, reducer.result(from));
  };
  if (keepsLast) {
    parallelFor(outer * blocks, threads, [&](int64_t which, unsigned) {
      const int64_t first = which % blocks * columnsOfBlock,
                    count = std::min(columnsOfBlock, columns - first);
      std::vector<double> row(count);
      std::vector<Accumulator> sums(count, reducer.start());
      for (int64_t i = 0; i < inner; ++i) {
        loadRow(operand, kept.offsetOf(which / blocks) + along.offsetOf(i) + first * stride, stride,
                row.data(), count);
        for (int64_t c = 0; c < count; ++c)
          reducer.add(row[c], i, sums[c]);
      }
      for (int64_t c = 0; c < count; ++c)
        store(which / blocks * columns + first + c, sums[c]);
    });
    return;
  }
  parallelFor(outer, threads, [&](int64_t which, unsigned) {
    std::vector<double> row(std::min(columns, columnsOfBlock));
    Accumulator sum = reducer.start();
    for (int64_t i = 0; i < inner; ++i)
      for (int64_t first = 0; first < columns; first += columnsOfBlock) {
        const int64_t count = std::min(columnsOfBlock, columns - first);
        loadRow(operand, kept.offsetOf(which) + along.offsetOf(i) + first * stride, stride,
                row.data(), count);
        reducer.addRow(row.data(), count, i * columns + first, sum);
      }
    store(which, sum);
  });
}

void reduceWhere(const Value &value, const TensorView &operand, const TensorView &guard,
                 Tensor &result, unsigned threads) {
  const auto [along, kept] = axesOf(value, operand);
  TensorView spread = guard;
  spread.strides = broadcastStrides(guard, operand.shape);
  spread.shape = operand.shape;
  const auto [guardAlong, guardKept] = axesOf(value, spread);
  const Reducer reducer(value.reduction, operand.type);
  const int64_t inner = along.elements();
  parallelFor(kept.elements(), threads,
              [&, &along = along, &kept = kept, &guardAlong = guardAlong,
               &guardKept = guardKept](int64_t which, unsigned) {
                const int64_t from = kept.offsetOf(which), holds = guardKept.offsetOf(which);
                Accumulator sum = reducer.start();
                for (int64_t i = 0; i < inner; ++i)
                  if (loadElement(spread.data, static_cast<size_t>(holds + guardAlong.offsetOf(i)),
                                  spread.type) != 0)
                    reducer.add(loadElement(operand.data,
                                            static_cast<size_t>(from + along.offsetOf(i)),
                                            operand.type),
                                i, sum);
                storeElement(result.as<char>(), static_cast<size_t>(which), result.type,
                             reducer.result(sum));
              });
}

void cumulateView(const Value &value, const TensorView &operand, Tensor &result, unsigned threads) {
  const auto [along, kept] = axesOf(value, operand);
  const TensorView stored = viewOf(result);
  const int64_t length = along.extents[0], stride = along.strides[0],
                storedStride = stored.strides[value.along[0]];
  const Axes target = axesOf(value, stored).second;
  const Reducer reducer(Reduction::sum, operand.type);
  parallelFor(kept.elements(), threads, [&](int64_t which, unsigned) {
    const int64_t from = kept.offsetOf(which), to = target.offsetOf(which);
    Accumulator sum = reducer.start();
    for (int64_t i = 0; i < length; ++i) {
      reducer.add(loadElement(operand.data, static_cast<size_t>(from + i * stride), operand.type),
                  i, sum);
      storeElement(result.as<char>(), static_cast<size_t>(to + i * storedStride), result.type,
                   reducer.result(sum));
    }
  });
}

} // namespace mmk
