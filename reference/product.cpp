#include "reference/product.h"

#include "reference/load_row.h"
#include "reference/micro_kernel.h"
#include "runtime/convert.h"
#include "runtime/threads.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

namespace mmk {
namespace {

// A block of the result with its two packed operands stays in a second-level cache of 1 MiB or
// more. Multiples of every tile.
constexpr int64_t blockRows = 192, blockColumns = 240, blockDepth = 256;

int64_t roundUp(int64_t value, int64_t step) { return (value + step - 1) / step * step; }

/// A matrix in memory, and the part of it that is being packed.
struct Matrix {
  TensorView view;
  int64_t offset = 0; ///< of its first element, for the batch
  int64_t rowStride, columnStride;

  Matrix(const TensorView &whole)
      : view(whole), rowStride(whole.strides.end()[-2]), columnStride(whole.strides.end()[-1]) {}

  Matrix transposed() const {
    Matrix result = *this;
    std::swap(result.rowStride, result.columnStride);
    return result;
  }
  const char *at(int64_t row, int64_t column) const {
    return view.at(offset + row * rowStride + column * columnStride);
  }
  double element(int64_t row, int64_t column) const {
    return loadElement(view.data,
                       static_cast<size_t>(offset + row * rowStride + column * columnStride),
                       view.type);
  }
  bool holds(int64_t row, int64_t column) const { return element(row, column) != 0; }
};

/// Packs `lines` x `depth` elements, widened, into panels of `width` lines: for each depth the
/// `width` elements lie together. Missing lines are zero. `matrix` has lines as its rows.
void pack(const Matrix &matrix, int64_t line, int64_t lines, int64_t depthBegin, int64_t depth,
          int64_t width, double *panels) {
  double row[std::max({blockDepth, blockRows, blockColumns})];
  if (lines % width != 0)
    std::fill_n(panels + lines / width * width * depth, width * depth, 0.0);
  const auto panelOf = [&](int64_t i) { return panels + i / width * width * depth + i % width; };
  if (matrix.columnStride == 1) {
    for (int64_t i = 0; i < lines; ++i) {
      widen(matrix.at(line + i, depthBegin), matrix.view.type, row, depth);
      double *panel = panelOf(i);
      for (int64_t k = 0; k < depth; ++k)
        panel[k * width] = row[k];
    }
    return;
  }
  // The other dense order: the lines are columns in memory. (A matrix of one line or of depth one
  // may have any stride there, and takes one step of either loop.)
  for (int64_t k = 0; k < depth; ++k) {
    widen(matrix.at(line, depthBegin + k), matrix.view.type, row, lines);
    for (int64_t i = 0; i < lines; i += width)
      memcpy(panelOf(i) + k * width, row + i, sizeof(double) * std::min(width, lines - i));
  }
}

/// Zero in packed panels where the guard does not hold.
void applyGuard(const Matrix &guard, int64_t line, int64_t lines, int64_t depthBegin, int64_t depth,
                int64_t width, double *panels) {
  for (int64_t i = 0; i < lines; ++i)
    for (int64_t k = 0; k < depth; ++k)
      if (!guard.holds(line + i, depthBegin + k))
        panels[i / width * width * depth + i % width + k * width] = 0;
}

/// A sum of bytes, exact in double, modulo 2^32: the final value of an accumulator of 32 bits, in
/// any order.
double wrapped(double sum) { return static_cast<int32_t>(static_cast<int64_t>(sum)); }

/// Memory of one thread.
struct Scratch {
  std::vector<double> left, right, sums;
};

class Product {
public:
  Product(const TensorView &left, const TensorView &right, Tensor &result)
      : left_(left), right_(right), result_(result), rows_(result.shape.end()[-2]),
        columns_(result.shape.end()[-1]), depth_(left.shape.end()[-1]),
        leftStrides_(broadcastStrides(left, batched(left))),
        rightStrides_(broadcastStrides(right, batched(right))) {}

  /// Of the terms for which it holds.
  void setGuard(const TensorView &guard, size_t side) {
    guard_ = guard;
    guard_->shape = batched(side == 0 ? left_ : right_);
    guard_->strides = broadcastStrides(guard, guard_->shape);
    side_ = side;
  }

  /// Term by term.
  void runSlowly(unsigned threads) {
    parallelFor(result_.elements() / columns_, threads, [&](int64_t index, unsigned) {
      const int64_t batch = index / rows_, row = index % rows_;
      const Matrix left = matrixOf(left_, leftStrides_, batch),
                   right = matrixOf(right_, rightStrides_, batch), guard = guardOf(batch);
      for (int64_t column = 0; column < columns_; ++column) {
        double sum = 0;
        for (int64_t k = 0; k < depth_; ++k)
          if (side_ == 0 ? guard.holds(row, k) : guard.holds(k, column))
            sum += left.element(row, k) * right.element(k, column);
        narrow(&sum, result_.type,
               result_.as<char>() +
                   (index * columns_ + column) * static_cast<int64_t>(sizeInBytes(result_.type)),
               1);
      }
    });
  }

  void run(unsigned threads) {
    const int64_t rowBlocks = (rows_ + blockRows - 1) / blockRows;
    const int64_t columnBlocks = (columns_ + blockColumns - 1) / blockColumns;
    const int64_t blocks = rowBlocks * columnBlocks;
    if (blocks == 0)
      return;
    std::vector<Scratch> scratch(std::max(threads, 1u));
    parallelFor(result_.elements() / (rows_ * columns_) * blocks, threads,
                [&](int64_t index, unsigned worker) {
                  const int64_t block = index % blocks;
                  multiplyBlock(index / blocks, block / columnBlocks * blockRows,
                                block % columnBlocks * blockColumns, scratch[worker]);
                });
  }

private:
  /// The result's leading dimensions over an operand's own matrix.
  std::vector<int64_t> batched(const TensorView &operand) const {
    std::vector<int64_t> shape = result_.shape;
    std::copy(operand.shape.end() - 2, operand.shape.end(), shape.end() - 2);
    return shape;
  }

  int64_t batchOffset(int64_t batch, const std::vector<int64_t> &strides) const {
    int64_t offset = 0;
    for (size_t d = strides.size() - 2; d-- > 0; batch /= result_.shape[d])
      offset += batch % result_.shape[d] * strides[d];
    return offset;
  }

  Matrix matrixOf(const TensorView &view, const std::vector<int64_t> &strides,
                  int64_t batch) const {
    Matrix matrix(view);
    matrix.offset = batchOffset(batch, strides);
    return matrix;
  }
  Matrix guardOf(int64_t batch) const { return matrixOf(*guard_, guard_->strides, batch); }

  void multiplyBlock(int64_t batch, int64_t row, int64_t column, Scratch &scratch) {
    const DoubleMicroKernel &kernel = microKernels().front();
    const int64_t rows = std::min(blockRows, rows_ - row);
    const int64_t columns = std::min(blockColumns, columns_ - column);
    const int64_t paddedRows = roundUp(rows, kernel.rows);
    const int64_t paddedColumns = roundUp(columns, kernel.columns);
    const int64_t deepest = std::min(blockDepth, depth_);
    scratch.left.resize(std::max<size_t>(scratch.left.size(), paddedRows * deepest));
    scratch.right.resize(std::max<size_t>(scratch.right.size(), paddedColumns * deepest));
    scratch.sums.assign(paddedRows * paddedColumns, 0.0);

    const Matrix left = matrixOf(left_, leftStrides_, batch),
                 right = matrixOf(right_, rightStrides_, batch);
    for (int64_t k = 0; k < depth_; k += blockDepth) {
      const int64_t depth = std::min(blockDepth, depth_ - k);
      pack(left, row, rows, k, depth, kernel.rows, scratch.left.data());
      pack(right.transposed(), column, columns, k, depth, kernel.columns, scratch.right.data());
      if (guard_ && side_ == 0)
        applyGuard(guardOf(batch), row, rows, k, depth, kernel.rows, scratch.left.data());
      if (guard_ && side_ == 1)
        applyGuard(guardOf(batch).transposed(), column, columns, k, depth, kernel.columns,
                   scratch.right.data());
      for (int64_t j = 0; j < paddedColumns; j += kernel.columns)
        for (int64_t i = 0; i < paddedRows; i += kernel.rows)
          kernel.run(depth, scratch.left.data() + i * depth, scratch.right.data() + j * depth,
                     scratch.sums.data() + i * paddedColumns + j, paddedColumns);
    }
    if (result_.type == ElementType::i32)
      std::ranges::transform(scratch.sums, scratch.sums.begin(), wrapped);
    char *target = result_.as<char>();
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t at = (batch * rows_ + row + i) * columns_ + column;
      narrow(scratch.sums.data() + i * paddedColumns, result_.type,
             target + at * static_cast<int64_t>(sizeInBytes(result_.type)), columns);
    }
  }

  const TensorView &left_, &right_;
  Tensor &result_;
  const int64_t rows_, columns_, depth_;
  const std::vector<int64_t> leftStrides_, rightStrides_;
  std::optional<TensorView> guard_;
  size_t side_ = 0; ///< of the operand with whose elements it stands
};

bool isFinite(const TensorView &view) {
  const int64_t columns = view.shape.back();
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < view.shape.size(); ++d)
    rows *= view.shape[d];
  std::vector<double> row(columns);
  for (int64_t i = 0; i < rows; ++i) {
    int64_t offset = 0, rest = i;
    for (size_t d = view.shape.size() - 1; d-- > 0; rest /= view.shape[d])
      offset += rest % view.shape[d] * view.strides[d];
    loadRow(view, offset, view.strides.back(), row.data(), columns);
    if (!std::ranges::all_of(row, [](double x) { return std::isfinite(x); }))
      return false;
  }
  return true;
}

} // namespace

void multiply(const TensorView &left, const TensorView &right, Tensor &result, unsigned threads) {
  Product(left, right, result).run(threads);
}

// Zero takes the place of an element that is left out, unless its factor is infinite or NaN.
void multiplyWhere(const TensorView &left, const TensorView &right, const TensorView &guard,
                   size_t side, Tensor &result, unsigned threads) {
  Product product(left, right, result);
  product.setGuard(guard, side);
  if (isFinite(side == 0 ? right : left))
    product.run(threads);
  else
    product.runSlowly(threads);
}

} // namespace mmk
