#include "jit/object.h"

#include "support/timing.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassTimingInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Timer.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>
#include <unistd.h>

using namespace llvm;

namespace mmk {
namespace {

// Loops and vectors are as wanted when they are emitted, so LLVM's own vectorisers and inliner have
// nothing to add, and what is left, to hoist what loops repeat, is done as well and sooner when
// instructions have been selected.
constexpr const char *pipeline = "function(early-cse)";

// Of LLVM's own list of passes, what buys nothing here and takes a third of the time. Loops count
// and step as they should when they are emitted; branches that could be moves are none, and what
// repeats is folded in the IR. The sums of a register tile are planned to fit the registers, so
// that there is no stack to pack; a quicker allocator would spill the addresses around them, which
// small products are half made of. And the order of instructions is left to CPUs that choose their
// own.
constexpr StringRef superfluous[] = {"BreakFalseDeps",
                                     "Canonicalize Freeze Instructions in Loops",
                                     "Constant Hoisting",
                                     "Control Flow Optimizer",
                                     "Detect Dead Lanes",
                                     "Early If-Conversion",
                                     "Early Tail Duplication",
                                     "Interleaved Access Pass",
                                     "Live Range Shrink",
                                     "Loop Strength Reduction",
                                     "Machine Common Subexpression Elimination",
                                     "Machine Copy Propagation Pass",
                                     "Machine InstCombiner",
                                     "Machine Instruction Scheduler",
                                     "Machine Late Instructions Cleanup Pass",
                                     "Machine Loop Invariant Code Motion",
                                     "Machine code sinking",
                                     "Merge contiguous icmps into a memcmp",
                                     "Merge disjoint stack slots",
                                     "Optimize machine instruction PHIs",
                                     "Post RA top-down list latency scheduler",
                                     "PostRA Machine Sink",
                                     "Remove dead machine instructions",
                                     "Rename Disconnected Subregister Components",
                                     "Shrink Wrapping analysis",
                                     "Stack Slot Coloring",
                                     "Tail Duplication",
                                     "X86 Avoid Store Forwarding Blocks",
                                     "X86 Byte/Word Instruction Fixup",
                                     "X86 Domain Reassignment Pass",
                                     "X86 Execution Dependency Fix",
                                     "X86 Fixup Inst Tuning",
                                     "X86 Fixup Vector Constants",
                                     "X86 LEA Optimize",
                                     "X86 cmov Conversion"};

class LeanPasses : public legacy::PassManager {
public:
  void add(Pass *pass) override {
    if (!is_contained(superfluous, pass->getPassName()))
      return legacy::PassManager::add(pass);
    delete pass;
  }
};

std::string digest(StringRef bytes) {
  BLAKE3 hasher;
  hasher.update(bytes);
  return toHex(hasher.final<16>(), /*LowerCase=*/true);
}

/// Whether only this user can have written it. Code is run from what is kept here.
bool isOurs(const sys::fs::file_status &status) {
  return status.getUser() == geteuid() &&
         !(status.permissions() & (sys::fs::group_write | sys::fs::others_write));
}
bool isOurs(const std::string &path) {
  sys::fs::file_status status;
  return !sys::fs::status(path, status) && isOurs(status);
}

/// A part of the time for each pass that has work of its own.
void timePasses(PassInstrumentationCallbacks &callbacks,
                std::vector<std::unique_ptr<TimedScope>> &open) {
  const auto isAdaptor = [](StringRef pass) {
    return isSpecialPass(pass, {"PassManager", "PassAdaptor"});
  };
  callbacks.registerBeforeNonSkippedPassCallback([&, isAdaptor](StringRef pass, Any) {
    if (!isAdaptor(pass))
      open.push_back(std::make_unique<TimedScope>(pass));
  });
  callbacks.registerAfterPassCallback(
      [&, isAdaptor](StringRef pass, Any, const PreservedAnalyses &) {
        if (!isAdaptor(pass))
          open.pop_back();
      });
}

/// Takes over what LLVM's own timers have measured of the passes that generate code.
void addPassesOfBackEnd() {
  std::string lines;
  raw_string_ostream stream(lines);
  TimerGroup::printAllJSONValues(stream, "");
  for (StringRef line : split(lines, '\n')) {
    // "time.pass.x86-isel.wall": 1.2e-03,
    auto [name, value] = line.trim(" \t,").split(':');
    double seconds = 0;
    name = name.trim("\"");
    if (name.consume_front("time.pass.") && name.consume_back(".wall") &&
        !value.trim().getAsDouble(seconds))
      Timing::add(name, 1e3 * seconds);
  }
  reportAndResetTimings(&nulls());
}

} // namespace

void optimise(Module &module, const CodeTarget &target) {
  const TimedScope timed("optimise");
  PassInstrumentationCallbacks callbacks;
  std::vector<std::unique_ptr<TimedScope>> open;
  if (Timing::isOn())
    timePasses(callbacks, open);
  PassBuilder builder(target.machine.get(), PipelineTuningOptions(), std::nullopt, &callbacks);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  ModulePassManager passes;
  cantFail(builder.parsePassPipeline(passes, pipeline));
  passes.run(module, modules);
}

SmallVector<char, 0> machineCode(Module &module, const CodeTarget &target, bool assembly) {
  const TimedScope timed("generate machine code");
  if (Timing::isOn()) {
    // A variable of LLVM's, which all threads that compile read: written once, or never.
    static std::once_flag once;
    std::call_once(once, [] { TimePassesIsEnabled = true; });
  }
  SmallVector<char, 0> bytes;
  raw_svector_ostream out(bytes);
  LeanPasses passes;
  CodeGenFileType type = assembly ? CodeGenFileType::AssemblyFile : CodeGenFileType::ObjectFile;
  // Fails only where a target has no emitter of that type; every native one has both.
  target.machine->addPassesToEmitFile(passes, out, nullptr, type);
  passes.run(module);
  // Of a thread that nobody listens to as well: what is left would be printed at the end.
  if (TimePassesIsEnabled)
    addPassesOfBackEnd();
  return bytes;
}

std::string bitcodeOf(const Module &module) {
  std::string bytes;
  raw_string_ostream out(bytes);
  WriteBitcodeToFile(module, out);
  return bytes;
}

std::string ObjectCache::keyOf(StringRef bitcode, const CodeTarget &target) {
  std::string bytes = bitcode.str();
  raw_string_ostream(bytes) << '\0' << target.cpu << '\0' << target.features << '\0'
                            << LLVM_VERSION_STRING << '\0' << pipeline << target.quick;
  return digest(bytes);
}

std::string ObjectCache::pathOf(const std::string &key) const {
  SmallString<128> path(directory_);
  sys::path::append(path, key + ".o");
  return std::string(path);
}

std::unique_ptr<MemoryBuffer> ObjectCache::find(const std::string &key) const {
  if (directory_.empty() || !isOurs(directory_))
    return nullptr;
  Expected<sys::fs::file_t> descriptor = sys::fs::openNativeFileForRead(pathOf(key));
  if (!descriptor) {
    consumeError(descriptor.takeError());
    return nullptr;
  }
  sys::fs::file_status status;
  const bool isOwn = !sys::fs::status(*descriptor, status) && isOurs(status);
  // Read, and not mapped: what has been checked is what is linked.
  auto file = MemoryBuffer::getOpenFile(*descriptor, key, status.getSize(),
                                        /*RequiresNullTerminator=*/false, /*IsVolatile=*/true);
  sys::fs::closeFile(*descriptor);
  if (!isOwn || !file)
    return nullptr;
  StringRef bytes = (*file)->getBuffer();
  if (bytes.size() < 32)
    return nullptr;
  StringRef object = bytes.drop_back(32);
  if (digest(object) != bytes.take_back(32))
    return nullptr;
  return MemoryBuffer::getMemBufferCopy(object, key);
}

void ObjectCache::keep(const std::string &key, StringRef object) const {
  if (directory_.empty() || !isOurs(directory_))
    return;
  int descriptor;
  SmallString<128> temporary;
  if (sys::fs::createUniqueFile(directory_ + "/" + key + "-%%%%%%.tmp", descriptor, temporary,
                                sys::fs::OF_None, sys::fs::owner_read | sys::fs::owner_write))
    return;
  {
    raw_fd_ostream out(descriptor, /*shouldClose=*/true);
    out << object << digest(object);
    out.close();
    if (out.has_error()) {
      out.clear_error();
      sys::fs::remove(temporary);
      return;
    }
  }
  if (sys::fs::rename(temporary, pathOf(key)))
    sys::fs::remove(temporary);
}

} // namespace mmk
