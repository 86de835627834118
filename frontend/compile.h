// The frontend's one entrance: text to checked kernels.
#pragma once

#include "frontend/kernel.h"
#include "machines/machine.h"
#include "support/diagnostics.h"

#include <optional>
#include <string>

namespace mmk {

/// Parses and checks a .mmk text. On any error returns nothing and has said in `diagnostics` all
/// that is wrong. `path` is what messages call the text. The diagnostics point into a SourceFile
/// that lives as long as `diagnostics` users need: it is owned by the returned program, or, on
/// error, by `keepFile`. With a machine, the tiles of the schedules for it are checked against its
/// cube; without, mmk-apply-variant does that alone, for the tiles that a variant chooses.
std::optional<Program> checkProgram(std::string path, std::string text, Diagnostics &diagnostics,
                                    std::unique_ptr<SourceFile> &keepFile,
                                    const Machine *machine = nullptr);

/// The abstract syntax tree as indented text (`mmk compile --emit=ast`): parsed, not checked.
std::optional<std::string> printSyntaxTree(std::string path, std::string text,
                                           Diagnostics &diagnostics,
                                           std::unique_ptr<SourceFile> &keepFile);

} // namespace mmk
