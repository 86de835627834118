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

// Loops are vectorised and inlined when they are emitted. What is left, hoisting loop invariants,
// is done as well and in less time after instruction selection.
constexpr const char *pipeline = "function(early-cse)";

// Back-end passes that gain nothing here and take a third of the compile time. Loops are emitted in
// the form that they run in, no branch could be a conditional move, and common subexpressions are
// eliminated in the IR. The accumulators of a register tile fit the registers, so that no stack
// slots are left to merge; a faster register allocator would spill the addresses around them.
// Instruction scheduling is left to out-of-order CPUs.
//
// By display name, as LLVM's public headers have IDs for some of them only: TargetPassConfig's
// disablePass takes IDs. tests/unit/codegen/object_cache_test.cpp holds that each name is one of a
// pass that LLVM would run.
constexpr StringRef skippedPasses[] = {"BreakFalseDeps",
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

class FilteredPasses : public legacy::PassManager {
public:
  void add(Pass *pass) override {
    if (!is_contained(skippedPasses, pass->getPassName()))
      return legacy::PassManager::add(pass);
    delete pass;
  }
};

std::string digest(StringRef bytes) {
  BLAKE3 hasher;
  hasher.update(bytes);
  return toHex(hasher.final<16>(), /*LowerCase=*/true);
}

/// Whether only this user can have written the file: its code is run.
bool isOurs(const sys::fs::file_status &status) {
  return status.getUser() == geteuid() &&
         !(status.permissions() & (sys::fs::group_write | sys::fs::others_write));
}
bool isOurs(const std::string &path) {
  sys::fs::file_status status;
  return !sys::fs::status(path, status) && isOurs(status);
}

/// Times each pass of the mid-level optimiser, its managers and adaptors aside.
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

/// Takes over the times of the code generator's passes from LLVM's timers. As JSON text: LLVM gives
/// the times of its legacy passes in no other form than printed.
void addCodegenPassTimes() {
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

ArrayRef<StringRef> skippedCodegenPasses() { return skippedPasses; }

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
    // A global of LLVM's that all compiling threads read: written once, or never.
    static std::once_flag once;
    std::call_once(once, [] { TimePassesIsEnabled = true; });
  }
  SmallVector<char, 0> bytes;
  raw_svector_ostream out(bytes);
  FilteredPasses passes;
  CodeGenFileType type = assembly ? CodeGenFileType::AssemblyFile : CodeGenFileType::ObjectFile;
  // Fails only for a target without an emitter of that type; every native target has both.
  target.machine->addPassesToEmitFile(passes, out, nullptr, type);
  passes.run(module);
  // Also in threads without a Timing: LLVM would print times that are left at exit.
  if (TimePassesIsEnabled)
    addCodegenPassTimes();
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
                            << LLVM_VERSION_STRING << '\0' << pipeline << target.fastCompile;
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
  // Read, not mapped: the bytes that are checked are the bytes that are linked.
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
