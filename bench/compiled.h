// A kernel from its text to machine code in memory, for the benchmarks.
#pragma once

#include "executable/executable.h"
#include "frontend/kernel.h"

#include <memory>
#include <string>

namespace mmk {

struct Compiled {
  std::unique_ptr<SourceFile> file;
  Program program;
  std::unique_ptr<Executable> executable;
};

/// The first kernel of `text` on a machine; ends the program where there is none.
Compiled compile(const std::string &text, const std::string &machineName);

/// The text of a product with bias and leaky relu, of operands of `type`; i8 with a scale. With a
/// `batch`, a dimension B in front.
std::string fusedText(const std::string &type, bool batch = false);

} // namespace mmk
