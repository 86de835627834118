#include "ascendc/project.h"

#include "ascendc/architecture.h"
#include "ascendc/code_text.h"
#include "ascendc/derived_dimensions.h"
#include "ascendc/device_functions.h"
#include "ascendc/element_names.h"
#include "ascendc/host_text.h"
#include "ascendc/instructions.h"
#include "ascendc/kernel_text.h"
#include "ascendc/unwritten.h"
#include "ascendc/variable_names.h"
#include "ascendc/vector_room.h"
#include "ascendc/workspace_text.h"
#include "frontend/rule_text.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringExtras.h"

namespace mmk::ascendc {
namespace {

/// Comment lines at the top of the kernel: where it comes from, and all that it assumes.
void writeHeader(CodeText &code, aicore::KernelOp kernel, const ProjectFacts &facts) {
  const Architecture architecture = architectureOf(kernel);
  const bool is3510 = architecture == Architecture::dav3510;
  code.line("// {} from {}, written by mmk for {}: static tensors, dav-{} ({}).",
            kernel.getSymName().str(), facts.file.path(),
            is3510 ? "CANN 9.1 and later" : "CANN 8.5 and 9", numberOf(architecture),
            seriesOf(architecture));
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
  if (is3510) {
    code.add("#ifdef MMK_CANN_8_5");
    code.add("#error \"dav-3510, which CANN 8.5 does not have\"");
    code.add("#endif");
  } else if (lastCrossFlag(kernel).first > mostCrossFlag) {
    code.add("#ifdef MMK_CANN_8_5");
    code.line("#error \"flags between cores beyond {}, which CANN 8.5 does not have\"",
              mostCrossFlag);
    code.add("#endif");
  }
  code.add("");
}

/// The functions that a kernel calls.
std::string instructionsFile(const std::string &kernel, Architecture architecture) {
  const std::string functions = deviceFunctions(kernel, architecture);
  const bool callsCInterface = functions.find("asc_") != std::string::npos;
  return "// Instructions of the plan as calls of Ascend C (static tensors), by mmk.\n"
         "#pragma once\n\n#include \"acl/acl.h\"\n#include \"kernel_operator.h\"\n" +
         std::string(callsCInterface ? "#include \"c_api/asc_simd.h\"\n" : "") +
         "\n"
         "using namespace AscendC;\n"
         "\n// Which cores run a kernel: CANN 8.5 says so inside of its function. Cores that wait "
         "for\n"
         "// each other start together, or kernels of several streams could hold each other up.\n"
         "#ifdef MMK_CANN_8_5\n"
         "#define MMK_CORES(cores) __aicore__\n"
         "#define MMK_TASK_TYPE(type) KERNEL_TASK_TYPE_DEFAULT(type)\n"
         "#define MMK_TOGETHER\n"
         "#else\n"
         "#define MMK_CORES(cores) cores\n"
         "#define MMK_TASK_TYPE(type)\n"
         "#define MMK_TOGETHER __schedmode__(1)\n"
         "#endif\n" +
         functions;
}

/// "matmul_launch(stream, a, b, c, M, K, N)": with addresses on the device, and the dimensions that
/// follow from no other.
void writeLaunch(CodeText &code, aicore::KernelOp kernel, const Kernel &checked) {
  const std::string name = kernel.getSymName().str();
  std::string parameters = "aclrtStream stream", addresses, values;
  auto addAddress = [&](const std::string &tensor) {
    parameters += ", void *" + tensor;
    addresses += fmt::format(", static_cast<uint8_t *>({})", tensor);
  };
  std::vector<std::pair<std::string, std::string>> scalars; // type and name
  for (mlir::Value argument : kernel.getBody().getArguments())
    if (const ir::NamedAttr named = namedOf(kernel, argument)) {
      if (mlir::isa<mlir::MemRefType>(argument.getType()))
        addAddress(named.getName().str());
      else
        scalars.emplace_back(namesOf(argument.getType())->device, named.getName().str());
    }
  code.paste(workspaceFunctions(kernel, checked));
  if (hasWorkspace(kernel))
    parameters += ", void *workspace";
  if (meetingBytes(kernel) > 0)
    addresses += ", static_cast<uint8_t *>(workspace)";
  for (auto workspace : kernel.getBody().getOps<aicore::WorkspaceOp>())
    addresses += ", " + VariableNames(kernel).of(workspace.getResult());
  for (const auto &[type, scalar] : scalars) {
    parameters += fmt::format(", {} {}", type, scalar);
    values += ", " + scalar;
  }
  for (const std::string &dim : checked.boundDimensions())
    parameters += ", int64_t " + dim;
  for (auto dim : kernel.getDims().getAsRange<mlir::StringAttr>())
    values += ", " + dim.str();
  code.line("// Starts {} on the addresses of its tensors on the device.", name);
  code.open(fmt::format("inline void {}_launch({})", name, parameters));
  code.paste(derivedDimensions(checked, values));
  code.paste(workspaceAddresses(kernel));
  // Of a kernel of the vector cores alone, each is a block.
  code.line("MMK_LAUNCH({}, {}, stream{}{});", functionOf(kernel),
            kernel.getCores() * (coresOf(kernel) == Cores::vector ? 2 : 1), addresses, values);
  code.close();
}

/// What is in the way of a project, whatever the kernel's code: the operation at whose place it is
/// reported, and the reason; null when nothing is.
std::pair<mlir::Operation *, std::string> obstacleOf(aicore::KernelOp op) {
  const aicore::MachineAttr machine = aicore::machineOf(op);
  if (machine.getKind())
    return {op, "code of the machine " + machine.getName().str() + ", which is no NPU"};
  if (machine.getTopology() != aicore::Topology::split)
    return {op, "code of " + machine.getName().str() +
                    ", whose core has no DataCopyPad for rows of any length (ascend910b1 to "
                    "ascend910b4 have it)"};
  if (machine.getVectorCores() != 2)
    return {op, "code of a machine with another number than two vector cores for each cube core"};
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

/// Whether the plan leaves the room in UB that the kernel's calls need.
mlir::LogicalResult checkRoom(aicore::KernelOp kernel, const std::string &code) {
  const bool selects =
      architectureOf(kernel) == Architecture::dav2201 && code.find("Select(") != std::string::npos;
  if (code.find("Spare<") == std::string::npos && !selects)
    return mlir::success();
  const int64_t end = endOf(kernel, aicore::Space::ub),
                planBytes = planBytesOf(architectureOf(kernel));
  if (end <= planBytes)
    return mlir::success();
  return reportUnwritten(
      kernel,
      fmt::format("a plan that takes {} bytes of UB, where its instructions take those from "
                  "{} on (--machine-set memories.ub.reserved={})",
                  end, planBytes, roomBytes));
}

} // namespace

/// Compilers warn of a number that is compared with itself.
static void foldComparisons(aicore::KernelOp kernel) {
  kernel.walk([](mlir::arith::CmpIOp compare) {
    if (compare.getLhs() != compare.getRhs())
      return;
    mlir::OpBuilder b(compare);
    const bool holds = mlir::arith::applyCmpPredicate(compare.getPredicate(), llvm::APInt(32, 0),
                                                      llvm::APInt(32, 0));
    compare.replaceAllUsesWith(mlir::Value(
        mlir::arith::ConstantIntOp::create(b, compare.getLoc(), b.getI1Type(), holds ? 1 : 0)));
    compare.erase();
  });
}

mlir::FailureOr<std::vector<ProjectFile>> projectOf(aicore::KernelOp kernel,
                                                    const ProjectFacts &facts) {
  if (const auto [op, reason] = obstacleOf(kernel); op)
    return reportUnwritten(op, reason);
  foldComparisons(kernel);
  const mlir::FailureOr<std::string> text = kernelText(kernel, facts.file);
  if (mlir::failed(text))
    return mlir::failure();
  const std::string instructions = instructionsFile(*text, architectureOf(kernel));
  if (mlir::failed(checkRoom(kernel, *text + instructions)))
    return mlir::failure();
  CodeText code;
  writeHeader(code, kernel, facts);
  if (!facts.kernel.derived.empty())
    code.paste(ruleFunctions("inline"));
  code.paste("\n" + *text + "\n");
  writeLaunch(code, kernel, facts.kernel);
  return std::vector<ProjectFile>{
      {facts.kernel.name + ".h", code.text()},
      {"instructions.h", instructions},
      {"main.asc", hostProgram(kernel, facts)},
      {"torch.asc", torchRegistration(kernel, facts.kernel)},
      {"CMakeLists.txt", buildFile(facts.kernel, architectureOf(kernel))},
      {"README.md", readme(facts, architectureOf(kernel))},
  };
}

} // namespace mmk::ascendc
