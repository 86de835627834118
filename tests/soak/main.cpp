// The life of a long-running process: kernels compiled through the library, run, checked and freed.
// The memory in use must not grow.
//
//   mmk-soak COUNT      exit code 1 when a result is wrong or memory grew by more than 2 %
//
// Of a hundred kernels 99 come from the cache of compiled code, as in a service that has been
// restarted; one is compiled to its end.
#include "library/mmk.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

constexpr int64_t coldEvery = 100;

struct Work {
  const char *text, *machine, *variant;
};

// Elementwise and a product, host and emulated, one and several threads.
constexpr Work works[] = {
    {"kernel twice(x: f32[N]) -> y: f32[N] { y = x + x; }", "host", nullptr},
    {"kernel twice(x: f32[N]) -> y: f32[N] { y = x + x; }", "ascend910b3", nullptr},
    {"kernel twice(x: f32[N]) -> y: f32[N] { y = relu(x) + x; }", "host", nullptr},
    {"kernel sum(x: f32[1, N], b: f32[N, 1]) -> y: f32[1, 1] { y = x @ b; }", "host", nullptr},
    {"kernel sum(x: f32[1, N], b: f32[N, 1]) -> y: f32[1, 1] { y = x @ b; }", "ascend910b3",
     "cores=1,buffers.l1=1"},
};

[[noreturn]] void give(const char *what) {
  std::fprintf(stderr, "error: %s\n", what);
  std::exit(1);
}

void expectNone(mmk_error *error) {
  if (error)
    give(mmk_error_message(error));
}

/// Compiles, runs, checks and frees.
void cycle(const Work &work, int64_t number, const char *cache) {
  mmk_compile_options options = {};
  options.machine = work.machine;
  options.variant = work.variant;
  options.cache_directory = number % coldEvery == 0 ? nullptr : cache;
  mmk_kernel *kernel = nullptr;
  expectNone(mmk_compile(work.text, "soak.mmk", &options, &kernel));

  const bool sums = mmk_kernel_arguments(kernel) == 3;
  const int64_t n = 1 + number % 100;
  std::vector<float> x(n, 3), b(n, 1), y(sums ? 1 : n, -1);
  const mmk_tensor elementwise[] = {{"x", x.data(), MMK_F32, 1, {n}, {}},
                                    {"y", y.data(), MMK_F32, 1, {n}, {}}};
  const mmk_tensor product[] = {{"x", x.data(), MMK_F32, 2, {1, n}, {}},
                                {"b", b.data(), MMK_F32, 2, {n, 1}, {}},
                                {"y", y.data(), MMK_F32, 2, {1, 1}, {}}};
  const mmk_run_options threads = {static_cast<unsigned>(1 + number % 3), 0};
  expectNone(mmk_run(kernel, sums ? product : elementwise, sums ? 3 : 2, nullptr, 0, &threads));
  if (std::ranges::any_of(y, [&](float value) { return value != (sums ? 3.0f * n : 6.0f); }))
    give("a result is wrong");
  mmk_kernel_free(kernel);
}

double residentMiB() {
  long pages = 0, resident = 0;
  FILE *file = std::fopen("/proc/self/statm", "r");
  if (!file || std::fscanf(file, "%ld %ld", &pages, &resident) != 2)
    give("cannot read /proc/self/statm");
  std::fclose(file);
  return static_cast<double>(resident) * sysconf(_SC_PAGESIZE) / (1 << 20);
}

} // namespace

int main(int argc, char **argv) {
  const int64_t count = argc == 2 ? std::atoll(argv[1]) : 0;
  if (count < 200)
    give("usage: mmk-soak COUNT, at least 200");
  std::string folder = (std::filesystem::temp_directory_path() / "mmk-soak-XXXXXX").string();
  if (!mkdtemp(folder.data()))
    give("cannot make a folder for the cache");

  // After a tenth of the runs, one-time allocations are made, and the allocator's pools have their
  // size.
  const int64_t warm = std::min<int64_t>(count / 10, 10000);
  const auto begin = std::chrono::steady_clock::now();
  double first = 0, most = 0;
  for (int64_t i = 0; i < count; ++i) {
    cycle(works[i % std::size(works)], i, folder.c_str());
    if (i == warm)
      first = residentMiB();
    if (i >= warm && i % 100 == 0)
      most = std::max(most, residentMiB());
    if ((i + 1) % std::max<int64_t>(1, count / 10) == 0) {
      std::printf("%9lld cycles  %7.1f MiB resident\n", static_cast<long long>(i + 1),
                  residentMiB());
      std::fflush(stdout);
    }
  }
  std::filesystem::remove_all(folder);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const double growth = 100 * (most / first - 1);
  std::printf("%lld kernels compiled, %lld of them without the cache, run and freed, %.2f ms each; "
              "from the %lldth on resident memory grew by at most %.2f %% of %.1f MiB\n",
              static_cast<long long>(count), static_cast<long long>((count - 1) / coldEvery + 1),
              1e3 * seconds / static_cast<double>(count), static_cast<long long>(warm), growth,
              first);
  return growth <= 2 ? 0 : 1;
}
