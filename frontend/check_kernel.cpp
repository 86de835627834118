#include "frontend/check_kernel.h"

#include "frontend/tile_roles.h"

namespace mmk {

std::unique_ptr<Kernel> checkKernel(const ast::Kernel &tree, const Functions &functions,
                                    const Machine *machine, const WholeValues &wholes,
                                    Diagnostics &diagnostics) {
  auto kernel = std::make_unique<Kernel>();
  kernel->name = tree.name.text;
  kernel->where = tree.name.where;
  const Signature signature = checkSignature(tree, wholes, *kernel, diagnostics);
  checkWholes(tree, *kernel, diagnostics);
  const bool knowsBody = inferBody(tree, signature, functions, *kernel, diagnostics);
  std::set<std::string> refusedRoles;
  if (knowsBody)
    refusedRoles = nameRoles(tree, *kernel, diagnostics);
  checkSchedules(tree, machine, knowsBody, refusedRoles, *kernel, diagnostics);
  checkCases(tree, *kernel, diagnostics);
  return kernel;
}

} // namespace mmk
