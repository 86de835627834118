// Writes the page around the data.
#include "report/article.h"
#include "report/page_parts.h"
#include "report/report.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <fmt/format.h>

namespace mmk::report {
namespace {

/// D3's licence requires its notice in each copy.
constexpr std::string_view licenceOfD3 = R"(/*!
D3 (https://d3js.org), used under the BSD 3-clause licence:

Copyright 2010-2017 Mike Bostock. All rights reserved.

Redistribution and use in source and binary forms, with or without modification, are permitted
provided that the following conditions are met:
* Redistributions of source code must retain the above copyright notice, this list of conditions and
  the following disclaimer.
* Redistributions in binary form must reproduce the above copyright notice, this list of conditions
  and the following disclaimer in the documentation and/or other materials provided with the
  distribution.
* Neither the name of the author nor the names of contributors may be used to endorse or promote
  products derived from this software without specific prior written permission.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR
IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT OWNER OR
CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL
DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE,
DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER
IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF
THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
*/
)";

std::string scripts() {
  std::string text = fmt::format("<script>\n{}{}</script>\n", licenceOfD3, pagePart("d3.min.js"));
  for (const auto &[file, script] : pageParts())
    if (file.ends_with(".js") && file != "d3.min.js")
      text += fmt::format("<script>\n{}</script>\n", script);
  return text;
}

} // namespace

std::string_view pagePart(std::string_view name) {
  for (const auto &[file, text] : pageParts())
    if (file == name)
      return text;
  return {};
}

std::string htmlOf(const Report &report) {
  const std::string title = escaped(llvm::json::fixUTF8(
      fmt::format("{} on {} - {}", report.kernel, report.machine, report.title)));
  const std::pair<std::string_view, std::string> values[] = {
      {"@TITLE@", title},
      {"@STYLE@", std::string(pagePart("style.css"))},
      {"@DATA@", documentOf(report)},
      {"@SCRIPTS@", scripts()},
  };
  std::string text;
  std::string_view rest = pagePart("page.html");
  for (const auto &[name, value] : values) {
    const size_t at = rest.find(name);
    text += rest.substr(0, at);
    text += value;
    rest.remove_prefix(at + name.size());
  }
  return text += rest;
}

} // namespace mmk::report
