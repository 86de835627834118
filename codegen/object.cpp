#include "codegen/object.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

using namespace llvm;

namespace mmk {
namespace {

// Loops and vectors are as wanted when they are emitted, so LLVM's own vectorisers and inliner have
// nothing to add; what is left is to fold what is the same, and to hoist what loops repeat.
const char *pipelineOf(const CodeTarget &target) {
  return target.quick ? "function(early-cse)" : "function(early-cse,loop-mssa(licm),simplifycfg)";
}

// What a variant spends its compile time on, left out of LLVM's own list of passes where it buys
// nothing here. Loops count and step as they should when they are emitted. The sums of a register
// tile are planned to fit the registers, so that the quickest allocator has nothing to spill. And
// the order of instructions is left to CPUs that choose their own.
class LeanPasses : public legacy::PassManager {
public:
  void add(Pass *pass) override {
    static const StringRef superfluous[] = {"Canonicalize Freeze Instructions in Loops",
                                            "Loop Strength Reduction",
                                            "Machine Instruction Scheduler"};
    const StringRef name = pass->getPassName();
    const bool allocates = name == "Greedy Register Allocator";
    if (!allocates && !is_contained(superfluous, name))
      return legacy::PassManager::add(pass);
    delete pass;
    if (allocates)
      legacy::PassManager::add(createBasicRegisterAllocator());
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

} // namespace

void optimise(Module &module, const CodeTarget &target) {
  PassBuilder builder(target.machine.get());
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
  cantFail(builder.parsePassPipeline(passes, pipelineOf(target)));
  passes.run(module, modules);
}

SmallVector<char, 0> machineCode(Module &module, const CodeTarget &target, bool assembly) {
  SmallVector<char, 0> bytes;
  raw_svector_ostream out(bytes);
  LeanPasses passes;
  CodeGenFileType type = assembly ? CodeGenFileType::AssemblyFile : CodeGenFileType::ObjectFile;
  // Fails only where a target has no emitter of that type; every native one has both.
  target.machine->addPassesToEmitFile(passes, out, nullptr, type);
  passes.run(module);
  return bytes;
}

std::string ObjectCache::keyOf(const Module &module, const CodeTarget &target) {
  SmallVector<char, 0> bytes;
  raw_svector_ostream out(bytes);
  WriteBitcodeToFile(module, out);
  out << '\0' << target.cpu << '\0' << target.features << '\0' << LLVM_VERSION_STRING << '\0'
      << pipelineOf(target);
  return digest(StringRef(bytes.data(), bytes.size()));
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
