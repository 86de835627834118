// Runs variants and compares their results with the reference.
#pragma once

#include "compiler/compiler.h"
#include "executable/executable.h"
#include "reference/check.h"
#include "runtime/data.h"
#include "runtime/tensor.h"
#include "store/result.h"
#include "tune/halving.h"

#include <map>

namespace mmk::tune {

/// The arguments of a run: a shape, and a value for each scalar (by parameter; 0 where that is a
/// tensor).
struct RunShape {
  std::string name;
  Dims dims;
  std::vector<double> scalars;
};

class Verifier {
public:
  /// All three outlive it. `cacheDirectory`: of compiled code, empty for none.
  Verifier(const Program &program, const Kernel &kernel, const Machine &machine, unsigned threads,
           std::string cacheDirectory)
      : kernel_(kernel), machine_(machine), threads_(threads),
        cacheDirectory_(std::move(cacheDirectory)), compiler_(program, machine) {}

  /// Compiles a variant, with the proof of its flags, runs it on small integers and on the data of
  /// `mmk run`, each time over poisoned results, and compares. The error is a bug of mmk, or that
  /// there is not enough memory.
  llvm::Expected<Check> check(const Choices &choices, const RunShape &shape);

  /// Milliseconds of `runs` runs, ascending, after `warmup` others.
  llvm::Expected<std::vector<double>> time(const Choices &choices, const RunShape &shape,
                                           int warmup, int runs);

  /// Times of two variants, alternating, so that other load of the machine affects both. Each time
  /// is of as many runs as take a millisecond.
  llvm::Expected<std::vector<TimedPair>> timeInPairs(const Choices &reference, const Choices &other,
                                                     const RunShape &shape, int pairs);

  unsigned threads() const { return threads_; }

  /// The choices of a printed variant.
  Choices choicesOf(const std::string &variant);

  /// The rule of a check, as it is stored.
  static std::string ruleOf(const Kernel &kernel);

private:
  /// Inputs of one kind at one shape, and their reference results. Made once for all variants.
  struct Example {
    std::vector<Tensor> inputs; ///< by parameter; without memory where that is a scalar
    std::map<std::string, int64_t> dims;
    std::vector<double> scalars;
    std::vector<const Tensor *> tensors; ///< by parameter, null where that is a scalar
    std::optional<ResultCheck> results;
  };

  llvm::Expected<std::unique_ptr<Executable>> compile(const Choices &choices);
  llvm::Expected<std::vector<Tensor>> makeInputs(const RunShape &shape, DataKind kind);
  llvm::Expected<Example *> example(const RunShape &shape, DataKind kind);
  llvm::Expected<std::vector<Tensor>> run(Executable &executable, const RunShape &shape,
                                          const std::vector<Tensor> &inputs);
  llvm::Expected<std::vector<Tensor>> makeResults(const RunShape &shape);
  Arguments arguments(const RunShape &shape, const std::vector<Tensor> &inputs,
                      std::vector<Tensor> &results) const;
  /// The arguments of timed runs at a shape: the data of `mmk run`, and memory for results.
  struct Subject {
    std::vector<Tensor> results;
    Arguments arguments;
  };
  llvm::Expected<Subject> subject(const RunShape &shape);
  /// The mean time of a run over `runs`.
  llvm::Expected<double> milliseconds(Executable &executable, const Subject &subject, int64_t runs);

  const Kernel &kernel_;
  const Machine &machine_;
  unsigned threads_;
  std::string cacheDirectory_;
  Compiler compiler_;
  Dims at_; ///< the shape of the examples
  std::vector<double> scalarsAt_;
  std::map<DataKind, Example> examples_;
};

} // namespace mmk::tune
