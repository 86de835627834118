#include "reference/access.h"

#include "frontend/index/arithmetic.h"
#include "reference/index_program.h"
#include "reference/load_row.h"
#include "runtime/convert.h"
#include "runtime/threads.h"

#include <cstring>
#include <fmt/format.h>
#include <optional>

namespace mmk {
namespace {

constexpr int64_t elementsAtOnce = 4096;

/// Calls `store` for the elements from `begin` to `end` with their positions.
template <typename Store>
void forEachElement(const std::vector<int64_t> &shape, int64_t begin, int64_t end, Store store) {
  std::vector<int64_t> position(shape.size() + 1, 0);
  int64_t rest = begin;
  for (size_t d = shape.size(); d-- > 0; rest /= shape[d])
    position[d] = rest % shape[d];
  for (int64_t i = begin; i < end; ++i) {
    store(i, position.data());
    for (size_t d = shape.size(); d-- > 0;) {
      if (++position[d] < shape[d])
        break;
      position[d] = 0;
    }
  }
}

template <typename Store> void inBlocks(const Tensor &result, unsigned threads, Store store) {
  const int64_t elements = result.elements();
  parallelFor((elements + elementsAtOnce - 1) / elementsAtOnce, threads, [&](int64_t i, unsigned) {
    forEachElement(result.shape, i * elementsAtOnce, std::min(elements, (i + 1) * elementsAtOnce),
                   store);
  });
}

} // namespace

std::optional<TensorView> viewOfAccess(const Value &access, const TensorView &operand,
                                       const std::vector<int64_t> &shape,
                                       const std::map<std::string, int64_t> &dims) {
  if (access.operands.size() > 1)
    return std::nullopt;
  TensorView view{operand.data, operand.type, shape, std::vector<int64_t>(shape.size(), 0)};
  int64_t offset = 0;
  for (size_t d = 0; d < operand.shape.size(); ++d) {
    const auto form = linearForm(*access.indices[d]);
    if (!form)
      return std::nullopt;
    offset += form->number * operand.strides[d];
    for (const auto &[name, factor] : form->factors)
      if (name.starts_with('#'))
        view.strides[std::stoul(name.substr(1))] += factor * operand.strides[d];
      else
        offset += factor * dims.at(name) * operand.strides[d];
  }
  view.data = view.at(offset);
  return view;
}

/// The dimension of the operand along which a row of the result lies, if that is a row of it, too.
static std::optional<size_t> dimensionOfRows(const Value &access) {
  const std::string last = fmt::format("#{}", access.shape.size() - 1);
  std::optional<size_t> found;
  for (size_t d = 0; d < access.indices.size(); ++d) {
    if (!access.indices[d]->reads(last))
      continue;
    if (found || access.indices[d]->kind != Rule::Kind::choice)
      return std::nullopt;
    found = d;
  }
  return found;
}

/// Whole rows are copied.
static void gatherRows(const std::vector<IndexProgram> &indices, const TensorView &operand,
                       size_t dimension, Tensor &result, unsigned threads) {
  const int64_t columns = result.shape.back(), bytes = sizeInBytes(result.type),
                step = operand.strides[dimension] * bytes;
  std::vector<int64_t> rows = result.shape;
  rows.back() = 1;
  parallelFor(result.elements() / columns, threads, [&](int64_t row, unsigned) {
    forEachElement(rows, row, row + 1, [&](int64_t, const int64_t *position) {
      int64_t offset = 0;
      for (size_t d = 0; d < indices.size(); ++d)
        offset += indices[d](position) * operand.strides[d];
      char *to = result.as<char>() + row * columns * bytes;
      const char *from = operand.at(offset);
      if (step == bytes)
        memcpy(to, from, columns * bytes);
      for (int64_t i = 0; step != bytes && i < columns; ++i)
        memcpy(to + i * bytes, from + i * step, bytes);
    });
  });
}

void gather(const Value &access, const TensorView &operand, double padding,
            const std::map<std::string, int64_t> &dims, Tensor &result, unsigned threads) {
  std::vector<IndexProgram> indices;
  for (const Index &index : access.indices)
    indices.emplace_back(*index, dims);
  const bool hasPadding = access.operands.size() > 1;
  if (const auto along = dimensionOfRows(access); along && !hasPadding && result.elements() > 0)
    return gatherRows(indices, operand, *along, result, threads);
  inBlocks(result, threads, [&](int64_t i, const int64_t *position) {
    int64_t offset = 0;
    bool isInside = true;
    for (size_t d = 0; d < indices.size(); ++d) {
      const int64_t index = indices[d](position);
      isInside &= index >= 0 && index < operand.shape[d];
      offset += index * operand.strides[d];
    }
    const double element =
        isInside ? loadElement(operand.data, static_cast<size_t>(offset), operand.type) : padding;
    storeElement(result.as<char>(), static_cast<size_t>(i), result.type, element);
  });
}

double numberOfPosition(ElementType type, int64_t number) {
  return isInteger(type) ? static_cast<int32_t>(number) : static_cast<double>(number);
}

void storePositions(const Value &position, const std::map<std::string, int64_t> &dims,
                    Tensor &result, unsigned threads) {
  const IndexProgram index(*position.indices[0], dims);
  inBlocks(result, threads, [&](int64_t i, const int64_t *at) {
    storeElement(result.as<char>(), static_cast<size_t>(i), result.type,
                 numberOfPosition(position.type, index(at)));
  });
}

} // namespace mmk
