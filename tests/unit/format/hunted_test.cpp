// Programs that the hunt draws: formatting keeps them.
#include "tests/hunt/sample.h"
#include "tests/unit/format/formatted.h"

namespace mmk {
namespace {

TEST(Hunted, ProgramsAreSound) {
  using Kernels = hunt::Series::Kernels;
  for (uint64_t number = 0; number < samplesOr(300); ++number) {
    const Kernels kernels = number % 3 == 0   ? Kernels::all
                            : number % 3 == 1 ? Kernels::attention
                                              : Kernels::convolution;
    expectSound(text(hunt::draw({.seed = 1, .kernels = kernels}, number).kernel));
  }
}

} // namespace
} // namespace mmk
