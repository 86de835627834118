#include "tests/hunt/child.h"

#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <new>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mmk::hunt {
namespace {

constexpr unsigned longestSeconds = 60;

/// CPU time of the child, however busy the computer is; a child that waits forever uses none, and
/// has longer.
void limitTime() {
  const itimerval own = {{0, 0}, {longestSeconds, 0}};
  setitimer(ITIMER_PROF, &own, nullptr);
  alarm(20 * longestSeconds);
}

/// The message of a child.
struct Told {
  uint64_t number;
  Tally tally;
  Outcome::What what;
  char property[128], message[8192];

  void tell(const Outcome &outcome) {
    what = outcome.what;
    snprintf(property, sizeof property, "%s", outcome.property.c_str());
    snprintf(message, sizeof message, "%s", outcome.message.c_str());
  }
};

class SharedTold {
public:
  SharedTold() {
    void *memory =
        mmap(nullptr, sizeof(Told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      std::abort();
    told_ = new (memory) Told{};
  }
  ~SharedTold() { munmap(told_, sizeof(Told)); }
  Told *operator->() { return told_; }

private:
  Told *told_;
};

/// Runs `work` in a child; returns how it ended.
Outcome inChild(SharedTold &told, const std::function<void()> &work) {
  fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGALRM))
    return {Outcome::What::failed, "a sample ends", "it took more than a minute"};
  if (WIFSIGNALED(status))
    return {Outcome::What::failed, "nothing ends the process",
            fmt::format("ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))};
  if (WEXITSTATUS(status) != 0)
    return {Outcome::What::failed, "nothing ends the process",
            fmt::format("ended with code {}", WEXITSTATUS(status))};
  return {told->what, told->property, told->message};
}

} // namespace

Outcome attemptInChild(const Sample &sample) {
  SharedTold told;
  return inChild(told, [&] {
    limitTime();
    Tally tally;
    told->tell(attempt(sample, tally));
  });
}

std::optional<Found> attemptAll(const Series &series, uint64_t first, uint64_t end, Tally &tally) {
  SharedTold told;
  told->tally = tally;
  const Outcome outcome = inChild(told, [&] {
    for (told->number = first; told->number < end; ++told->number) {
      limitTime();
      const Outcome outcome = attempt(draw(series, told->number), told->tally);
      told->tell(outcome);
      if (outcome.failed())
        return;
    }
  });
  tally = told->tally;
  if (!outcome.failed())
    return std::nullopt;
  return Found{told->number, outcome};
}

} // namespace mmk::hunt
