// The CPU that generated code runs on: the figures that code generation depends on.
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <algorithm>
#include <memory>
#include <string>

namespace mmk {

struct CodeTarget {
  std::unique_ptr<llvm::TargetMachine> machine;
  std::string cpu, features;
  unsigned lanes = 4;      ///< f32 in a vector register
  unsigned registers = 16; ///< vector registers
  bool fusedMultiplyAdd = false;
  bool hasVnni = false;     ///< sums of four products of int8: vpdpbusd
  bool usesBf16Dot = false; ///< vdpbf16ps, sums of two products of bf16: where it takes the time of
                            ///< one f32, and beside tile registers, which multiply pairs too
  bool roundsToBf16 = false;          ///< 16 of f32 to bf16 in one instruction, without subnormals
  bool longStreams = false;           ///< memory is read fastest as one long stream
  bool hasAmx = false;                ///< tile registers of bf16 and int8
  bool fastL3 = false;                ///< L3 bandwidth sustains the micro-kernel
  int64_t l2Bytes = int64_t(1) << 20; ///< of one core's second-level cache
  int64_t l3Bytes = 0;      ///< of the third-level cache, the share of each CPU of this process
  bool fastCompile = false; ///< code is compiled in less than half the time, and runs slower

  void compileFast() { setFastCompile(true); }
  void setFastCompile(bool isFast) {
    fastCompile = isFast;
    machine->setOptLevel(isFast ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default);
  }

  /// LLVM keeps tile registers over loops only when it optimises.
  bool usesAmx() const { return hasAmx && !fastCompile; }

  /// The register tile of a product: rows of A by vectors of B. With three vectors of B and one
  /// broadcast element of A, 32 registers hold eight rows of accumulators, and 16 hold four; a
  /// product that is added by a second instruction needs a register too. All divide the 16 rows of
  /// the cube, and three loads feed many multiply-adds.
  int64_t rows() const { return registers >= 32 ? 8 : fusedMultiplyAdd ? 4 : 2; }
  static constexpr int64_t vectors = 3;

  /// Whether masked loads and stores are as fast as whole ones: AVX-512.
  bool masks() const { return lanes == 16; }
};

/// A CPU by its names in LLVM, which has to have been initialised for it.
llvm::Expected<CodeTarget> targetFor(const llvm::Triple &triple, const std::string &cpu,
                                     const std::string &features);

/// The host CPU, with all features that this process may use. Requests the tile registers, which
/// the system grants to a process and its threads.
llvm::Expected<CodeTarget> hostTarget();

/// The same, reused: setting up LLVM's tables of a CPU takes long. It is for one thread, until its
/// owner releases it.
llvm::Expected<std::shared_ptr<CodeTarget>> borrowHostTarget();

} // namespace mmk
