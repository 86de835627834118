#include "bench/peers/contenders.h"
#include "bench/peers/second_pass.h"
#include "bench/peers/shared_library.h"
#include "bench/peers/versions_of.h"

#include <string>

namespace mmk::peers {
namespace {

// As in its blis.h, which itself needs the header of OpenMP, of which clang has none without its
// own runtime.
constexpr int noTranspose = 0, architectureOfSkylakeX = 0;
using SgemmFunction = void(int transposeA, int transposeB, int64_t m, int64_t n, int64_t k,
                           const float *alpha, const float *a, int64_t rowStrideA,
                           int64_t columnStrideA, const float *b, int64_t rowStrideB,
                           int64_t columnStrideB, const float *beta, float *c, int64_t rowStrideC,
                           int64_t columnStrideC);

struct Blis {
  Blis() : library(prepared()) { library.get<void()>("bli_init")(); }
  SharedLibrary library;
  SgemmFunction *sgemm = library.get<SgemmFunction>("bli_sgemm");
  void (*setThreads)(int64_t) = library.get<void(int64_t)>("bli_thread_set_num_threads");
  int (*arch)() = library.get<int()>("bli_arch_query_id");
  const char *(*archName)(int) = library.get<const char *(int)>("bli_arch_string");
  const char *(*version)() = library.get<const char *()>("bli_info_get_version_str");

private:
  /// It looks up the number of FMA units by the CPU's name, and takes AVX2 where it knows none.
  static const char *prepared() {
    if (__builtin_cpu_supports("avx512f"))
      setenv("BLIS_ARCH_TYPE", std::to_string(architectureOfSkylakeX).c_str(), /*overwrite=*/0);
    return MMK_BLIS;
  }
};

const Blis &blis() {
  static const Blis loaded;
  return loaded;
}

} // namespace

Contenders ofBlis(const Problem &problem, const Operands &operands) {
  const auto setThreads = [](unsigned threads) { blis().setThreads(threads); };
  const auto product = [](const Problem &of, const float *a, const float *b, float *c) {
    const float one = 1, zero = 0;
    blis().sgemm(noTranspose, noTranspose, of.m, of.n, of.k, &one, a, of.k, 1, b, of.n, 1, &zero, c,
                 of.n, 1);
  };
  return byProductAndPass({"BLIS", setThreads, product}, problem, operands);
}

std::string blisVersion() {
  return std::string(blis().version()) + ", kernels of " + blis().archName(blis().arch());
}

} // namespace mmk::peers
