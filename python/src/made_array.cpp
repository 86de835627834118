#include "made_array.h"

#include "result_memory.h"

#include <algorithm>
#include <array>
#include <memory>
#include <pybind11/numpy.h>
#include <string>

namespace py = pybind11;

namespace mmk::python {
namespace {

/// Memory of a result; the array over it owns one.
class Memory {
public:
  explicit Memory(size_t bytes) : bytes_(bytes), memory_(ResultMemory::shared().take(bytes)) {
    if (!memory_)
      throw std::bad_alloc();
  }
  Memory(const Memory &) = delete;
  ~Memory() { ResultMemory::shared().give(memory_, bytes_); }
  void *get() const { return memory_; }

private:
  size_t bytes_;
  void *memory_;
};

mmk_tensor tensorOf(const mmk_argument &result, const int64_t *extents, void *data) {
  mmk_tensor tensor = {};
  tensor.name = result.name;
  tensor.data = data;
  tensor.type = result.type;
  tensor.rank = result.rank;
  std::copy_n(extents, result.rank, tensor.extents);
  return tensor;
}

size_t bytesOf(const mmk_argument &result, const int64_t *extents) {
  size_t bytes = elementTypeOf(result.type).bytes;
  for (int d = 0; d < result.rank; ++d)
    bytes *= extents[d];
  return bytes;
}

const py::dtype &dtypeOf(const ElementType &type) {
  static std::array<py::dtype, std::size(elementTypes)> *dtypes = [] {
    auto *made = new std::array<py::dtype, std::size(elementTypes)>; // outlives the interpreter
    for (const ElementType &each : elementTypes)
      if (each.numpyName)
        (*made)[each.type] = py::dtype(each.numpyName);
    return made;
  }();
  return (*dtypes)[type.type];
}

/// A tensor for DLPack, with its extents and its memory.
struct Exported {
  explicit Exported(size_t bytes) : memory(bytes) {}
  Memory memory;
  dlpack::ManagedTensor managed = {};
  int64_t extents[MMK_MAX_RANK] = {};
};

void freeExported(dlpack::ManagedTensor *managed) {
  delete static_cast<Exported *>(managed->context);
}

void freeCapsule(PyObject *capsule) {
  // One that was taken over has another name.
  if (PyCapsule_IsValid(capsule, dlpack::name))
    freeExported(static_cast<dlpack::ManagedTensor *>(PyCapsule_GetPointer(capsule, dlpack::name)));
}

} // namespace

MadeArray makeNumpyArray(const mmk_argument &result, const int64_t *extents) {
  const ElementType &type = elementTypeOf(result.type);
  if (!type.numpyName)
    throw py::type_error("the result '" + std::string(result.name) + "' is " + type.name +
                         ", which NumPy does not have: give tensors of PyTorch, or memory by out=");
  auto memory = std::make_unique<Memory>(bytesOf(result, extents));
  void *data = memory->get();
  py::capsule owner(memory.get(), [](void *pointer) { delete static_cast<Memory *>(pointer); });
  static_cast<void>(memory.release()); // the capsule's now
  return {py::array(dtypeOf(type), py::array::ShapeContainer(extents, extents + result.rank), data,
                    owner),
          tensorOf(result, extents, data)};
}

MadeArray makeTorchTensor(const mmk_argument &result, const int64_t *extents) {
  static const py::object *importer =
      new py::object(py::module_::import("torch.utils.dlpack").attr("from_dlpack"));
  const ElementType &type = elementTypeOf(result.type);
  auto exported = std::make_unique<Exported>(bytesOf(result, extents));
  void *data = exported->memory.get();
  std::copy_n(extents, result.rank, exported->extents);
  exported->managed = {{data,
                        {dlpack::cpu, 0},
                        result.rank,
                        {type.code, static_cast<uint8_t>(type.bytes * 8), 1},
                        exported->extents,
                        nullptr,
                        0},
                       exported.get(),
                       freeExported};
  const auto capsule = py::reinterpret_steal<py::object>(
      PyCapsule_New(&exported->managed, dlpack::name, freeCapsule));
  if (!capsule)
    throw py::error_already_set();
  static_cast<void>(exported.release()); // the capsule's now
  return {(*importer)(capsule), tensorOf(result, extents, data)};
}

} // namespace mmk::python
