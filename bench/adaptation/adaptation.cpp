#include "bench/adaptation/adaptation.h"

#include "compiler/pipeline.h"
#include "count/count.h"
#include "frontend/compile.h"
#include "frontend/numbers.h"
#include "frontend/schedule.h"
#include "lower/lower.h"
#include "runtime/threads.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBuffer.h"

#include <map>

namespace mmk::adaptation {
namespace {

constexpr const char *example = MMK_SOURCE_DIR "/examples/matmul_bias_leakyrelu.mmk";
constexpr const char *machineName = "ascend910b3";

using Chosen = std::map<std::string, std::string>;

/// The variants of one kernel on one machine at one shape.
class Search {
public:
  Search(const Kernel &kernel, const Machine &machine, const Shape &shape)
      : kernel_(kernel), machine_(machine), schedule_(*kernel.scheduleFor(machine.name)),
        context_(registry(), mlir::MLIRContext::Threading::DISABLED),
        silence_(&context_, [](mlir::Diagnostic &) { return mlir::success(); }) {
    for (const std::string &dimension : kernel.dimensions)
      dims_.push_back(dimension == "M" ? shape.m : dimension == "N" ? shape.n : shape.k);
  }

  /// Cycles of a variant, and its name; nothing for one that is not legal here.
  const std::optional<int64_t> &cyclesOf(const Chosen &chosen) {
    const auto [entry, isNew] = known_.try_emplace(chosen);
    if (isNew)
      entry->second = count(chosen);
    return entry->second;
  }

  /// From the default on, and from another variant, if it is legal here.
  Chosen best(const Chosen &other) {
    Chosen chosen;
    for (const Directive &directive : schedule_.directives)
      chosen[directive.key] = directive.alternatives.front().word;
    chosen = descended(chosen);
    if (other.empty() || !cyclesOf(other))
      return chosen;
    const Chosen fromOther = descended(other);
    return *cyclesOf(fromOther) < cyclesOf(chosen).value_or(INT64_MAX) ? fromOther : chosen;
  }

  Chosen descended(Chosen chosen) {
    std::vector<std::vector<const Directive *>> groups = this->groups();
    for (bool improved = true; improved;) {
      improved = false;
      for (const auto &group : groups)
        improved |= improve(chosen, group, 0, Chosen(chosen));
    }
    return chosen;
  }

  std::string nameOf(const Chosen &chosen) const {
    std::string name;
    for (const Directive &directive : schedule_.directives)
      if (const std::string &word = chosen.at(directive.key);
          word != directive.alternatives.front().word)
        name += (name.empty() ? "" : ", ") + directive.key + " = " + word;
    return name.empty() ? "the default" : name;
  }

private:
  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry registry;
    registerDialectExtensions(registry);
    return registry;
  }

  /// Sizes share memories, so they are chosen together, and with what uses the same memory; all
  /// others one by one.
  std::vector<std::vector<const Directive *>> groups() const {
    std::vector<const Directive *> output, reduction;
    std::vector<std::vector<const Directive *>> groups;
    for (const Directive &directive : schedule_.directives)
      if (directive.key == "tile.M" || directive.key == "tile.N" || directive.key == "buffers.acc")
        output.push_back(&directive);
      else if (directive.key.ends_with(".K") || directive.key == "buffers.l1" ||
               directive.key == "buffers.l0")
        reduction.push_back(&directive);
      else
        groups.push_back({&directive});
    groups.insert(groups.begin(), {output, reduction});
    // And once all sizes together: a smaller memory may need both to shrink.
    std::vector<const Directive *> sizes;
    for (const Directive &directive : schedule_.directives)
      if (directive.key.starts_with("tile.") || directive.key.starts_with("stage."))
        sizes.push_back(&directive);
    groups.insert(groups.begin(), sizes);
    // The order determines which cores share lines, and the skew whether that matters.
    std::vector<const Directive *> lines;
    for (const Directive &directive : schedule_.directives)
      if (directive.key == "order" || directive.key == "skew")
        lines.push_back(&directive);
    groups.push_back(lines);
    // A panel needs an order along its line, and tiles that leave room for it.
    std::vector<const Directive *> panel;
    for (const char *key : {"keep", "order", "tile.M", "tile.K", "stage.K"})
      for (const Directive &directive : schedule_.directives)
        if (directive.key == key)
          panel.push_back(&directive);
    groups.push_back(panel);
    return groups;
  }

  /// Without a panel, the other groups try all that goes with it.
  static bool isTriedElsewhere(const Directive &directive, const std::string &word, size_t size) {
    return directive.key == "keep" && word == "none" && size > 1;
  }

  bool improve(Chosen &chosen, const std::vector<const Directive *> &group, size_t from,
               Chosen tried) {
    if (from == group.size()) {
      const std::optional<int64_t> now = cyclesOf(chosen), then = cyclesOf(tried);
      if (!then || (now && *now <= *then))
        return false;
      chosen = tried;
      return true;
    }
    bool improved = false;
    for (const Directive::Alternative &alternative : group[from]->alternatives) {
      if (isTriedElsewhere(*group[from], alternative.word, group.size()))
        continue;
      tried[group[from]->key] = alternative.word;
      improved |= improve(chosen, group, from + 1, tried);
    }
    return improved;
  }

  bool isLegal(const Chosen &chosen) const {
    const ChosenNumber number = [&](std::string_view key) -> std::optional<int64_t> {
      const auto found = chosen.find(std::string(key));
      return found == chosen.end() ? std::nullopt : parseInteger(found->second);
    };
    for (const Requirement &requirement : schedule_.requirements)
      if (judge(*requirement.rule, number) == Verdict::broken)
        return false;
    return true;
  }

  std::optional<int64_t> count(const Chosen &chosen) {
    if (!isLegal(chosen))
      return std::nullopt;
    auto module = lowerToIr(kernel_, machine_.name, context_);
    PipelineOptions options;
    options.choices.assign(chosen.begin(), chosen.end());
    options.proveSync = false; // thousands are only timed
    if (failed(runPipeline(*module, machine_, LoweringLevel::aicore, options)))
      return std::nullopt;
    llvm::Expected<ClockReport> report =
        countKernel(*module->getOps<aicore::KernelOp>().begin(), machine_, dims_);
    if (!report) {
      llvm::consumeError(report.takeError());
      return std::nullopt;
    }
    return report->cycles;
  }

  const Kernel &kernel_;
  const Machine &machine_;
  const Schedule &schedule_;
  mlir::MLIRContext context_;
  mlir::ScopedDiagnosticHandler silence_;
  std::vector<int64_t> dims_;
  std::map<Chosen, std::optional<int64_t>> known_;
};

} // namespace

const std::vector<Change> &changes() {
  static const std::vector<Change> all = [] {
    std::vector<Change> changes = {{"none", {}}};
    const auto rate = [&](const std::string &name, const std::string &link) {
      changes.push_back({"rate of " + name, {{"links." + link + ".bytes_per_cycle", "*0.5"}}});
    };
    rate("GM -> L1", "gm_l1");
    rate("L1 -> L0A", "l1_l0a");
    rate("L1 -> L0B", "l1_l0b");
    rate("L0C -> GM", "l0c_gm");
    rate("GM -> UB", "gm_ub");
    rate("UB -> GM", "ub_gm");
    changes.push_back({"rate of HBM", {{"hbm.bytes_per_second", "*0.5"}}});
    changes.push_back({"rate of L2", {{"l2.bytes_per_cycle", "*0.5"}}});
    for (Memory memory : {Memory::l1, Memory::l0a, Memory::l0b, Memory::l0c, Memory::ub}) {
      std::string name(spelling(memory));
      const std::string path = "memories." + name + ".bytes";
      std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
      changes.push_back({"bytes of " + name, {{path, "*0.5"}}});
    }
    return changes;
  }();
  return all;
}

const std::vector<Shape> &shapes() {
  static const std::vector<Shape> all = {{"S1", 2048, 2048, 2048}, {"S2", 4096, 1024, 4096}};
  return all;
}

llvm::Expected<std::vector<Result>> adapt(unsigned threads, bool isWhole) {
  auto buffer = llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(example));
  if (!buffer)
    return buffer.takeError();
  Diagnostics diagnostics;
  std::unique_ptr<SourceFile> file;
  auto program = checkProgram(example, (*buffer)->getBuffer().str(), diagnostics, file);
  if (!program)
    return llvm::createStringError(diagnostics.render());
  const Kernel &kernel = *program->kernels[0];

  std::vector<Machine> machines;
  for (const Change &change : changes()) {
    llvm::Expected<Machine> machine = loadMachine(machineName, change.overrides);
    if (!machine)
      return machine.takeError();
    machines.push_back(std::move(*machine));
  }
  std::vector<Result> results(machines.size() * shapes().size());
  const auto at = [&](size_t change, size_t shape) -> Result & {
    return results[shape * machines.size() + change];
  };
  std::vector<Chosen> onWhole(shapes().size());
  const auto run = [&](size_t change, size_t shape) {
    Search search(kernel, machines[change], shapes()[shape]);
    const Chosen best = search.best(onWhole[shape]);
    if (change == 0)
      onWhole[shape] = best;
    at(change, shape) = {&changes()[change],
                         &shapes()[shape],
                         search.cyclesOf(onWhole[shape]),
                         search.cyclesOf(best).value_or(0),
                         search.nameOf(best),
                         rooflineOf(machines[change], shapes()[shape])};
  };
  parallelFor(shapes().size(), threads, [&](int64_t shape, unsigned) { run(0, shape); });
  parallelFor((machines.size() - 1) * shapes().size(), threads, [&](int64_t i, unsigned) {
    const size_t change = 1 + i / shapes().size(), shape = i % shapes().size();
    if (isWhole || change % shapes().size() == shape)
      run(change, shape);
  });
  llvm::erase_if(results, [](const Result &result) { return !result.shape; });
  return results;
}

} // namespace mmk::adaptation
