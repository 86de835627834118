#include "jit/target.h"

#include "machines/host.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

#include <mutex>
#include <vector>

#if defined(__linux__) && defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace mmk {

llvm::Expected<CodeTarget> targetFor(const llvm::Triple &triple, const std::string &cpu,
                                     const std::string &features) {
  std::string error;
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!found)
    return llvm::createStringError("cannot generate code for this computer: " + error);
  CodeTarget target;
  target.cpu = cpu;
  target.features = features;
  target.machine.reset(found->createTargetMachine(triple, cpu, features, {}, llvm::Reloc::PIC_,
                                                  std::nullopt, llvm::CodeGenOptLevel::Default));
  if (!target.machine)
    return llvm::createStringError("cannot generate code for " + triple.str());

  if (!triple.isX86()) {
    target.registers = 32; // AArch64: NEON
    target.fusedMultiplyAdd = true;
    return target;
  }
  auto has = [&](llvm::StringRef names) {
    return target.machine->getMCSubtargetInfo()->checkFeatures(names);
  };
  const bool avx512 = has("+avx512f,+avx512vl,+avx512bw,+avx512dq");
  target.lanes = avx512 ? 16 : has("+avx2") ? 8 : 4;
  target.registers = avx512 ? 32 : 16;
  target.fusedMultiplyAdd = has("+fma");
  const bool isZen = llvm::StringRef(cpu).starts_with("znver");
  target.roundsToBf16 = avx512 && has("+avx512bf16");
  // Measured on Zen 4: four rows at a time come at two thirds of the rate of one stream, on Xeons
  // at nine tenths.
  target.longStreams = avx512 && isZen;
  // A register tile reads 8 bytes of B a cycle there, as vectors are multiplied in two halves.
  target.fastL3 = avx512 && cpu == "znver4";
  target.hasVnni = avx512 ? has("+avx512vnni") : has("+avxvnni");
  target.hasAmx = avx512 && target.hasVnni && has("+amx-tile,+amx-bf16,+amx-int8");
  // On Xeons the instruction takes twice the time of one for f32 (measured): widening while packing
  // is as fast, and rounds once less. With tile registers the panels of constants have pairs, which
  // products of few rows multiply as they are.
  target.usesBf16Dot = avx512 && has("+avx512bf16") && (isZen || target.hasAmx);
  return target;
}

namespace {

// Linux saves the tile registers of a thread, which are 8 KiB, only for a process that has
// requested them; without that the first use is an error. Threads and forked processes inherit the
// permission.
bool mayUseTiles() {
#if defined(__linux__) && defined(__x86_64__)
  constexpr int requestPermission = 0x1023, tileData = 18; // asm/prctl.h, of Linux 5.16 and later
  return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
#else
  return false;
#endif
}

} // namespace

llvm::Expected<CodeTarget> hostTarget() {
  static const bool ready = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    return true;
  }();
  (void)ready;
  const llvm::StringMap<bool> ofCpu = llvm::sys::getHostCPUFeatures();
  static const bool hasAmx = ofCpu.lookup("amx-tile") && mayUseTiles();
  llvm::SubtargetFeatures features;
  for (auto &feature : ofCpu) {
    const bool isUsable = hasAmx || !feature.first().starts_with("amx-");
    features.AddFeature(feature.first(), feature.second && isUsable);
  }
  auto target = targetFor(llvm::Triple(llvm::sys::getProcessTriple()),
                          llvm::sys::getHostCPUName().str(), features.getString());
  static const int64_t l2Bytes = cacheBytes(2);
  if (target && l2Bytes > 0)
    target->l2Bytes = l2Bytes;
  static const int64_t l3Bytes = cacheBytes(3) / availableCores();
  if (target)
    target->l3Bytes = l3Bytes;
  return target;
}

llvm::Expected<std::shared_ptr<CodeTarget>> borrowHostTarget() {
  struct Spare {
    std::mutex guard;
    std::vector<std::unique_ptr<CodeTarget>> targets;
  };
  static auto *spare = new Spare; // never destroyed: targets return to it until the process ends
  std::unique_ptr<CodeTarget> target;
  {
    const std::lock_guard lock(spare->guard);
    if (!spare->targets.empty()) {
      target = std::move(spare->targets.back());
      spare->targets.pop_back();
    }
  }
  if (!target) {
    auto made = hostTarget();
    if (!made)
      return made.takeError();
    target = std::make_unique<CodeTarget>(std::move(*made));
  }
  return std::shared_ptr<CodeTarget>(target.release(), [](CodeTarget *returned) {
    returned->setFastCompile(false);
    const std::lock_guard lock(spare->guard);
    spare->targets.emplace_back(returned);
  });
}

} // namespace mmk
