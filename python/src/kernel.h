// A compiled kernel that is called with arrays: the arguments of a call are bound to parameters by
// place or name, results are made or taken from the caller, and the run releases the interpreter.
#pragma once

#include "borrowed_array.h"
#include "packed_constant.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mmk::python {

struct CompileOptions {
  std::optional<std::string> kernel, variant, cache;
  std::string machine;
  std::map<std::string, int64_t> shape, ints;
};

class Kernel {
public:
  /// Throws mmk.Error where the text, or an option, is wrong.
  Kernel(const std::string &text, const std::string &name, const CompileOptions &options);

  /// Runs the kernel. Positional arguments are the parameters in order; `out` is an array, or a
  /// tuple with one for each result, and `threads` a number, unless arguments have these names.
  pybind11::object call(const pybind11::args &values, const pybind11::kwargs &named);

  /// Lays out a constant for calls of this kernel.
  std::unique_ptr<PackedConstant> pack(const std::string &name, pybind11::handle array) const;

  /// Cycles and microseconds on an AI core.
  std::pair<int64_t, double> count(const std::map<std::string, int64_t> &dims) const;

  std::string name() const { return mmk_kernel_name(kernel_.get()); }
  std::string variant() const { return mmk_kernel_variant(kernel_.get()); }
  /// "a: f16[M, K]" for each parameter, or for each result.
  std::vector<std::pair<std::string, std::string>> signature(bool ofResults) const;
  /// What a call with several results returns, made from them in order.
  void setResultType(pybind11::object type) { resultType_ = std::move(type); }

private:
  struct Argument {
    mmk_argument it;
    pybind11::str name;
    std::string declared; ///< "f16[M, K]"
  };
  struct Call;
  using Extents = std::array<int64_t, MMK_MAX_RANK>;

  void takeNamed(Call &call, const pybind11::kwargs &named) const;
  void takeOut(Call &call, pybind11::handle out) const;
  void bind(Call &call);
  void makeResults(Call &call);
  void inferResults(const std::vector<mmk_tensor> &parameters);
  pybind11::object resultsOf(Call &call) const;
  const Argument &argumentNamed(const std::string &name) const;

  struct FreeKernel {
    void operator()(mmk_kernel *kernel) const { mmk_kernel_free(kernel); }
  };
  std::unique_ptr<mmk_kernel, FreeKernel> kernel_;
  std::vector<Argument> arguments_; ///< parameters, then results
  size_t parameters_ = 0;
  pybind11::dict places_; ///< of the arguments by name
  pybind11::object resultType_;
  /// The tensors of the last call whose results were made, and the extents of these.
  std::vector<mmk_tensor> last_;
  std::vector<Extents> lastExtents_;
};

} // namespace mmk::python
