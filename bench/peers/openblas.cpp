#include "bench/peers/contenders.h"
#include "bench/peers/second_pass.h"
#include "bench/peers/shared_library.h"
#include "bench/peers/versions_of.h"

#include <openblas-pthread/cblas.h>

namespace mmk::peers {
namespace {

struct OpenBlas {
  OpenBlas() : library(prepared()) {}
  SharedLibrary library;
  decltype(&cblas_sgemm) sgemm = library.get<decltype(cblas_sgemm)>("cblas_sgemm");
  decltype(&openblas_set_num_threads) setThreads =
      library.get<decltype(openblas_set_num_threads)>("openblas_set_num_threads");
  decltype(&openblas_get_corename) coreName =
      library.get<decltype(openblas_get_corename)>("openblas_get_corename");
  decltype(&openblas_get_config) config =
      library.get<decltype(openblas_get_config)>("openblas_get_config");

private:
  /// It knows no CPU newer than itself, and falls back to SSE on those. Read when it is loaded.
  static const char *prepared() {
    if (__builtin_cpu_supports("avx512f"))
      setenv("OPENBLAS_CORETYPE", "SkylakeX", /*overwrite=*/0);
    // Its threads have to sleep before the next library runs: spin for 2^20 cycles, not 2^26.
    setenv("OPENBLAS_THREAD_TIMEOUT", "20", /*overwrite=*/0);
    return MMK_OPENBLAS;
  }
};

const OpenBlas &openBlas() {
  static const OpenBlas loaded;
  return loaded;
}

} // namespace

Contenders ofOpenBlas(const Problem &problem, const Operands &operands) {
  const auto setThreads = [](unsigned threads) {
    openBlas().setThreads(static_cast<int>(threads));
  };
  const auto product = [](const Problem &of, const float *a, const float *b, float *c) {
    const auto m = static_cast<blasint>(of.m), n = static_cast<blasint>(of.n),
               k = static_cast<blasint>(of.k);
    openBlas().sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, k, b, n, 0, c, n);
  };
  return byProductAndPass({"OpenBLAS", setThreads, product}, problem, operands);
}

std::string openBlasVersion() {
  return std::string(openBlas().config()) + ", kernels of " + openBlas().coreName();
}

} // namespace mmk::peers
