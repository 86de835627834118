#include "codegen/target.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

namespace mmk {

llvm::Expected<CodeTarget> hostTarget() {
  static const bool ready = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    return true;
  }();
  (void)ready;

  CodeTarget target;
  llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  llvm::SubtargetFeatures features;
  for (auto &feature : host)
    features.AddFeature(feature.first(), feature.second);
  target.cpu = llvm::sys::getHostCPUName().str();
  target.features = features.getString();

  llvm::Triple triple(llvm::sys::getProcessTriple());
  if (triple.isX86()) {
    const bool avx512 =
        host.lookup("avx512f") && host.lookup("avx512vl") && host.lookup("avx512bw");
    target.lanes = avx512 ? 16 : host.lookup("avx2") ? 8 : 4;
    target.registers = avx512 ? 32 : 16;
    target.fusedMultiplyAdd = host.lookup("fma");
  } else {
    target.registers = 32; // AArch64: NEON
    target.fusedMultiplyAdd = true;
  }

  std::string error;
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!found)
    return llvm::createStringError("cannot generate code for this computer: " + error);
  target.machine.reset(found->createTargetMachine(triple, target.cpu, target.features, {},
                                                  llvm::Reloc::PIC_, std::nullopt,
                                                  llvm::CodeGenOptLevel::Default, /*JIT=*/true));
  if (!target.machine)
    return llvm::createStringError("cannot generate code for " + triple.str());
  return target;
}

} // namespace mmk
