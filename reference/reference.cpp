#include "reference/reference.h"

#include "reference/access.h"
#include "reference/elementwise.h"
#include "reference/product.h"
#include "reference/random.h"
#include "reference/reduction.h"
#include "runtime/convert.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk {
namespace {

/// Evaluates one kernel once. Elementwise values become tensors only for a product or a transpose;
/// a tensor is freed after its last reader.
class Evaluation {
public:
  Evaluation(const Kernel &kernel, const std::map<std::string, int64_t> &dims, unsigned threads,
             Evaluated *evaluated)
      : kernel_(kernel), dims_(dims), threads_(threads), evaluated_(evaluated) {}

  llvm::Expected<std::vector<Tensor>> run(const std::vector<double> &scalars,
                                          const std::vector<const Tensor *> &tensors) {
    if (llvm::Error error = checkArguments(tensors))
      return std::move(error);
    findLastReaders();
    for (size_t i = 0; i < kernel_.values.size(); ++i) {
      const Value &value = *kernel_.values[i];
      if (value.operation == Operation::constant)
        setNumber(value, value.constant);
      else if (value.operation == Operation::extent)
        setNumber(value, extentOf(value, dims_));
      else if (value.operation == Operation::parameter && value.shape.empty())
        setNumber(value, scalars[value.parameter]);
      else if (value.operation == Operation::parameter)
        leaves_[&value].view = viewOf(*tensors[value.parameter]);
      else if (llvm::Error error = evaluate(value))
        return std::move(error);
      for (const Value *read : readLast_[i])
        memory_.erase(read);
    }
    std::vector<Tensor> results;
    for (const Result &result : kernel_.results) {
      llvm::Expected<Tensor> tensor = Tensor::allocate(result.type, concrete(result.shape));
      if (!tensor)
        return tensor.takeError();
      evaluateElementwise(*result.value, leaves_, *tensor, threads_);
      results.push_back(std::move(*tensor));
    }
    return results;
  }

private:
  llvm::Error checkArguments(const std::vector<const Tensor *> &tensors) const {
    for (const std::string &name : kernel_.dimensions)
      if (!dims_.count(name))
        return llvm::createStringError(fmt::format("the dimension {} has no value", name));
    for (size_t i = 0; i < kernel_.parameters.size(); ++i) {
      const Parameter &parameter = kernel_.parameters[i];
      if (parameter.isScalar())
        continue;
      const std::string expected = spelling(parameter.type, concrete(parameter.shape));
      if (!tensors[i])
        return llvm::createStringError(
            fmt::format("{}: expected a tensor {}, found none", parameter.name, expected));
      const std::string found = spelling(tensors[i]->type, tensors[i]->shape);
      if (found != expected)
        return llvm::createStringError(
            fmt::format("{}: expected {}, found {}", parameter.name, expected, found));
    }
    return llvm::Error::success();
  }

  std::vector<int64_t> concrete(const Shape &shape) const {
    std::vector<int64_t> extents;
    for (const Dimension &dimension : shape)
      extents.push_back(dimension.isLiteral() ? dimension.literal : dims_.at(dimension.name));
    return extents;
  }

  void setNumber(const Value &value, double number) {
    Leaf &leaf = leaves_[&value];
    leaf.isNumber = true;
    leaf.number = roundTo(value.type, number);
  }

  /// An elementwise value is evaluated when it is read as a tensor.
  llvm::Error evaluate(const Value &value) {
    if (isElementwise(value.operation))
      return llvm::Error::success();
    for (const Value *operand : value.operands)
      if (!leaves_.count(operand))
        if (llvm::Error error = materialise(*operand))
          return error;
    if (value.operation == Operation::transpose) {
      leaves_[&value].view = transposed(leaves_.at(value.operands[0]).view);
      return llvm::Error::success();
    }
    if (value.operation == Operation::squeeze) {
      leaves_[&value].view = squeezed(value, leaves_.at(value.operands[0]).view);
      return llvm::Error::success();
    }
    if (value.operation == Operation::access && !leaves_.at(value.operands[0]).isNumber)
      if (auto view = viewOfAccess(value, leaves_.at(value.operands[0]).view, concrete(value.shape),
                                   dims_)) {
        leaves_[&value].view = *view;
        return llvm::Error::success();
      }
    if (value.operation == Operation::product)
      for (size_t side : {size_t(0), size_t(1)})
        if (!isDenseMatrix(leaves_.at(value.operands[side]).view))
          if (llvm::Error error = materialise(*value.operands[side]))
            return error;
    if (value.operation == Operation::reshape)
      return reshape(value);
    llvm::Expected<Tensor> tensor = Tensor::allocate(value.type, concrete(value.shape));
    if (!tensor)
      return tensor.takeError();
    if (tensor->elements() == 0) {
      keep(value, std::move(*tensor));
      return llvm::Error::success();
    }
    if (value.operation == Operation::access || value.operation == Operation::position ||
        value.operation == Operation::random) {
      if (value.operation == Operation::position)
        storePositions(value, dims_, *tensor, threads_);
      else if (value.operation == Operation::random)
        storeRandom(static_cast<int32_t>(numberOfLeaf(*value.operands[0])), *tensor, threads_);
      else
        access(value, *tensor);
      keep(value, std::move(*tensor));
      return llvm::Error::success();
    }
    const TensorView &first = leaves_.at(value.operands[0]).view;
    if (value.operation == Operation::reduce && value.operands.size() > 1)
      reduceWhere(value, first, leaves_.at(value.operands[1]).view, *tensor, threads_);
    else if (value.operation == Operation::reduce)
      reduceView(value, first, *tensor, threads_);
    else if (value.operation == Operation::cumulate)
      cumulateView(value, first, *tensor, threads_);
    else if (value.operands.size() > 2)
      multiplyWhere(first, leaves_.at(value.operands[1]).view, leaves_.at(value.operands[2]).view,
                    value.along[0], *tensor, threads_);
    else
      multiply(first, leaves_.at(value.operands[1]).view, *tensor, threads_);
    if (!evaluated_) {
      keep(value, std::move(*tensor));
    } else {
      leaves_[&value].view = viewOf(*tensor);
      evaluated_->insert_or_assign(&value, std::move(*tensor));
    }
    return llvm::Error::success();
  }

  /// As `multiply` reads it: rows or columns without gaps.
  static bool isDenseMatrix(const TensorView &view) {
    const size_t rank = view.shape.size();
    return view.strides[rank - 1] == 1 || view.strides[rank - 2] == 1;
  }

  void access(const Value &value, Tensor &result) {
    const Leaf &operand = leaves_.at(value.operands[0]);
    if (operand.isNumber) {
      for (int64_t i = 0; i < result.elements(); ++i)
        storeElement(result.as<char>(), static_cast<size_t>(i), result.type, operand.number);
      return;
    }
    const double padding = value.operands.size() > 1 ? numberOfLeaf(*value.operands[1]) : 0;
    gather(value, operand.view, padding, dims_, result, threads_);
  }

  /// A view of the operand, which has no gaps then.
  llvm::Error reshape(const Value &value) {
    const Value &operand = *value.operands[0];
    const TensorView &given = leaves_.at(&operand).view;
    if (given.strides != denseStrides(given.shape))
      if (llvm::Error error = materialise(operand))
        return error;
    TensorView &view = leaves_[&value].view = leaves_.at(&operand).view;
    view.shape = concrete(value.shape);
    view.strides = denseStrides(view.shape);
    return llvm::Error::success();
  }

  /// Of a scalar value.
  double numberOfLeaf(const Value &value) const {
    const Leaf &leaf = leaves_.at(&value);
    return leaf.isNumber ? leaf.number : loadElement(leaf.view.data, 0, leaf.view.type);
  }

  /// The operand's view without the dimensions that the value leaves out.
  static TensorView squeezed(const Value &value, const TensorView &operand) {
    TensorView view{operand.data, operand.type, {}, {}};
    size_t own = 0;
    for (size_t d = 0; d < operand.shape.size(); ++d)
      if (own < value.shape.size() && value.operands[0]->shape[d] == value.shape[own]) {
        view.shape.push_back(operand.shape[d]);
        view.strides.push_back(operand.strides[d]);
        ++own;
      }
    return view;
  }

  llvm::Error materialise(const Value &value) {
    llvm::Expected<Tensor> tensor = Tensor::allocate(value.type, concrete(value.shape));
    if (!tensor)
      return tensor.takeError();
    evaluateElementwise(value, leaves_, *tensor, threads_);
    keep(value, std::move(*tensor));
    return llvm::Error::success();
  }

  void keep(const Value &value, Tensor tensor) {
    leaves_[&value].view = viewOf(tensor);
    memory_.insert_or_assign(&value, std::move(tensor));
  }

  /// For each place in Kernel::values, the values that are read there for the last time. An
  /// elementwise value reads its operands when it is itself read, and a transpose, a squeeze or a
  /// reshape is a view of its operand: all extend their operands' lives to their own last reader.
  /// Values that a result reads are kept to the end.
  void findLastReaders() {
    const size_t end = kernel_.values.size();
    std::map<const Value *, size_t> lastReader;
    for (const Result &result : kernel_.results)
      lastReader[result.value] = end;
    for (size_t i = end; i-- > 0;) {
      const Value &value = *kernel_.values[i];
      const bool passesOn =
          isElementwise(value.operation) || value.operation == Operation::transpose ||
          value.operation == Operation::access || value.operation == Operation::squeeze ||
          value.operation == Operation::reshape;
      const size_t reader = passesOn ? std::max(i, lastReader[&value]) : i;
      for (const Value *operand : value.operands)
        lastReader[operand] = std::max(lastReader[operand], reader);
    }
    readLast_.resize(end + 1);
    for (const auto &[value, reader] : lastReader)
      readLast_[reader].push_back(value);
  }

  const Kernel &kernel_;
  const std::map<std::string, int64_t> &dims_;
  const unsigned threads_;
  Evaluated *const evaluated_;
  std::map<const Value *, Leaf> leaves_;
  std::map<const Value *, Tensor> memory_;           ///< of the leaves that are not parameters
  std::vector<std::vector<const Value *>> readLast_; ///< by place in Kernel::values
};

} // namespace

llvm::Expected<std::vector<Tensor>> evaluateReference(const Kernel &kernel,
                                                      const std::map<std::string, int64_t> &dims,
                                                      const std::vector<double> &scalars,
                                                      const std::vector<const Tensor *> &tensors,
                                                      unsigned threads, Evaluated *evaluated) {
  return Evaluation(kernel, dims, threads, evaluated).run(scalars, tensors);
}

} // namespace mmk
