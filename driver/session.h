// Lowers the text of a file to the IR of one variant, for all commands on a program.
#pragma once

#include "backend/backend.h"
#include "choose/chooser.h"
#include "cli/target.h"
#include "compiler/compiler.h"
#include "frontend/compile.h"

namespace mmk::driver {

/// Of a command line that names no machine.
inline constexpr const char *defaultMachine = "ascend910b3";

class Session {
public:
  /// Reads and checks the program and loads the machine; warnings go to standard error. `remarks`
  /// receives the passes' remarks on possible improvements; without it they are dropped.
  explicit Session(const Target &target, bool showsRemarks = false);
  /// Another machine or variant of a program that was read and checked before. `variant`: choices
  /// of its kernel beside those of the target.
  Session(const Session &other, const Target &target, Choices variant = {});

  const Program &program() const { return *program_; }
  const Machine &machine() const { return machine_; }
  /// A UserError of an option, or of a command, that needs a machine with a clock, on another.
  void expectClock(std::string_view who) const;
  /// The kernel that the user named, or the only one.
  const Kernel &kernel() const;
  /// All kernels, or the one that the user named.
  std::vector<const Kernel *> kernels() const;

  /// The IR of the variant of the command line, lowered to `level`. A variant that is not legal on
  /// this machine is a UserError, which names the nearest legal one.
  Lowering lower(const Kernel &kernel, LoweringLevel level, const std::string &printAfter = "");

  /// The same with further choices, for counting; null when it is not legal.
  Lowering tryLower(const Kernel &kernel, const Choices &choices,
                    LoweringLevel level = LoweringLevel::aicore);
  /// Chooses the variant of a shape, as far as the schedule and the command line leave it open.
  Chooser chooser(const Kernel &kernel);
  /// What `--set` fixes.
  Choices setChoices(const Kernel &kernel);
  /// The options of the command line without its choices.
  Target withoutChoices() const;
  /// What `--variant` and `--set` fix, and the session's variant.
  Choices fixedChoices(const Kernel &kernel);
  /// A session of a printed variant, in place of what the command line chooses.
  Session choosing(const std::string &variant);
  /// The choices of the text of a variant; nothing where it may be none of this kernel.
  std::optional<Choices> tryChoicesOf(const Kernel &kernel, const std::string &variant);
  /// The same of an option's text; a UserError that names it.
  Choices choicesOf(const Kernel &kernel, const std::string &option, const std::string &text);

private:
  Target target_;
  Choices variant_;
  bool showsRemarks_;
  Machine machine_;
  std::shared_ptr<const Program> program_;
  Compiler compiler_;
};

} // namespace mmk::driver
