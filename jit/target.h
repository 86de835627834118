// The CPU that generated code runs on, in the figures that code generation chooses by.
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
  bool fastBf16Dot = false; ///< sums of two products of bf16 in the time of one f32: vdpbf16ps
  bool longStreams = false; ///< memory is read fastest as one long stream
  bool hasAmx = false;      ///< tile registers of bf16 and int8
  bool fastL3 = false;      ///< L3 bandwidth sustains the micro-kernel
  int64_t l2Bytes = int64_t(1) << 20; ///< of one core's second-level cache
  int64_t l3Bytes = 0;                ///< of the third level, what each CPU of this process has
  bool fastCompile = false; ///< code is compiled in less than half the time, and runs slower

  void compileFast() { setFastCompile(true); }
  void setFastCompile(bool isFast) {
    fastCompile = isFast;
    machine->setOptLevel(isFast ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default);
  }

  /// LLVM carries tile registers from loop to loop only where it optimises.
  bool usesAmx() const { return hasAmx && !fastCompile; }

  /// The register tile of a product: rows of A by vectors of B. Three vectors of B and one element
  /// of A spread out leave room for eight rows of sums in 32 registers, and for four in 16; where
  /// products have to be added in a second instruction they want a register too. All divide the 16
  /// rows of the cube, and three loads feed many multiply-adds.
  int64_t rows() const { return registers >= 32 ? 8 : fusedMultiplyAdd ? 4 : 2; }
  static constexpr int64_t vectors = 3;

  /// Bytes of a packed operand that is resident in a cache while the other one streams: in L2; and
  /// in L3, where that is fast. There 4 MiB are 3 to 8 % faster than 512 KiB on Zen 4, and 8 MiB no
  /// more than 4.
  int64_t l2BlockBytes() const { return l2Bytes / 2; }
  int64_t blockBytes() const {
    return std::max(l2BlockBytes(), fastL3 ? std::min(l3Bytes / 4, int64_t(4) << 20) : 0);
  }

  /// Whether loads and stores of some lanes cost as little as whole ones: AVX-512.
  bool masks() const { return lanes == 16; }
};

/// A CPU by its names in LLVM, which has to have been initialised for it.
llvm::Expected<CodeTarget> targetFor(const llvm::Triple &triple, const std::string &cpu,
                                     const std::string &features);

/// The CPU underneath, with all of its features that this process may use: the system is asked for
/// the tiles, which it grants to a process and its threads.
llvm::Expected<CodeTarget> hostTarget();

/// The same, of those that this process has made already: what LLVM knows of a CPU takes long to
/// set up. Given back when nobody holds it, and until then for one thread.
llvm::Expected<std::shared_ptr<CodeTarget>> borrowHostTarget();

} // namespace mmk
