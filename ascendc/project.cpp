#include "ascendc/project.h"

#include "ascendc/code_text.h"
#include "ascendc/device_functions.h"
#include "ascendc/element_names.h"
#include "ascendc/host_text.h"
#include "ascendc/kernel_text.h"
#include "ascendc/reference_text.h"
#include "ascendc/unwritten.h"
#include "ascendc/variable_names.h"
#include "ascendc/workspace_text.h"

#include "llvm/ADT/StringExtras.h"

namespace mmk::ascendc {
namespace {

/// Comment lines at the top of the kernel: where it comes from, and all that it assumes.
void writeHeader(CodeText &code, aicore::KernelOp kernel, const ProjectFacts &facts) {
  code.line("// {} from {}, written by mmk for CANN 9: static tensors, dav-2201 (Ascend 910B).",
            kernel.getSymName().str(), facts.file.path());
  code.add("// It has never been run on silicon.");
  code.add("//");
  code.paste("// variant     " + facts.variant + "\n"); // in one line, to be copied
  code.line("// machine     {}: {} cube cores", aicore::machineOf(kernel).getName().str(),
            kernel.getCores());
  if (facts.predictions.empty())
    code.add("// prediction  none: no shape was named (--case NAME, or M=VALUE ...)");
  for (const std::string &prediction : facts.predictions)
    code.line("// prediction  {}", prediction);
  code.add(
      "// assumes     dense tensors, row-major, on multiples of 32 bytes; dimensions of 1 or more");
  if (const std::optional<mlir::DictionaryAttr> limits = kernel.getLimits())
    for (mlir::NamedAttribute limit : *limits)
      code.line("// assumes     {} of at most {}", limit.getName().str(),
                mlir::cast<mlir::IntegerAttr>(limit.getValue()).getInt());
  code.add("#pragma once");
  code.add("");
  code.add("#include \"instructions.h\"");
  code.add("");
  code.add("// The launch, which is no C++: another definition makes the file plain C++.");
  code.add("#ifndef MMK_LAUNCH");
  code.add("#define MMK_LAUNCH(kernel, cores, stream, ...) kernel<<<cores, nullptr, "
           "stream>>>(__VA_ARGS__)");
  code.add("#endif");
  code.add("");
}

/// The functions that a kernel calls.
std::string instructionsFile(const std::string &kernel) {
  return "// Instructions of the plan as calls of Ascend C (CANN 9, static tensors), by mmk.\n"
         "#pragma once\n\n#include \"acl/acl.h\"\n#include \"kernel_operator.h\"\n\n"
         "using namespace AscendC;\n" +
         deviceFunctions(kernel);
}

/// "matmul_launch(stream, a, b, c, M, K, N)": with addresses on the device.
void writeLaunch(CodeText &code, aicore::KernelOp kernel) {
  const std::string name = kernel.getSymName().str();
  std::string parameters = "aclrtStream stream", addresses, values;
  auto addAddress = [&](const std::string &tensor) {
    parameters += ", void *" + tensor;
    addresses += fmt::format(", static_cast<uint8_t *>({})", tensor);
  };
  std::vector<std::string> scalars;
  for (mlir::ArrayAttr tensors : {kernel.getArgs(), kernel.getResults()})
    for (auto named : tensors.getAsRange<ir::NamedAttr>())
      if (named.getDims().empty())
        scalars.push_back(named.getName().str());
      else
        addAddress(named.getName().str());
  code.paste(workspaceFunctions(kernel));
  if (hasWorkspace(kernel))
    parameters += ", void *workspace";
  if (meetingBytes(kernel) > 0)
    addresses += ", static_cast<uint8_t *>(workspace)";
  for (auto workspace : kernel.getBody().getOps<aicore::WorkspaceOp>())
    addresses += ", " + VariableNames(kernel).of(workspace.getResult());
  for (const std::string &scalar : scalars) {
    parameters += ", float " + scalar;
    values += ", " + scalar;
  }
  for (auto dim : kernel.getDims().getAsRange<mlir::StringAttr>()) {
    parameters += ", int64_t " + dim.str();
    values += ", " + dim.str();
  }
  code.line("// Starts {} on the addresses of its tensors on the device.", name);
  code.open(fmt::format("inline void {}_launch({})", name, parameters));
  code.paste(workspaceAddresses(kernel));
  code.line("MMK_LAUNCH({}, {}, stream{}{});", name, kernel.getCores(), addresses, values);
  code.close();
}

/// What is in the way of a project, whatever the kernel's code: the operation at whose place it is
/// reported, and the reason; null when nothing is.
std::pair<mlir::Operation *, std::string> obstacleOf(aicore::KernelOp op, const Kernel &kernel) {
  const aicore::MachineAttr machine = aicore::machineOf(op);
  if (machine.getKind())
    return {op, "code of the machine " + machine.getName().str() + ", which is no NPU"};
  if (machine.getTopology() != aicore::Topology::split)
    return {op, "code of " + machine.getName().str() +
                    ", whose interface no public source establishes (ascend910b1 to ascend910b4 "
                    "have one)"};
  bool hasProduct = false;
  op.walk([&](aicore::MmadOp) { hasProduct = true; });
  if (!hasProduct)
    return {op, "a kernel of the vector cores alone"};
  for (const Parameter &parameter : kernel.parameters)
    if (parameter.isScalar() && parameter.type != ElementType::f32)
      return {op, "the scalar " + parameter.name + ", which is no f32"};
  if (!kernel.derived.empty())
    return {op, "a dimension that follows from others"};
  if (kernel.results.size() != 1)
    return {op, "a kernel of several results"};
  for (mlir::Value argument : op.getBody().getArguments()) {
    auto type = mlir::dyn_cast<mlir::MemRefType>(argument.getType());
    if (type && !namesOf(type.getElementType()))
      return {op, "a tensor of masks"};
    if (const std::string name = VariableNames(op).of(argument); isReserved(name))
      return {op,
              "the name " + name + ", which has another meaning in C++ or in the project's files"};
  }
  return {nullptr, ""};
}

} // namespace

mlir::FailureOr<std::vector<ProjectFile>> projectOf(aicore::KernelOp kernel,
                                                    const ProjectFacts &facts) {
  if (const auto [op, reason] = obstacleOf(kernel, facts.kernel); op)
    return reportUnwritten(op, reason);
  const mlir::FailureOr<std::string> text = kernelText(kernel, facts.file);
  if (mlir::failed(text))
    return mlir::failure();
  const mlir::FailureOr<std::string> reference = referenceText(kernel, facts.kernel);
  if (mlir::failed(reference))
    return mlir::failure();
  CodeText code;
  writeHeader(code, kernel, facts);
  code.paste("\n" + *text + "\n");
  writeLaunch(code, kernel);
  return std::vector<ProjectFile>{
      {facts.kernel.name + ".h", code.text()},
      {"instructions.h", instructionsFile(*text)},
      {"main.asc", hostProgram(kernel, facts, *reference)},
      {"torch.asc", torchRegistration(kernel, facts.kernel)},
      {"CMakeLists.txt", buildFile(facts.kernel)},
      {"README.md", readme(facts)},
  };
}

} // namespace mmk::ascendc
