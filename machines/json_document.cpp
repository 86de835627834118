#include "machines/json_document.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>

namespace mmk {
namespace {

/// Reads the text of a document that llvm::json has accepted, so it is well-formed. Follows the
/// text, not the parsed values: a field that occurs twice has one value for two texts.
class PlaceFinder {
public:
  PlaceFinder(const std::string &file, llvm::StringRef text) : file_(file), text_(text) {}

  JsonNode build(const llvm::json::Value *value, std::string key = "") {
    skipSpace();
    JsonNode node{std::move(key), value, place(), {}};
    if (text_[at_] == '{')
      walkObject(value ? value->getAsObject() : nullptr, node);
    else if (text_[at_] == '[')
      walkArray(value ? value->getAsArray() : nullptr);
    else if (text_[at_] == '"')
      takeString();
    else
      while (at_ < text_.size() && !strchr(",]} \t\r\n", text_[at_]))
        advance();
    return node;
  }

  std::string duplicate; ///< the message on the first duplicate field, or empty

private:
  void walkObject(const llvm::json::Object *object, JsonNode &node) {
    advance(); // {
    skipSpace();
    while (text_[at_] != '}') {
      const std::string keyPlace = place();
      const std::string key = takeString();
      skipSpace();
      advance(); // :
      if (node.member(key) && duplicate.empty())
        duplicate = fmt::format("{}: the field \"{}\" stands twice", keyPlace, key);
      node.members.push_back(build(object ? object->get(key) : nullptr, key));
      skipSeparator();
    }
    advance(); // }
  }

  void walkArray(const llvm::json::Array *array) {
    advance(); // [
    skipSpace();
    for (size_t i = 0; text_[at_] != ']'; ++i) {
      build(array && i < array->size() ? &(*array)[i] : nullptr);
      skipSeparator();
    }
    advance(); // ]
  }

  std::string takeString() {
    const size_t begin = at_;
    advance();
    while (text_[at_] != '"') {
      if (text_[at_] == '\\')
        advance();
      advance();
    }
    advance();
    // The token is itself a JSON document, so that escapes are read in one place only.
    llvm::Expected<llvm::json::Value> token = llvm::json::parse(text_.slice(begin, at_));
    return token ? token->getAsString()->str() : (llvm::consumeError(token.takeError()), "");
  }

  void skipSpace() {
    while (at_ < text_.size() && strchr(" \t\r\n", text_[at_]))
      advance();
  }

  void skipSeparator() {
    skipSpace();
    if (text_[at_] == ',')
      advance();
    skipSpace();
  }

  void advance() {
    const unsigned char c = text_[at_++];
    if (c == '\n') {
      ++line_;
      column_ = 1;
    } else if ((c & 0xC0) != 0x80) { // columns count code points, not bytes
      ++column_;
    }
  }

  std::string place() const { return fmt::format("{}:{}:{}", file_, line_, column_); }

  const std::string &file_;
  llvm::StringRef text_;
  size_t at_ = 0;
  unsigned line_ = 1, column_ = 1;
};

/// llvm::json says "[3:5, byte=20]: Expected ..."; messages here say "file:3:5: ... expected ...".
/// It counts columns from 0 where the text ends.
llvm::Error syntaxError(const std::string &file, llvm::Error error) {
  const std::string text = llvm::toString(std::move(error));
  unsigned line = 1, column = 1;
  sscanf(text.c_str(), "[%u:%u", &line, &column);
  std::string fault = llvm::StringRef(text).split("]: ").second.str();
  if (!fault.empty())
    fault[0] = static_cast<char>(std::tolower(fault[0]));
  return llvm::createStringError(
      fmt::format("{}:{}:{}: not JSON: {}", file, line, std::max(column, 1u), fault));
}

} // namespace

bool nestsTooDeep(llvm::StringRef text) {
  int depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inString && c == '\\')
      ++i;
    else if (c == '"')
      inString = !inString;
    else if (!inString && (c == '{' || c == '['))
      if (++depth > maxJsonNesting)
        return true;
    if (!inString && (c == '}' || c == ']'))
      --depth;
  }
  return false;
}

const JsonNode *JsonNode::member(llvm::StringRef name) const {
  for (const JsonNode &node : members)
    if (node.key == name)
      return &node;
  return nullptr;
}

llvm::Expected<JsonDocument> parseJson(const std::string &file, llvm::StringRef text) {
  if (nestsTooDeep(text))
    return llvm::createStringError(fmt::format(
        "{}: not a machine description: nested deeper than {} levels", file, maxJsonNesting));
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value)
    return syntaxError(file, value.takeError());
  JsonDocument document;
  document.value = std::make_unique<llvm::json::Value>(std::move(*value));
  PlaceFinder finder(file, text);
  document.root = finder.build(document.value.get());
  if (!finder.duplicate.empty())
    return llvm::createStringError(finder.duplicate);
  return document;
}

std::string describeJson(const llvm::json::Value &value) {
  switch (value.kind()) {
  case llvm::json::Value::Null:
    return "null";
  case llvm::json::Value::Boolean:
    return *value.getAsBoolean() ? "true" : "false";
  case llvm::json::Value::Number:
    return fmt::format("the number {}", *value.getAsNumber());
  case llvm::json::Value::String:
    return fmt::format("the string \"{}\"", value.getAsString()->str());
  case llvm::json::Value::Array:
    return "an array";
  case llvm::json::Value::Object:
    return "an object";
  }
  return "";
}

} // namespace mmk
