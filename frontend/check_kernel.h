// Checks one kernel: from its syntax tree to the kernel that the rest of the compiler trusts. Each
// part reports all of its errors; what depends on a wrong part reports nothing.
#pragma once

#include "frontend/ast.h"
#include "frontend/functions.h"
#include "frontend/kernel.h"
#include "frontend/whole.h"
#include "machines/machine.h"
#include "support/diagnostics.h"

#include <map>
#include <set>

namespace mmk {

/// `machine` may be null; see checkProgram.
std::unique_ptr<Kernel> checkKernel(const ast::Kernel &tree, const Functions &functions,
                                    const Machine *machine, const WholeValues &wholes,
                                    Diagnostics &diagnostics);

/// The kernels of a whole text, in its order; those with errors as far as they could be checked.
std::vector<std::unique_ptr<Kernel>> checkKernels(const ast::Program &tree, const SourceFile &file,
                                                  const Machine *machine, const WholeValues &wholes,
                                                  Diagnostics &diagnostics);

/// Names that a kernel declares, and those among them whose declaration is wrong.
struct Signature {
  std::map<std::string, SourceRange> values; ///< parameters and results
  std::map<std::string, SourceRange> dimensions;
  std::set<std::string> unsound;
};

/// Fills dimensions, parameters and results; of derived dimensions, the names.
Signature checkSignature(const ast::Kernel &tree, const WholeValues &wholes, Kernel &kernel,
                         Diagnostics &diagnostics);

/// Fills the values of the results. False when the body has errors: then the values are all that
/// are right.
bool inferBody(const ast::Kernel &tree, const Signature &signature, const Functions &functions,
               Kernel &kernel, Diagnostics &diagnostics);

/// `knowsBody` is false when the values are incomplete; rules that need them are not checked then.
/// `refusedRoles` have been reported, such as "s.i".
void checkSchedules(const ast::Kernel &tree, const Machine *machine, bool knowsBody,
                    const std::set<std::string> &refusedRoles, Kernel &kernel,
                    Diagnostics &diagnostics);

void checkCases(const ast::Kernel &tree, Kernel &kernel, Diagnostics &diagnostics);

} // namespace mmk
