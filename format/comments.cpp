// Which token a comment belongs to depends on the ends of lines around it alone, and the layout
// keeps these: so the comments of a formatted text are found at the same tokens again.
#include "format/comments.h"

#include <algorithm>

namespace mmk::format {
namespace {

using antlr4::Token;

/// Line feeds for every end of a line, and none of the white space before them.
std::string withPlainLines(std::string_view comment) {
  std::string result;
  for (size_t i = 0; i < comment.size(); ++i) {
    const bool isReturn = comment[i] == '\r';
    if (!isReturn && comment[i] != '\n') {
      result += comment[i];
      continue;
    }
    result.erase(result.find_last_not_of(" \t\f") + 1);
    result += '\n';
    i += isReturn && i + 1 < comment.size() && comment[i + 1] == '\n';
  }
  result.erase(result.find_last_not_of(" \t\f") + 1);
  return result;
}

class Finder {
public:
  explicit Finder(ParseTree &tree) : tree_(tree) {}

  std::map<size_t, Surroundings> all() {
    const Token *previous = nullptr;
    for (const Token *token : tree_.tokens()) {
      if (token->getChannel() == Token::HIDDEN_CHANNEL) {
        comments_.push_back(token);
        continue;
      }
      give(previous, token);
      comments_.clear();
      previous = token;
    }
    return std::move(found_);
  }

private:
  /// Gives the comments between two tokens to one of them; `previous` is null at the start.
  void give(const Token *previous, const Token *next) {
    const auto behind = [&](size_t i) { // ends of lines behind comment i
      return linesBetween(comments_[i], i + 1 < comments_.size() ? comments_[i + 1] : next);
    };
    size_t i = 0;
    Surroundings &here = found_[next->getTokenIndex()];
    const bool hasBreak = [&] {
      for (size_t j = 0; j < comments_.size(); ++j)
        if (behind(j) > 0)
          return true;
      return false;
    }();
    if (previous && hasBreak && linesBetween(previous, comments_.front()) == 0) {
      Surroundings &there = found_[previous->getTokenIndex()];
      do
        append(there.behind, comments_[i]);
      while (behind(i++) == 0);
    }
    // A line that ends with a comment is above the token; the last one may go on with the token.
    std::string line;
    unsigned before = i > 0 ? behind(i - 1)
                            : linesBetween(previous, comments_.empty() ? next : comments_.front());
    here.firstFollowsEmptyLine = before > 1;
    for (; i < comments_.size(); ++i) {
      append(line, comments_[i]);
      if (const unsigned lines = behind(i); lines > 0) {
        here.above.push_back({std::move(line), before > 1});
        line.clear();
        before = lines;
      }
    }
    here.before = std::move(line);
    here.followsEmptyLine = before > 1;
  }

  void append(std::string &line, const Token *comment) const {
    const SourceRange where = tree_.places()(comment);
    line += (line.empty() ? "" : " ") +
            withPlainLines(tree_.file().text().substr(where.begin, where.end - where.begin));
  }

  unsigned linesBetween(const Token *first, const Token *second) const {
    const size_t begin = first ? tree_.places().behind(first).begin : 0;
    const std::string_view between =
        tree_.file().text().substr(begin, tree_.places()(second).begin - begin);
    unsigned lines = second->getType() == Token::EOF; // which a text ends its last line with
    for (size_t i = 0; i < between.size(); ++i)
      lines += between[i] == '\n' || (between[i] == '\r' && !between.substr(i).starts_with("\r\n"));
    return lines;
  }

  ParseTree &tree_;
  std::vector<const Token *> comments_; ///< since the last token
  std::map<size_t, Surroundings> found_;
};

} // namespace

std::map<size_t, Surroundings> surroundingsOf(ParseTree &tree) { return Finder(tree).all(); }

} // namespace mmk::format
