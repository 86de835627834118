// Helpers of the reference's tests: tensors from lists, and kernels from a text.
#pragma once

#include "frontend/compile.h"
#include "reference/reference.h"
#include "runtime/data.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace mmk {

inline Tensor tensorOf(ElementType type, std::vector<int64_t> shape,
                       const std::vector<double> &values) {
  Tensor tensor = llvm::cantFail(Tensor::allocate(type, std::move(shape)));
  EXPECT_EQ(tensor.elements(), static_cast<int64_t>(values.size()));
  for (size_t i = 0; i < values.size(); ++i)
    tensor.set(static_cast<int64_t>(i), values[i]);
  return tensor;
}

inline Tensor seeded(ElementType type, std::vector<int64_t> shape, uint64_t seed,
                     DataKind kind = DataKind::integers) {
  Tensor tensor = llvm::cantFail(Tensor::allocate(type, std::move(shape)));
  fillWithData(tensor, kind, seed, 1);
  return tensor;
}

inline std::vector<double> valuesOf(const Tensor &tensor) {
  EXPECT_TRUE(tensor.canariesIntact());
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.elements(); ++i)
    values.push_back(tensor[i]);
  return values;
}

/// Equal values: NaN equals NaN, and the sign of zero counts.
inline void expectSame(double got, double expected, const std::string &what) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(got)) << what << ": got " << got << ", expected NaN";
    return;
  }
  EXPECT_EQ(got, expected) << what;
  EXPECT_EQ(std::signbit(got), std::signbit(expected)) << what;
}

/// A kernel from its text, which must be valid.
class KernelText {
public:
  explicit KernelText(const std::string &text) {
    Diagnostics diagnostics;
    program_ = checkProgram("test.mmk", text, diagnostics, file_);
    if (!program_)
      throw std::invalid_argument(diagnostics.render()); // a wrong test, which gtest reports
  }

  const Kernel &kernel() const { return *program_->kernels.front(); }

  llvm::Expected<std::vector<Tensor>> evaluate(const std::map<std::string, int64_t> &dims,
                                               const std::vector<const Tensor *> &tensors,
                                               std::vector<double> scalars = {},
                                               unsigned threads = 2) const {
    scalars.resize(kernel().parameters.size());
    return evaluateReference(kernel(), dims, scalars, tensors, threads);
  }

private:
  std::unique_ptr<SourceFile> file_;
  std::optional<Program> program_;
};

} // namespace mmk
