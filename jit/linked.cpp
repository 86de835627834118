#include "jit/linked.h"

#include "jit/first_call.h"
#include "jit/later.h"
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

using namespace llvm;
using namespace llvm::orc;

namespace mmk {
namespace {

/// The linker of this process: of LLVM's JIT the part that is needed, as the whole of it takes
/// longer to set up than an object to link.
struct Linker {
  ExecutionSession session;
  ObjectLinkingLayer layer;
  JITDylib *process = nullptr; ///< its own symbols: memcpy and memset, which rows are moved with
  std::atomic<uint64_t> count = 0;

  explicit Linker(std::unique_ptr<ExecutorProcessControl> control)
      : session(std::move(control)), layer(session) {}

  static Expected<Linker *> get() {
    // Never ended: code may be run, and given back, as long as there is a process.
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

/// Of all of them: who waits for code of one function mostly wants the same as who makes it.
std::mutex makingLater;

/// In the place of a function that there is no code for.
void doNothing() {}

} // namespace

struct LinkedObject::Later {
  LaterCode code;
  void *firstCall = nullptr;
  std::atomic<void *> place = nullptr;
  std::shared_ptr<const LinkedObject> linked;

  explicit Later(LaterCode code) : code(std::move(code)) {}
  ~Later() {
    if (firstCall)
      giveBackFirstCall(firstCall);
  }
};

LinkedObject::LinkedObject(JITDylib &library) : library_(library) {}

Expected<std::shared_ptr<const LinkedObject>>
LinkedObject::link(std::unique_ptr<MemoryBuffer> object,
                   std::shared_ptr<const LinkedObject> callees, std::vector<LaterCode> later) {
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
  if (Error error = linked->addPlaces(std::move(later)))
    return std::move(error);
  return linked;
}

Error LinkedObject::addPlaces(std::vector<LaterCode> later) {
  if (later.empty())
    return Error::success();
  ExecutionSession &session = library_.getExecutionSession();
  SymbolMap places;
  for (LaterCode &code : later) {
    Later &function = *later_.emplace_back(std::make_unique<Later>(std::move(code)));
    auto address = addFirstCall([this, &function] { return firstCall(function); });
    if (!address)
      return address.takeError();
    function.firstCall = function.place = *address;
    places[session.intern(placeName(function.code.name))] = {ExecutorAddr::fromPtr(&function.place),
                                                             JITSymbolFlags::Exported};
  }
  return library_.define(absoluteSymbols(std::move(places)));
}

void *LinkedObject::firstCall(Later &function) {
  const std::lock_guard lock(makingLater);
  const auto start = std::chrono::steady_clock::now();
  Expected<void *> address = addressOf(function);
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
  laterMs_ = laterMs_ + taken.count();
  if (address)
    return *address;
  failure_ = toString(address.takeError());
  ++failures_;
  return reinterpret_cast<void *>(&doNothing);
}

Expected<void *> LinkedObject::addressOf(Later &function) {
  if (function.linked)
    return function.place.load(std::memory_order_relaxed);
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
  function.place.store((*address)[0].toPtr<void *>(), std::memory_order_release);
  return function.place.load(std::memory_order_relaxed);
}

std::string LinkedObject::failure() const {
  const std::lock_guard lock(makingLater);
  return failure_;
}

LinkedObject::~LinkedObject() {
  later_.clear();
  // Fails only where memory cannot be given back; then it stays.
  consumeError(library_.getExecutionSession().removeJITDylib(library_));
}

Expected<SmallVector<ExecutorAddr>> LinkedObject::find(ArrayRef<std::string> names) const {
  // Looking up is when the work is done.
  const TimedScope timed("link");
  ExecutionSession &session = library_.getExecutionSession();
  SymbolLookupSet symbols;
  for (const std::string &name : names)
    symbols.add(session.intern(name));
  auto found = session.lookup({{&library_, JITDylibLookupFlags::MatchExportedSymbolsOnly}},
                              std::move(symbols));
  if (!found)
    return found.takeError();
  SmallVector<ExecutorAddr> addresses;
  for (const std::string &name : names)
    addresses.push_back((*found)[session.intern(name)].getAddress());
  return addresses;
}

namespace {

/// The latest last. Sets of functions are a few ten kilobytes each.
constexpr size_t most = 32;
std::mutex guard;
std::deque<std::pair<std::string, std::shared_ptr<const LinkedObject>>> &latest() {
  static auto *all = new std::deque<std::pair<std::string, std::shared_ptr<const LinkedObject>>>;
  return *all;
}

} // namespace

std::shared_ptr<const LinkedObject> findLinked(const std::string &key) {
  const std::lock_guard lock(guard);
  auto at = llvm::find_if(latest(), [&](const auto &entry) { return entry.first == key; });
  if (at == latest().end())
    return nullptr;
  std::rotate(at, at + 1, latest().end());
  return latest().back().second;
}

void keepLinked(const std::string &key, std::shared_ptr<const LinkedObject> object) {
  std::shared_ptr<const LinkedObject> dropped; // given back when nobody waits
  const std::lock_guard lock(guard);
  latest().emplace_back(key, std::move(object));
  if (latest().size() > most) {
    dropped = std::move(latest().front().second);
    latest().pop_front();
  }
}

void forgetLinked() {
  const std::lock_guard lock(guard);
  latest().clear();
}

} // namespace mmk
