#include "ir/ir_diff.h"

#include "support/common_lines.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>

namespace mmk {
namespace {

struct NumberedValue {
  llvm::StringRef name; ///< "%12"
  bool isDefined;       ///< by this line; otherwise it is used
};

struct Line {
  llvm::StringRef text;
  std::string skeleton; ///< without indentation and names of values
  std::vector<NumberedValue> values;
};

/// "%0 = ..." and "%0:2 = ..." define results, "%i = %c0 to ..." the variable of a loop, "%m:
/// index" the argument of a block.
bool isDefinition(llvm::StringRef behindName) {
  return behindName.starts_with(" =") || behindName.starts_with(":");
}

Line read(llvm::StringRef text) {
  Line line;
  line.text = text;
  text = text.ltrim();
  while (!text.empty()) {
    const size_t length =
        text.starts_with("%")
            ? std::min(text.find_if([](char c) { return !llvm::isAlnum(c) && c != '_'; }, 1),
                       text.size())
            : 0;
    if (length > 1)
      line.values.push_back({text.take_front(length), isDefinition(text.drop_front(length))});
    line.skeleton += text.front();
    text = text.drop_front(std::max<size_t>(length, 1));
  }
  return line;
}

std::vector<Line> linesOf(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.rtrim('\n').split(parts, '\n');
  std::vector<Line> lines;
  for (llvm::StringRef part : parts)
    lines.push_back(read(part));
  return lines;
}

std::vector<std::string> skeletons(const std::vector<Line> &lines) {
  std::vector<std::string> result;
  for (const Line &line : lines)
    result.push_back(line.skeleton);
  return result;
}

/// Maps the values of the first text to those of the second, as far as it has been read.
class Names {
public:
  /// For two lines with one skeleton: whether they use the same values. Records the values that
  /// they define.
  bool agree(const Line &a, const Line &b) {
    bool same = true;
    for (size_t i = 0; i < a.values.size(); ++i) {
      if (a.values[i].isDefined)
        inB_[a.values[i].name] = b.values[i].name;
      else
        same &= inB_.lookup(a.values[i].name) == b.values[i].name;
    }
    return same;
  }
  /// Pairs lines of a with lines of b at the same place. An operation that was only changed, such
  /// as a buffer with another number of copies, still defines the same value for its users: when
  /// both sides have equally many of a kind, they are paired in order.
  void replace(llvm::ArrayRef<Line> a, llvm::ArrayRef<Line> b) {
    llvm::StringMap<llvm::SmallVector<const Line *>> inA = byOperation(a), inB = byOperation(b);
    for (const Line &line : a)
      for (const NumberedValue &value : line.values)
        if (value.isDefined)
          inB_.erase(value.name);
    for (const auto &[operation, lines] : inA) {
      const llvm::SmallVector<const Line *> others = inB.lookup(operation);
      for (size_t i = 0; others.size() == lines.size() && i < lines.size(); ++i)
        for (const auto &[value, other] : llvm::zip(lines[i]->values, others[i]->values))
          if (value.isDefined && other.isDefined)
            inB_[value.name] = other.name;
    }
  }

private:
  static llvm::StringMap<llvm::SmallVector<const Line *>> byOperation(llvm::ArrayRef<Line> lines) {
    llvm::StringMap<llvm::SmallVector<const Line *>> result;
    for (const Line &line : lines)
      result[llvm::StringRef(line.skeleton).split(" = ").second.split(' ').first].push_back(&line);
    return result;
  }

  llvm::StringMap<llvm::StringRef> inB_;
};

/// A range of the diff: equal lines, or removed ones with those that replace them.
struct Stretch {
  bool same;
  size_t beginA, endA, beginB, endB;
};

std::vector<Stretch> stretches(const std::vector<Line> &a, const std::vector<Line> &b) {
  std::vector<Stretch> found;
  const auto add = [&](bool same, size_t endA, size_t endB) {
    const size_t beginA = found.empty() ? 0 : found.back().endA;
    const size_t beginB = found.empty() ? 0 : found.back().endB;
    if (beginA == endA && beginB == endB)
      return;
    if (!found.empty() && found.back().same == same) {
      found.back().endA = endA;
      found.back().endB = endB;
      return;
    }
    found.push_back({same, beginA, endA, beginB, endB});
  };
  Names names;
  size_t nextA = 0, nextB = 0;
  for (const auto &[i, j] : commonLines(skeletons(a), skeletons(b))) {
    names.replace(llvm::ArrayRef(a).slice(nextA, i - nextA),
                  llvm::ArrayRef(b).slice(nextB, j - nextB));
    add(false, i, j);
    add(names.agree(a[i], b[j]), i + 1, j + 1);
    nextA = i + 1;
    nextB = j + 1;
  }
  add(false, a.size(), b.size());
  return found;
}

class Printer {
public:
  Printer(const std::vector<Line> &a, const std::vector<Line> &b, size_t context)
      : a_(a), b_(b), context_(context) {}

  IrDiff run(const std::vector<Stretch> &stretches) {
    for (size_t i = 0; i < stretches.size(); ++i) {
      const Stretch &stretch = stretches[i];
      const size_t length = stretch.endB - stretch.beginB;
      const bool first = i == 0, last = i + 1 == stretches.size();
      if (!stretch.same)
        change(stretch);
      else if (first || last || length > 2 * context_)
        separate(stretch, first ? 0 : context_, last ? 0 : context_);
      else
        keep(stretch.beginB, stretch.endB);
    }
    endHunk();
    return std::move(diff_);
  }

private:
  void change(const Stretch &stretch) {
    if (hunk_.empty())
      beginHunk(stretch.beginA, stretch.beginB);
    for (size_t i = stretch.beginA; i < stretch.endA; ++i)
      hunk_.push_back("-" + a_[i].text.str());
    for (size_t i = stretch.beginB; i < stretch.endB; ++i)
      hunk_.push_back("+" + b_[i].text.str());
    linesA_ += stretch.endA - stretch.beginA;
    linesB_ += stretch.endB - stretch.beginB;
    diff_.removed += stretch.endA - stretch.beginA;
    diff_.added += stretch.endB - stretch.beginB;
  }
  /// Ends a hunk with `before` equal lines, and begins the next with `behind`.
  void separate(const Stretch &stretch, size_t before, size_t behind) {
    const size_t length = stretch.endB - stretch.beginB;
    if (before > 0)
      keep(stretch.beginB, stretch.beginB + std::min(before, length));
    endHunk();
    if (behind == 0)
      return;
    const size_t lines = std::min(behind, length);
    beginHunk(stretch.endA - lines, stretch.endB - lines);
    keep(stretch.endB - lines, stretch.endB);
  }
  void keep(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      hunk_.push_back(" " + b_[i].text.str());
    linesA_ += end - begin;
    linesB_ += end - begin;
  }
  void beginHunk(size_t beginA, size_t beginB) {
    beginA_ = beginA;
    beginB_ = beginB;
    linesA_ = linesB_ = 0;
  }
  void endHunk() {
    if (hunk_.empty())
      return;
    // Numbered as by diff: from 1, and an empty side by the line before it.
    const auto range = [](size_t begin, size_t lines) {
      return llvm::utostr(lines == 0 ? begin : begin + 1) + "," + llvm::utostr(lines);
    };
    diff_.lines.push_back("@@ -" + range(beginA_, linesA_) + " +" + range(beginB_, linesB_) +
                          " @@");
    llvm::append_range(diff_.lines, hunk_);
    hunk_.clear();
  }

  const std::vector<Line> &a_, &b_;
  const size_t context_;
  IrDiff diff_;
  std::vector<std::string> hunk_;
  size_t beginA_ = 0, beginB_ = 0, linesA_ = 0, linesB_ = 0;
};

} // namespace

IrDiff diffIr(std::string_view a, std::string_view b, size_t context) {
  const std::vector<Line> linesA = linesOf(a), linesB = linesOf(b);
  const std::vector<Stretch> found = stretches(linesA, linesB);
  if (found.size() <= 1 && (found.empty() || found.front().same))
    return {};
  return Printer(linesA, linesB, context).run(found);
}

} // namespace mmk
