#include "jit/partition.h"

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

std::unique_ptr<Module> emptyModuleLike(const Module &module, StringRef name) {
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

void eraseUnusedDeclarations(Module &module) {
  for (Function &function : make_early_inc_range(module))
    if (function.isDeclaration() && function.use_empty())
      function.eraseFromParent();
}

std::unique_ptr<Module> extractKernelModule(Module &program) {
  // One name for the modules of all kernels: equal functions have equal bitcode.
  auto kernels = emptyModuleLike(program, "functions");
  for (Function &function : make_early_inc_range(program))
    if (function.hasInternalLinkage()) {
      function.removeFromParent();
      kernels->getFunctionList().push_back(&function);
      // Called by the driver; among each other these functions call directly.
      function.setLinkage(GlobalValue::ExternalLinkage);
      function.setDSOLocal(true);
    }
  for (GlobalVariable &variable : make_early_inc_range(program.globals())) {
    variable.removeFromParent();
    kernels->insertGlobalVariable(&variable);
  }
  declareCallees(program);
  declareCallees(*kernels);
  eraseUnusedDeclarations(program);
  return kernels;
}

} // namespace mmk
