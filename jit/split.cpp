#include "jit/split.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace mmk {
namespace {

/// The function of the same name in another module.
Function *declaredIn(Module &module, const Function &function) {
  if (Function *known = module.getFunction(function.getName()))
    return known;
  auto *declared = Function::Create(function.getFunctionType(), GlobalValue::ExternalLinkage,
                                    function.getName(), module);
  declared->copyAttributesFrom(&function);
  declared->setDSOLocal(false);
  return declared;
}

} // namespace

std::unique_ptr<Module> emptyLike(const Module &module, StringRef name) {
  auto empty = std::make_unique<Module>(name, module.getContext());
  empty->setDataLayout(module.getDataLayout());
  empty->setTargetTriple(module.getTargetTriple());
  return empty;
}

void declareCallees(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      for (Use &use : instruction.operands())
        if (auto *called = dyn_cast<Function>(use.get()); called && called->getParent() != &module)
          use.set(declaredIn(module, *called));
}

void dropUnused(Module &module) {
  for (Function &function : make_early_inc_range(module))
    if (function.isDeclaration() && function.use_empty())
      function.eraseFromParent();
}

std::unique_ptr<Module> takeFunctions(Module &program) {
  // Variants of all kernels: what is the same is to have the same bytes.
  auto taken = emptyLike(program, "functions");
  for (Function &function : make_early_inc_range(program))
    if (function.hasInternalLinkage()) {
      function.removeFromParent();
      taken->getFunctionList().push_back(&function);
      // For the program; those among themselves call each other directly.
      function.setLinkage(GlobalValue::ExternalLinkage);
      function.setDSOLocal(true);
    }
  for (GlobalVariable &variable : make_early_inc_range(program.globals())) {
    variable.removeFromParent();
    taken->insertGlobalVariable(&variable);
  }
  declareCallees(program);
  declareCallees(*taken);
  dropUnused(program);
  return taken;
}

} // namespace mmk
