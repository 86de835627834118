#include "codegen/later.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"

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

/// The module with those functions alone that are of the part.
std::unique_ptr<Module> partOf(const Module &functions, const Owners &owners,
                               const Function *part) {
  ValueToValueMapTy values;
  auto module = CloneModule(functions, values, [&](const GlobalValue *value) {
    auto *function = dyn_cast<Function>(value);
    return !function || owners.of(function) == part;
  });
  module->setModuleIdentifier("later");
  for (Function &function : make_early_inc_range(*module))
    if (function.isDeclaration()) {
      function.setDSOLocal(false);
      if (function.use_empty())
        function.eraseFromParent();
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

Constant *placeOf(Module &module, StringRef function) {
  return module.getOrInsertGlobal(placeName(function), PointerType::get(module.getContext(), 0));
}

/// What the module calls of this name is whatever its place says.
void callByPlace(Module &module, StringRef name) {
  Function *function = module.getFunction(name);
  if (!function)
    return;
  for (Use &use : make_early_inc_range(function->uses())) {
    IRBuilder<> b(placeBefore(use));
    LoadInst *address = b.CreateAlignedLoad(b.getPtrTy(), placeOf(module, name), Align(8));
    // What was written before the address, its code, is seen with it.
    address->setAtomic(AtomicOrdering::Acquire);
    use.set(address);
  }
}

void emitFirst(Module &module, const Function &function) {
  auto *first = Function::Create(function.getFunctionType(), GlobalValue::ExternalLinkage,
                                 firstName(function.getName()), module);
  first->copyAttributesFrom(&function);
  first->removeFnAttr(mark);
  first->removeFnAttr(Attribute::OptimizeNone);
  IRBuilder<> b(BasicBlock::Create(module.getContext(), "entry", first));
  FunctionCallee find = module.getOrInsertFunction(
      firstCallName, FunctionType::get(b.getPtrTy(), {b.getPtrTy()}, false));
  Value *found = b.CreateCall(find, {placeOf(module, function.getName())});
  SmallVector<Value *> arguments(make_pointer_range(first->args()));
  CallInst *call = b.CreateCall(function.getFunctionType(), found, arguments);
  call->setTailCallKind(CallInst::TCK_MustTail);
  b.CreateRetVoid();
}

} // namespace

void compileLater(Function &function) { function.addFnAttr(mark); }

std::string placeName(StringRef function) { return function.str() + ".place"; }

std::string firstName(StringRef function) { return function.str() + ".first"; }

std::vector<LaterPart> takeLater(Module &functions, const Module &program) {
  const Owners owners(functions, program);
  std::vector<LaterPart> parts;
  for (const Function *function : owners.later())
    parts.push_back({function->getName().str(), partOf(functions, owners, function)});
  for (Function &function : functions)
    if (owners.of(&function))
      function.deleteBody();
  for (const LaterPart &part : parts) {
    callByPlace(functions, part.name);
    for (const LaterPart &other : parts)
      if (&other != &part)
        callByPlace(*other.module, part.name);
  }
  for (const LaterPart &part : parts)
    emitFirst(functions, *functions.getFunction(part.name));
  for (Function &function : make_early_inc_range(functions))
    if (function.isDeclaration() && function.use_empty())
      function.eraseFromParent();
  return parts;
}

} // namespace mmk
