// The table of back ends, from the list of the kinds of machine. It is in a layer above all back
// ends and their interface in one below, so that folders in between call a back end without
// including it.
#include "backend/backend.h"

#include "llvm/Support/ErrorHandling.h"

namespace mmk {

#define MMK_KIND(KIND, FOLDER) const Backend &FOLDER##Backend();
#include "machines/kinds.def"
#undef MMK_KIND

const Backend &backendOf(MachineKind kind) {
  switch (kind) {
#define MMK_KIND(KIND, FOLDER)                                                                     \
  case MachineKind::KIND:                                                                          \
    return FOLDER##Backend();
#include "machines/kinds.def"
#undef MMK_KIND
  }
  llvm_unreachable("a kind of machine");
}

const Backend &backendOf(aicore::MachineAttr machine) {
  return backendOf(machine.getMachineKind());
}

void registerBackendDialects(mlir::DialectRegistry &registry) {
  for (MachineKind kind : allMachineKinds)
    backendOf(kind).registerDialects(registry);
}

} // namespace mmk
