#include "jit/trampoline.h"

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
using LocalPool = LocalTrampolinePool<OrcX86_64_SysV>;
#elif defined(__aarch64__)
using LocalPool = LocalTrampolinePool<OrcAArch64>;
#else
/// Never created: hasTrampolines() is false.
struct LocalPool {
  static Expected<std::unique_ptr<TrampolinePool>> Create(TrampolinePool::ResolveLandingFunction) {
    return nullptr;
  }
};
#endif

/// The trampolines of this process. Never destroyed: code may run until the process ends.
struct Registry {
  std::mutex guard;
  std::unique_ptr<TrampolinePool> pool;
  DenseMap<void *, std::function<void *()>> resolvers; ///< by address

  ExecutorAddr resolve(ExecutorAddr address) {
    std::function<void *()> resolver;
    {
      const std::lock_guard lock(guard);
      resolver = resolvers.lookup(address.toPtr<void *>());
    }
    return ExecutorAddr::fromPtr(resolver());
  }

  static Registry &get() {
    static auto *registry = new Registry;
    return *registry;
  }
};

} // namespace

bool hasTrampolines() { return std::is_base_of_v<TrampolinePool, LocalPool>; }

Expected<void *> addTrampoline(std::function<void *()> resolve) {
  Registry &it = Registry::get();
  const std::lock_guard lock(it.guard);
  if (!it.pool) {
    auto made = LocalPool::Create(
        [&it](ExecutorAddr address, TrampolinePool::NotifyLandingResolvedFunction go) {
          go(it.resolve(address));
        });
    if (!made)
      return made.takeError();
    it.pool = std::move(*made);
  }
  auto address = it.pool->getTrampoline();
  if (!address)
    return address.takeError();
  it.resolvers[address->toPtr<void *>()] = std::move(resolve);
  return address->toPtr<void *>();
}

void releaseTrampoline(void *address) {
  Registry &it = Registry::get();
  const std::lock_guard lock(it.guard);
  it.resolvers.erase(address);
  it.pool->releaseTrampoline(ExecutorAddr::fromPtr(address));
}

} // namespace mmk
