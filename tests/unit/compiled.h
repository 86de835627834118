// A kernel from its text to a result, for tests of compiled code.
#pragma once

#include "compiler/pipeline.h"
#include "executable/executable.h"
#include "frontend/compile.h"
#include "lower/lower.h"
#include "reference/reference.h"
#include "runtime/compare.h"
#include "runtime/data.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <map>

namespace mmk {

/// Compiles one kernel for one machine and variant; runs it on given tensors, and evaluates the
/// reference on the same ones. Any failure on the way fails the test.
class Compiled {
public:
  Compiled(const std::string &text, const std::string &machine, const std::string &variant = "") {
    Diagnostics diagnostics;
    auto checked = checkProgram("test.mmk", text, diagnostics, file_);
    EXPECT_TRUE(checked) << diagnostics.render();
    if (!checked)
      return;
    program_ = std::move(*checked);
    machine_ = llvm::cantFail(loadMachine(machine));
    mlir::DialectRegistry registry;
    registerDialectExtensions(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    auto module = lowerToIr(kernel(), machine, context);
    PipelineOptions options;
    options.verify = true;
    std::string message;
    ir::KernelOp op = *module->getOps<ir::KernelOp>().begin();
    EXPECT_TRUE(parseVariant(variant, tileDims(op), options.choices, message)) << message;
    bool made = succeeded(runPipeline(*module, machine_, LoweringLevel::aicore, options));
    EXPECT_TRUE(made) << variant;
    if (!made)
      return;
    auto executable = Executable::compile(*module, machine_);
    EXPECT_TRUE(bool(executable)) << llvm::toString(executable.takeError());
    executable_ = std::move(*executable);
  }

  bool ready() const { return executable_ != nullptr; }
  const Kernel &kernel() const { return *program_.kernels[0]; }
  Executable &executable() const { return *executable_; }

  /// Shape of a parameter or result at these dimensions.
  static std::vector<int64_t> shapeOf(const Shape &shape, std::map<std::string, int64_t> dims) {
    std::vector<int64_t> extents;
    for (const Dimension &dimension : shape)
      extents.push_back(dimension.isLiteral() ? dimension.literal : dims.at(dimension.name));
    return extents;
  }

  /// Seeded inputs, one for each tensor parameter.
  std::vector<Tensor> inputs(const std::map<std::string, int64_t> &dims, DataKind kind) const {
    std::vector<Tensor> made;
    for (const Parameter &parameter : kernel().parameters)
      if (!parameter.isScalar()) {
        made.push_back(
            llvm::cantFail(Tensor::allocate(parameter.type, shapeOf(parameter.shape, dims))));
        fillWithData(made.back(), kind, made.size(), 2);
      }
    return made;
  }

  std::vector<Tensor> run(const std::map<std::string, int64_t> &dims,
                          const std::vector<Tensor> &inputs, std::vector<double> scalars = {},
                          unsigned threads = 2) {
    Arguments arguments;
    for (const std::string &dim : kernel().dimensions)
      arguments.dims.push_back(dims.at(dim));
    bind(inputs, scalars);
    arguments.scalars.assign(scalars_.begin(), scalars_.end());
    for (const Tensor *tensor : tensors_)
      arguments.tensors.push_back(tensor ? tensor->data() : nullptr);
    std::vector<Tensor> results;
    for (const Result &result : kernel().results) {
      results.push_back(llvm::cantFail(Tensor::allocate(result.type, shapeOf(result.shape, dims))));
      results.back().poison();
    }
    for (Tensor &result : results)
      arguments.results.push_back(result.data());
    llvm::Error error = executable_->run(arguments, threads);
    EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
    for (Tensor &result : results)
      EXPECT_TRUE(result.canariesIntact());
    return results;
  }

  std::vector<Tensor> reference(const std::map<std::string, int64_t> &dims,
                                const std::vector<Tensor> &inputs,
                                std::vector<double> scalars = {}) {
    bind(inputs, scalars);
    return llvm::cantFail(evaluateReference(kernel(), dims, scalars_, tensors_, 2));
  }

  /// Runs on seeded inputs and compares every result with the reference.
  void expectRight(const std::map<std::string, int64_t> &dims, DataKind kind,
                   std::vector<double> scalars = {}, double tolerance = 0) {
    std::vector<Tensor> data = inputs(dims, kind);
    std::vector<Tensor> got = run(dims, data, scalars), want = reference(dims, data, scalars);
    for (size_t i = 0; i < got.size(); ++i) {
      Comparison comparison = compare(got[i], want[i], tolerance, tolerance, 0, 1);
      EXPECT_TRUE(comparison.passed)
          << kernel().name << ", result " << kernel().results[i].name << ": " << comparison.wrong
          << " of " << comparison.elements << " wrong, got " << comparison.firstGot << ", expected "
          << comparison.firstExpected;
    }
  }

private:
  void bind(const std::vector<Tensor> &inputs, const std::vector<double> &scalars) {
    scalars_.clear();
    tensors_.clear();
    size_t tensor = 0, scalar = 0;
    for (const Parameter &parameter : kernel().parameters) {
      bool given = parameter.isScalar() && scalar < scalars.size();
      scalars_.push_back(given ? scalars[scalar++] : parameter.byDefault.value_or(0));
      tensors_.push_back(parameter.isScalar() ? nullptr : &inputs[tensor++]);
    }
  }

  std::unique_ptr<SourceFile> file_;
  Program program_;
  Machine machine_;
  std::unique_ptr<Executable> executable_;
  std::vector<double> scalars_;
  std::vector<const Tensor *> tensors_;
};

} // namespace mmk
