#include "jit/later.h"

#include "jit/split.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace mmk {
namespace {

constexpr StringRef mark = "mmk-later";

/// Which part each function is of: that of the only later function that calls it, or none.
class Owners {
public:
  Owners(Module &functions, const Module &program) {
    for (Function &function : functions)
      if (!function.isDeclaration() && function.hasFnAttribute(mark) &&
          !program.getFunction(function.getName()))
        later_.insert(&function);
    for (Function &function : functions)
      if (program.getFunction(function.getName()))
        give(function, nullptr);
    for (Function *function : later_)
      give(*function, function);
  }

  ArrayRef<Function *> later() const { return later_.getArrayRef(); }
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
            called && !called->isDeclaration() && !later_.contains(called))
          give(*called, owner);
  }

  SetVector<Function *> later_;
  DenseMap<const Function *, Function *> owners_;
};

/// Moves a part's functions to a module of their own.
std::unique_ptr<Module> takePart(Module &functions, const Owners &owners, const Function *part) {
  auto module = emptyLike(functions, "later");
  for (Function &function : make_early_inc_range(functions))
    if (owners.of(&function) == part) {
      function.removeFromParent();
      module->getFunctionList().push_back(&function);
    }
  return module;
}

/// Where a use is of a value that has to be there before it.
Instruction *placeBefore(Use &use) {
  auto *user = cast<Instruction>(use.getUser());
  if (auto *phi = dyn_cast<PHINode>(user))
    return phi->getIncomingBlock(use)->getTerminator();
  return user;
}

/// What the module calls of this name is whatever its place says.
void callByPlace(Module &module, StringRef name) {
  Function *function = module.getFunction(name);
  if (!function)
    return;
  Constant *place =
      module.getOrInsertGlobal(placeName(name), PointerType::get(module.getContext(), 0));
  for (Use &use : make_early_inc_range(function->uses())) {
    IRBuilder<> b(placeBefore(use));
    LoadInst *address = b.CreateAlignedLoad(b.getPtrTy(), place, Align(8));
    // What was written before the address, its code, is seen with it.
    address->setAtomic(AtomicOrdering::Acquire);
    use.set(address);
  }
}

} // namespace

void compileLater(Function &function) { function.addFnAttr(mark); }

std::string placeName(StringRef function) { return function.str() + ".place"; }

std::vector<LaterPart> takeLater(Module &functions, const Module &program) {
  std::vector<LaterPart> parts;
  // Constants in memory would have to be in one of the modules.
  if (!functions.global_empty())
    return parts;
  const Owners owners(functions, program);
  for (const Function *function : owners.later())
    parts.push_back({function->getName().str(), takePart(functions, owners, function)});
  SmallVector<Module *> all = {&functions};
  for (const LaterPart &part : parts)
    all.push_back(part.module.get());
  for (Module *module : all) {
    declareCallees(*module);
    for (const Function *function : owners.later())
      if (function->getParent() != module)
        callByPlace(*module, function->getName());
  }
  for (Module *module : all)
    dropUnused(*module);
  return parts;
}

} // namespace mmk
