// The interface of the frontend: text to checked kernels.
#pragma once

#include "frontend/kernel.h"
#include "frontend/whole.h"
#include "machines/machine.h"
#include "support/diagnostics.h"

#include <optional>
#include <string>

namespace mmk {

/// Parses and checks a .mmk text. On any error returns nothing; `diagnostics` holds all errors.
/// Messages name the text `path`. The diagnostics point into a SourceFile that the returned program
/// owns, or, on error, `keepFile`. With a machine, the tiles of the schedules for it are checked
/// against its cube; without one, only mmk-apply-variant checks the tiles that a variant chooses.
/// `wholes` are values of int parameters in place of their defaults.
std::optional<Program> checkProgram(std::string path, std::string text, Diagnostics &diagnostics,
                                    std::unique_ptr<SourceFile> &keepFile,
                                    const Machine *machine = nullptr,
                                    const WholeValues &wholes = {});

/// The abstract syntax tree as indented text (`mmk compile --emit=ast`): parsed, not checked.
std::optional<std::string> printSyntaxTree(std::string path, std::string text,
                                           Diagnostics &diagnostics,
                                           std::unique_ptr<SourceFile> &keepFile);

} // namespace mmk
