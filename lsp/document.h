// A text that an editor has open, and what is known of it.
//
// Every answer is of the current text. Of a text that does not parse, names are those of the last
// one that did, each moved along with the edits since then and dropped where an edit has touched
// it.
#pragma once

#include "lsp/names.h"
#include "lsp/outline.h"
#include "lsp/text_lines.h"

#include "machines/machine.h"
#include "support/diagnostics.h"

#include <optional>

namespace mmk::lsp {

class Document {
public:
  /// `path` names the text in messages. The machine outlives the document.
  Document(std::string path, std::string text, int64_t version, const Machine &machine);
  Document(const Document &) = delete; // its parts refer to its text
  Document &operator=(const Document &) = delete;
  ~Document();

  struct Change {
    std::optional<llvm::lsp::Range> range; ///< none: the whole text
    std::string text;
  };
  void change(const std::vector<Change> &changes, int64_t version);
  /// Checks the text again, for another machine.
  void setMachine(const Machine &machine);

  const std::string &path() const { return path_; }
  const std::string &text() const { return text_; }
  int64_t version() const { return version_; }
  const TextLines &lines() const { return lines_; }
  llvm::lsp::Range range(const Occurrence &occurrence) const {
    return lines_.range(occurrence.begin, occurrence.end);
  }

  /// Null where the text does not parse.
  const ast::Program *syntax() const { return syntax_ ? &*syntax_ : nullptr; }
  /// The text in the style; nothing where it does not parse.
  std::optional<std::string> formatted() const;
  /// Those of the syntax tree, as far as they could be checked.
  const std::vector<std::unique_ptr<Kernel>> &kernels() const { return kernels_; }
  const Diagnostics &diagnostics() const { return diagnostics_; }
  const Names &names() const { return names_; }
  const std::vector<TextToken> &tokens() const { return tokens_; }
  const std::vector<OutlineItem> &outline() const { return outline_; }
  /// The last kernel or function that begins before an offset; null where there is none.
  const OutlineItem *itemAt(uint32_t offset) const;

private:
  void replace(uint32_t begin, uint32_t end, const std::string &text);
  void analyse();

  std::string path_, text_;
  int64_t version_;
  const Machine *machine_;
  TextLines lines_;
  std::unique_ptr<SourceFile> file_; ///< that the syntax tree and the messages point into
  std::unique_ptr<ParseTree> tree_;
  std::optional<ast::Program> syntax_;
  std::vector<std::unique_ptr<Kernel>> kernels_;
  Diagnostics diagnostics_;
  Names names_;
  std::vector<TextToken> tokens_;
  std::vector<OutlineItem> outline_;
};

} // namespace mmk::lsp
