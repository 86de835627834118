// Writes an article as Markdown.
#include "report/article.h"

#include <fmt/format.h>

namespace mmk::report {
namespace {

/// Text outside of code must not become markup.
std::string markdownText(const std::string &text) {
  std::string safe;
  bool isCode = false;
  for (char letter : text) {
    if (letter == '`')
      isCode = !isCode;
    if (!isCode && letter == '<')
      safe += "&lt;";
    else if (!isCode && letter == '*')
      safe += "\\*";
    else
      safe += letter;
  }
  return safe;
}

/// In a cell, a bar would end it, and a line end the row.
std::string cell(const std::string &text) {
  std::string safe;
  for (char letter : markdownText(text))
    if (letter == '|')
      safe += "\\|";
    else
      safe += letter == '\n' ? ' ' : letter;
  return safe;
}

std::string row(const std::vector<std::string> &cells) {
  std::string text = "|";
  for (const std::string &each : cells)
    text += " " + cell(each) + " |";
  return text + "\n";
}

struct MarkdownWriter {
  std::string operator()(const Heading &it) const {
    return fmt::format("{} {}\n", std::string(static_cast<size_t>(it.level), '#'),
                       markdownText(it.text));
  }
  std::string operator()(const Paragraph &it) const {
    return fmt::format("{}{}\n", it.isNote ? "> " : "", markdownText(it.text));
  }
  std::string operator()(const Bullets &it) const {
    std::string text;
    for (const std::string &each : it.texts)
      text += fmt::format("- {}\n", markdownText(each));
    return text;
  }
  std::string operator()(const Grid &it) const {
    std::string text = it.folded.empty() ? "" : markdownText(it.folded) + ":\n\n";
    text += row(it.head) + "|";
    for (char side : it.alignment)
      text += side == '>' ? "---:|" : "---|";
    text += "\n";
    for (const auto &cells : it.rows)
      text += row(cells);
    return text;
  }
  std::string operator()(const KeyFigures &it) const {
    std::string text;
    for (const KeyFigures::Figure &each : it.figures)
      text += fmt::format("- {}: **{}** {}\n", markdownText(each.name), markdownText(each.value),
                          markdownText(each.remark));
    return text;
  }
  std::string operator()(const Picture &it) const {
    return fmt::format("![{}]({})\n", markdownText(it.caption), it.name);
  }
  std::string operator()(const Listing &it) const {
    return fmt::format("{}:\n\n```\n{}{}```\n", markdownText(it.title), it.text,
                       it.text.ends_with('\n') ? "" : "\n");
  }
};

} // namespace

std::string markdownOf(const Article &article) {
  std::string text =
      fmt::format("# {}\n\n{}\n", markdownText(article.title), markdownText(article.subtitle));
  for (const Block &block : article.blocks)
    text += "\n" + std::visit(MarkdownWriter(), block);
  return text;
}

} // namespace mmk::report
