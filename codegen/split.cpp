#include "codegen/split.h"

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

void dropUnused(Module &module) {
  for (Function &function : make_early_inc_range(module))
    if (function.isDeclaration() && function.use_empty())
      function.eraseFromParent();
}

} // namespace

std::unique_ptr<Module> takeFunctions(Module &program) {
  // Variants of all kernels: what is the same is to have the same bytes.
  auto taken = std::make_unique<Module>("functions", program.getContext());
  taken->setDataLayout(program.getDataLayout());
  taken->setTargetTriple(program.getTargetTriple());
  SmallVector<Function *> functions;
  for (Function &function : make_early_inc_range(program))
    if (function.hasInternalLinkage()) {
      function.removeFromParent();
      taken->getFunctionList().push_back(&function);
      // For the program; those among themselves call each other directly.
      function.setLinkage(GlobalValue::ExternalLinkage);
      function.setDSOLocal(true);
      functions.push_back(&function);
    }
  for (GlobalVariable &variable : make_early_inc_range(program.globals())) {
    variable.removeFromParent();
    taken->insertGlobalVariable(&variable);
  }
  for (Function *function : functions) {
    auto isOfProgram = [&](Use &use) {
      auto *user = dyn_cast<Instruction>(use.getUser());
      return user && user->getModule() == &program;
    };
    if (any_of(function->uses(), isOfProgram))
      function->replaceUsesWithIf(declaredIn(program, *function), isOfProgram);
    for (Instruction &instruction : instructions(function))
      for (Use &use : instruction.operands())
        if (auto *called = dyn_cast<Function>(use.get()); called && called->getParent() == &program)
          use.set(declaredIn(*taken, *called));
  }
  dropUnused(program);
  return taken;
}

} // namespace mmk
