#include "jit/lazy.h"

#include "jit/partition.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace mmk {
namespace {

constexpr StringRef mark = "mmk-lazy";

/// The lazy function that owns each function: the only one that calls it, or none.
class Owners {
public:
  Owners(Module &functions, const Module &driver) {
    for (Function &function : functions)
      if (!function.isDeclaration() && function.hasFnAttribute(mark) &&
          !driver.getFunction(function.getName()))
        lazy_.insert(&function);
    for (Function &function : functions)
      if (driver.getFunction(function.getName()))
        give(function, nullptr);
    for (Function *function : lazy_)
      give(*function, function);
  }

  ArrayRef<Function *> lazy() const { return lazy_.getArrayRef(); }
  Function *of(const Function *function) const { return owners_.lookup(function); }

private:
  void give(Function &function, Function *owner) {
    auto [at, isNew] = owners_.try_emplace(&function, owner);
    if (!isNew && (at->second == owner || !at->second))
      return;
    if (!isNew)
      at->second = owner = nullptr;
    for (Instruction &instruction : instructions(function))
      for (Value *operand : instruction.operands())
        if (auto *called = dyn_cast<Function>(operand);
            called && !called->isDeclaration() && !lazy_.contains(called))
          give(*called, owner);
  }

  SetVector<Function *> lazy_;
  DenseMap<const Function *, Function *> owners_;
};

/// Moves a lazy function, and the functions that it owns, to a module of their own.
std::unique_ptr<Module> extractModule(Module &functions, const Owners &owners,
                                      const Function *lazy) {
  auto module = emptyModuleLike(functions, "lazy");
  for (Function &function : make_early_inc_range(functions))
    if (owners.of(&function) == lazy) {
      function.removeFromParent();
      module->getFunctionList().push_back(&function);
    }
  return module;
}

/// Where a value that replaces a use is computed.
Instruction *insertionPointFor(Use &use) {
  auto *user = cast<Instruction>(use.getUser());
  if (auto *phi = dyn_cast<PHINode>(user))
    return phi->getIncomingBlock(use)->getTerminator();
  return user;
}

/// Calls of the function of this name load its address from its pointer.
void callThroughPointer(Module &module, StringRef name) {
  Function *function = module.getFunction(name);
  if (!function)
    return;
  Constant *pointer =
      module.getOrInsertGlobal(lazyPointerName(name), PointerType::get(module.getContext(), 0));
  for (Use &use : make_early_inc_range(function->uses())) {
    IRBuilder<> b(insertionPointFor(use));
    LoadInst *address = b.CreateAlignedLoad(b.getPtrTy(), pointer, Align(8));
    // Acquire: the code was written before its address was.
    address->setAtomic(AtomicOrdering::Acquire);
    use.set(address);
  }
}

} // namespace

void markLazy(Function &function) { function.addFnAttr(mark); }

std::string lazyPointerName(StringRef function) { return function.str() + ".place"; }

std::vector<LazyModule> extractLazyFunctions(Module &functions, const Module &driver) {
  std::vector<LazyModule> modules;
  // Constants in memory would belong to one of the modules only.
  if (!functions.global_empty())
    return modules;
  const Owners owners(functions, driver);
  for (const Function *function : owners.lazy())
    modules.push_back({function->getName().str(), extractModule(functions, owners, function)});
  SmallVector<Module *> all = {&functions};
  for (const LazyModule &lazy : modules)
    all.push_back(lazy.module.get());
  for (Module *module : all) {
    declareCallees(*module);
    for (const Function *function : owners.lazy())
      if (function->getParent() != module)
        callThroughPointer(*module, function->getName());
  }
  for (Module *module : all)
    eraseUnusedDeclarations(*module);
  return modules;
}

} // namespace mmk
