#include "jit/first_call.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ExecutionEngine/Orc/IndirectionUtils.h"
#include "llvm/ExecutionEngine/Orc/OrcABISupport.h"

#include <mutex>
#include <type_traits>

using namespace llvm;
using namespace llvm::orc;

namespace mmk {
namespace {

#if defined(__x86_64__)
using Trampolines = LocalTrampolinePool<OrcX86_64_SysV>;
#elif defined(__aarch64__)
using Trampolines = LocalTrampolinePool<OrcAArch64>;
#else
/// Nobody asks for any.
struct Trampolines {
  static Expected<std::unique_ptr<TrampolinePool>> Create(TrampolinePool::ResolveLandingFunction) {
    return nullptr;
  }
};
#endif

/// Those of this process. Never ended, as code may be run as long as there is one.
struct FirstCalls {
  std::mutex guard;
  std::unique_ptr<TrampolinePool> pool;
  DenseMap<void *, std::function<void *()>> finders; ///< by address

  ExecutorAddr find(ExecutorAddr address) {
    std::function<void *()> finder;
    {
      const std::lock_guard lock(guard);
      finder = finders.lookup(address.toPtr<void *>());
    }
    return ExecutorAddr::fromPtr(finder());
  }

  static FirstCalls &get() {
    static auto *all = new FirstCalls;
    return *all;
  }
};

} // namespace

bool hasFirstCalls() { return std::is_base_of_v<TrampolinePool, Trampolines>; }

Expected<void *> addFirstCall(std::function<void *()> find) {
  FirstCalls &it = FirstCalls::get();
  const std::lock_guard lock(it.guard);
  if (!it.pool) {
    auto made = Trampolines::Create(
        [&it](ExecutorAddr address, TrampolinePool::NotifyLandingResolvedFunction go) {
          go(it.find(address));
        });
    if (!made)
      return made.takeError();
    it.pool = std::move(*made);
  }
  auto address = it.pool->getTrampoline();
  if (!address)
    return address.takeError();
  it.finders[address->toPtr<void *>()] = std::move(find);
  return address->toPtr<void *>();
}

void giveBackFirstCall(void *address) {
  FirstCalls &it = FirstCalls::get();
  const std::lock_guard lock(it.guard);
  it.finders.erase(address);
  it.pool->releaseTrampoline(ExecutorAddr::fromPtr(address));
}

} // namespace mmk
