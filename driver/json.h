// JSON reports: an array with an object for each thing reported, its fields in the order in which
// the manual lists them.
#pragma once

#include "codegen/executable.h"

#include "llvm/Support/JSON.h"

namespace mmk::driver {

template <typename Things, typename WriteFields>
std::string jsonArray(const Things &things, WriteFields writeFields) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream out(stream, /*IndentSize=*/2);
  out.array([&] {
    for (const auto &thing : things)
      out.object([&] { writeFields(out, thing); });
  });
  return text + "\n";
}

/// Reads a report that was written before. Throws Mistake where it cannot be read or is not JSON.
llvm::json::Value readJson(const std::string &file);

/// The shortest digits that read back as the same number; llvm::json writes all seventeen. What is
/// not finite, which JSON cannot say, is null.
void writeNumber(llvm::json::OStream &out, llvm::StringRef name, double value);

/// "memory": {"l1": {"used": ..., "capacity": ...}, ...}
void writeMemory(llvm::json::OStream &out, const std::vector<MemoryUse> &memory);

} // namespace mmk::driver
