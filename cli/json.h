// JSON reports: an array with an object for each thing reported, its fields in the order in which
// the manual lists them.
#pragma once

#include "executable/executable.h"

#include "llvm/Support/JSON.h"

#include <map>

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

/// Reads a report that was written before. Throws UserError where it cannot be read or is not JSON.
llvm::json::Value readJson(const std::string &file);

/// The shortest digits that read back as the same number; llvm::json writes all seventeen. Values
/// that are not finite are null, as JSON cannot express them.
void writeNumber(llvm::json::OStream &out, llvm::StringRef name, double value);

/// "dims": {"M": ..., "N": ...}, in their order.
void writeDims(llvm::json::OStream &out, const std::vector<std::pair<std::string, int64_t>> &dims);
/// The same of these names.
void writeDims(llvm::json::OStream &out, const std::vector<std::string> &names,
               const std::map<std::string, int64_t> &dims);

/// "check": {"passed": ...} of a report that is read.
struct SavedCheck {
  bool passed = true;
};
bool fromJSON(const llvm::json::Value &value, SavedCheck &check, llvm::json::Path path);

/// "constants": {"w": {"layout": "rows"}}, of packed ones with their bytes.
void writeConstants(llvm::json::OStream &out, const std::vector<ConstantLayout> &constants,
                    const std::map<std::string, int64_t> &packedBytes);
/// "constant w: rows, read as they are bound"
std::string textOf(const ConstantLayout &constant);

/// "memory": {"l1": {"used": ..., "capacity": ...}, ...}
void writeMemory(llvm::json::OStream &out, const std::vector<MemoryUse> &memory);

} // namespace mmk::driver
