// Writes an article as one HTML file, in the style of the other report.
#include "report/article.h"
#include "report/page_parts.h"

#include "llvm/Support/JSON.h"

#include <cctype>
#include <fmt/format.h>

namespace mmk::report {
namespace {

/// Escaped, with elements for code; a long name in code may end a line behind a comma.
std::string htmlText(const std::string &text) {
  std::string html;
  bool isCode = false;
  for (char letter : escaped(llvm::json::fixUTF8(text)))
    if (letter == '`') {
      html += isCode ? "</code>" : "<code>";
      isCode = !isCode;
    } else {
      html += letter;
      if (isCode && letter == ',')
        html += "<wbr>";
    }
  return html;
}

/// "version-ladder" of "Version ladder".
std::string anchorOf(const std::string &text) {
  std::string anchor;
  for (char letter : text)
    if (std::isalnum(static_cast<unsigned char>(letter)))
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    else if (!anchor.empty() && anchor.back() != '-')
      anchor += '-';
  return anchor;
}

struct HtmlWriter {
  std::string operator()(const Heading &it) const {
    return it.level == 2
               ? fmt::format("<h2 id=\"{}\">{}</h2>\n", anchorOf(it.text), htmlText(it.text))
               : fmt::format("<h{0}>{1}</h{0}>\n", it.level, htmlText(it.text));
  }
  std::string operator()(const Paragraph &it) const {
    return fmt::format("<p{}>{}</p>\n", it.isNote ? " class=\"note\"" : "", htmlText(it.text));
  }
  std::string operator()(const Bullets &it) const {
    std::string text = "<ul>\n";
    for (const std::string &each : it.texts)
      text += fmt::format("<li>{}</li>\n", htmlText(each));
    return text + "</ul>\n";
  }
  std::string operator()(const Grid &it) const {
    const auto row = [&](const char *element, const std::vector<std::string> &cells) {
      std::string text = "<tr>";
      for (size_t i = 0; i < cells.size(); ++i)
        text += fmt::format("<{0}{1}>{2}</{0}>", element,
                            it.alignment[i] == '>' ? " class=\"number\"" : "", htmlText(cells[i]));
      return text + "</tr>\n";
    };
    std::string text =
        "<div class=\"scroll\"><table>\n<thead>" + row("th", it.head) + "</thead>\n<tbody>\n";
    for (const auto &cells : it.rows)
      text += row("td", cells);
    text += "</tbody></table></div>\n";
    return it.folded.empty() ? text
                             : fmt::format("<details><summary>{}</summary>\n{}</details>\n",
                                           htmlText(it.folded), text);
  }
  std::string operator()(const KeyFigures &it) const {
    std::string text = "<dl class=\"figures\">\n";
    for (const KeyFigures::Figure &each : it.figures)
      text += fmt::format("<div><dt>{}</dt><dd>{}<small>{}</small></dd></div>\n",
                          htmlText(each.name), htmlText(each.value), htmlText(each.remark));
    return text + "</dl>\n";
  }
  std::string operator()(const Picture &it) const {
    return fmt::format("<figure>\n{}<figcaption>{}</figcaption></figure>\n", it.svg,
                       htmlText(it.caption));
  }
  std::string operator()(const Listing &it) const {
    return fmt::format("<details><summary>{}</summary><pre>{}</pre></details>\n",
                       htmlText(it.title), escaped(llvm::json::fixUTF8(it.text)));
  }
};

/// Links to the sections.
std::string contents(const Article &article) {
  std::string text = "<nav aria-label=\"sections\">\n";
  for (const Block &block : article.blocks)
    if (const auto *heading = std::get_if<Heading>(&block); heading && heading->level == 2)
      text +=
          fmt::format("<a href=\"#{}\">{}</a>\n", anchorOf(heading->text), htmlText(heading->text));
  return text + "</nav>\n";
}

} // namespace

std::string escaped(std::string_view text) {
  std::string safe;
  for (char letter : text)
    switch (letter) {
    case '<':
      safe += "&lt;";
      break;
    case '>':
      safe += "&gt;";
      break;
    case '&':
      safe += "&amp;";
      break;
    case '"':
      safe += "&quot;";
      break;
    default:
      safe += letter;
    }
  return safe;
}

std::string htmlOf(const Article &article) {
  std::string text = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n<title>{}</title>\n<style>\n{}{}</style>\n</head>\n<body>\n"
      "<header><h1>{}</h1><p class=\"soft\">{}</p></header>\n{}<article>\n",
      htmlText(article.title), pagePart("style.css"), pagePart("article.css"),
      htmlText(article.title), htmlText(article.subtitle), contents(article));
  for (const Block &block : article.blocks)
    text += std::visit(HtmlWriter(), block);
  return text + "</article>\n</body>\n</html>\n";
}

std::string standalone(const Picture &picture) {
  const size_t inside = picture.svg.find('>') + 1;
  return picture.svg.substr(0, inside) +
         fmt::format("\n<style>\n{}</style>", pagePart("picture.css")) + picture.svg.substr(inside);
}

} // namespace mmk::report
