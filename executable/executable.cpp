#include "executable/executable.h"

#include "backend/backend.h"
#include "codegen/plan.h"
#include "codegen/program.h"
#include "executable/c_header.h"
#include "ir/image_limit.h"
#include "ir/limit.h"
#include "jit/lazy.h"
#include "jit/linked.h"
#include "jit/object.h"
#include "jit/partition.h"
#include "jit/trampoline.h"
#include "schedule/joined_dimension.h"
#include "support/timing.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Support/MathExtras.h"

#include <atomic>
#include <bit>
#include <chrono>
#include <numeric>
#include <optional>

using namespace llvm;

namespace mmk {
namespace {

aicore::KernelOp kernelOf(mlir::ModuleOp module) {
  auto kernels = module.getOps<aicore::KernelOp>();
  return kernels.empty() ? aicore::KernelOp() : *kernels.begin();
}

int64_t endOf(aicore::AllocOp alloc) {
  int64_t alignment = aicore::machineOf(alloc).alignment(alloc.getSpace());
  int64_t copies = alloc.getCopies();
  return alloc.getOffset().value_or(0) + copies * alignTo(alloc.getBytes(), alignment);
}

int64_t usedBytes(aicore::KernelOp kernel, aicore::Space space) {
  int64_t used = 0;
  kernel.walk([&](aicore::AllocOp alloc) {
    if (alloc.getSpace() == space)
      used = std::max(used, endOf(alloc));
  });
  return used;
}

/// Of one dimension: the number of a dimension of the kernel, or a literal.
struct Extent {
  std::optional<size_t> dim;
  int64_t literal = 0;
};

Extent extentOf(StringRef name, mlir::ArrayAttr dims) {
  Extent extent;
  const auto isIt = [&](mlir::Attribute it) {
    return mlir::cast<mlir::StringAttr>(it).getValue() == name;
  };
  if (name.getAsInteger(10, extent.literal))
    extent.dim = llvm::find_if(dims, isIt) - dims.begin();
  return extent;
}

std::vector<Extent> shapeOf(ir::NamedAttr tensor, mlir::ArrayAttr dims) {
  std::vector<Extent> extents;
  for (mlir::StringAttr name : tensor.getDims())
    extents.push_back(extentOf(name, dims));
  return extents;
}

double elementsOf(const std::vector<Extent> &shape, ArrayRef<int64_t> dims) {
  double elements = 1;
  for (const Extent &extent : shape)
    elements *= static_cast<double>(extent.dim ? dims[*extent.dim] : extent.literal);
  return elements;
}

/// Elements of all tensors of a small kernel (parallelFor): those of a square product of side 148,
/// which takes one core 60 us in f32 and 15 us in i8.
constexpr double smallElements = 1 << 16;

class JitExecutable : public Executable {
public:
  JitExecutable(aicore::KernelOp kernel, const Machine &machine, const CodeTarget &target,
                bool watched)
      : operands(backendOf(machine.kind).packedOperands(kernel, target)),
        merged(aicore::mergedDims(kernel)), machine(machine), watched(watched),
        parameters(kernel.getArgs().size()),
        cores(this->machine, kernel.getCores(), blockGlobalBytes(kernel)) {
    for (auto phase : kernel.getBody().getOps<aicore::PhaseOp>()) {
      phases.emplace_back().firstOfPlan = planSize;
      planSize += PhasePlan(phase).size();
    }
    for (auto workspace : kernel.getBody().getOps<aicore::WorkspaceOp>())
      workspaceNames.push_back(workspace.getName().str());
    for (mlir::BlockArgument argument :
         kernel.getBody().getArguments().slice(kernel.getDims().size(), parameters))
      areWhole.push_back(argument.getType().isInteger(32));
    for (mlir::ArrayAttr tensors : {kernel.getArgs(), kernel.getResults()})
      for (auto tensor : tensors.getAsRange<ir::NamedAttr>())
        shapes.push_back(shapeOf(tensor, kernel.getDims()));
    images = aicore::imageLimits(kernel);
    for (auto name : kernel.getDims().getAsValueRange<mlir::StringAttr>())
      dimNames.push_back(name.str());
    if (mlir::DictionaryAttr all = kernel.getLimitsAttr())
      for (mlir::NamedAttribute limit : all)
        limits.push_back(limitOf(limit, kernel));
  }

  Error link(std::shared_ptr<const LinkedObject> program,
             std::shared_ptr<const LinkedObject> callees);
  Error run(const Arguments &arguments, unsigned threads, RunWatch *watch) override;
  std::vector<Workspace> workspaces(ArrayRef<int64_t> dims) const override;
  double lazyMs() const override { return functions->lazyMs(); }
  ArrayRef<PackedOperand> packedOperands() const override { return operands; }
  ArrayRef<aicore::MergedDims> mergedDims() const override { return merged; }
  SmallVector<int64_t> extentsOf(size_t parameter, ArrayRef<int64_t> dims) const override;

private:
  /// The arguments of phases, kept between calls; only values that differ from the last call are
  /// written.
  struct alignas(falseSharingDistance) Bound {
    // Computed from the dimensions and the number of threads.
    uint64_t executable = 0;
    SmallVector<int64_t, 8> dims;
    unsigned wantedThreads = 0; ///< 0: all CPUs of the process
    unsigned threads = 0;
    SmallVector<int64_t, 32> plan;         ///< of all phases, one after the other
    std::vector<int64_t> workspaceBytes;   ///< by workspace
    SmallVector<int64_t, 16> denseStrides; ///< of all tensors
    SmallVector<size_t, 8> firstStride;    ///< by tensor
    bool isSmall = false;                  ///< of a small kernel (parallelFor)
    // The arguments of the call.
    SmallVector<float, 8> scalars;             ///< by parameter
    SmallVector<void *, 8> tensors;            ///< all, then the workspaces
    SmallVector<const int64_t *, 8> strides;   ///< by tensor
    SmallVector<KernelArguments, 2> arguments; ///< by phase
  };
  /// For this thread, until its next call of any executable.
  Bound &bind(ArrayRef<int64_t> dims, unsigned threads) const;
  static void addDenseStrides(const std::vector<Extent> &shape, ArrayRef<int64_t> dims,
                              SmallVectorImpl<int64_t> &strides);
  using Memory = std::unique_ptr<char, decltype(&std::free)>;
  Error packUnpacked(const Arguments &arguments, Bound &bound, std::vector<Memory> &memory) const;

  std::vector<PackedOperand> operands;
  SmallVector<aicore::MergedDims> merged;
  Machine machine;
  bool watched;
  size_t parameters;
  std::vector<bool> areWhole; ///< by parameter: the scalars that are i32
  std::vector<std::string> workspaceNames;
  std::vector<std::vector<Extent>> shapes; ///< by parameter, then result
  struct Limit {
    std::vector<Extent> dims; ///< as one
    std::string name;
    int64_t most;
    aicore::HeldWhole held;
  };
  static Limit limitOf(mlir::NamedAttribute limit, aicore::KernelOp kernel) {
    Limit it{{}, limit.getName().str(), 0, kernel.heldWhole(limit.getName())};
    for (StringRef factor : factorsOf(it.name))
      it.dims.push_back(extentOf(factor, kernel.getDims()));
    it.most = mlir::cast<mlir::IntegerAttr>(limit.getValue()).getInt();
    return it;
  }
  std::vector<Limit> limits;              ///< on dimensions
  std::vector<aicore::ImageLimit> images; ///< the same
  std::vector<std::string> dimNames;
  std::shared_ptr<const LinkedObject> code, functions; ///< the driver module, and the kernel module
  struct Phase {
    PhaseFunction run = nullptr;
    PlanFunction plan = nullptr;
    size_t firstOfPlan = 0;
  };
  std::vector<Phase> phases;
  size_t planSize = 0; ///< of all phases
  WorkspaceFunction sizes = nullptr;
  EmulatedCores cores;
  const uint64_t number = nextNumber++; ///< unique among the executables of this process
  static inline std::atomic<uint64_t> nextNumber = 1;
};

Error JitExecutable::link(std::shared_ptr<const LinkedObject> program,
                          std::shared_ptr<const LinkedObject> callees) {
  code = std::move(program);
  functions = std::move(callees);
  std::vector<std::string> names = {workspacesName};
  for (size_t i = 0; i < phases.size(); ++i) {
    names.push_back(phaseName(i));
    names.push_back(planName(i));
  }
  auto addresses = code->find(names);
  if (!addresses)
    return addresses.takeError();
  sizes = (*addresses)[0].toPtr<WorkspaceFunction>();
  for (auto [i, phase] : enumerate(phases)) {
    phase.run = (*addresses)[1 + 2 * i].toPtr<PhaseFunction>();
    phase.plan = (*addresses)[2 + 2 * i].toPtr<PlanFunction>();
  }
  return Error::success();
}

// A kernel is mostly called repeatedly at the same dimensions. Querying the system for its CPUs in
// each run would take longer than a small kernel.
JitExecutable::Bound &JitExecutable::bind(ArrayRef<int64_t> dims, unsigned threads) const {
  static thread_local Bound last;
  if (last.executable == number && last.wantedThreads == threads && ArrayRef(last.dims) == dims)
    return last;
  last.executable = number;
  last.dims.assign(dims.begin(), dims.end());
  last.wantedThreads = threads;
  last.threads = threads == 0 ? availableThreads() : threads;
  last.plan.resize(planSize);
  for (const Phase &phase : phases)
    phase.plan(dims.data(), last.threads, last.plan.data() + phase.firstOfPlan);
  last.workspaceBytes.resize(workspaceNames.size());
  sizes(dims.data(), last.workspaceBytes.data());
  last.denseStrides.clear();
  last.firstStride.clear();
  double elements = std::accumulate(last.workspaceBytes.begin(), last.workspaceBytes.end(), 0.0);
  for (const std::vector<Extent> &shape : shapes) {
    last.firstStride.push_back(last.denseStrides.size());
    addDenseStrides(shape, dims, last.denseStrides);
    elements += elementsOf(shape, dims);
  }
  last.isSmall = elements < smallElements;
  last.scalars.resize(parameters);
  last.tensors.resize(shapes.size() + workspaceNames.size());
  last.strides.resize(shapes.size());
  last.arguments.clear();
  for (const Phase &phase : phases)
    last.arguments.push_back({last.dims.data(), last.scalars.data(), last.tensors.data(),
                              last.strides.data(), last.plan.data() + phase.firstOfPlan});
  return last;
}

void JitExecutable::addDenseStrides(const std::vector<Extent> &shape, ArrayRef<int64_t> dims,
                                    SmallVectorImpl<int64_t> &strides) {
  const size_t first = strides.size(), rank = shape.size();
  strides.resize(first + rank, 1);
  for (size_t i = rank; i-- > 1;) {
    const Extent &extent = shape[i];
    strides[first + i - 1] = strides[first + i] * (extent.dim ? dims[*extent.dim] : extent.literal);
  }
}

std::vector<Workspace> JitExecutable::workspaces(ArrayRef<int64_t> dims) const {
  std::vector<int64_t> bytes(workspaceNames.size());
  sizes(dims.data(), bytes.data());
  std::vector<Workspace> all;
  for (auto [name, size] : zip(workspaceNames, bytes))
    all.push_back({name, size});
  return all;
}

SmallVector<int64_t> JitExecutable::extentsOf(size_t parameter, ArrayRef<int64_t> dims) const {
  SmallVector<int64_t> extents;
  for (const Extent &extent : shapes[parameter])
    extents.push_back(extent.dim ? dims[*extent.dim] : extent.literal);
  return extents;
}

// Packs the constants that are bound as plain tensors, for this run.
Error JitExecutable::packUnpacked(const Arguments &arguments, Bound &bound,
                                  std::vector<Memory> &memory) const {
  for (const PackedOperand &operand : operands) {
    const size_t i = operand.parameter;
    if (i < arguments.packed.size() && arguments.packed[i])
      continue;
    const SmallVector<int64_t> extents = extentsOf(i, arguments.dims);
    const int64_t bytes = packedBytes(operand, extents);
    memory.emplace_back(static_cast<char *>(std::aligned_alloc(64, alignTo(bytes, 64))),
                        &std::free);
    if (!memory.back())
      return createStringError("not enough memory for a packed constant of " +
                               std::to_string(bytes) + " bytes");
    packPanels(operand, {arguments.tensors[i], extents, {bound.strides[i], extents.size()}},
               memory.back().get());
    storeIfChanged(bound.tensors[i], memory.back().get());
  }
  return Error::success();
}

Error JitExecutable::run(const Arguments &arguments, unsigned threads, RunWatch *watch) {
  if (watched != (watch != nullptr))
    return createStringError(watched ? "a watched program runs without a watch"
                                     : "a watch needs a program that was compiled for one");
  for (const Limit &limit : limits)
    if (const auto value = static_cast<int64_t>(elementsOf(limit.dims, arguments.dims));
        value > limit.most)
      return createStringError(aicore::beyondLimit(limit.name, value, limit.most, limit.held));
  if (!images.empty())
    if (std::string problem = aicore::problemOf(images, dimNames, arguments.dims); !problem.empty())
      return createStringError(problem);
  Bound &bound = bind(arguments.dims, threads);
  for (size_t i = 0; i < parameters; ++i) {
    const double scalar = arguments.scalars[i];
    storeIfChanged(bound.scalars[i], areWhole[i]
                                         ? std::bit_cast<float>(static_cast<int32_t>(scalar))
                                         : static_cast<float>(scalar));
    // Parameters are only read; one array of pointers serves them and the results.
    storeIfChanged(bound.tensors[i], const_cast<void *>(arguments.tensors[i]));
  }
  for (auto [i, result] : enumerate(arguments.results))
    storeIfChanged(bound.tensors[parameters + i], result);
  std::vector<Memory> memory;
  for (auto [i, size] : enumerate(bound.workspaceBytes)) {
    memory.emplace_back(
        static_cast<char *>(std::aligned_alloc(64, alignTo(std::max<int64_t>(size, 1), 64))),
        &std::free);
    if (!memory.back())
      return createStringError("not enough memory for an intermediate tensor of " +
                               std::to_string(size) + " bytes");
    storeIfChanged(bound.tensors[shapes.size() + i], memory.back().get());
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    const bool isGiven = i < arguments.strides.size() && !arguments.strides[i].empty();
    storeIfChanged(bound.strides[i], isGiven ? arguments.strides[i].data()
                                             : bound.denseStrides.data() + bound.firstStride[i]);
  }
  if (!operands.empty())
    if (Error error = packUnpacked(arguments, bound, memory))
      return error;
  const uint64_t failures = functions->failures();
  if (watch)
    watch->beginRun(bound.arguments.front(), bound.workspaceBytes);
  for (auto [phase, all] : zip(phases, bound.arguments))
    if (Error error = cores.run(phase.run, all, bound.threads, bound.isSmall, watch))
      return error;
  if (watch)
    watch->endRun();
  // The failure may be of a concurrent run; it holds for both.
  if (functions->failures() != failures)
    return createStringError(functions->failure());
  return Error::success();
}

struct Emitted {
  std::shared_ptr<CodeTarget> target;
  std::unique_ptr<LLVMContext> context;
  std::unique_ptr<Module> module;
};

Expected<Emitted> emit(mlir::ModuleOp module, Expected<std::shared_ptr<CodeTarget>> target,
                       bool watched = false) {
  const TimedScope timed("emit LLVM IR");
  if (!target)
    return target.takeError();
  aicore::KernelOp kernel = kernelOf(module);
  if (!kernel)
    return createStringError("the module has no aicore.kernel");
  Emitted emitted{std::move(*target), std::make_unique<LLVMContext>(), nullptr};
  auto program = emitProgram(kernel, *emitted.target, *emitted.context, watched);
  if (!program)
    return program.takeError();
  emitted.module = std::move(*program);
  return emitted;
}

/// Compiles a module to an object, or takes it from the cache.
struct CodeMaker {
  explicit CodeMaker(const std::string &cacheDirectory) : cache(cacheDirectory) {}

  std::unique_ptr<MemoryBuffer> object(Module &module, const CodeTarget &target) {
    return object(module, target, ObjectCache::keyOf(module, target));
  }
  /// The same, linked, with its lazy functions; or the object that this process has linked before.
  Expected<std::shared_ptr<const LinkedObject>>
  linked(Module &module, ArrayRef<LazyModule> lazyModules, const CodeTarget &target) {
    const std::string ownKey = ObjectCache::keyOf(module, target);
    std::string key = ownKey;
    std::vector<LazyCode> lazy;
    for (const LazyModule &each : lazyModules) {
      std::string bitcode = bitcodeOf(*each.module);
      std::string lazyKey = ObjectCache::keyOf(bitcode, target);
      key += lazyKey;
      lazy.push_back({each.name, [cache = cache, key = std::move(lazyKey),
                                  bitcode = std::move(bitcode), fastCompile = target.fastCompile] {
                        return lazyObject(cache, key, bitcode, fastCompile);
                      }});
    }
    if (auto known = findLinked(key))
      return known;
    auto made = LinkedObject::link(object(module, target, ownKey), nullptr, std::move(lazy));
    if (made)
      keepLinked(key, *made);
    return made;
  }

  ObjectCache cache;
  bool allFound = true;

private:
  std::unique_ptr<MemoryBuffer> object(Module &module, const CodeTarget &target,
                                       const std::string &key) {
    if (auto found = cache.find(key))
      return found;
    allFound = false;
    return compiled(cache, module, target, key);
  }
  static std::unique_ptr<MemoryBuffer> compiled(const ObjectCache &cache, Module &module,
                                                const CodeTarget &target, const std::string &key) {
    optimise(module, target);
    SmallVector<char, 0> code = machineCode(module, target);
    StringRef bytes(code.data(), code.size());
    cache.keep(key, bytes);
    return MemoryBuffer::getMemBufferCopy(bytes, key);
  }
  /// Called at the first call of a lazy function.
  static Expected<std::unique_ptr<MemoryBuffer>> lazyObject(const ObjectCache &cache,
                                                            const std::string &key,
                                                            const std::string &bitcode,
                                                            bool fastCompile) {
    if (auto found = cache.find(key))
      return found;
    auto target = borrowHostTarget();
    if (!target)
      return target.takeError();
    (*target)->setFastCompile(fastCompile);
    LLVMContext context;
    auto module = parseBitcodeFile(MemoryBufferRef(bitcode, key), context);
    if (!module)
      return module.takeError();
    return compiled(cache, **module, **target, key);
  }
};

} // namespace

Expected<std::unique_ptr<Executable>> Executable::compile(mlir::ModuleOp module,
                                                          const Machine &machine,
                                                          const ExecutableOptions &options) {
  auto begin = std::chrono::steady_clock::now();
  auto target = borrowHostTarget();
  if (target)
    (*target)->setFastCompile(options.fastCompile);
  Expected<Emitted> emitted = emit(module, std::move(target), options.watched);
  if (!emitted)
    return emitted.takeError();
  auto executable =
      std::make_unique<JitExecutable>(kernelOf(module), machine, *emitted->target, options.watched);

  // Variants of a kernel share most functions: these are compiled and linked once. The driver runs
  // rarely enough to be compiled without optimisation.
  CodeMaker maker(options.cacheDirectory);
  std::unique_ptr<Module> functions = extractKernelModule(*emitted->module);
  std::vector<LazyModule> lazyModules;
  if (hasTrampolines())
    lazyModules = extractLazyFunctions(*functions, *emitted->module);
  auto callees = maker.linked(*functions, lazyModules, *emitted->target);
  if (!callees)
    return callees.takeError();
  emitted->target->compileFast();
  auto object = maker.object(*emitted->module, *emitted->target);
  auto program = LinkedObject::link(std::move(object), *callees);
  if (!program)
    return program.takeError();
  if (Error error = executable->link(std::move(*program), std::move(*callees)))
    return std::move(error);
  executable->cached = maker.allFound;
  executable->compileMs =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return executable;
}

Expected<std::string> emitCode(mlir::ModuleOp module, const Machine &machine, CodeFormat format) {
  auto target = hostTarget();
  if (!target)
    return target.takeError();
  // No tile registers: its caller may not have requested them from the system.
  if (format == CodeFormat::namedObject)
    target->hasAmx = false;
  // Nothing of mmk is there to pack constants.
  mlir::OwningOpRef<mlir::ModuleOp> ofRows;
  if (format == CodeFormat::object || format == CodeFormat::namedObject) {
    ofRows = module.clone();
    if (aicore::KernelOp kernel = kernelOf(*ofRows))
      backendOf(machine.kind).readRows(kernel);
  }
  auto emitted = emit(ofRows ? *ofRows : module, std::make_shared<CodeTarget>(std::move(*target)));
  if (!emitted)
    return emitted.takeError();
  if (format == CodeFormat::namedObject)
    nameAfterKernel(*emitted->module, kernelOf(module));
  optimise(*emitted->module, *emitted->target);
  if (format == CodeFormat::llvm) {
    std::string text;
    raw_string_ostream(text) << *emitted->module;
    return text;
  }
  SmallVector<char, 0> code =
      machineCode(*emitted->module, *emitted->target, format == CodeFormat::assembly);
  return std::string(code.begin(), code.end());
}

int64_t blockGlobalBytes(aicore::KernelOp kernel) { return usedBytes(kernel, aicore::Space::gm); }

Expected<std::vector<PackedConstant>> packConstants(const Executable &executable,
                                                    Arguments &arguments) {
  std::vector<PackedConstant> all;
  arguments.packed.assign(arguments.tensors.size(), false);
  for (const PackedOperand &operand : executable.packedOperands()) {
    const size_t i = operand.parameter;
    PackedConstant &constant = all.emplace_back();
    if (!constant.pack(operand, arguments.tensors[i], executable.extentsOf(i, arguments.dims)))
      return createStringError("not enough memory for a packed constant of " +
                               std::to_string(constant.bytes()) + " bytes");
    arguments.tensors[i] = constant.data();
    arguments.packed[i] = true;
  }
  return all;
}

std::vector<ConstantLayout> constantLayouts(aicore::KernelOp kernel,
                                            ArrayRef<PackedOperand> packed) {
  std::vector<ConstantLayout> layouts;
  for (auto [i, named] : enumerate(kernel.getArgs().getAsRange<ir::NamedAttr>())) {
    if (!named.getConstant())
      continue;
    const auto *operand =
        find_if(packed, [&](const PackedOperand &each) { return each.parameter == i; });
    layouts.push_back(
        {named.getName().str(), operand == packed.end() ? "rows" : operand->layout.spelling()});
  }
  return layouts;
}

std::vector<MemoryUse> memoryUse(aicore::KernelOp kernel) {
  std::vector<MemoryUse> uses;
  aicore::MachineAttr machine = aicore::machineOf(kernel);
  for (aicore::Space space : {aicore::Space::l1, aicore::Space::l0a, aicore::Space::l0b,
                              aicore::Space::l0c, aicore::Space::bt, aicore::Space::ub})
    if (machine.capacity(space) > 0)
      uses.push_back(
          {aicore::stringifySpace(space).str(), usedBytes(kernel, space), machine.capacity(space)});
  return uses;
}

} // namespace mmk
