// A JSON text with the place of each value. llvm::json parses, but drops the order of the fields,
// duplicates and places, which messages need.
#pragma once

#include "llvm/Support/JSON.h"

#include <memory>
#include <string>
#include <vector>

namespace mmk {

struct JsonNode {
  std::string key; ///< of a member of an object
  const llvm::json::Value *value = nullptr;
  std::string place;             ///< "chip.json:3:5", for messages
  std::vector<JsonNode> members; ///< of an object, in the order of the file

  const JsonNode *member(llvm::StringRef name) const;
};

struct JsonDocument {
  std::unique_ptr<llvm::json::Value> value;
  JsonNode root;
};

/// Fails with "chip.json:3:5: not JSON: expected , or ] after array element", and on a duplicate
/// field of an object.
llvm::Expected<JsonDocument> parseJson(const std::string &file, llvm::StringRef text);

/// The limit of nesting: llvm::json recurses without one.
constexpr int maxJsonNesting = 64;
bool nestsTooDeep(llvm::StringRef text);

/// "the number -3", "the string \"split\"", "an object": for messages.
std::string describeJson(const llvm::json::Value &value);

} // namespace mmk
