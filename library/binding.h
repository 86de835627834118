// From the caller's tensors and scalars to the arguments of a run: names, types, extents and
// strides are checked here, so that generated code never sees a wrong one.
#pragma once

#include "executable/executable.h"
#include "frontend/kernel.h"
#include "library/failure.h"
#include "library/layout.h"
#include "library/packed.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mmk::library {

mmk_type typeOf(ElementType type);

/// The signature of a kernel, computed once: resolving names and shapes in each call would take
/// longer than a small kernel.
class Signature {
public:
  /// `isOfForm`: of another form of a kernel, which is bound in turn with it.
  explicit Signature(const Kernel &kernel, bool isOfForm = false);

  /// The machine computes whole numbers in 32 bits: calls are checked for it.
  void expect32Bits();

  /// The constants that the program reads from panels.
  void setPacked(llvm::ArrayRef<PackedOperand> operands);

  /// The dimensions that the program goes along as one.
  void setMerged(llvm::ArrayRef<aicore::MergedDims> dims);
  /// Of a call that bind refuses: whether that may be since dimensions are one. Strides keep them
  /// apart, or a result has the memory of a parameter, which is judged by dimensions as declared.
  bool isBetterApart(llvm::ArrayRef<mmk_tensor> tensors) const;

  /// Why a result, by its number, may not have the memory of a parameter, by its number; empty
  /// where it may.
  using WhyNotInPlace = std::function<std::string(size_t parameter, size_t result)>;
  void setInPlace(WhyNotInPlace why);

  /// mmk_pack: fills `packed` with a constant, or tells how many bytes it takes.
  mmk_error *pack(const mmk_tensor &tensor, void *packed, size_t &bytes) const;

  /// `arguments` belong to this thread, until its next call.
  mmk_error *bind(llvm::ArrayRef<mmk_tensor> tensors, llvm::ArrayRef<mmk_scalar> scalars,
                  const Arguments *&arguments) const;

  /// mmk_result_extents: the extents of each result that these tensors imply.
  mmk_error *inferResults(llvm::ArrayRef<mmk_tensor> tensors,
                          int64_t (*extents)[MMK_MAX_RANK]) const;

  /// The values of the dimensions, in the kernel's order.
  mmk_error *bindDimensions(llvm::ArrayRef<mmk_dimension> dimensions,
                            std::vector<int64_t> &values) const;

private:
  /// One extent of a tensor: a dimension of the kernel by its number, or a literal.
  struct Extent {
    std::optional<size_t> dimension;
    int64_t literal = 0;
  };
  /// A parameter or a result that needs memory; `slot` counts parameters, then results.
  struct Tensor {
    size_t slot;
    const std::string &name;
    ElementType type;
    Shape shape;
    std::vector<Extent> extents;
    bool isResult, isConstant;
    std::optional<PackedOperand> panels; ///< of a constant that is read from them
    std::vector<aicore::MergedDims> merged = {};
  };
  struct Scalar {
    size_t slot;
    std::optional<double> byDefault;
    ElementType type;
  };
  /// The value of a dimension, once a tensor has had it, and that tensor.
  struct Dimension {
    int64_t value = 0;
    const Tensor *from = nullptr;
  };

  /// The last binding. A kernel is mostly called repeatedly with tensors of the same shapes.
  struct Bound {
    uint64_t signature = 0;
    llvm::SmallVector<mmk_tensor, 4> tensors;
    llvm::SmallVector<Layout, 8> layouts; ///< of `tensors`, in the kernel's order
    Arguments arguments;
  };

  bool isSameButMemory(const Bound &last, llvm::ArrayRef<mmk_tensor> tensors) const;
  mmk_error *bindTensors(Bound &all) const;
  mmk_error *bindMemory(llvm::ArrayRef<mmk_tensor> tensors, Bound &all) const;
  static mmk_error *openPacked(const Tensor &wanted, const mmk_tensor &tensor, Layout &layout,
                               Arguments &arguments);
  mmk_error *expectApart(llvm::ArrayRef<Layout> layouts) const;
  mmk_error *expectInPlace(const Tensor &result, const Layout &layout, const Tensor &other,
                           const Layout &otherLayout) const;
  mmk_error *takeExtents(const Tensor &wanted, const mmk_tensor &tensor,
                         llvm::MutableArrayRef<Dimension> dimensions) const;
  mmk_error *complete(llvm::MutableArrayRef<Dimension> dimensions) const;
  mmk_error *bindScalars(llvm::ArrayRef<mmk_scalar> given, Arguments &arguments) const;
  static mmk_error *notBound(const Tensor &wanted);
  static mmk_error *expectAsDeclared(const Tensor &wanted, const mmk_tensor &tensor);

  const Kernel &kernel_;
  const bool isOfForm_;
  WhyNotInPlace whyNotInPlace_;
  bool has32Bits_ = false; ///< whole numbers are computed in 32 bits
  std::vector<std::string> tensorNames_, scalarNames_;
  std::vector<Tensor> tensors_;          ///< as their names
  std::vector<Scalar> scalars_;          ///< as their names
  const uint64_t number_ = nextNumber++; ///< unique among the signatures of this process
  static inline std::atomic<uint64_t> nextNumber = 1;
};

} // namespace mmk::library
