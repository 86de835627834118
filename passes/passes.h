// The passes on mmk IR, and the names of variants.
#pragma once

#include "ir/aicore.h"
#include "ir/mmk.h"
#include "machines/machine.h"
#include "schedule/choices.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>
#include <vector>

namespace mmk {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"

/// Canonicalisation and CSE, for pipelines: removes the dead code of earlier passes.
void addCleanup(mlir::OpPassManager &manager);

/// The figures of a machine that the passes read, as an attribute of the IR.
aicore::MachineAttr machineAttr(const Machine &machine, mlir::MLIRContext &context);

/// Makes choices in the schedules of all kernels, in place of what these say: the passes read them
/// there.
void setChoices(mlir::ModuleOp module, const Choices &choices);

/// The choices of a kernel's variant that its name shows, in this order (after mmk-apply-variant).
Choices choicesOf(ir::KernelOp kernel);

/// Printable name of a kernel's variant (after mmk-apply-variant):
/// "cores=20,tile=128x256x64,stage=256,l1=2,...". `parseVariant` parses it.
std::string variantName(ir::KernelOp kernel);

/// Reads "tile.M=64,fuse=none" and whole variant names ("tile=128x256x64" stands for the
/// tiles of `tileDims` in order). On error sets `message`.
bool parseVariant(llvm::StringRef text, llvm::ArrayRef<std::string> tileDims, Choices &choices,
                  std::string &message);

/// Dimensions that a tile may be given for: those of the outputs and of the reductions, in the
/// order of a variant's name.
std::vector<std::string> tileDims(ir::KernelOp kernel);

} // namespace mmk
