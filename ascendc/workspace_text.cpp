#include "ascendc/workspace_text.h"

#include "ascendc/code_text.h"
#include "ascendc/derived_dimensions.h"
#include "ascendc/expressions.h"
#include "ascendc/instructions.h"
#include "ascendc/kernel_text.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace mmk::ascendc {

constexpr int64_t alignment = 512; // bytes, of a tensor in global memory

int64_t meetingBytesOfBlock(aicore::KernelOp kernel) {
  return llvm::alignTo(endOf(kernel, aicore::Space::gm), alignment);
}

int64_t meetingBytes(aicore::KernelOp kernel) {
  return meetingBytesOfBlock(kernel) * kernel.getCores();
}

bool hasWorkspace(aicore::KernelOp kernel) {
  return meetingBytes(kernel) > 0 || !kernel.getBody().getOps<aicore::WorkspaceOp>().empty();
}

static std::vector<std::string> dimensionsOf(aicore::KernelOp kernel) {
  std::vector<std::string> names;
  for (auto name : kernel.getDims().getAsRange<mlir::StringAttr>())
    names.push_back(name.str());
  return names;
}

/// "int64_t M, int64_t /* K */": those that a body does not name are comments.
static std::string parametersOf(llvm::ArrayRef<std::string> dimensions, const std::string &body) {
  std::vector<std::string> list;
  for (const std::string &name : dimensions)
    list.push_back(parameterText("int64_t", name, body));
  return llvm::join(list, ", ");
}

static std::string bytesFunction(aicore::KernelOp kernel, aicore::WorkspaceOp workspace) {
  return fmt::format("{}_{}_bytes", kernel.getSymName().str(),
                     VariableNames(kernel).of(workspace.getResult()));
}

/// What the host computes before it knows the extents, and then the product of these.
static std::string bytesBody(aicore::KernelOp kernel, aicore::WorkspaceOp workspace) {
  VariableNames names(kernel);
  Side host = Side::host();
  Expressions expressions(names, host);
  CodeText code(1);
  llvm::SetVector<mlir::Operation *> needed;
  (void)mlir::getBackwardSlice(workspace.getOperation(), &needed);
  for (mlir::Operation &op : kernel.getBody().front()) {
    if (!needed.contains(&op) || mlir::isa<mlir::arith::ConstantOp>(op))
      continue; // a constant is written where it is used
    const std::optional<std::string> line = expressions.declaration(&op);
    if (line && !line->empty())
      code.add(*line);
  }
  std::string bytes;
  for (mlir::Value extent : workspace.getExtents())
    bytes += expressions.of(extent, Expressions::multiplicative) + " * ";
  code.line("return QuotientUp({}{}, {}) * {};", bytes,
            aicore::elementBytes(workspace.getResult().getType()), alignment, alignment);
  std::string functions;
  for (auto [name, value] :
       {std::pair("QuotientUp", "(a + b - 1) / b"), std::pair("LesserOf", "a < b ? a : b"),
        std::pair("GreaterOf", "a > b ? a : b")})
    if (code.text().find(name) != std::string::npos)
      functions += fmt::format("  const auto {} = [](int64_t a, int64_t b) {{ return {}; }};\n",
                               name, value);
  return functions + code.text();
}

std::string workspaceFunctions(aicore::KernelOp kernel, const Kernel &checked) {
  if (!hasWorkspace(kernel))
    return "";
  CodeText code;
  const std::vector<std::string> dimensions = dimensionsOf(kernel);
  std::string sum = std::to_string(meetingBytes(kernel));
  for (auto workspace : kernel.getBody().getOps<aicore::WorkspaceOp>()) {
    const std::string body = bytesBody(kernel, workspace), name = bytesFunction(kernel, workspace);
    code.line("// Of a tensor that one pass over the cores leaves for the next.");
    code.open(fmt::format("inline int64_t {}({})", name, parametersOf(dimensions, body)));
    code.paste(body);
    code.close();
    code.add("");
    const std::string call = fmt::format("{}({})", name, llvm::join(dimensions, ", "));
    sum = sum == "0" ? call : sum + " + " + call;
  }
  code.add("// Of global memory: pieces in which the cores of a block meet, and tensors between "
           "passes.");
  const std::string derived = derivedDimensions(checked, sum);
  code.open(fmt::format("inline int64_t {}_workspace_bytes({})", kernel.getSymName().str(),
                        parametersOf(checked.boundDimensions(), derived + sum)));
  code.paste(derived);
  code.line("return {};", sum);
  code.close();
  code.add("");
  return code.text();
}

std::string workspaceAddresses(aicore::KernelOp kernel) {
  CodeText code(1);
  VariableNames names(kernel);
  std::string address = "static_cast<uint8_t *>(workspace)";
  if (const int64_t bytes = meetingBytes(kernel))
    address += fmt::format(" + {}", bytes);
  for (auto workspace : kernel.getBody().getOps<aicore::WorkspaceOp>()) {
    const std::string name = names.of(workspace.getResult());
    code.line("uint8_t *{} = {};", name, address);
    address = fmt::format("{} + {}({})", name, bytesFunction(kernel, workspace),
                          llvm::join(dimensionsOf(kernel), ", "));
  }
  return code.text();
}

} // namespace mmk::ascendc
