// A text whose line breaks are not yet chosen, and its layout in lines of a width. The operations
// are those of Wadler's and Prettier's printers: a group is printed flat where it fits its line,
// and otherwise with all its breaks.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace mmk::format {

struct Node;
using Document = std::shared_ptr<const Node>;

/// Characters without a break. A text over several lines, a comment, is printed as it is.
Document text(std::string characters);
/// What ends its line: a comment. The next text is on a line of its own.
Document endingLine(std::string characters);
/// A space, or the end of a line.
Document breakOrSpace();
/// Nothing, or the end of a line.
Document breakOrNothing();
/// The end of a line, in every layout.
Document hardBreak();
/// The same, with an empty line.
Document emptyLine();
Document sequence(std::vector<Document> parts);
/// Flat where it fits, else with each of its own breaks.
Document group(std::vector<Document> parts);
/// Items with a separator between each two, which breaks where the next item does not fit.
Document filled(std::vector<Document> itemsAndSeparators);
/// Lines after the first are indented by `columns` more.
Document indented(int columns, std::vector<Document> parts);
/// Lines after the first begin at the column where the document begins.
Document aligned(std::vector<Document> parts);
/// The same for what is in brackets. Where these open far to the right and the content takes more
/// than one line, it begins on the next line, indented.
Document bracketed(std::vector<Document> parts);

/// The width of `document` on one line, in characters; beyond every width when it has a break.
int flatWidth(const Document &document);

/// The text in lines of `width` characters where that is possible. No line ends with a space; the
/// text ends with a line feed.
std::string layOut(const Document &document, int width);

} // namespace mmk::format
