// The identity of a figure: it is reused only where kernel, machine and build are the same.
#pragma once

#include "frontend/kernel.h"
#include "machines/machine.h"
#include "store/result.h"

#include "llvm/ADT/StringRef.h"

namespace mmk::tune {

/// Three digests. They change with the compiler and the machine; they do not depend on comments,
/// layout, cases, alternatives of the schedule and names of values.
struct Identity {
  std::string kernel, machine, build;
  std::string kernelName, machineName; ///< for messages
};
Identity identityOf(const Kernel &kernel, const Machine &machine);

/// 128 bits of SHA-256 of a text, in hexadecimal.
std::string digest(llvm::StringRef text);
/// Digest of the function of a kernel: parameters, results and the values between them.
std::string semanticsOf(const Kernel &kernel);
/// Digest of every figure of a machine; of the host, also of its CPU.
std::string digestOf(const Machine &machine);
/// Digest of the program that is running and of the LLVM that it uses: their build ids, or where a
/// file has none, its bytes.
const std::string &buildId();

/// By name, in the order of reports.
std::vector<std::pair<std::string, int64_t>> shownDims(const Kernel &kernel, const Dims &dims);
/// "M=2048,N=1024,K=512"
std::string spelling(const Kernel &kernel, const Dims &dims);
/// "2048x1024x512:f16": the dimensions and the type of the first tensor.
std::string exchangeKey(const Kernel &kernel, const Dims &dims);

} // namespace mmk::tune
