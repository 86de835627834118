// The CPU that generated code runs on, in the figures that code generation chooses by.
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace mmk {

struct CodeTarget {
  std::unique_ptr<llvm::TargetMachine> machine;
  std::string cpu, features;
  unsigned lanes = 4;      ///< f32 in a vector register
  unsigned registers = 16; ///< vector registers
  bool fusedMultiplyAdd = false;
};

/// The CPU underneath, with all of its features.
llvm::Expected<CodeTarget> hostTarget();

} // namespace mmk
