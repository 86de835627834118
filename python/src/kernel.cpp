#include "kernel.h"

#include "made_array.h"

#include <algorithm>

namespace py = pybind11;

namespace mmk::python {
namespace {

/// Throws the exception of an error of the library.
void expectSuccess(mmk_error *error) {
  if (!error)
    return;
  const py::object exception = py::module_::import("mmk.errors")
                                   .attr("exception_of")(static_cast<int>(mmk_error_kind_of(error)),
                                                         mmk_error_message(error));
  mmk_error_free(error);
  PyErr_SetObject(py::type::handle_of(exception).ptr(), exception.ptr());
  throw py::error_already_set();
}

std::string spelling(const mmk_argument &argument) {
  std::string text = elementTypeOf(argument.type).name;
  for (int d = 0; d < argument.rank; ++d)
    text += (d == 0 ? "[" : ", ") + std::string(argument.dimensions[d]);
  return argument.rank > 0 ? text + "]" : text;
}

template <typename Pair> std::vector<Pair> pairsOf(const std::map<std::string, int64_t> &values) {
  std::vector<Pair> pairs;
  for (const auto &[name, value] : values)
    pairs.push_back({name.c_str(), value});
  return pairs;
}

bool haveSameExtents(const std::vector<mmk_tensor> &a, const std::vector<mmk_tensor> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto &x, const auto &y) {
    return x.rank == y.rank && std::equal(x.extents, x.extents + x.rank, y.extents);
  });
}

} // namespace

/// The arguments of one call.
struct Kernel::Call {
  std::vector<py::handle> values; ///< by argument; null where none is given
  std::unique_ptr<BorrowedArray[]> arrays;
  std::vector<mmk_tensor> tensors; ///< parameters, then results
  std::vector<mmk_scalar> scalars;
  std::vector<py::object> made; ///< by result; null where the caller gives memory
  mmk_run_options options = {};
  bool isTorch = false;
};

Kernel::Kernel(const std::string &text, const std::string &name, const CompileOptions &options) {
  const auto shape = pairsOf<mmk_dimension>(options.shape);
  const auto ints = pairsOf<mmk_int>(options.ints);
  mmk_compile_options wanted = {};
  wanted.kernel = options.kernel ? options.kernel->c_str() : nullptr;
  wanted.machine = options.machine.c_str();
  wanted.variant = options.variant ? options.variant->c_str() : nullptr;
  wanted.cache_directory = options.cache ? options.cache->c_str() : nullptr;
  wanted.dimensions = shape.empty() ? nullptr : shape.data();
  wanted.dimension_count = shape.size();
  wanted.ints = ints.data();
  wanted.int_count = ints.size();
  mmk_kernel *kernel = nullptr;
  mmk_error *error = nullptr;
  {
    const py::gil_scoped_release released;
    error = mmk_compile(text.c_str(), name.c_str(), &wanted, &kernel);
  }
  expectSuccess(error);
  kernel_.reset(kernel);
  mmk_argument argument;
  for (size_t i = 0; mmk_kernel_argument(kernel, i, &argument); ++i) {
    arguments_.push_back({argument, py::str(argument.name), spelling(argument)});
    parameters_ += argument.is_result ? 0 : 1;
    places_[arguments_.back().name] = i;
  }
}

py::object Kernel::call(const py::args &values, const py::kwargs &named) {
  if (values.size() > parameters_)
    throw py::type_error(name() + "() takes " + std::to_string(parameters_) +
                         " arguments by place, the parameters of the kernel; " +
                         std::to_string(values.size()) + " were given");
  Call call;
  call.values.resize(arguments_.size());
  std::copy(values.begin(), values.end(), call.values.begin());
  if (!named.empty())
    takeNamed(call, named);
  bind(call);
  mmk_error *error = nullptr;
  {
    const py::gil_scoped_release released;
    error = mmk_run(kernel_.get(), call.tensors.data(), call.tensors.size(), call.scalars.data(),
                    call.scalars.size(), &call.options);
  }
  expectSuccess(error);
  return resultsOf(call);
}

void Kernel::takeNamed(Call &call, const py::kwargs &named) const {
  for (const auto &[key, value] : named) {
    if (PyObject *place = PyDict_GetItem(places_.ptr(), key.ptr())) {
      py::handle &taken = call.values[PyLong_AsSize_t(place)];
      if (taken)
        throw py::type_error(name() + "() got two values for '" + key.cast<std::string>() + "'");
      taken = value;
      continue;
    }
    const auto word = key.cast<std::string>();
    if (word == "out") {
      takeOut(call, value);
    } else if (word == "threads") {
      call.options.threads = value.cast<unsigned>();
    } else {
      std::string known;
      for (const Argument &argument : arguments_)
        known += (known.empty() ? "" : ", ") + std::string(argument.it.name);
      throw py::type_error(name() + "() has no argument '" + word + "'; it has " + known +
                           ", out and threads");
    }
  }
}

void Kernel::takeOut(Call &call, py::handle out) const {
  const size_t results = arguments_.size() - parameters_;
  if (results == 1 && !py::isinstance<py::tuple>(out)) {
    call.values[parameters_] = out;
    return;
  }
  if (!py::isinstance<py::tuple>(out) || py::len(out) != results)
    throw py::type_error("out= of " + name() + "() is a tuple of " + std::to_string(results) +
                         " arrays");
  for (size_t i = 0; i < results; ++i)
    call.values[parameters_ + i] = py::reinterpret_borrow<py::tuple>(out)[i];
}

void Kernel::bind(Call &call) {
  call.arrays = std::make_unique<BorrowedArray[]>(arguments_.size());
  for (size_t i = 0; i < arguments_.size(); ++i) {
    const Argument &argument = arguments_[i];
    const py::handle value = call.values[i];
    if (!value || value.is_none()) {
      if (!argument.it.is_result && argument.it.rank > 0)
        throw py::type_error(name() + "() needs '" + argument.it.name + "': " + argument.declared);
      call.values[i] = {};
      continue;
    }
    if (argument.it.rank == 0) {
      const double number = PyFloat_AsDouble(value.ptr());
      if (number == -1 && PyErr_Occurred())
        throw py::error_already_set();
      call.scalars.push_back({argument.it.name, number});
      continue;
    }
    if (py::isinstance<PackedConstant>(value)) {
      call.tensors.push_back(value.cast<const PackedConstant &>().tensor);
      call.tensors.back().name = argument.it.name;
      continue;
    }
    call.isTorch |= !argument.it.is_result && isTorchTensor(value);
    call.arrays[i].take(value, argument.it, argument.declared.c_str());
    call.tensors.push_back(call.arrays[i].tensor());
  }
  makeResults(call);
}

// The extents of results are inferred again when those of the parameters have changed.
void Kernel::makeResults(Call &call) {
  const size_t results = arguments_.size() - parameters_;
  call.made.resize(results);
  const auto isMissing = [](py::handle value) { return !value; };
  if (std::none_of(call.values.begin() + parameters_, call.values.end(), isMissing))
    return;
  if (lastExtents_.empty() || !haveSameExtents(last_, call.tensors))
    inferResults(call.tensors);
  const std::vector<Extents> extents = lastExtents_; // making an array may run other Python code
  for (size_t i = 0; i < results; ++i) {
    if (call.values[parameters_ + i])
      continue;
    const mmk_argument &result = arguments_[parameters_ + i].it;
    MadeArray array = call.isTorch ? makeTorchTensor(result, extents[i].data())
                                   : makeNumpyArray(result, extents[i].data());
    call.tensors.push_back(array.tensor);
    call.made[i] = std::move(array.object);
  }
}

void Kernel::inferResults(const std::vector<mmk_tensor> &tensors) {
  int64_t (*extents)[MMK_MAX_RANK];
  std::vector<Extents> inferred(arguments_.size() - parameters_);
  static_assert(sizeof(Extents) == sizeof *extents);
  extents = reinterpret_cast<int64_t (*)[MMK_MAX_RANK]>(inferred.data());
  expectSuccess(mmk_result_extents(kernel_.get(), tensors.data(), tensors.size(), extents));
  last_ = tensors;
  lastExtents_ = std::move(inferred);
}

py::object Kernel::resultsOf(Call &call) const {
  const size_t results = arguments_.size() - parameters_;
  const auto result = [&](size_t i) {
    return call.made[i] ? std::move(call.made[i])
                        : py::reinterpret_borrow<py::object>(call.values[parameters_ + i]);
  };
  if (results == 1)
    return result(0);
  py::tuple all(results);
  for (size_t i = 0; i < results; ++i)
    all[i] = result(i);
  return resultType_ ? resultType_(*all) : py::object(all);
}

const Kernel::Argument &Kernel::argumentNamed(const std::string &name) const {
  const auto found = std::find_if(arguments_.begin(), arguments_.end(),
                                  [&](const Argument &each) { return each.it.name == name; });
  if (found == arguments_.end())
    throw py::type_error(this->name() + " has no argument '" + name + "'");
  return *found;
}

std::unique_ptr<PackedConstant> Kernel::pack(const std::string &name, py::handle array) const {
  const Argument &argument = argumentNamed(name);
  BorrowedArray borrowed;
  borrowed.take(array, argument.it, argument.declared.c_str());
  auto packed = std::make_unique<PackedConstant>();
  expectSuccess(mmk_pack(kernel_.get(), &borrowed.tensor(), nullptr, &packed->bytes));
  packed->memory.reset(std::aligned_alloc(64, (packed->bytes + 63) / 64 * 64));
  if (!packed->memory)
    throw std::bad_alloc();
  expectSuccess(mmk_pack(kernel_.get(), &borrowed.tensor(), packed->memory.get(), &packed->bytes));
  packed->tensor = borrowed.tensor();
  packed->tensor.data = packed->memory.get();
  packed->tensor.type |= MMK_PACKED;
  std::fill_n(packed->tensor.strides, MMK_MAX_RANK, 0);
  return packed;
}

std::pair<int64_t, double> Kernel::count(const std::map<std::string, int64_t> &dims) const {
  const auto given = pairsOf<mmk_dimension>(dims);
  int64_t cycles = 0;
  double microseconds = 0;
  mmk_error *error = nullptr;
  {
    const py::gil_scoped_release released;
    error = mmk_count(kernel_.get(), given.data(), given.size(), &cycles, &microseconds);
  }
  expectSuccess(error);
  return {cycles, microseconds};
}

std::vector<std::pair<std::string, std::string>> Kernel::signature(bool ofResults) const {
  std::vector<std::pair<std::string, std::string>> found;
  for (const Argument &argument : arguments_)
    if (static_cast<bool>(argument.it.is_result) == ofResults)
      found.emplace_back(argument.it.name, argument.declared);
  return found;
}

} // namespace mmk::python
