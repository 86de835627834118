// The arguments of a run: a value for each dimension and scalar, from the cases of the file and the
// words of the command line.
#pragma once

#include "frontend/kernel.h"
#include "frontend/whole.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mmk::driver {

struct RunCase {
  std::string name; ///< empty when the command line alone binds the dimensions
  std::map<std::string, int64_t> dims;
  std::vector<double> scalars; ///< by parameter of the kernel; 0 where that is a tensor

  /// "the case 'S1'", for messages.
  std::string title() const;
  std::vector<int64_t> extents(const Shape &shape) const;
  /// Whether a dimension is 0: no kernel is launched.
  bool isEmpty() const;
};

/// Refuses cases with a dimension of 0, for what is about the launch of a kernel.
void expectLaunch(const std::vector<RunCase> &runs, std::string_view who);

/// The words that are integers, "stride=2", for the int parameters of the kernels.
WholeValues wholesOf(const std::vector<std::string> &words);

/// "M=100" for each dimension that neither a case nor one of `words` binds, and that a tensor read
/// from a .npy file has; the first file that has it decides.
std::vector<std::string> dimensionsOfInputs(const Kernel &kernel,
                                            const std::vector<std::string> &names,
                                            const std::vector<std::string> &words,
                                            const std::map<std::string, std::string> &files);

/// The cases to run: those that are named, or all of them; with dimensions among `words` ("M=1000")
/// and no name, one case that they bind. Words override the values of a case.
std::vector<RunCase> casesToRun(const Kernel &kernel, const std::vector<std::string> &names,
                                const std::vector<std::string> &words);

} // namespace mmk::driver
