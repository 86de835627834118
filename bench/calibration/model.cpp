#include "bench/calibration/model.h"

#include "count/count.h"
#include "frontend/compile.h"
#include "lower/lower.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>

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
  const auto kernel = std::ranges::find_if(program->kernels, [&](const auto &it) {
    return row.kernel.empty() || it->name == row.kernel;
  });
  if (kernel == program->kernels.end())
    return llvm::createStringError(path + " has no kernel " + row.kernel);
  Module module = lowerToIr(**kernel, machine.name, context);
  PipelineOptions options;
  options.choices = row.choices;
  if (failed(runPipeline(*module, machine, LoweringLevel::aicore, options)))
    return llvm::createStringError(path + ": the variant of '" + row.name + "' is refused");
  return module;
}

std::string withType(std::string text, const std::string &type) {
  if (!type.empty())
    for (size_t at = 0; (at = text.find("f32", at)) != std::string::npos; at += type.size())
      text.replace(at, 3, type);
  return text;
}

llvm::Expected<ClockReport> count(const Row &row, const Machine &machine) {
  const std::string path = MMK_SOURCE_DIR "/bench/calibration/" + row.file;
  auto buffer = llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(path));
  if (!buffer)
    return buffer.takeError();
  const std::string text = withType((*buffer)->getBuffer().str(), row.type);

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

llvm::Expected<std::vector<Result>> model(const std::vector<MachineOverride> &overrides) {
  std::map<std::string, Machine> machines;
  std::vector<Result> results;
  for (const Row &row : rows()) {
    if (!machines.contains(row.machine)) {
      llvm::Expected<Machine> machine = loadMachine(row.machine, overrides);
      if (!machine)
        return machine.takeError();
      machines.emplace(row.machine, std::move(*machine));
    }
    Machine &machine = machines.at(row.machine);
    machine.l2Warm = row.isSimulated;
    const auto mixedTask = machine.mixedTask;
    if (row.usesCubesAlone)
      machine.mixedTask = {};
    llvm::Expected<ClockReport> report = count(row, machine);
    double others = 0;
    if (report && row.isSimulated) {
      // Of one tile more; such a row has no pipes.
      others = report->microseconds;
      Row twice = row;
      twice.dims.front() *= 2;
      report = count(twice, machine);
    }
    machine.mixedTask = mixedTask;
    if (!report)
      return report.takeError();
    Result result{&row, std::nullopt, {}};
    if (row.task)
      result.task = Value{*row.task, report->microseconds - others};
    for (auto [pipe, measured] : row.pipes)
      result.pipes[pipe] = {measured, report->pipes[static_cast<size_t>(pipe)].busyMicroseconds};
    results.push_back(std::move(result));
  }
  return results;
}

const std::vector<Effect> &effects() {
  static const std::vector<Effect> all = {
      {"stalls of L1", {{"memories.l1.read_stall", "0"}, {"memories.l1.write_stall", "0"}}},
      {"the limit of a core's misses", {{"hbm.core_bytes_per_cycle", "1000"}}},
      {"requests of unaligned rows", {{"links.gm_l1.request_bytes", "0"}}},
      {"the limit of sharers of a line", {{"l2.line_sharers", "64"}}},
      {"the time of a hand-over", {{"cross_flag_cycles", "0"}}},
      {"waits that hold the core", {{"cross_wait", "pipe"}}, /*isSeen=*/false},
      {"the fixed cost of two kinds of cores", {{"mixed_task.library_microseconds", "0"}}},
  };
  return all;
}

Errors errorsOf(const std::vector<Result> &results, Kind kind) {
  Errors errors;
  auto add = [&](const Value &value) {
    ++errors.rows;
    errors.absolute += std::abs(value.error());
    errors.bias += value.error();
  };
  for (const Result &result : results) {
    if (result.row->kind != kind)
      continue;
    if (kind != Kind::transfer)
      add(*result.task);
    else
      for (const auto &[pipe, value] : result.pipes)
        add(value);
  }
  errors.absolute /= errors.rows;
  errors.bias /= errors.rows;
  return errors;
}

std::map<std::string, double> pipeErrors(const std::vector<Result> &results) {
  std::map<std::string, std::pair<double, int>> sums;
  for (const Result &result : results) {
    if (result.row->kind == Kind::transfer)
      continue;
    for (const auto &[pipe, value] : result.pipes) {
      auto &[sum, count] = sums[std::string(spelling(pipe))];
      sum += std::abs(value.error());
      ++count;
    }
  }
  std::map<std::string, double> means;
  for (const auto &[what, sum] : sums)
    means[what] = sum.first / sum.second;
  return means;
}

} // namespace mmk::calibration
