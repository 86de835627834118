// The module mmk._mmk: the C library for the package beside it (mmk/).
#include "kernel.h"
#include "result_memory.h"

#include <pybind11/stl.h>

namespace py = pybind11;
using namespace mmk::python;

PYBIND11_MODULE(_mmk, module) {
  module.attr("version") = mmk_version();
  module.def(
      "keep_memory", [](size_t bytes) { ResultMemory::shared().setLimit(bytes); },
      py::arg("bytes"));
  module.def("kept_memory", [] { return ResultMemory::shared().kept(); });

  py::class_<PackedConstant>(module, "PackedConstant")
      .def_property_readonly("nbytes", [](const PackedConstant &self) { return self.bytes; });

  py::class_<Kernel>(module, "Kernel")
      .def(py::init([](const std::string &text, const std::string &name, const std::string &machine,
                       std::optional<std::string> kernel, std::optional<std::string> variant,
                       std::optional<std::string> cache, std::map<std::string, int64_t> shape,
                       std::map<std::string, int64_t> ints) {
             return std::make_unique<Kernel>(text, name,
                                             CompileOptions{std::move(kernel), std::move(variant),
                                                            std::move(cache), machine,
                                                            std::move(shape), std::move(ints)});
           }),
           py::arg("text"), py::arg("name"), py::arg("machine"), py::arg("kernel"),
           py::arg("variant"), py::arg("cache"), py::arg("shape"), py::arg("ints"))
      .def("__call__", &Kernel::call)
      .def("_count", &Kernel::count)
      .def("_pack", &Kernel::pack)
      .def("_signature", &Kernel::signature)
      .def("_set_result_type", &Kernel::setResultType)
      .def_property_readonly("name", &Kernel::name)
      .def_property_readonly("variant", &Kernel::variant);
}
