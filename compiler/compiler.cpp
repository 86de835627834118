#include "compiler/compiler.h"

#include "backend/backend.h"
#include "compiler/ir_diagnostics.h"
#include "compiler/nearest_legal.h"
#include "lower/lower.h"
#include "support/timing.h"
#include "sync/passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <algorithm>

namespace mmk {
namespace {

std::unique_ptr<mlir::MLIRContext> makeContext() {
  mlir::DialectRegistry registry;
  registerDialectExtensions(registry);
  // No threads: one kernel is too little work for them.
  auto context =
      std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  // Messages do not print operations: their text means nothing to the author of a kernel.
  context->printOpOnDiagnostic(false);
  return context;
}

bool has(const Diagnostics &diagnostics, DiagnosticCode code) {
  return std::ranges::find(diagnostics.all(), code, &Diagnostic::code) != diagnostics.all().end();
}

std::string variantOf(mlir::ModuleOp module) {
  for (mlir::Operation &op : *module.getBody())
    if (auto name = op.getAttrOfType<mlir::StringAttr>("variant"))
      return name.str();
  return "";
}

} // namespace

aicore::KernelOp Lowering::kernel() { return *module->getOps<aicore::KernelOp>().begin(); }

Compiler::Compiler(const Program &program, const Machine &machine)
    : program_(program), machine_(machine), context_(makeContext()), pipeline_(*context_, machine) {
}

mlir::OwningOpRef<mlir::ModuleOp> Compiler::toIr(const Kernel &kernel) {
  const TimedScope timed("build the IR");
  return lowerToIr(kernel, machine_.name, *context_);
}

// Whether products follow each other is seen in the groups, so these are made once more.
void Compiler::addDefaults(mlir::ModuleOp module, PipelineOptions &options) {
  const Backend &backend = backendOf(machine_.kind);
  if (backend.hasClock() || wordOf(options.choices, "fuse"))
    return;
  for (auto kernel : module.getOps<ir::KernelOp>()) {
    auto products = kernel.getBody().getOps<mlir::linalg::ContractOp>();
    if (kernel.choice("fuse") || std::distance(products.begin(), products.end()) < 2)
      return;
  }
  PipelineOptions chained = options;
  chained.choices.emplace_back("fuse", "products");
  const mlir::OwningOpRef<mlir::ModuleOp> grouped = module.clone();
  IrDiagnostics ignored(*context_, *program_.file);
  if (mlir::succeeded(pipeline_.run(grouped.get(), LoweringLevel::fused, chained)) &&
      llvm::all_of(grouped.get().getOps<ir::KernelOp>(),
                   [&](ir::KernelOp kernel) { return backend.chainsByDefault(kernel); }))
    options = chained;
}

bool Compiler::leavesOpen(const Kernel &kernel, const Choices &given,
                          const Choices &changes) const {
  Choices closed = given;
  if (const Schedule *schedule = kernel.scheduleFor(machine_.name))
    for (const Directive &directive : schedule->directives)
      closed.emplace_back(directive.key, "");
  return std::ranges::none_of(changes,
                              [&](const auto &change) { return wordOf(closed, change.first); });
}

Lowering Compiler::lower(const Kernel &kernel, mlir::OwningOpRef<mlir::ModuleOp> module,
                         LoweringLevel level, const PipelineOptions &given, bool findsNearest) {
  PipelineOptions options = given;
  addDefaults(*module, options);
  Lowering result;
  IrDiagnostics received(*context_, *program_.file);
  const bool succeeded = mlir::succeeded(pipeline_.run(*module, level, options));
  result.messages = received.diagnostics();
  // A proof that takes too long says nothing about the flags; any other failure of it does.
  const bool isUnproven = has(result.messages, DiagnosticCode::beyondProof);
  result.isBug = received.isBug() || (pipeline_.endedInProof() && !isUnproven) ||
                 (!succeeded && !result.messages.hasErrors());
  if (succeeded && !result.isBug) {
    result.variant = variantOf(*module);
    result.choices = pipeline_.choices();
    result.module = std::move(module);
  } else if (findsNearest && !result.isBug && !isUnproven &&
             !has(result.messages, DiagnosticCode::namesNearest)) {
    result.nearest = nearestLegal(kernel, machine_, *context_, options.choices);
    // A default that does not fit is mmk's own: the nearest one that fits takes its place.
    if (result.nearest && leavesOpen(kernel, given.choices, *result.nearest)) {
      options.choices.insert(options.choices.end(), result.nearest->begin(), result.nearest->end());
      return lower(kernel, toIr(kernel), level, options, /*findsNearest=*/false);
    }
  }
  return result;
}

} // namespace mmk
