#include "frontend/compile.h"

#include "frontend/check_kernel.h"
#include "frontend/parser.h"
#include "frontend/text.h"
#include "support/timing.h"

#include <fmt/format.h>

namespace mmk {
namespace {

std::optional<ast::Program> parseText(std::string path, std::string text, Diagnostics &diagnostics,
                                      std::unique_ptr<SourceFile> &file) {
  const TimedScope timed("parse");
  file = fileOf(std::move(path), std::move(text), diagnostics);
  return diagnostics.hasErrors() ? std::nullopt : parse(*file, diagnostics);
}

void refuseTwins(const std::vector<ast::Kernel> &kernels, Diagnostics &diagnostics) {
  std::map<std::string, SourceRange> seen;
  for (const ast::Kernel &kernel : kernels) {
    const auto [first, isNew] = seen.try_emplace(kernel.name.text, kernel.name.where);
    if (!isNew)
      diagnostics
          .error(kernel.name.where,
                 fmt::format("the kernel '{}' is defined twice", kernel.name.text))
          .notes.push_back({Severity::note, first->second, "first here", {}});
  }
}

} // namespace

std::vector<std::unique_ptr<Kernel>> checkKernels(const ast::Program &tree, const SourceFile &file,
                                                  const Machine *machine, const WholeValues &wholes,
                                                  Diagnostics &diagnostics) {
  if (tree.kernels.empty())
    diagnostics.error({&file, 0, 0}, "the file has no kernel; expected kernel NAME(...) -> ...");
  refuseTwins(tree.kernels, diagnostics);
  const Functions functions(tree, diagnostics);
  std::vector<std::unique_ptr<Kernel>> kernels;
  for (const ast::Kernel &kernel : tree.kernels)
    kernels.push_back(checkKernel(kernel, functions, machine, wholes, diagnostics));
  return kernels;
}

std::optional<Program> checkProgram(std::string path, std::string text, Diagnostics &diagnostics,
                                    std::unique_ptr<SourceFile> &keepFile, const Machine *machine,
                                    const WholeValues &wholes) {
  std::optional<ast::Program> tree =
      parseText(std::move(path), std::move(text), diagnostics, keepFile);
  if (!tree)
    return std::nullopt;

  const TimedScope timed("check");
  Diagnostics found;
  Program program;
  program.kernels = checkKernels(*tree, *keepFile, machine, wholes, found);

  for (const Diagnostic &diagnostic : found.all())
    diagnostics.add(diagnostic);
  if (found.hasErrors())
    return std::nullopt;
  program.file = std::move(keepFile);
  return program;
}

std::optional<std::string> printSyntaxTree(std::string path, std::string text,
                                           Diagnostics &diagnostics,
                                           std::unique_ptr<SourceFile> &keepFile) {
  const std::optional<ast::Program> tree =
      parseText(std::move(path), std::move(text), diagnostics, keepFile);
  if (!tree)
    return std::nullopt;
  return ast::print(*tree);
}

} // namespace mmk
