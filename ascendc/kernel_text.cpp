#include "ascendc/kernel_text.h"

#include "ascendc/code_text.h"
#include "ascendc/element_names.h"
#include "ascendc/instructions.h"
#include "ascendc/unwritten.h"
#include "place/live_range.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mmk::ascendc {

using mlir::cast;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

namespace {

/// Whether a text has this word.
bool mentions(llvm::StringRef text, llvm::StringRef word) {
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = text.find(word); at != llvm::StringRef::npos; at = text.find(word, at + 1))
    if (!(at > 0 && isPart(text[at - 1])) && !isPart(text.substr(at + word.size()).str()[0]))
      return true;
  return false;
}

class KernelWriter {
public:
  KernelWriter(aicore::KernelOp kernel, const SourceFile &file)
      : kernel(kernel), file(file), names(kernel), expressions(names),
        instructions(kernel, names, expressions) {}

  LogicalResult write();
  std::string text() {
    CodeText function;
    function.open(
        fmt::format("__global__ __cube__ void {}({})", kernel.getSymName().str(), parameters()));
    function.paste(code.text());
    function.close();
    return function.text();
  }

private:
  LogicalResult writeBlock(mlir::Block &block);
  LogicalResult writeOp(mlir::Operation &op);
  LogicalResult writeLoop(mlir::scf::ForOp loop);
  LogicalResult writeBranch(mlir::scf::IfOp branch);
  LogicalResult writeStatement(mlir::Operation &op);
  void writeLineOf(mlir::Operation &op);
  std::string parameters();
  void writeTensors();

  aicore::KernelOp kernel;
  const SourceFile &file;
  VariableNames names;
  Expressions expressions;
  Instructions instructions;
  CodeText code{1}; // the function's body
  unsigned lastLine = 0;
};

std::string KernelWriter::parameters() {
  std::vector<std::string> list;
  for (mlir::Value argument : kernel.getBody().getArguments())
    if (mlir::isa<mlir::MemRefType>(argument.getType()))
      list.push_back("__gm__ uint8_t *" + addressOf(names.of(argument)));
  // The strides of a tensor do not read each of its dimensions.
  for (mlir::Value argument : kernel.getBody().getArguments())
    if (argument.getType().isIndex())
      list.push_back(
          fmt::format(fmt::runtime(mentions(code.text(), names.of(argument)) ? "int64_t {}"
                                                                             : "int64_t /* {} */"),
                      names.of(argument)));
  return llvm::join(list, ", ");
}

void KernelWriter::writeTensors() {
  for (mlir::Value argument : kernel.getBody().getArguments()) {
    auto type = mlir::dyn_cast<mlir::MemRefType>(argument.getType());
    if (!type)
      continue;
    const std::string element(namesOf(type.getElementType())->device), name = names.of(argument);
    code.line("GlobalTensor<{}> {};", element, name);
    code.line("{}.SetGlobalBuffer(reinterpret_cast<__gm__ {} *>({}));", name, element,
              addressOf(name));
  }
}

// A comment with the line of the user's text that the next instructions carry out.
void KernelWriter::writeLineOf(mlir::Operation &op) {
  const unsigned line = lineOf(op.getLoc());
  if (line == 0 || line == lastLine)
    return;
  lastLine = line;
  const llvm::StringRef text = file.line(line);
  code.line("// line {}: {}", line, text.trim().str());
}

LogicalResult KernelWriter::writeLoop(mlir::scf::ForOp loop) {
  const std::string i = names.of(loop.getInductionVar());
  code.open(fmt::format("for (int64_t {0} = {1}; {0} < {2}; {0} += {3})", i,
                        expressions.of(loop.getLowerBound()), expressions.of(loop.getUpperBound()),
                        expressions.of(loop.getStep())));
  if (mlir::failed(writeBlock(*loop.getBody())))
    return failure();
  code.close();
  return success();
}

LogicalResult KernelWriter::writeBranch(mlir::scf::IfOp branch) {
  code.open("if (" + expressions.of(branch.getCondition()) + ")");
  if (mlir::failed(writeBlock(*branch.thenBlock())))
    return failure();
  code.close();
  if (!branch.elseBlock())
    return success();
  code.open("else");
  if (mlir::failed(writeBlock(*branch.elseBlock())))
    return failure();
  code.close();
  return success();
}

LogicalResult KernelWriter::writeStatement(mlir::Operation &op) {
  const mlir::FailureOr<std::string> text = instructions.statement(&op);
  if (mlir::failed(text))
    return failure();
  if (mlir::isa<aicore::Instruction>(op))
    writeLineOf(op);
  code.add(*text);
  return success();
}

LogicalResult KernelWriter::writeOp(mlir::Operation &op) {
  return llvm::TypeSwitch<mlir::Operation *, LogicalResult>(&op)
      // A constant is written where it is used.
      .Case<aicore::TallyOp, mlir::scf::YieldOp, mlir::arith::ConstantOp>(
          [](auto) { return success(); })
      .Case([&](aicore::AllocOp buffer) -> LogicalResult {
        const mlir::FailureOr<std::string> text = instructions.declaration(buffer);
        if (mlir::failed(text))
          return failure();
        code.add(*text);
        return success();
      })
      .Case([&](mlir::scf::ForOp loop) {
        return loop.getNumRegionIterArgs() ? reportUnwritten(loop) : writeLoop(loop);
      })
      .Case([&](mlir::scf::IfOp branch) {
        return branch.getNumResults() ? reportUnwritten(branch) : writeBranch(branch);
      })
      .Case([&](aicore::PhaseOp phase) {
        names.of(phase.getBody().getArgument(0));
        code.line("const int64_t {} = GetBlockIdx();", names.of(phase.getBody().getArgument(0)));
        return writeBlock(phase.getBody().front());
      })
      .Default([&](mlir::Operation *other) -> LogicalResult {
        const std::optional<std::string> declared = expressions.declaration(other);
        if (!declared)
          return writeStatement(*other);
        if (!declared->empty())
          code.add(*declared);
        return success();
      });
}

LogicalResult KernelWriter::writeBlock(mlir::Block &block) {
  for (mlir::Operation &op : block)
    if (mlir::failed(writeOp(op)))
      return failure();
  return success();
}

LogicalResult KernelWriter::write() {
  unsigned phases = 0;
  for (auto phase : kernel.getBody().getOps<aicore::PhaseOp>())
    if (++phases > 1)
      return reportUnwritten(phase, "a second pass over all cores");
  code.add("InitSocState();");
  writeTensors();
  if (mlir::failed(writeBlock(kernel.getBody().front())))
    return failure();
  code.add("PipeBarrier<PIPE_ALL>();");
  return success();
}

} // namespace

std::string addressOf(llvm::StringRef tensor) { return (tensor + "_gm").str(); }

mlir::FailureOr<std::string> kernelText(aicore::KernelOp kernel, const SourceFile &file) {
  KernelWriter writer(kernel, file);
  if (mlir::failed(writer.write()))
    return failure();
  return writer.text();
}

} // namespace mmk::ascendc
