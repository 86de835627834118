#include "borrowed_array.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace py = pybind11;

namespace mmk::python {
namespace {

[[noreturn]] void refuse(const mmk_argument &argument, const char *declared,
                         const std::string &found) {
  throw py::type_error("'" + std::string(argument.name) + "' is " + declared + ", found " + found);
}

std::string typeNameOf(py::handle object) { return Py_TYPE(object.ptr())->tp_name; }

/// The type of an array for a message: its dtype, where it has one.
std::string elementNameOf(py::handle object) {
  return py::hasattr(object, "dtype") ? py::str(object.attr("dtype")).cast<std::string>()
                                      : "an unknown type";
}

void expectRank(const mmk_argument &argument, const char *declared, int rank) {
  if (rank > MMK_MAX_RANK)
    refuse(argument, declared, "an array of rank " + std::to_string(rank));
}

/// Whether PyTorch would record an operation on this tensor.
bool recordsGradients(py::handle object) {
  return isTorchTensor(object) && object.attr("requires_grad").cast<bool>() &&
         py::module_::import("torch").attr("is_grad_enabled")().cast<bool>();
}

/// PyTorch's own exporter takes a third of the time of Tensor.__dlpack__.
py::object capsuleOf(py::handle object) {
  if (!isTorchTensor(object))
    return object.attr("__dlpack__")();
  static const auto *exporter = // outlives the interpreter
      new py::object(py::module_::import("torch.utils.dlpack").attr("to_dlpack"));
  return (*exporter)(object);
}

} // namespace

bool isTorchTensor(py::handle object) {
  static PyObject *tensorType = nullptr; // kept for the life of the process
  if (!tensorType) {
    PyObject *modules = PyImport_GetModuleDict();
    PyObject *torch = PyDict_GetItemString(modules, "torch");
    if (!torch || !PyObject_HasAttrString(torch, "Tensor"))
      return false;
    tensorType = PyObject_GetAttrString(torch, "Tensor");
  }
  return PyObject_TypeCheck(object.ptr(), reinterpret_cast<PyTypeObject *>(tensorType));
}

BorrowedArray::~BorrowedArray() {
  if (hasView_)
    PyBuffer_Release(&view_);
}

void BorrowedArray::take(py::handle object, const mmk_argument &argument, const char *declared) {
  tensor_.name = argument.name;
  if (PyObject_CheckBuffer(object.ptr()))
    takeBuffer(object, argument, declared);
  else if (py::hasattr(object, "__dlpack__"))
    takeDlpack(object, argument, declared);
  else
    refuse(argument, declared, "a " + typeNameOf(object) + ", which is no array");
  if (!repeatsOneElement())
    return;
  if (argument.is_result)
    refuse(argument, declared, "an array whose elements are one in memory");
  repeatElement();
}

bool BorrowedArray::repeatsOneElement() const {
  if (hasView_ && !view_.strides)
    return false; // dense
  const auto isZero = [](int64_t stride) { return stride == 0; };
  const auto isOne = [](int64_t extent) { return extent == 1; };
  const int64_t *end = tensor_.extents + tensor_.rank;
  if (std::find(static_cast<const int64_t *>(tensor_.extents), end, 0) != end)
    return false; // it has no element
  return std::all_of(tensor_.strides, tensor_.strides + tensor_.rank, isZero) &&
         !std::all_of(tensor_.extents, tensor_.extents + tensor_.rank, isOne);
}

void BorrowedArray::takeBuffer(py::handle object, const mmk_argument &argument,
                               const char *declared) {
  const int flags = PyBUF_STRIDES | PyBUF_FORMAT | (argument.is_result ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(object.ptr(), &view_, flags) != 0) {
    PyErr_Clear(); // such as "cannot include dtype 'M' in a buffer"
    refuse(argument, declared,
           argument.is_result && PyObject_GetBuffer(object.ptr(), &view_, PyBUF_STRIDES) == 0
               ? (PyBuffer_Release(&view_), "an array that is read-only")
               : "an array of " + elementNameOf(object));
  }
  hasView_ = true;
  const auto type = elementTypeOf(view_.format ? view_.format : "B", view_.itemsize);
  if (!type)
    refuse(argument, declared,
           "an array of " + elementNameOf(object) +
               (argument.type == MMK_BF16 ? "; NumPy has no bf16: give a tensor of PyTorch, or any "
                                            "with DLPack"
                                          : ""));
  expectRank(argument, declared, view_.ndim);
  tensor_.data = view_.buf;
  tensor_.type = type->type;
  tensor_.rank = view_.ndim;
  for (int d = 0; d < view_.ndim; ++d) {
    tensor_.extents[d] = view_.shape[d];
    if (!view_.strides)
      continue;
    if (view_.strides[d] % view_.itemsize != 0)
      refuse(argument, declared,
             "a stride of " + std::to_string(view_.strides[d]) +
                 " bytes, no multiple of an element");
    tensor_.strides[d] = view_.strides[d] / view_.itemsize;
  }
}

void BorrowedArray::takeDlpack(py::handle object, const mmk_argument &argument,
                               const char *declared) {
  if (recordsGradients(object))
    refuse(argument, declared,
           "a tensor that requires gradients, which a call does not record: use mmk.torch.op, "
           "torch.no_grad() or detach()");
  capsule_ = capsuleOf(object);
  auto *managed =
      static_cast<dlpack::ManagedTensor *>(PyCapsule_GetPointer(capsule_.ptr(), dlpack::name));
  if (!managed)
    throw py::error_already_set();
  const dlpack::Tensor &given = managed->tensor;
  if (given.device.type != dlpack::cpu)
    refuse(argument, declared,
           "a tensor on another device (DLPack's number " + std::to_string(given.device.type) +
               ")");
  const auto type = elementTypeOf(given.type);
  if (!type)
    refuse(argument, declared, "a tensor of " + elementNameOf(object));
  expectRank(argument, declared, given.rank);
  tensor_.data = static_cast<char *>(given.data) + given.byteOffset;
  tensor_.type = type->type;
  tensor_.rank = given.rank;
  int64_t dense = 1;
  for (int d = given.rank; d-- > 0;) {
    tensor_.extents[d] = given.extents[d];
    tensor_.strides[d] = given.strides ? given.strides[d] : dense;
    dense *= given.extents[d];
  }
}

// The library takes strides that are all 0 for those of a dense tensor.
void BorrowedArray::repeatElement() {
  int64_t elements = 1;
  for (int d = 0; d < tensor_.rank; ++d)
    elements *= tensor_.extents[d];
  const int64_t bytes = elementTypeOf(static_cast<mmk_type>(tensor_.type)).bytes;
  repeated_.resize(elements * bytes);
  for (int64_t i = 0; i < elements; ++i)
    std::memcpy(&repeated_[i * bytes], tensor_.data, bytes);
  tensor_.data = repeated_.data();
}

} // namespace mmk::python
