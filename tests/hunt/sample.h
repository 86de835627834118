// One sample of the hunt: a kernel, its schedule, machine, dimensions and data, and the additional
// trials. All of it is determined by its series and its number.
#pragma once

#include "machines/machine.h"
#include "tests/hunt/kernel.h"
#include "tests/hunt/random.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mmk::hunt {

/// Multiplications of one sample of several products or of windows, at most.
constexpr int64_t mostWork = 600'000;

/// Numbers that tensors are filled with. `strewn`: small integers, among them NaN, infinities and
/// -0, whose sums are the same in every order. `whole`: i32 of its whole range.
enum class Fill { integers, uniform, normal, special, strewn, whole };
std::string_view spelling(Fill fill);

/// Trials besides the variant on its machine: compiling takes longer than all the rest, so each is
/// done for some samples only.
struct Also {
  bool host = false;     ///< the same kernel on the host
  bool separate = false; ///< the other epilogue
  bool watched = false;  ///< a watched run
  bool object = false;   ///< the object of ahead of time, loaded as a shared library
  bool mutant = false;   ///< a flag is removed
};

/// Samples that follow from a seed: of all kinds of kernels, or of two products with row algebra
/// between them, of convolutions, or of integers alone.
struct Series {
  uint64_t seed = 1;
  enum class Kernels { all, attention, convolution, integers } kernels = Kernels::all;
};

/// Dimensions of two products: rows and columns of the first, its depth, columns of the second.
struct ProductPair {
  std::string rows, columns, depth, width;
};

/// Elements that a condition excludes wherever they are read: of a dimension, from a position on,
/// in all tensors of floats that have it. They are infinite or NaN.
struct Poison {
  std::string dim;
  int64_t from = 0;
};

struct Sample {
  uint64_t seed = 0, number = 0;
  KernelText kernel;
  ElementType operandType = ElementType::i8; ///< of its products
  std::string machine;
  std::vector<MachineOverride> overrides;
  std::vector<std::pair<std::string, std::string>> choices; ///< `--set`
  std::vector<std::pair<std::string, int64_t>> dims;
  Fill fill = Fill::integers;
  std::optional<Poison> poison;
  /// Of each result, the largest difference from the reference; 0: to the bit.
  std::vector<double> errors;
  /// Results are compared with the bounds of their roundings, as `mmk run` does it, in place of
  /// `errors`.
  bool isRounded = false;
  std::optional<ProductPair> attention;
  int64_t taps = 0; ///< of a convolution along one or two dimensions
  Also also;
  bool quick = true;     ///< compiled for one run
  bool lowPages = false; ///< the protected page is before each tensor, not after it
  unsigned threads = 2;  ///< of the second run
};

/// The same on every machine.
Sample draw(const Series &series, uint64_t number);

/// The kernel with its values; done by draw(). `dims` are bound, `errors` known.
void drawKernel(Random &random, Sample &sample);
void drawIntegerKernel(Random &random, Sample &sample);
/// Machine and schedule, by what the kernel's dimensions are.
void drawMachine(Random &random, Sample &sample);
void drawSchedule(Random &random, Sample &sample);

/// A condition `VARIABLE < NAME` on a dimension, of which the parameter NAME has its value, and the
/// poison of what it excludes.
std::string drawPoison(Random &random, Sample &sample, const std::string &dim, int64_t extent,
                       const std::string &variable);

/// Arguments of `mmk run` behind the name of the file. `inputs` names files of what the command
/// cannot make.
std::string commandLine(const Sample &sample, const std::vector<std::string> &inputs);

} // namespace mmk::hunt
