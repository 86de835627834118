#include "format/document.h"

#include <algorithm>

namespace mmk::format {
namespace {

constexpr int beyondEveryWidth = 1 << 28;
constexpr int bracketIndent = 4;
/// Brackets that open behind this column do not align their content.
constexpr int farthestAlignment = 60;

int charactersOf(std::string_view text) {
  return static_cast<int>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

} // namespace

struct Node {
  enum class Kind {
    text,
    endingLine,
    breakOrSpace,
    breakOrNothing,
    hardBreak,
    emptyLine,
    sequence,
    group,
    filled,
    indented,
    aligned,
    bracketed,
  };
  Kind kind;
  std::string characters = {};
  std::vector<Document> parts = {};
  int indent = 0;
  int flatWidth = 0;
};

namespace {

using Kind = Node::Kind;

Document node(Node made) {
  for (const Document &part : made.parts)
    made.flatWidth = std::min(made.flatWidth + part->flatWidth, beyondEveryWidth);
  return std::make_shared<const Node>(std::move(made));
}

/// What is still to be laid out: a document, or what is left of a filled one.
struct Rest {
  int indent;
  bool isFlat;
  const Node *node;
  size_t from = 0; ///< the first item or separator that is left, of a filled document
};

class Layout {
public:
  explicit Layout(int width) : width_(width) {}

  std::string of(const Node &root) {
    rest_.push_back({0, false, &root});
    while (!rest_.empty()) {
      const Rest next = rest_.back();
      rest_.pop_back();
      place(next);
    }
    breakLine(0);
    return std::move(out_);
  }

private:
  void place(const Rest &next) {
    const Node &node = *next.node;
    switch (node.kind) {
    case Kind::text:
      return write(node.characters, next.indent);
    case Kind::endingLine:
      write(node.characters, next.indent);
      lineIsOver_ = true;
      return;
    case Kind::breakOrSpace:
    case Kind::breakOrNothing:
      if (!next.isFlat)
        breakLine(next.indent);
      else if (node.kind == Kind::breakOrSpace && !isFresh_ && !lineIsOver_)
        write(" ", next.indent);
      return;
    case Kind::hardBreak:
      return breakLine(next.indent);
    case Kind::emptyLine:
      breakLine(next.indent);
      if (!out_.empty() && !out_.ends_with("\n\n"))
        out_ += '\n';
      return;
    case Kind::sequence:
      return push(node, next.indent, next.isFlat);
    case Kind::group:
      return push(node, next.indent, next.isFlat || fits({&node}));
    case Kind::filled:
      return next.isFlat ? push(node, next.indent, true) : fill(next);
    case Kind::indented:
      return push(node, next.indent + node.indent, next.isFlat);
    case Kind::aligned:
      return push(node, columnOfNext(next.indent), next.isFlat);
    case Kind::bracketed:
      return placeBracketed(next);
    }
  }

  void push(const Node &node, int indent, bool isFlat) {
    for (auto part = node.parts.rbegin(); part != node.parts.rend(); ++part)
      rest_.push_back({indent, isFlat, part->get()});
  }

  void placeBracketed(const Rest &next) {
    const bool isFlat = next.isFlat || fits({next.node});
    int indent = columnOfNext(next.indent);
    if (!isFlat && (lineIsOver_ || column_ > farthestAlignment)) {
      indent = next.indent + bracketIndent;
      breakLine(indent);
    }
    push(*next.node, indent, isFlat);
  }

  /// One item, or a separator when the item before it has been placed.
  void fill(const Rest &next) {
    const auto &parts = next.node->parts;
    if (next.from == parts.size())
      return;
    const Node *part = parts[next.from].get();
    const bool isSeparator = next.from % 2 == 1;
    const bool isFlat =
        isSeparator ? fits({part, parts[next.from + 1].get()}, next.from + 2 == parts.size())
                    : fits({part}, next.from + 1 == parts.size());
    rest_.push_back({next.indent, false, next.node, next.from + 1});
    rest_.push_back({next.indent, isFlat, part});
  }

  /// Whether `flat`, on one line, fits what is left of the current line; with what follows it
  /// there, up to the next place for a break.
  bool fits(const std::vector<const Node *> &flat, bool withRest = true) const {
    int left = width_ - columnOfNext(rest_.empty() ? 0 : rest_.back().indent);
    for (const Node *node : flat)
      left -= std::min(node->flatWidth, beyondEveryWidth);
    if (left < 0 || !withRest)
      return left >= 0;
    std::vector<Rest> open;
    for (auto below = rest_.rbegin(); left >= 0;) {
      if (open.empty()) {
        if (below == rest_.rend())
          return true;
        open.push_back(*below++);
      }
      const Rest next = open.back();
      open.pop_back();
      if (!takeFlat(next, open, left))
        return left >= 0;
    }
    return false;
  }

  /// Takes the width of one document off `left`; false at a break.
  static bool takeFlat(const Rest &next, std::vector<Rest> &open, int &left) {
    const Node &node = *next.node;
    switch (node.kind) {
    case Kind::hardBreak:
    case Kind::emptyLine:
    case Kind::endingLine:
      return false;
    case Kind::breakOrSpace:
    case Kind::breakOrNothing:
      left -= node.kind == Kind::breakOrSpace;
      return next.isFlat;
    case Kind::text:
      left -= charactersOf(node.characters.substr(0, node.characters.find('\n')));
      return node.characters.find('\n') == std::string::npos;
    default:
      for (size_t part = node.parts.size(); part-- > next.from;)
        open.push_back({next.indent, next.isFlat, node.parts[part].get()});
      return true;
    }
  }

  int columnOfNext(int indent) const { return lineIsOver_ ? indent : isFresh_ ? indent_ : column_; }

  void write(std::string_view characters, int indent) {
    if (lineIsOver_)
      breakLine(indent);
    if (isFresh_) {
      characters.remove_prefix(std::min(characters.find_first_not_of(' '), characters.size()));
      out_.append(static_cast<size_t>(indent_), ' ');
    }
    isFresh_ = false;
    out_ += characters;
    const size_t lineFeed = characters.rfind('\n');
    if (lineFeed == std::string::npos)
      column_ += charactersOf(characters);
    else
      column_ = charactersOf(characters.substr(lineFeed + 1));
  }

  void breakLine(int indent) {
    lineIsOver_ = false;
    if (!isFresh_) {
      out_.erase(out_.find_last_not_of(' ') + 1);
      out_ += '\n';
    }
    isFresh_ = true;
    indent_ = column_ = indent;
  }

  const int width_;
  std::vector<Rest> rest_;
  std::string out_;
  int column_ = 0, indent_ = 0; ///< of the current line
  bool isFresh_ = true;         ///< the line has no character yet, nor its indent
  bool lineIsOver_ = false;     ///< behind a comment: the next text begins a line
};

} // namespace

Document text(std::string characters) {
  const bool hasLines = characters.find('\n') != std::string::npos;
  const int width = hasLines ? beyondEveryWidth : charactersOf(characters);
  return node({.kind = Kind::text, .characters = std::move(characters), .flatWidth = width});
}

Document endingLine(std::string characters) {
  return node({.kind = Kind::endingLine,
               .characters = std::move(characters),
               .flatWidth = beyondEveryWidth});
}

Document breakOrSpace() {
  static const Document one = node({.kind = Kind::breakOrSpace, .flatWidth = 1});
  return one;
}

Document breakOrNothing() {
  static const Document one = node({.kind = Kind::breakOrNothing});
  return one;
}

Document hardBreak() {
  static const Document one = node({.kind = Kind::hardBreak, .flatWidth = beyondEveryWidth});
  return one;
}

Document emptyLine() {
  static const Document one = node({.kind = Kind::emptyLine, .flatWidth = beyondEveryWidth});
  return one;
}

Document sequence(std::vector<Document> parts) {
  return node({.kind = Kind::sequence, .parts = std::move(parts)});
}

Document group(std::vector<Document> parts) {
  return node({.kind = Kind::group, .parts = std::move(parts)});
}

Document filled(std::vector<Document> itemsAndSeparators) {
  return node({.kind = Kind::filled, .parts = std::move(itemsAndSeparators)});
}

Document indented(int columns, std::vector<Document> parts) {
  return node({.kind = Kind::indented, .parts = std::move(parts), .indent = columns});
}

Document aligned(std::vector<Document> parts) {
  return node({.kind = Kind::aligned, .parts = std::move(parts)});
}

Document bracketed(std::vector<Document> parts) {
  return node({.kind = Kind::bracketed, .parts = std::move(parts)});
}

int flatWidth(const Document &document) { return document->flatWidth; }

std::string layOut(const Document &document, int width) { return Layout(width).of(*document); }

} // namespace mmk::format
