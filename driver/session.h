// From the text of a file to the IR of one variant: the way that all commands on a program go.
#pragma once

#include "backend/backend.h"
#include "cli/target.h"
#include "compiler/compiler.h"
#include "frontend/compile.h"

namespace mmk::driver {

class Session {
public:
  /// Reads and checks the program and loads the machine; warnings go to standard error.
  /// Remarks of the passes, that something could be better, are for those who ask for them.
  explicit Session(const Target &target, bool showsRemarks = false);
  /// Another machine or variant of a program that is read and checked already.
  Session(const Session &other, const Target &target);

  const Program &program() const { return *program_; }
  const Machine &machine() const { return machine_; }
  /// A UserError of an option, or of a command, that needs a machine with a clock, on another.
  void expectClock(std::string_view who) const;
  /// The kernel that the user named, or the only one.
  const Kernel &kernel() const;
  /// All kernels, or the one that the user named.
  std::vector<const Kernel *> kernels() const;

  /// The variant that the user asked for, down to `level`. A variant that does not exist on this
  /// machine is a UserError, which names the nearest that does.
  Lowering lower(const Kernel &kernel, LoweringLevel level, const std::string &printAfter = "");

  /// The same with further choices, to be counted; null when it does not exist.
  Lowering tryLower(const Kernel &kernel, const Choices &choices);
  /// What `--set` fixes.
  Choices setChoices(const Kernel &kernel);
  /// What the user asked for, but for the choices.
  Target withoutChoices() const;
  /// The same of a text that may be no variant of this kernel.
  std::optional<Choices> tryChoicesOf(const Kernel &kernel, const std::string &variant);
  /// What `--variant` and `--set` fix.
  Choices fixedChoices(const Kernel &kernel);
  /// The choices of a printed variant.
  Choices choicesOf(const Kernel &kernel, const std::string &variant);

private:
  Target target_;
  bool showsRemarks_;
  Machine machine_;
  std::shared_ptr<const Program> program_;
  Compiler compiler_;
};

} // namespace mmk::driver
