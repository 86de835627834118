// The result of `mmk tune`: as text, as JSON, and as files.
#pragma once

#include "store/result.h"

#include "llvm/Support/JSON.h"

namespace mmk::driver {

/// The table of the winners and the effort of the search.
std::string text(const tune::TuneResult &result);

/// The object of a case, with every variant.
void write(llvm::json::OStream &out, const tune::TuneResult &result, const tune::CaseResult &each);

/// A row for each variant of each case, the best first.
std::string summaryTable(const tune::TuneResult &result);
/// The best of each case, in Markdown.
std::string summaryPage(const tune::TuneResult &result);

} // namespace mmk::driver
