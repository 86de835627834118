#include "driver/bug.h"

#include "cli/ending.h"
#include "cli/terminal.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"

#include <algorithm>
#include <cctype>
#include <csignal>
#include <exception>
#include <fmt/format.h>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace mmk::driver {
namespace {

/// Made at the start: in a crash there may be no memory to make it.
std::string *reproduction = nullptr;

std::string quoted(std::string_view word) {
  const auto isPlain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("-_./=,:+@").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, isPlain))
    return std::string(word);
  std::string text = "'";
  for (char c : word)
    text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

/// Called when memory runs out inside LLVM, whose code is compiled without exceptions.
[[noreturn]] void endWithoutMemory() {
  llvm::sys::RunInterruptHandlers(); // removes files that are half written
  printError("error: out of memory\n");
  _exit(userError);
}

[[noreturn]] void endWithException() {
  try {
    if (const std::exception_ptr exception = std::current_exception())
      std::rethrow_exception(exception);
  } catch (const std::bad_alloc &) {
    endWithoutMemory();
  } catch (...) {
  }
  reportBug("an uncaught exception");
  _exit(bugInMmk);
}

[[noreturn]] void endAsBug(std::string_view what) {
  reportBug(what);
  _exit(bugInMmk);
}

/// Whether the system refuses the megabyte that malloc maps when its heap cannot grow.
bool memoryIsExhausted() {
  constexpr size_t heapStep = 1 << 20;
  void *memory =
      mmap(nullptr, heapStep, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return true;
  munmap(memory, heapStep);
  return false;
}

/// MLIR constructs the interfaces of operations in what malloc returns, null included, so a crash
/// where memory is exhausted is no fault of the program.
void endAfterSignal(void *) {
  if (memoryIsExhausted())
    endWithoutMemory();
  endAsBug("mmk has crashed");
}

} // namespace

void reproduceWith(int argc, char **argv) {
  static std::string line;
  line = "note: this is a bug in mmk; reproduce it with: mmk";
  for (int i = 1; i < argc; ++i)
    line += " " + quoted(argv[i]);
  line += '\n';
  reproduction = &line;
}

void reportCrashes() {
  // The next opened file would get the number of a closed standard stream.
  llvm::sys::Process::FixupStandardFileDescriptors();
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
  llvm::sys::AddSignalHandler(endAfterSignal, nullptr);
#endif
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGQUIT, SIG_DFL);
  llvm::install_fatal_error_handler([](void *, const char *reason, bool) { endAsBug(reason); });
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { endWithoutMemory(); });
  std::set_terminate(endWithException);
}

void reportBug(std::string_view what) {
  printError("error: ");
  printError(what);
  printError(what.ends_with('\n') ? "" : "\n");
  if (reproduction)
    printError(*reproduction);
}

} // namespace mmk::driver
