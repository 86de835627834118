#include "runtime/npy_header.h"

#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

namespace mmk {
namespace {

/// The rank of a .npy file may exceed that of any tensor of a kernel.
constexpr size_t maxRank = 32;

class Parser {
public:
  explicit Parser(std::string_view text) : text_(text) {}

  llvm::Expected<NpyHeader> parse() {
    NpyHeader header;
    bool hasDescr = false, hasOrder = false, hasShape = false;
    if (!take('{'))
      return fault("expected {");
    while (!take('}')) {
      const std::optional<std::string> key = takeString();
      if (!key)
        return fault("expected the name of a field in quotes");
      if (!take(':'))
        return fault("expected : after '" + *key + "'");
      bool *seen = *key == "descr"           ? &hasDescr
                   : *key == "fortran_order" ? &hasOrder
                   : *key == "shape"         ? &hasShape
                                             : nullptr;
      if (!seen)
        return fault("unknown field '" + *key + "', legal: 'descr', 'fortran_order' and 'shape'");
      if (*seen)
        return fault("the field '" + *key + "' stands twice");
      *seen = true;
      if (llvm::Error error = takeValue(*key, header))
        return std::move(error);
      if (!take(',') && peek() != '}')
        return fault("expected , or }");
    }
    if (!hasDescr || !hasOrder || !hasShape)
      return fault(fmt::format("the field '{}' is missing", !hasDescr   ? "descr"
                                                            : !hasOrder ? "fortran_order"
                                                                        : "shape"));
    skipSpace();
    if (at_ != text_.size())
      return fault("expected the end of the header");
    return header;
  }

private:
  llvm::Error takeValue(const std::string &key, NpyHeader &header) {
    if (key == "descr") {
      if (peek() == '[')
        return fault("structured elements are not supported; save one array for each field");
      const std::optional<std::string> descr = takeString();
      if (!descr)
        return fault("expected the type of the elements in quotes");
      header.descr = *descr;
      return llvm::Error::success();
    }
    if (key == "fortran_order") {
      header.fortranOrder = takeWord("True");
      if (!header.fortranOrder && !takeWord("False"))
        return fault("expected True or False");
      return llvm::Error::success();
    }
    return takeShape(header.shape);
  }

  llvm::Error takeShape(std::vector<int64_t> &shape) {
    if (!take('('))
      return fault("expected a shape in parentheses");
    while (!take(')')) {
      skipSpace();
      int64_t extent = 0;
      const char *begin = text_.data() + at_, *end = text_.data() + text_.size();
      const auto [stop, code] = std::from_chars(begin, end, extent);
      if (code != std::errc() || extent < 0)
        return fault("expected an extent of 0 or more that fits in 63 bits");
      at_ += static_cast<size_t>(stop - begin);
      shape.push_back(extent);
      if (shape.size() > maxRank)
        return fault(fmt::format("more than {} dimensions", maxRank));
      if (!take(',') && peek() != ')')
        return fault("expected , or )");
    }
    return llvm::Error::success();
  }

  llvm::Error fault(const std::string &what) const {
    return llvm::createStringError(fmt::format("header, character {}: {}", at_ + 1, what));
  }

  void skipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n'))
      ++at_;
  }

  char peek() {
    skipSpace();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool take(char c) {
    if (peek() != c)
      return false;
    ++at_;
    return true;
  }

  bool takeWord(std::string_view word) {
    skipSpace();
    if (text_.substr(at_, word.size()) != word)
      return false;
    at_ += word.size();
    return true;
  }

  std::optional<std::string> takeString() {
    const char quote = peek();
    if (quote != '\'' && quote != '"')
      return std::nullopt;
    const size_t end = text_.find(quote, at_ + 1);
    if (end == text_.npos)
      return std::nullopt;
    const std::string result(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return result;
  }

  std::string_view text_;
  size_t at_ = 0;
};

} // namespace

llvm::Expected<NpyHeader> parseNpyHeader(std::string_view text) { return Parser(text).parse(); }

std::string writeNpyHeader(ElementType type, const std::vector<int64_t> &shape) {
  std::string dictionary =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                  traitsOf(type).numpyDescr, fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  // Magic word, version and length take 10 bytes; a line end closes the padding.
  while ((10 + dictionary.size() + 1) % 64 != 0)
    dictionary += ' ';
  dictionary += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(dictionary.size() & 0xFF);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

std::string refuseNpyType(const std::string &descr, ElementType expected) {
  const std::string_view wanted = traitsOf(expected).numpyDescr;
  // One byte has no byte order, so both spellings are in use.
  if (descr == wanted || (wanted == "|i1" && descr == "<i1"))
    return "";
  const std::string convert =
      fmt::format("; convert it with array.astype({})", traitsOf(expected).numpyName);
  if (!descr.empty() && (descr[0] == '>' || descr[0] == '!'))
    return fmt::format("big-endian elements '{}' are not supported{}", descr, convert);
  if (descr.find('O') != descr.npos)
    return fmt::format("Python objects '{}' are not supported, expected {}{}", descr,
                       spelling(expected), convert);
  return fmt::format("expected {} ('{}'), found '{}'{}", spelling(expected), wanted, descr,
                     convert);
}

} // namespace mmk
