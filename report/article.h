// A text with tables and pictures, for people to read: built once, written as Markdown and as one
// HTML file. What it says is the caller's.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mmk::report {

// In every text, what stands between backquotes is code; the rest is shown as it is.

struct Heading {
  int level = 2; ///< 2 or 3; the title is 1
  std::string text;
};

struct Paragraph {
  std::string text;
  bool isNote = false; ///< set off from the others: what is missing, what to do
};

struct Bullets {
  std::vector<std::string> texts;
};

/// Rows of the same length as the head.
struct Grid {
  std::vector<std::string> head;
  std::string alignment; ///< "<" for a column of words, ">" for one of numbers
  std::vector<std::vector<std::string>> rows;
  std::string folded = ""; ///< a title: HTML then shows the rows on demand
};

/// A few figures that matter most, each with its name and a remark.
struct KeyFigures {
  struct Figure {
    std::string name, value, remark;
  };
  std::vector<Figure> figures;
};

struct Picture {
  std::string name; ///< of its file beside the Markdown, without folder: "S1-roofline.svg"
  std::string svg;  ///< an element `svg`; colours are the variables of `standalone`
  std::string caption;
};

/// A whole file or a long list, which HTML shows on demand.
struct Listing {
  std::string title, text;
};

using Block = std::variant<Heading, Paragraph, Bullets, Grid, KeyFigures, Picture, Listing>;

struct Article {
  std::string title, subtitle;
  std::vector<Block> blocks;

  void heading(int level, std::string text) { blocks.push_back(Heading{level, std::move(text)}); }
  void paragraph(std::string text) { blocks.push_back(Paragraph{std::move(text)}); }
  void note(std::string text) { blocks.push_back(Paragraph{std::move(text), /*isNote=*/true}); }
  void add(Block block) { blocks.push_back(std::move(block)); }
};

/// Markdown; pictures are files beside it.
std::string markdownOf(const Article &article);
/// One file, with its pictures and its style.
std::string htmlOf(const Article &article);
/// The picture as a file of its own, with its colours.
std::string standalone(const Picture &picture);

/// Text as it may stand in HTML.
std::string escaped(std::string_view text);

} // namespace mmk::report
