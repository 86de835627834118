#include "ascendc/kernel_text.h"

#include "ascendc/architecture.h"
#include "ascendc/code_text.h"
#include "ascendc/element_names.h"
#include "ascendc/instructions.h"
#include "ascendc/register_statements.h"
#include "ascendc/unwritten.h"
#include "ascendc/workspace_text.h"
#include "place/live_range.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

#include <utility>

namespace mmk::ascendc {

using mlir::cast;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

namespace {

/// Writes what one kind of core runs.
class SideWriter {
public:
  /// `functions`: null where vector work has tensors in UB as operands.
  SideWriter(aicore::KernelOp kernel, const SourceFile &file, aicore::Unit unit, unsigned depth,
             RegisterFunctions *functions)
      : kernel(kernel), file(file), side(unit), names(kernel), expressions(names, side),
        instructions(kernel, names, expressions), functions(functions), code(depth) {}

  LogicalResult write() { return writeBlock(kernel.getBody().front()); }
  const std::string &text() const { return code.text(); }

private:
  LogicalResult writeBlock(mlir::Block &block);
  LogicalResult writeOp(mlir::Operation &op);
  LogicalResult writeLoop(mlir::scf::ForOp loop);
  LogicalResult writeBranch(mlir::scf::IfOp branch);
  LogicalResult writeStatement(mlir::Operation &op);
  LogicalResult writeLoops();
  LogicalResult writeCores(mlir::Value number, const char *text, mlir::Block &block);
  LogicalResult add(mlir::FailureOr<std::string> lines);
  void writeLineOf(mlir::Operation &op);

  aicore::KernelOp kernel;
  const SourceFile &file;
  Side side;
  VariableNames names;
  Expressions expressions;
  Instructions instructions;
  RegisterFunctions *functions;
  llvm::SmallVector<mlir::Operation *> loops; ///< of the next function on registers
  CodeText code;
  unsigned lastLine = 0;
  bool isBehindPass = false;
};

std::string parametersOf(aicore::KernelOp kernel, VariableNames &names, llvm::StringRef body) {
  std::vector<std::string> list;
  for (mlir::Value argument : kernel.getBody().getArguments())
    if (mlir::isa<mlir::MemRefType>(argument.getType()))
      list.push_back(fmt::format(fmt::runtime(mentions(body, names.of(argument))
                                                  ? "__gm__ uint8_t *{}"
                                                  : "__gm__ uint8_t * /* {} */"),
                                 addressOf(names.of(argument))));
  if (meetingBytes(kernel) > 0)
    list.push_back("__gm__ uint8_t *workspace_gm");
  for (auto workspace : kernel.getBody().getOps<aicore::WorkspaceOp>())
    list.push_back("__gm__ uint8_t *" + addressOf(names.of(workspace.getResult())));
  for (mlir::Value argument : kernel.getBody().getArguments())
    if (argument.getType().isF32() || argument.getType().isInteger())
      list.push_back(parameterText(deviceType(argument.getType()), names.of(argument), body));
  // The strides of a tensor do not read each of its dimensions.
  for (mlir::Value argument : kernel.getBody().getArguments())
    if (argument.getType().isIndex())
      list.push_back(parameterText("int64_t", names.of(argument), body));
  return llvm::join(list, ", ");
}

void writeTensors(CodeText &code, aicore::KernelOp kernel, VariableNames &names,
                  llvm::StringRef body) {
  llvm::SmallVector<mlir::Value> tensors(kernel.getBody().getArguments());
  for (auto workspace : kernel.getBody().getOps<aicore::WorkspaceOp>())
    tensors.push_back(workspace.getResult());
  for (mlir::Value tensor : tensors) {
    auto type = mlir::dyn_cast<mlir::MemRefType>(tensor.getType());
    const std::string name = names.of(tensor);
    if (!type || !mentions(body, name))
      continue;
    const std::string element(namesOf(type.getElementType())->device);
    code.line("const auto {} = TensorAt<{}>({});", name, element, addressOf(name));
  }
}

// A comment with the line of the user's text that the next instructions carry out.
void SideWriter::writeLineOf(mlir::Operation &op) {
  const unsigned line = lineOf(op.getLoc());
  if (line == 0 || line == lastLine)
    return;
  lastLine = line;
  const llvm::StringRef text = file.line(line);
  code.line("// line {}: {}", line, text.trim().str());
}

LogicalResult SideWriter::writeLoop(mlir::scf::ForOp loop) {
  const std::string i = names.of(loop.getInductionVar());
  code.open(fmt::format("for (int64_t {0} = {1}; {0} < {2}; {0} += {3})", i,
                        expressions.of(loop.getLowerBound()), expressions.of(loop.getUpperBound()),
                        expressions.of(loop.getStep())));
  if (mlir::failed(writeBlock(*loop.getBody())))
    return failure();
  code.close();
  return success();
}

LogicalResult SideWriter::writeBranch(mlir::scf::IfOp branch) {
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

LogicalResult SideWriter::add(mlir::FailureOr<std::string> lines) {
  if (mlir::failed(lines))
    return failure();
  llvm::SmallVector<llvm::StringRef> each;
  llvm::StringRef(*lines).split(each, '\n');
  for (llvm::StringRef line : each)
    code.add(line.str());
  return success();
}

/// A block whose argument is the number of the core.
LogicalResult SideWriter::writeCores(mlir::Value number, const char *text, mlir::Block &block) {
  if (expressions.isRead(number))
    code.line("const int64_t {} = {};", names.of(number), text);
  return writeBlock(block);
}

LogicalResult SideWriter::writeStatement(mlir::Operation &op) {
  if (!side.has(&op))
    return success();
  const mlir::FailureOr<std::string> text = instructions.statement(&op);
  if (mlir::succeeded(text) && mlir::isa<aicore::Instruction>(op))
    writeLineOf(op);
  return add(text);
}

LogicalResult SideWriter::writeOp(mlir::Operation &op) {
  const bool isVector = side.unit() == aicore::Unit::vector_core;
  return llvm::TypeSwitch<mlir::Operation *, LogicalResult>(&op)
      // A constant is written where it is used.
      .Case<aicore::TallyOp, aicore::WorkspaceOp, mlir::scf::YieldOp, mlir::arith::ConstantOp>(
          [](auto) { return success(); })
      .Case([&](aicore::AllocOp buffer) -> LogicalResult {
        return side.has(buffer) ? add(instructions.declaration(buffer)) : success();
      })
      .Case([&](mlir::scf::ForOp loop) {
        return loop.getNumRegionIterArgs() ? reportUnwritten(loop)
               : side.has(loop)            ? writeLoop(loop)
                                           : success();
      })
      .Case([&](mlir::scf::IfOp branch) {
        return branch.getNumResults() ? reportUnwritten(branch)
               : side.has(branch)     ? writeBranch(branch)
                                      : success();
      })
      .Case([&](aicore::ScalarRangeOp range) {
        return expressions.isRead(range.getLeast()) || expressions.isRead(range.getGreatest())
                   ? add(instructions.rangeOf(range))
                   : success();
      })
      .Case([&](aicore::PhaseOp phase) {
        if (std::exchange(isBehindPass, true))
          code.line("SyncAll<{}>(); // what this pass has stored, the next one loads",
                    coresOf(kernel) == Cores::vector);
        if (mlir::Value tensor = instructions.readByScalars(phase)) {
          code.add("// The scalar unit reads such elements through its cache.");
          code.line("DataCacheCleanAndInvalid<{}, CacheLine::ENTIRE_DATA_CACHE, "
                    "DcciDst::CACHELINE_OUT>({});",
                    namesOf(elementOf(tensor))->device, names.of(tensor));
        }
        return writeCores(phase.getBody().getArgument(0),
                          isVector ? "GetBlockIdx() / 2" : "GetBlockIdx()",
                          phase.getBody().front());
      })
      .Case([&](aicore::VectorCoresOp cores) -> LogicalResult {
        if (!isVector)
          return success();
        code.open("");
        if (mlir::failed(writeCores(cores.getBody().getArgument(0), "GetBlockIdx() % 2",
                                    cores.getBody().front())))
          return failure();
        code.close();
        return success();
      })
      .Default([&](mlir::Operation *other) -> LogicalResult {
        const std::optional<std::string> declared = expressions.declaration(other);
        if (!declared && isScalarCode(other))
          return expressions.isRead(other->getResult(0)) ? reportUnwritten(other) : success();
        if (!declared)
          return writeStatement(*other);
        if (!declared->empty())
          code.add(*declared);
        return success();
      });
}

/// The call of a function of the loops so far.
LogicalResult SideWriter::writeLoops() {
  if (loops.empty())
    return success();
  for (mlir::Operation *loop : loops)
    writeLineOf(*loop);
  const Statement call = functions->call(
      std::exchange(loops, {}), expressions,
      [&](const aicore::VectorTile &tile) { return instructions.tileOf(tile); }, names);
  return add(call);
}

// Scalar code stands in front of the function that the loops around it are.
LogicalResult SideWriter::writeBlock(mlir::Block &block) {
  for (mlir::Operation &op : block) {
    if (functions && RegisterFunctions::takes(&op) && side.has(&op)) {
      loops.push_back(&op);
      continue;
    }
    if (!mlir::isMemoryEffectFree(&op) && mlir::failed(writeLoops()))
      return failure();
    if (mlir::failed(writeOp(op)))
      return failure();
  }
  return writeLoops();
}

bool hasPasses(aicore::KernelOp kernel) {
  return !llvm::hasSingleElement(kernel.getBody().getOps<aicore::PhaseOp>());
}

/// SyncAll uses flags between cores itself: a kernel may have those up to 10.
LogicalResult expectFlagsBesideSync(aicore::KernelOp kernel) {
  const auto [last, set] = lastCrossFlag(kernel);
  if (!hasPasses(kernel) || last <= mostCrossFlag)
    return success();
  return reportUnwritten(set, "a flag between cores beyond 10 beside a second pass, whose SyncAll "
                              "uses those");
}

/// The parts of both kinds of core, or of one kind alone.
mlir::FailureOr<std::string> bodyOf(aicore::KernelOp kernel, const SourceFile &file, Cores cores,
                                    RegisterFunctions *functions) {
  std::string text;
  for (auto [unit, condition] : {std::pair(aicore::Unit::cube_core, "  if ASCEND_IS_AIC {\n"),
                                 std::pair(aicore::Unit::vector_core, "  if ASCEND_IS_AIV {\n")}) {
    if (cores == (unit == aicore::Unit::cube_core ? Cores::vector : Cores::cube))
      continue;
    const bool isMixed = cores == Cores::both;
    SideWriter writer(kernel, file, unit, isMixed ? 2 : 1, functions);
    if (mlir::failed(writer.write()))
      return failure();
    text += isMixed ? condition + writer.text() + "  }\n" : writer.text();
  }
  return text;
}

/// What says which cores run a kernel: an attribute, and in CANN 8.5 a type of task. Without the
/// scheduler of a mixed kernel, cores of one kind alone do not meet at SyncAll.
struct CoresText {
  const char *attribute, *taskType;
};

CoresText coresText(Cores cores, bool hasPasses) {
  switch (cores) {
  case Cores::cube:
    return {"__cube__", "KERNEL_TYPE_AIC_ONLY"};
  case Cores::vector:
    return hasPasses ? CoresText{"__mix__(0, 1)", "KERNEL_TYPE_MIX_AIV_1_0"}
                     : CoresText{"__vector__", "KERNEL_TYPE_AIV_ONLY"};
  case Cores::both:
    return {"__mix__(1, 2)", "KERNEL_TYPE_MIX_AIC_1_2"};
  }
  return {"", ""};
}

} // namespace

Cores coresOf(aicore::KernelOp kernel) {
  auto has = [&](aicore::Unit unit) {
    Side side(unit);
    return llvm::any_of(kernel.getBody().getOps<aicore::PhaseOp>(),
                        [&](aicore::PhaseOp phase) { return side.has(phase); });
  };
  return !has(aicore::Unit::cube_core) ? Cores::vector
         : !hasPasses(kernel) && !has(aicore::Unit::vector_core)
             ? Cores::cube
             : Cores::both; // SyncAll of cube cores alone needs the vector cores
}

std::pair<int64_t, aicore::SetCrossOp> lastCrossFlag(aicore::KernelOp kernel) {
  std::pair<int64_t, aicore::SetCrossOp> last = {-1, nullptr};
  kernel.walk([&](aicore::SetCrossOp set) {
    auto slot = set.getSlot().getDefiningOp<aicore::SlotOp>();
    const int64_t copies = slot ? slot.getBuffer().getDefiningOp<aicore::AllocOp>().getCopies() : 1;
    const int64_t flag = static_cast<int64_t>(set.getFlag()) + copies - 1;
    if (flag > last.first)
      last = {flag, set};
  });
  return last;
}

std::string functionOf(aicore::KernelOp kernel) {
  std::string name = kernel.getSymName().str();
  for (mlir::Value argument : kernel.getBody().getArguments())
    if (const ir::NamedAttr named = namedOf(kernel, argument); named && named.getName() == name)
      return name + "_kernel";
  return name;
}

std::string addressOf(llvm::StringRef tensor) { return (tensor + "_gm").str(); }

bool mentions(llvm::StringRef text, llvm::StringRef word) {
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (llvm::StringRef line : llvm::split(text, '\n')) {
    const llvm::StringRef code = line.split("//").first;
    for (size_t at = code.find(word); at != llvm::StringRef::npos; at = code.find(word, at + 1))
      if (!(at > 0 && isPart(code[at - 1])) &&
          !(at + word.size() < code.size() && isPart(code[at + word.size()])))
        return true;
  }
  return false;
}

std::string parameterText(const std::string &type, const std::string &name, llvm::StringRef body) {
  return fmt::format(fmt::runtime(mentions(body, name) ? "{} {}" : "{} /* {} */"), type, name);
}

mlir::FailureOr<std::string> kernelText(aicore::KernelOp kernel, const SourceFile &file) {
  if (mlir::failed(expectFlagsBesideSync(kernel)))
    return failure();
  const Cores cores = coresOf(kernel);
  RegisterFunctions functions;
  const bool hasRegisters = architectureOf(kernel) == Architecture::dav3510;
  const mlir::FailureOr<std::string> body =
      bodyOf(kernel, file, cores, hasRegisters ? &functions : nullptr);
  if (mlir::failed(body))
    return failure();
  VariableNames names(kernel);
  CodeText code;
  if (!functions.definitions().empty()) {
    code.add("// Functions of the vector unit on registers, each of one loop or several.");
    code.paste(llvm::StringRef(functions.definitions()).ltrim().str() + "\n");
  }
  const auto [attribute, taskType] = coresText(cores, hasPasses(kernel));
  code.open(fmt::format("{}__global__ MMK_CORES({}) void {}({})",
                        hasPasses(kernel) ? "MMK_TOGETHER " : "", attribute, functionOf(kernel),
                        parametersOf(kernel, names, *body)));
  code.line("MMK_TASK_TYPE({});", taskType);
  const std::string modes = names.fresh("modes", "modes");
  code.line("const auto {} = BeginKernel();", modes);
  writeTensors(code, kernel, names, *body);
  code.paste(*body);
  code.line("EndKernel({});", modes);
  code.close();
  return code.text();
}

} // namespace mmk::ascendc
