#include "library/kernel.h"

#include "backend/backend.h"
#include "choose/remembered.h"
#include "compiler/in_place.h"
#include "frontend/compile.h"
#include "reference/empty_call.h"
#include "schedule/directive.h"
#include "schedule/joined_dimension.h"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

namespace mmk::library {
namespace {

std::vector<std::string> namesOf(const Program &program) {
  std::vector<std::string> names;
  for (const auto &kernel : program.kernels)
    names.push_back(kernel->name);
  return names;
}

/// The int parameters' values by name.
mmk_error *readInts(llvm::ArrayRef<mmk_int> given, WholeValues &values) {
  for (const mmk_int &each : given) {
    if (!each.name)
      return mistake("an int parameter is given without a name");
    if (each.value != static_cast<int32_t>(each.value))
      return mistake(fmt::format("the int parameter '{}' is an integer from -2147483648 to "
                                 "2147483647, found {}",
                                 each.name, each.value));
    if (!values.emplace(each.name, each.value).second)
      return mistake(fmt::format("the int parameter '{}' is given twice", each.name));
  }
  return nullptr;
}

/// All values have to be of parameters of the kernel.
mmk_error *expectInts(const Kernel &kernel, const WholeValues &values) {
  std::vector<std::string> names;
  for (const WholeParameter &whole : kernel.wholes)
    names.push_back(whole.name);
  for (const auto &[name, value] : values)
    if (std::ranges::find(names, name) == names.end())
      return mistake(
          fmt::format("'{}' has no int parameter '{}'{}", kernel.name, name,
                      names.empty() ? "" : fmt::format("; it has {}", listOf(names, "and"))));
  return nullptr;
}

mmk_error *choose(const Program &program, const char *wanted, const Kernel *&kernel) {
  if (!wanted && program.kernels.size() != 1)
    return mistake(fmt::format("{} has {} kernels; name one of them: {}", program.file->path(),
                               program.kernels.size(), listOf(namesOf(program))));
  for (const auto &each : program.kernels)
    if (!wanted || each->name == wanted)
      kernel = each.get();
  if (!kernel)
    return mistake(fmt::format("{} has no kernel '{}'; kernels: {}", program.file->path(), wanted,
                               listOf(namesOf(program), "and")));
  return nullptr;
}

/// Adds to `fixed` what is chosen for a shape; nothing where no candidate is legal, which the
/// lowering then explains.
mmk_error *chooseForShape(mmk_kernel &it, llvm::ArrayRef<mmk_dimension> shape,
                          const std::string &folder, Choices &fixed) {
  std::vector<int64_t> dims;
  if (mmk_error *error = it.signature->bindDimensions(shape, dims))
    return error;
  if (!backendOf(it.machine.kind).hasClock() || isEmptyCall(dims))
    return nullptr;
  Chooser chooser(*it.compiler, *it.kernel, it.machine, fixed);
  const tune::ChoiceMemory memory(folder.empty() ? "" : folder + "/choices");
  std::string warning; // only the next compilation takes longer
  const auto chosen = chooseOrRecall(chooser, memory, *it.kernel, it.machine, dims, warning);
  fixed = both(std::move(fixed), chosen.choices);
  return nullptr;
}

/// What binds and compiles calls of the kernel, which is of this program.
void prepare(mmk_kernel &it, const Program &program) {
  it.signature.emplace(*it.kernel, it.form != mmk_kernel::Form());
  if (!backendOf(it.machine.kind).hasWideIntegers())
    it.signature->expect32Bits();
  it.compiler = std::make_unique<Compiler>(program, it.machine);
}

mmk_error *lower(mmk_kernel &it, mlir::OwningOpRef<mlir::ModuleOp> module,
                 PipelineOptions options) {
  options.joinsDimensions = it.form.joinsDimensions;
  it.chosen = options.choices;
  it.lowering = it.compiler->lower(*it.kernel, std::move(module), LoweringLevel::aicore, options);
  if (it.lowering) {
    it.variant = it.lowering.variant;
    return nullptr;
  }
  std::string text = it.lowering.messages.render();
  if (it.lowering.isBug)
    return bug(fmt::format("the passes failed on '{}'\n{}", it.kernel->name, text));
  if (it.lowering.nearest)
    text += fmt::format("note: nearest legal: {}\n", spelling(*it.lowering.nearest));
  return mistake(std::move(text));
}

mmk_error *lower(mmk_kernel &it, const mmk_compile_options &wanted) {
  auto module = it.compiler->toIr(*it.kernel);
  PipelineOptions options;
  if (wanted.variant) {
    llvm::Expected<Choices> choices = parseChoices(*it.kernel, it.machine, *module, wanted.variant);
    if (!choices)
      return mistake("variant" + llvm::toString(choices.takeError()));
    options.choices = std::move(*choices);
    it.fixed = options.choices;
  }
  if (wanted.dimensions)
    if (mmk_error *error =
            chooseForShape(it, llvm::ArrayRef(wanted.dimensions, wanted.dimension_count),
                           wanted.cache_directory ? wanted.cache_directory : "", options.choices))
      return error;
  return lower(it, std::move(module), options);
}

mmk_error *link(mmk_kernel &it) {
  ExecutableOptions how;
  how.cacheDirectory = it.cacheDirectory;
  llvm::Expected<std::unique_ptr<Executable>> executable =
      Executable::compile(*it.lowering.module, it.machine, how);
  if (!executable)
    return bug(llvm::toString(executable.takeError()));
  it.executable = std::move(*executable);
  it.signature->setPacked(it.executable->packedOperands());
  it.signature->setMerged(it.executable->mergedDims());
  it.signature->setInPlace(
      [&it](size_t parameter, size_t result) { return it.whyNotInPlace(parameter, result); });
  return nullptr;
}

} // namespace

mmk_error *compile(std::string text, std::string name, const mmk_compile_options &options,
                   mmk_kernel &it) {
  llvm::Expected<Machine> machine = loadMachine(options.machine ? options.machine : "host");
  if (!machine)
    return mistake(llvm::toString(machine.takeError()));
  it.machine = std::move(*machine);
  Diagnostics diagnostics;
  std::unique_ptr<SourceFile> file;
  WholeValues wholes;
  if (mmk_error *error = readInts(llvm::ArrayRef(options.ints, options.int_count), wholes))
    return error;
  std::optional<Program> program =
      checkProgram(std::move(name), std::move(text), diagnostics, file, &it.machine, wholes);
  if (!program)
    return mistake(diagnostics.render());
  it.program = std::move(*program);
  if (mmk_error *error = choose(it.program, options.kernel, it.kernel))
    return error;
  if (mmk_error *error = expectInts(*it.kernel, wholes))
    return error;
  prepare(it, it.program);
  if (mmk_error *error = lower(it, options))
    return error;
  it.cacheDirectory = options.cache_directory ? options.cache_directory : "";
  if (mmk_error *error = link(it))
    return error;
  if (options.dimensions) { // not at the first call then
    std::vector<int64_t> dims;
    if (mmk_error *error = it.signature->bindDimensions(
            llvm::ArrayRef(options.dimensions, options.dimension_count), dims))
      return error;
    formForUnits(it, dims);
  }

  auto spell = [&](const Shape &shape) {
    std::vector<std::string> &names = it.dimensions.emplace_back();
    for (const Dimension &dimension : shape)
      names.push_back(dimension.isLiteral() ? std::to_string(dimension.literal) : dimension.name);
  };
  for (const Parameter &parameter : it.kernel->parameters)
    spell(parameter.shape);
  for (const Result &result : it.kernel->results)
    spell(result.shape);
  return nullptr;
}

mmk_error *compileAs(mmk_kernel &it, const mmk_kernel::Form &form, mmk_kernel *&runs) {
  const std::lock_guard lock(it.counting);
  const auto known = it.others.find(form);
  if (known != it.others.end()) {
    runs = known->second.get();
    return nullptr;
  }
  auto other = std::make_unique<mmk_kernel>();
  other->machine = it.machine;
  other->kernel = it.kernel;
  other->form = form;
  other->cacheDirectory = it.cacheDirectory;
  prepare(*other, it.program);
  PipelineOptions options;
  llvm::copy_if(it.fixed, std::back_inserter(options.choices), [&](const auto &choice) {
    return form.joinsDimensions || !isJoined(indexOf(choice.first));
  });
  llvm::append_range(options.choices, form.units);
  if (mmk_error *error = lower(*other, other->compiler->toIr(*it.kernel), options))
    return error;
  if (mmk_error *error = link(*other))
    return error;
  runs = other.get();
  it.others.emplace(form, std::move(other));
  return nullptr;
}

mmk_kernel *formForUnits(mmk_kernel &it, llvm::ArrayRef<int64_t> dims) {
  if (backendOf(it.machine.kind).hasClock() || !hasInnermostUnit(*it.kernel, dims) ||
      isEmptyCall(dims) || !it.executable->packedOperands().empty())
    return &it;
  llvm::SmallVector<bool, 16> units;
  for (int64_t extent : dims)
    units.push_back(extent == 1);
  {
    const std::lock_guard lock(it.choosing);
    if (const auto known = it.byUnits.find(units); known != it.byUnits.end())
      return known->second;
  }
  mmk_kernel::Form form;
  {
    const std::lock_guard lock(it.counting);
    form.units = Chooser(*it.compiler, *it.kernel, it.machine, it.fixed).unitsOf(dims);
  }
  mmk_kernel *runs = &it;
  // Where it is not legal, such as by a rule of the schedule, this form computes the same.
  if (!form.units.empty())
    mmk_error_free(compileAs(it, form, runs));
  const std::lock_guard lock(it.choosing);
  return it.byUnits.emplace(std::move(units), runs).first->second;
}

} // namespace mmk::library

std::string mmk_kernel::limitProblem(llvm::ArrayRef<int64_t> dims) const {
  return const_cast<mmk::Lowering &>(lowering).kernel().limitProblem(dims);
}

// Most programs make no call in place, and compile in less time without this level.
std::string mmk_kernel::whyNotInPlace(size_t parameter, size_t result) {
  const std::lock_guard lock(counting);
  const auto known = inPlace.find({parameter, result});
  if (known != inPlace.end())
    return known->second;
  if (!tiled) {
    auto module = compiler->toIr(*kernel);
    mmk::PipelineOptions options;
    options.choices = chosen;
    options.joinsDimensions = form.joinsDimensions;
    tiled = compiler->lower(*kernel, std::move(module), mmk::LoweringLevel::tiled, options);
    if (!tiled || tiled.variant != variant)
      throw std::runtime_error("the variant " + variant + " is not lowered as before");
  }
  std::string why =
      mmk::whyNotInPlace(*tiled.module->getOps<mmk::ir::KernelOp>().begin(), lowering.kernel(),
                         mmk::backendOf(machine.kind), parameter, result);
  inPlace.emplace(std::pair(parameter, result), why);
  return why;
}
