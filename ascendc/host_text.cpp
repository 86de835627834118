#include "ascendc/host_text.h"

#include "ascendc/code_text.h"
#include "ascendc/derived_dimensions.h"
#include "ascendc/element_names.h"
#include "ascendc/reference_text.h"
#include "ascendc/workspace_text.h"
#include "frontend/rule_text.h"

#include "ir/element_type.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

namespace mmk::ascendc {
namespace {

/// A tensor of the kernel, as the host program handles it.
struct HostTensor {
  std::string name;
  ElementType type;
  Shape shape;
  bool isResult;

  std::string elements() const {
    std::string product;
    for (const Dimension &dimension : shape)
      product += (product.empty() ? "" : " * ") + textOf(dimension);
    return product;
  }
};

std::vector<HostTensor> tensorsOf(const Kernel &kernel) {
  std::vector<HostTensor> tensors;
  for (const Parameter &parameter : kernel.parameters)
    if (!parameter.isScalar())
      tensors.push_back({parameter.name, parameter.type, parameter.shape, false});
  for (const Result &result : kernel.results)
    tensors.push_back({result.name, result.type, result.shape, true});
  return tensors;
}

/// How the host program converts from a type, and numbers in [-1, 1) to it: f16 by the runtime,
/// bf16 as the upper half of f32; integers are from -127 to 127, or from 0 to 100, where they may
/// be positions.
const char *conversionsOf(ElementType type) {
  switch (type) {
  case ElementType::f16:
    return R"text(
inline float from_f16(uint16_t bits) { return aclFloat16ToFloat(bits); }
inline uint16_t to_f16(float value) { return aclFloatToFloat16(value); })text";
  case ElementType::bf16:
    return R"text(
inline float from_bf16(uint16_t bits) {
  const uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}
inline uint16_t to_bf16(float value) {
  uint32_t wide;
  std::memcpy(&wide, &value, sizeof wide);
  return static_cast<uint16_t>((wide + 0x7FFF + (wide >> 16 & 1)) >> 16);
})text";
  case ElementType::i8:
    return R"text(
inline float from_i8(int8_t value) { return value; }
inline int8_t to_i8(float value) { return static_cast<int8_t>(value * 127); })text";
  case ElementType::i32:
    return R"text(
inline double from_i32(int32_t value) { return value; }
inline int32_t to_i32(float value) { return static_cast<int32_t>(std::fabs(value) * 100); })text";
  default:
    return R"text(
inline float from_f32(float value) { return value; }
inline float to_f32(float value) { return value; })text";
  }
}

/// What each host program has.
constexpr const char *commonFunctions = R"text(
// Numbers in [-1, 1), the same on every computer.
inline float next_number() {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return static_cast<float>(static_cast<int32_t>(state >> 32)) / 2147483648.0f;
}

inline void expect(bool holds, const char *what) {
  if (!holds) {
    std::fprintf(stderr, "%s failed\n", what);
    std::exit(1);
  }
}
)text";

std::string_view storageOf(ElementType type) { return traitsOf(type).cName; }

void writeArguments(CodeText &code, const Kernel &kernel) {
  code.open("for (int i = 1; i < argc; ++i)");
  std::string known;
  std::vector<std::string> words = kernel.boundDimensions(), scalars;
  for (const Parameter &parameter : kernel.parameters)
    if (parameter.isScalar()) {
      words.push_back(parameter.name);
      if (parameter.type == ElementType::f32)
        scalars.push_back(parameter.name);
    }
  words.push_back("repeat");
  for (const std::string &name : words) {
    code.open(fmt::format("if (std::strncmp(argv[i], \"{0}=\", {1}) == 0)", name, name.size() + 1));
    code.line(fmt::runtime(llvm::is_contained(scalars, name)
                               ? "{} = std::strtof(argv[i] + {}, nullptr);"
                               : "{0} = static_cast<decltype({0})>(std::atoll(argv[i] + {1}));"),
              name, name.size() + 1);
    code.add("continue;");
    code.close();
    known += (known.empty() ? "" : ", ") + name;
  }
  code.line("std::fprintf(stderr, \"expected NAME=VALUE, of {}; found '%s'\\n\", argv[i]);", known);
  code.add("return 2;");
  code.close();
  for (const DerivedDimension &dimension : kernel.derived)
    if (llvm::is_contained(kernel.dimensions, dimension.name))
      code.line("{} = {};", dimension.name, textOf(*dimension.value, kernel));
}

void writeTransfers(CodeText &code, const HostTensor &tensor) {
  const std::string bytes = fmt::format("{0}.size() * sizeof({0}[0])", tensor.name);
  code.line("{}.resize({});", tensor.name, tensor.elements());
  if (!tensor.isResult)
    code.line("for (auto &element : {}) element = to_{}(next_number());", tensor.name,
              spelling(tensor.type));
  code.line("void *{}_device = nullptr;", tensor.name);
  code.line("expect(aclrtMalloc(&{}_device, {}, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS, "
            "\"aclrtMalloc\");",
            tensor.name, bytes);
  if (!tensor.isResult)
    code.line("expect(aclrtMemcpy({0}_device, {1}, {0}.data(), {1}, ACL_MEMCPY_HOST_TO_DEVICE) == "
              "ACL_SUCCESS, \"aclrtMemcpy\");",
              tensor.name, bytes);
}

// Elements at a step that is prime to most extents: their reference alone takes K multiplications
// each.
void writeCheck(CodeText &code, const HostTensor &tensor, const Check &check) {
  const std::string bytes = fmt::format("{0}.size() * sizeof({0}[0])", tensor.name);
  code.line("expect(aclrtMemcpy({0}.data(), {1}, {0}_device, {1}, ACL_MEMCPY_DEVICE_TO_HOST) == "
            "ACL_SUCCESS, \"aclrtMemcpy\");",
            tensor.name, bytes);
  code.open("");
  code.line("const size_t step = {}.size() / 4096 / 2 * 2 + 1;", tensor.name);
  code.add("size_t checked = 0, wrong = 0;");
  code.open(fmt::format("for (size_t place = 0; place < {}.size(); place += step)", tensor.name));
  code.add("int64_t rest = static_cast<int64_t>(place);");
  std::vector<std::string> indices;
  for (size_t i = tensor.shape.size(); i-- > 0;) {
    const std::string extent = textOf(tensor.shape[i]);
    code.line("const int64_t i{} = rest % {};", i, extent);
    if (i > 0)
      code.line("rest /= {};", extent);
    indices.insert(indices.begin(), fmt::format("i{}", i));
  }
  code.line("const double expected = {0}_element({1}), found = from_{2}({0}[place]);", tensor.name,
            llvm::join(indices, ", "), spelling(tensor.type));
  code.add("++checked;");
  code.line("if (!(std::fabs(found - expected) <= {} + {} * std::fabs(expected))) {{", check.atol,
            check.rtol);
  code.line(
      "  if (wrong++ == 0) std::printf(\"{}[%zu]: expected %g, found %g\\n\", place, expected, "
      "found);",
      tensor.name);
  code.add("}");
  code.close();
  code.line("std::printf(\"{}: %zu of %zu elements checked, %zu wrong\\n\", checked, {}.size(), "
            "wrong);",
            tensor.name, tensor.name);
  code.add("isRight = isRight && wrong == 0;");
  code.close();
}

std::string callOf(const Kernel &kernel, bool hasWorkspace) {
  std::string arguments = "stream";
  for (const HostTensor &tensor : tensorsOf(kernel))
    arguments += ", " + tensor.name + "_device";
  if (hasWorkspace)
    arguments += ", workspace_device";
  for (const Parameter &parameter : kernel.parameters)
    if (parameter.isScalar())
      arguments += ", " + parameter.name;
  for (const std::string &name : kernel.boundDimensions())
    arguments += ", " + name;
  return fmt::format("{}_launch({});", kernel.name, arguments);
}

/// "M > 0 && N > 0" of the names and "{} > 0".
std::string conjunction(const std::vector<std::string> &names, const char *pattern) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : " && ") + fmt::format(fmt::runtime(pattern), name);
  return text;
}

void writeMain(CodeText &code, const Kernel &kernel, bool hasWorkspace) {
  code.open("int main(int argc, char **argv)");
  writeArguments(code, kernel);
  const std::string areFull = conjunction(kernel.dimensions, "{} > 0");
  if (!areFull.empty()) // no kernel is launched over nothing
    code.line("expect({}, \"a dimension is not positive\");", areFull);
  code.add("expect(aclInit(nullptr) == ACL_SUCCESS, \"aclInit\");");
  code.add("expect(aclrtSetDevice(0) == ACL_SUCCESS, \"aclrtSetDevice\");");
  code.add("aclrtStream stream = nullptr;");
  code.add("expect(aclrtCreateStream(&stream) == ACL_SUCCESS, \"aclrtCreateStream\");");
  for (const HostTensor &tensor : tensorsOf(kernel))
    writeTransfers(code, tensor);
  if (hasWorkspace) {
    code.add("void *workspace_device = nullptr;");
    code.line("expect(aclrtMalloc(&workspace_device, {}_workspace_bytes({}), "
              "ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS, \"aclrtMalloc\");",
              kernel.name, llvm::join(kernel.boundDimensions(), ", "));
  }
  code.add("");
  code.add("// The first run, which also loads the code, is not timed.");
  code.add(callOf(kernel, hasWorkspace));
  code.add("expect(aclrtSynchronizeStream(stream) == ACL_SUCCESS, \"aclrtSynchronizeStream\");");
  code.add("bool isRight = true;");
  for (const HostTensor &tensor : tensorsOf(kernel))
    if (tensor.isResult)
      writeCheck(code, tensor, kernel.check);
  code.add("");
  code.add("const auto start = std::chrono::steady_clock::now();");
  code.line("for (int64_t i = 0; i < repeat; ++i) {}", callOf(kernel, hasWorkspace));
  code.add("expect(aclrtSynchronizeStream(stream) == ACL_SUCCESS, \"aclrtSynchronizeStream\");");
  code.add("const std::chrono::duration<double, std::micro> time = "
           "std::chrono::steady_clock::now() - start;");
  code.add("std::printf(\"%.2f us a run, with its launch: mean of %lld\\n\", "
           "time.count() / double(repeat), static_cast<long long>(repeat));");
  code.add("");
  for (const HostTensor &tensor : tensorsOf(kernel))
    code.line("aclrtFree({}_device);", tensor.name);
  if (hasWorkspace)
    code.add("aclrtFree(workspace_device);");
  code.add("aclrtDestroyStream(stream);");
  code.add("aclrtResetDevice(0);");
  code.add("aclFinalize();");
  code.add("return isRight ? 0 : 1;");
  code.close();
}

/// "const int64_t M = a.size(0);" for each dimension, from the first tensor that has it; and those
/// that the extents of tensors need beside them.
void writeDimensions(CodeText &code, const Kernel &kernel) {
  for (const std::string &name : kernel.boundDimensions())
    for (const Parameter &parameter : kernel.parameters) {
      const auto found = llvm::find_if(
          parameter.shape, [&](const Dimension &dimension) { return dimension.name == name; });
      if (found == parameter.shape.end())
        continue;
      code.line("const int64_t {} = {}.size({});", name, parameter.name,
                found - parameter.shape.begin());
      break;
    }
  std::string extents;
  for (const HostTensor &tensor : tensorsOf(kernel))
    extents += tensor.elements() + " ";
  code.paste(derivedDimensions(kernel, extents));
}

std::string extentsOf(const Shape &shape) {
  std::string extents;
  for (const Dimension &dimension : shape)
    extents += (extents.empty() ? "" : ", ") + textOf(dimension);
  return extents;
}

std::string_view torchType(mlir::MLIRContext *context, ElementType type) {
  return namesOf(typeOf(type, context))->torch;
}

} // namespace

std::string hostProgram(aicore::KernelOp op, const ProjectFacts &facts) {
  const Kernel &kernel = facts.kernel;
  CodeText code;
  code.line("// Makes data, runs {0}, checks elements of its results against the body of {1}, and "
            "times it.",
            kernel.name, facts.file.path());
  code.line("#include \"{}.h\"", kernel.name);
  code.add("");
  for (const char *header :
       {"chrono", "cmath", "cstdint", "cstdio", "cstdlib", "cstring", "map", "vector"})
    code.line("#include <{}>", header);
  code.add("");
  for (const auto &[name, extent] : facts.shape)
    code.line("int64_t {} = {};", name, extent);
  for (const Parameter &parameter : kernel.parameters)
    if (parameter.isScalar())
      code.line("{} {} = {};", storageOf(parameter.type), parameter.name,
                parameter.byDefault.value_or(1));
  code.add("int64_t repeat = 20; // timed runs");
  for (const HostTensor &tensor : tensorsOf(kernel))
    code.line("std::vector<{}> {};", storageOf(tensor.type), tensor.name);
  std::set<ElementType> types;
  for (const HostTensor &tensor : tensorsOf(kernel))
    if (types.insert(tensor.type).second)
      code.paste(conversionsOf(tensor.type));
  code.paste(commonFunctions);
  for (const HostTensor &tensor : tensorsOf(kernel))
    if (!tensor.isResult)
      code.line("double {0}_at(int64_t i) {{ return from_{1}({0}[i]); }}", tensor.name,
                spelling(tensor.type));
  code.add("");
  code.add("// The body of the kernel, in double.");
  code.paste(referenceText(kernel));
  writeMain(code, kernel, hasWorkspace(op));
  return code.text();
}

/// Results without elements are returned as they are.
static void writeEmptyCall(CodeText &code, const Kernel &kernel, const std::string &returns) {
  std::vector<std::string> read, made;
  for (const HostTensor &tensor : tensorsOf(kernel))
    (tensor.isResult ? made : read).push_back(tensor.name);
  code.line("if ({}) {}", conjunction(made, "{}.numel() == 0"), returns);
  code.line("TORCH_CHECK({}, \"{}: no kernel is launched for a tensor without elements\");",
            conjunction(read, "{}.numel() != 0"), kernel.name);
}

std::string torchRegistration(aicore::KernelOp op, const Kernel &kernel) {
  CodeText code;
  std::string parameters, schema, arguments, scalars, types, results;
  for (const Result &result : kernel.results) {
    const char *comma = results.empty() ? "" : ", ";
    types += fmt::format("{}Tensor", comma);
    results += comma + result.name;
  }
  const bool isOne = kernel.results.size() == 1;
  std::string returned = "at::Tensor";
  for (size_t i = 1; i < kernel.results.size(); ++i)
    returned += ", at::Tensor";
  if (!isOne)
    returned = "std::tuple<" + returned + ">";
  for (const Parameter &parameter : kernel.parameters) {
    const char *comma = parameters.empty() ? "" : ", ";
    parameters += fmt::format("{}{} {}", comma,
                              !parameter.isScalar()                ? "const at::Tensor &"
                              : parameter.type == ElementType::f32 ? "double"
                                                                   : "int64_t",
                              parameter.name);
    schema += fmt::format("{}{} {}", comma,
                          !parameter.isScalar()                ? "Tensor"
                          : parameter.type == ElementType::f32 ? "float"
                                                               : "int",
                          parameter.name);
    if (parameter.isScalar())
      scalars += fmt::format("static_cast<{}>({}), ", storageOf(parameter.type), parameter.name);
    else
      arguments += fmt::format(", {}.data_ptr()", parameter.name);
  }
  code.line("// Registers {0} with PyTorch: torch.ops.load_library(\"lib{0}_torch.so\"), then "
            "torch.ops.mmk.{0}({1}).",
            kernel.name, "...");
  code.add("#include <torch/extension.h>");
  code.add("#include \"torch_npu/csrc/core/npu/NPUStream.h\"");
  code.line("#include \"{}.h\"", kernel.name);
  code.add("");
  code.open(fmt::format("static {} {}_torch({})", returned, kernel.name, parameters));
  std::vector<Parameter> tensors;
  llvm::copy_if(kernel.parameters, std::back_inserter(tensors),
                [](const Parameter &parameter) { return !parameter.isScalar(); });
  for (const Parameter &parameter : tensors)
    code.line("TORCH_CHECK({0}.dim() == {1} && {0}.scalar_type() == {2} && {0}.is_contiguous(), "
              "\"{0}: expected a contiguous {3}[{4}]\");",
              parameter.name, parameter.shape.size(), torchType(op.getContext(), parameter.type),
              spelling(parameter.type), extentsOf(parameter.shape));
  writeDimensions(code, kernel);
  for (const Parameter &parameter : tensors)
    code.line("TORCH_CHECK({0}.sizes() == at::IntArrayRef({{{1}}}), \"{0}: expected the extents "
              "[{1}], found \", {0}.sizes());",
              parameter.name, extentsOf(parameter.shape));
  for (const Result &result : kernel.results) {
    code.line("at::Tensor {} = at::empty({{{}}}, {}.options().dtype({}));", result.name,
              extentsOf(result.shape), tensors.front().name,
              torchType(op.getContext(), result.type));
    arguments += fmt::format(", {}.data_ptr()", result.name);
  }
  const std::string returns =
      fmt::format(fmt::runtime(isOne ? "return {};" : "return {{{}}};"), results);
  writeEmptyCall(code, kernel, returns);
  std::string workspace;
  if (hasWorkspace(op)) {
    code.line("at::Tensor workspace = at::empty({{{}_workspace_bytes({})}}, "
              "{}.options().dtype(at::kByte));",
              kernel.name, llvm::join(kernel.boundDimensions(), ", "), tensors.front().name);
    workspace = ", workspace.data_ptr()";
  }
  code.add("// Behind what PyTorch has queued: stream(false) would overtake it.");
  code.line("{}_launch(c10_npu::getCurrentNPUStream().stream(){}{}, {}{});", kernel.name, arguments,
            workspace, scalars, llvm::join(kernel.boundDimensions(), ", "));
  code.line("{}", returns);
  code.close();
  code.add("");
  code.line("TORCH_LIBRARY(mmk, library) {{ library.def(\"{}({}) -> {}\"); }}", kernel.name, schema,
            isOne ? types : "(" + types + ")");
  code.add("");
  code.open("TORCH_LIBRARY_IMPL(mmk, PrivateUse1, library)");
  code.line("library.impl(\"{0}\", TORCH_FN({0}_torch));", kernel.name);
  code.close();
  return code.text();
}

/// Options of the version of the toolkit, and of its compiler.
static const char *versionText(Architecture architecture) {
  if (architecture == Architecture::dav3510)
    return R"text(
option(CANN_8_5 "CANN 8.5, which does not have dav-3510" OFF)
if(CANN_8_5)
  message(FATAL_ERROR "${kernel} is written for dav-3510, which needs CANN 9.1 or later")
endif()
# Reductions have the names of CANN 9.1, and UB reaches L1 without a detour through global memory.
add_compile_definitions(MMK_CANN_9_1 ENABLE_CV_COMM_VIA_SSBUF=true)
add_compile_options($<$<COMPILE_LANGUAGE:ASC>:--npu-arch=dav-3510>))text";
  return R"text(
option(CANN_8_5 "CANN 8.5, which has another name for the cores of a kernel" OFF)
option(CANN_9_1 "CANN 9.1, which has other names for reductions" OFF)
foreach(version 8_5 9_1)
  if(CANN_${version})
    add_compile_definitions(MMK_CANN_${version})
  endif()
endforeach()
add_compile_options($<$<COMPILE_LANGUAGE:ASC>:--npu-arch=dav-2201>))text";
}

std::string buildFile(const Kernel &kernel, Architecture architecture) {
  return fmt::format(
             "# The program {0}, and with -DWITH_TORCH=ON the library that registers {0} with "
             "PyTorch.\n"
             "cmake_minimum_required(VERSION 3.16)\n"
             "find_package(ASC REQUIRED)\n"
             "project({0} LANGUAGES ASC CXX)\n"
             "set(kernel {0})",
             kernel.name) +
         R"text(
option(WITH_TORCH "build lib${kernel}_torch.so" OFF))text" +
         versionText(architecture) + R"text(
set_source_files_properties(main.asc torch.asc PROPERTIES OBJECT_DEPENDS
  "${CMAKE_CURRENT_SOURCE_DIR}/${kernel}.h;${CMAKE_CURRENT_SOURCE_DIR}/instructions.h")

add_executable(${kernel} main.asc)

if(WITH_TORCH)
  find_package(Python3 COMPONENTS Interpreter Development REQUIRED)
  execute_process(COMMAND ${Python3_EXECUTABLE} -c
    "import torch; print(torch.utils.cmake_prefix_path)"
    OUTPUT_VARIABLE torch_cmake OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND ${Python3_EXECUTABLE} -c
    "import os, torch_npu; print(os.path.dirname(torch_npu.__file__))"
    OUTPUT_VARIABLE torch_npu OUTPUT_STRIP_TRAILING_WHITESPACE)
  find_package(Torch REQUIRED HINTS ${torch_cmake}/Torch)
  add_library(${kernel}_torch SHARED torch.asc)
  separate_arguments(torch_flags UNIX_COMMAND "${TORCH_CXX_FLAGS}")
  target_compile_options(${kernel}_torch PRIVATE ${torch_flags})
  target_include_directories(${kernel}_torch PRIVATE ${TORCH_INCLUDE_DIRS} ${torch_npu}/include)
  target_link_directories(${kernel}_torch PRIVATE ${torch_npu}/lib)
  target_link_libraries(${kernel}_torch PRIVATE torch_npu ${TORCH_LIBRARIES} Python3::Python)
endif()
)text";
}

std::string readme(const ProjectFacts &facts, Architecture architecture) {
  std::string words;
  for (const auto &[name, extent] : facts.shape)
    words += fmt::format(" {}={}", name, extent);
  return fmt::format(
      R"text(# {0} for Ascend {3}

Written by `mmk compile --emit=ascendc` from {1}. It has never been run on silicon: the tests of mmk
run such programs on a model of the interface only.

{4}:

```sh
cmake -B build
cmake --build build
./build/{0}{2}
```

The program makes data, runs the kernel, checks elements of the results against the kernel's body in
double precision, and prints the time of a run. It takes other dimensions as `DIMENSION=VALUE`.

| file | holds |
|---|---|
| `{0}.h` | the kernel and its launch, with the variant and what it assumes at the top |
| `instructions.h` | the functions that it calls: one for each instruction of the plan |
| `main.asc` | the program |
| `torch.asc` | the registration with PyTorch: `cmake -B build -DWITH_TORCH=ON`, then `torch.ops.mmk.{0}` |
)text",
      facts.kernel.name, facts.file.path(), words, seriesOf(architecture),
      architecture == Architecture::dav3510
          ? "It needs CANN 9.1 or later, with its environment set (`set_env.sh`)"
          : "It needs CANN 8.5 or later, with its environment set (`set_env.sh`). The "
            "first command takes\n`-DCANN_8_5=ON` for CANN 8.5, `-DCANN_9_1=ON` for "
            "CANN 9.1 and later");
}

} // namespace mmk::ascendc
