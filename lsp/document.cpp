#include "lsp/document.h"

#include "format/format.h"
#include "frontend/check_kernel.h"
#include "frontend/parse_tree.h"
#include "frontend/parser.h"
#include "frontend/text.h"

#include <algorithm>

namespace mmk::lsp {

Document::Document(std::string path, std::string text, int64_t version, const Machine &machine)
    : path_(std::move(path)), text_(std::move(text)), version_(version), machine_(&machine),
      lines_(text_) {
  analyse();
}

Document::~Document() = default;

std::optional<std::string> Document::formatted() const {
  return syntax_ ? std::optional(formatTree(*tree_)) : std::nullopt;
}

void Document::change(const std::vector<Change> &changes, int64_t version) {
  for (const Change &change : changes) {
    if (change.range) {
      const uint32_t begin = lines_.offset(change.range->start);
      replace(begin, std::max(begin, lines_.offset(change.range->end)), change.text);
      continue;
    }
    // A whole text that has changed in one place keeps the names around it.
    const auto [old, given] = std::ranges::mismatch(text_, change.text);
    const auto begin = static_cast<size_t>(old - text_.begin());
    size_t same = 0;
    while (same < std::min(text_.size(), change.text.size()) - begin &&
           text_[text_.size() - 1 - same] == change.text[change.text.size() - 1 - same])
      ++same;
    replace(static_cast<uint32_t>(begin), static_cast<uint32_t>(text_.size() - same),
            change.text.substr(begin, change.text.size() - same - begin));
  }
  version_ = version;
  analyse();
}

void Document::setMachine(const Machine &machine) {
  machine_ = &machine;
  analyse();
}

void Document::replace(uint32_t begin, uint32_t end, const std::string &text) {
  // A name that an edit touches may be another one now.
  std::erase_if(names_.occurrences,
                [&](const Occurrence &each) { return each.begin <= end && begin <= each.end; });
  const uint32_t removed = end - begin, added = static_cast<uint32_t>(text.size());
  for (Occurrence &each : names_.occurrences)
    if (each.begin > begin) {
      each.begin = each.begin - removed + added;
      each.end = each.end - removed + added;
    }
  text_.replace(begin, removed, text);
  lines_ = TextLines(text_);
}

void Document::analyse() {
  diagnostics_ = {};
  syntax_.reset();
  kernels_.clear();
  tree_.reset();
  file_ = fileOf(path_, text_, diagnostics_);
  if (!diagnostics_.hasErrors())
    tree_ = ParseTree::of(*file_, diagnostics_);
  tokens_ = tree_ ? tokensOf(*tree_) : tokensOf(file_->text());
  outline_ = outlineOf(text_, tokens_);
  if (tree_ && tree_->isSound())
    syntax_ = toSyntax(*tree_, diagnostics_);
  if (!syntax_)
    return;
  kernels_ = checkKernels(*syntax_, *file_, machine_, {}, diagnostics_);
  names_ = namesOf(*syntax_, kernels_);
}

const OutlineItem *Document::itemAt(uint32_t offset) const {
  const auto next = std::ranges::upper_bound(outline_, offset, {}, &OutlineItem::begin);
  return next == outline_.begin() ? nullptr : &*(next - 1);
}

} // namespace mmk::lsp
