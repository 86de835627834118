#include "bench/calibration/model.h"

#include "count/count.h"
#include "frontend/compile.h"
#include "lower/lower.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mmk::calibration {
namespace {

using Module = mlir::OwningOpRef<mlir::ModuleOp>;

llvm::Expected<Module> compile(const std::string &path, const std::string &text, const Row &row,
                               const Machine &machine, mlir::MLIRContext &context) {
  Diagnostics diagnostics;
  std::unique_ptr<SourceFile> file;
  auto program = checkProgram(path, text, diagnostics, file);
  if (!program)
    return llvm::createStringError(diagnostics.render());
  Module module = lowerToIr(*program->kernels[0], machine.name, context);
  PipelineOptions options;
  options.choices = row.choices;
  if (failed(runPipeline(*module, machine, LoweringLevel::aicore, options)))
    return llvm::createStringError(path + ": the variant of '" + row.name + "' is refused");
  return module;
}

llvm::Expected<ClockReport> count(const Row &row, const Machine &machine) {
  const std::string path = MMK_SOURCE_DIR "/bench/calibration/" + row.file;
  auto buffer = llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(path));
  if (!buffer)
    return buffer.takeError();
  const std::string text = (*buffer)->getBuffer().str();

  mlir::DialectRegistry registry;
  registerDialectExtensions(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  Module module;
  if (llvm::StringRef(path).ends_with(".mmk")) {
    llvm::Expected<Module> compiled = compile(path, text, row, machine, context);
    if (!compiled)
      return compiled.takeError();
    module = std::move(*compiled);
  } else {
    context.loadDialect<ir::MmkDialect, aicore::AicoreDialect, mlir::arith::ArithDialect,
                        mlir::scf::SCFDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return llvm::createStringError(path + " does not parse");
  }
  return countKernel(*module->getOps<aicore::KernelOp>().begin(), machine, row.dims);
}

} // namespace

llvm::Expected<std::vector<Result>> model() {
  llvm::Expected<Machine> machine = loadMachine(machineName);
  if (!machine)
    return machine.takeError();
  std::vector<Result> results;
  for (const Row &row : rows()) {
    llvm::Expected<ClockReport> report = count(row, *machine);
    if (!report)
      return report.takeError();
    Result result{&row, std::nullopt, {}};
    if (row.task)
      result.task = Value{*row.task, report->microseconds};
    for (auto [pipe, measured] : row.pipes)
      result.pipes[pipe] = {measured, report->pipes[static_cast<size_t>(pipe)].busyMicroseconds};
    results.push_back(std::move(result));
  }
  return results;
}

std::map<std::string, double> meanErrors(const std::vector<Result> &results) {
  std::map<std::string, std::pair<double, int>> sums;
  auto add = [&](std::string_view what, const Value &value) {
    auto &[sum, count] = sums[std::string(what)];
    sum += std::abs(value.error());
    ++count;
  };
  for (const Result &result : results) {
    if (result.task)
      add("task", *result.task);
    for (const auto &[pipe, value] : result.pipes)
      add(result.isTransfer() ? "transfers" : spelling(pipe), value);
  }
  std::map<std::string, double> means;
  for (const auto &[what, sum] : sums)
    means[what] = sum.first / sum.second;
  return means;
}

} // namespace mmk::calibration
