#include "jit/linked.h"

#include "jit/lazy.h"
#include "jit/trampoline.h"
#include "support/timing.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/EPCDynamicLibrarySearchGenerator.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <mutex>
#include <new>

using namespace llvm;
using namespace llvm::orc;

namespace mmk {
namespace {

/// The linker of this process. ORC's linking layer alone: setting up a whole LLJIT takes longer
/// than linking an object.
struct Linker {
  ExecutionSession session;
  ObjectLinkingLayer layer;
  JITDylib *process = nullptr; ///< its own symbols: memcpy and memset, which rows are moved with
  std::atomic<uint64_t> count = 0;
  /// A look-up says only that it failed: the session is told why.
  std::atomic<bool> memoryRefused = false;

  explicit Linker(std::unique_ptr<ExecutorProcessControl> control)
      : session(std::move(control)), layer(session) {
    session.setErrorReporter([this](Error error) {
      error = handleErrors(
          std::move(error),
          [this](std::unique_ptr<ECError> cause) -> Error {
            if (cause->convertToErrorCode() != std::errc::not_enough_memory)
              return Error(std::move(cause));
            memoryRefused = true;
            return Error::success();
          },
          // What needed the refused memory fails after it.
          [this](std::unique_ptr<FailedToMaterialize> consequence) -> Error {
            return memoryRefused ? Error::success() : Error(std::move(consequence));
          });
      logAllUnhandledErrors(std::move(error), errs());
    });
  }

  static Expected<Linker *> get() {
    // Never destroyed: code may run, and be released, until the process ends.
    static std::mutex making;
    static Linker *made = nullptr;
    const std::lock_guard lock(making);
    if (made)
      return made;
    auto control = SelfExecutorProcessControl::Create();
    if (!control)
      return control.takeError();
    auto linker = std::make_unique<Linker>(std::move(*control));
    auto symbols = EPCDynamicLibrarySearchGenerator::GetForTargetProcess(linker->session);
    if (!symbols)
      return symbols.takeError();
    linker->process = &linker->session.createBareJITDylib("process");
    linker->process->addGenerator(std::move(*symbols));
    made = linker.release();
    return made;
  }
};

/// One lazy function is compiled at a time: threads that wait mostly wait for the same function.
std::mutex compilingLazily;

/// Called in place of a function that could not be compiled.
void doNothing() {}

} // namespace

struct LinkedObject::LazyFunction {
  LazyCode code;
  void *trampoline = nullptr;
  std::atomic<void *> pointer = nullptr;
  std::shared_ptr<const LinkedObject> linked;

  explicit LazyFunction(LazyCode code) : code(std::move(code)) {}
  ~LazyFunction() {
    if (trampoline)
      releaseTrampoline(trampoline);
  }
};

LinkedObject::LinkedObject(JITDylib &library) : library_(library) {}

Expected<std::shared_ptr<const LinkedObject>>
LinkedObject::link(std::unique_ptr<MemoryBuffer> object,
                   std::shared_ptr<const LinkedObject> callees, std::vector<LazyCode> lazy) {
  const TimedScope timed("link");
  Expected<Linker *> linker = Linker::get();
  if (!linker)
    return linker.takeError();
  Linker &it = **linker;
  JITDylib &library = it.session.createBareJITDylib("object" + std::to_string(it.count++));
  std::shared_ptr<LinkedObject> linked(new LinkedObject(library));
  if (callees)
    library.addToLinkOrder(callees->library_);
  library.addToLinkOrder(*it.process);
  linked->callees_ = std::move(callees);
  if (Error error = it.layer.add(library, std::move(object)))
    return std::move(error);
  if (Error error = linked->addPointers(std::move(lazy)))
    return std::move(error);
  return linked;
}

Error LinkedObject::addPointers(std::vector<LazyCode> lazy) {
  if (lazy.empty())
    return Error::success();
  ExecutionSession &session = library_.getExecutionSession();
  SymbolMap pointers;
  for (LazyCode &code : lazy) {
    LazyFunction &function = *lazy_.emplace_back(std::make_unique<LazyFunction>(std::move(code)));
    auto address = addTrampoline([this, &function] { return firstCall(function); });
    if (!address)
      return address.takeError();
    function.trampoline = function.pointer = *address;
    pointers[session.intern(lazyPointerName(function.code.name))] = {
        ExecutorAddr::fromPtr(&function.pointer), JITSymbolFlags::Exported};
  }
  return library_.define(absoluteSymbols(std::move(pointers)));
}

void *LinkedObject::firstCall(LazyFunction &function) {
  const std::lock_guard lock(compilingLazily);
  const auto start = std::chrono::steady_clock::now();
  Expected<void *> address = [&]() -> Expected<void *> {
    // The caller is generated code, which no exception may pass.
    try {
      return addressOf(function);
    } catch (const std::bad_alloc &) {
      return createStringError("not enough memory");
    }
  }();
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
  lazyMs_ = lazyMs_ + taken.count();
  if (address)
    return *address;
  failure_ = toString(address.takeError());
  ++failures_;
  return reinterpret_cast<void *>(&doNothing);
}

Expected<void *> LinkedObject::addressOf(LazyFunction &function) {
  if (function.linked)
    return function.pointer.load(std::memory_order_relaxed);
  auto object = function.code.make();
  if (!object)
    return object.takeError();
  // Not owned: it calls this one, and lives as long.
  const std::shared_ptr<const LinkedObject> caller(std::shared_ptr<void>(), this);
  auto linked = LinkedObject::link(std::move(*object), caller);
  if (!linked)
    return linked.takeError();
  auto address = (*linked)->find({function.code.name});
  if (!address)
    return address.takeError();
  function.linked = std::move(*linked);
  function.code.make = nullptr;
  function.pointer.store((*address)[0].toPtr<void *>(), std::memory_order_release);
  return function.pointer.load(std::memory_order_relaxed);
}

std::string LinkedObject::failure() const {
  const std::lock_guard lock(compilingLazily);
  return failure_;
}

LinkedObject::~LinkedObject() {
  lazy_.clear();
  // Fails only where memory cannot be released; then it leaks.
  consumeError(library_.getExecutionSession().removeJITDylib(library_));
}

Expected<SmallVector<ExecutorAddr>> LinkedObject::find(ArrayRef<std::string> names) const {
  // Linking happens at the first look-up.
  const TimedScope timed("link");
  ExecutionSession &session = library_.getExecutionSession();
  SymbolLookupSet symbols;
  for (const std::string &name : names)
    symbols.add(session.intern(name));
  auto found = session.lookup({{&library_, JITDylibLookupFlags::MatchExportedSymbolsOnly}},
                              std::move(symbols));
  if (!found) {
    if (cantFail(Linker::get())->memoryRefused.exchange(false)) {
      consumeError(found.takeError());
      throw std::bad_alloc();
    }
    return found.takeError();
  }
  SmallVector<ExecutorAddr> addresses;
  for (const std::string &name : names)
    addresses.push_back((*found)[session.intern(name)].getAddress());
  return addresses;
}

namespace {

/// Most recently used last. An entry takes some tens of kilobytes.
constexpr size_t mostKept = 32;
std::mutex guard;
std::deque<std::pair<std::string, std::shared_ptr<const LinkedObject>>> &recent() {
  static auto *all = new std::deque<std::pair<std::string, std::shared_ptr<const LinkedObject>>>;
  return *all;
}

} // namespace

std::shared_ptr<const LinkedObject> findLinked(const std::string &key) {
  const std::lock_guard lock(guard);
  auto at = llvm::find_if(recent(), [&](const auto &entry) { return entry.first == key; });
  if (at == recent().end())
    return nullptr;
  std::rotate(at, at + 1, recent().end());
  return recent().back().second;
}

void keepLinked(const std::string &key, std::shared_ptr<const LinkedObject> object) {
  std::shared_ptr<const LinkedObject> dropped; // destroyed after the lock is released
  const std::lock_guard lock(guard);
  recent().emplace_back(key, std::move(object));
  if (recent().size() > mostKept) {
    dropped = std::move(recent().front().second);
    recent().pop_front();
  }
}

void forgetLinked() {
  const std::lock_guard lock(guard);
  recent().clear();
}

} // namespace mmk
