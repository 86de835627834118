#include "reference/empty_call.h"

#include "reference/reference.h"
#include "reference/view.h"

#include <cstring>
#include <functional>
#include <numeric>

namespace mmk {
namespace {

/// Copies the elements of `from` to those of `to`, which has the same shape.
void copyElements(const TensorView &from, const TensorView &to, char *target) {
  const auto bytes = static_cast<int64_t>(sizeInBytes(from.type));
  const size_t rank = from.shape.size();
  const int64_t elements =
      std::accumulate(from.shape.begin(), from.shape.end(), int64_t(1), std::multiplies<int64_t>());
  std::vector<int64_t> place(rank, 0);
  for (int64_t i = 0; i < elements; ++i) {
    const int64_t source =
        std::inner_product(place.begin(), place.end(), from.strides.begin(), int64_t(0));
    const int64_t goal =
        std::inner_product(place.begin(), place.end(), to.strides.begin(), int64_t(0));
    std::memcpy(target + goal * bytes, from.at(source), static_cast<size_t>(bytes));
    for (size_t d = rank; d-- > 0;) {
      if (++place[d] < from.shape[d])
        break;
      place[d] = 0;
    }
  }
}

class EmptyCallEvaluation {
public:
  EmptyCallEvaluation(const Kernel &kernel, const EmptyCall &call) : kernel_(kernel), call_(call) {
    for (size_t i = 0; i < kernel.dimensions.size(); ++i)
      dims_.emplace(kernel.dimensions[i], call.dims[i]);
  }

  llvm::Error run(unsigned threads) {
    if (llvm::Error error = readParameters())
      return error;
    auto results = evaluateReference(kernel_, dims_, {call_.scalars.begin(), call_.scalars.end()},
                                     tensors_, threads);
    if (!results)
      return results.takeError();
    for (size_t i = 0; i < results->size(); ++i) {
      const TensorView made = viewOf((*results)[i]);
      const TensorView bound = boundView(made, kernel_.parameters.size() + i);
      copyElements(made, bound, static_cast<char *>(call_.results[i]));
    }
    return llvm::Error::success();
  }

private:
  std::vector<int64_t> extentsOf(const Shape &shape) const {
    std::vector<int64_t> extents;
    for (const Dimension &dimension : shape)
      extents.push_back(dimension.isLiteral() ? dimension.literal : dims_.at(dimension.name));
    return extents;
  }

  /// The view of a dense tensor with the strides of the argument that is bound in place `slot`.
  TensorView boundView(TensorView dense, size_t slot) const {
    if (slot < call_.strides.size() && !call_.strides[slot].empty())
      dense.strides.assign(call_.strides[slot].begin(), call_.strides[slot].end());
    return dense;
  }

  /// Dense copies.
  llvm::Error readParameters() {
    copies_.resize(kernel_.parameters.size());
    tensors_.resize(kernel_.parameters.size());
    for (size_t i = 0; i < kernel_.parameters.size(); ++i) {
      const Parameter &parameter = kernel_.parameters[i];
      if (parameter.isScalar())
        continue;
      auto tensor = Tensor::allocate(parameter.type, extentsOf(parameter.shape));
      if (!tensor)
        return tensor.takeError();
      TensorView bound = boundView(viewOf(*tensor), i);
      bound.data = static_cast<const char *>(call_.tensors[i]);
      copyElements(bound, viewOf(*tensor), tensor->as<char>());
      copies_[i] = std::move(*tensor);
      tensors_[i] = &copies_[i];
    }
    return llvm::Error::success();
  }

  const Kernel &kernel_;
  const EmptyCall &call_;
  std::map<std::string, int64_t> dims_;
  std::vector<Tensor> copies_;
  std::vector<const Tensor *> tensors_; ///< by parameter; null for a scalar
};

} // namespace

bool hasElements(const Kernel &kernel, const Shape &shape, llvm::ArrayRef<int64_t> dims) {
  return std::ranges::all_of(shape, [&](const Dimension &dimension) {
    const auto named = std::ranges::find(kernel.dimensions, dimension.name);
    return dimension.isLiteral() || dims[named - kernel.dimensions.begin()] != 0;
  });
}

llvm::Error runEmptyCall(const Kernel &kernel, const EmptyCall &call, unsigned threads) {
  const bool hasResults = std::ranges::any_of(kernel.results, [&](const Result &result) {
    return hasElements(kernel, result.shape, call.dims);
  });
  return hasResults ? EmptyCallEvaluation(kernel, call).run(threads) : llvm::Error::success();
}

} // namespace mmk
