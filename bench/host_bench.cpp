// The host's rate as a fraction of its ceiling: fused bias and leaky relu on one thread, for each
// type and shape, with the ceiling measured at the same time. Then elementwise kernels compared
// with a copy, and one emulated run compared with the host's.
#include "bench/ceilings.h"
#include "bench/compiled.h"
#include "runtime/data.h"
#include "runtime/tensor.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string>
#include <vector>

namespace mmk {
namespace {

/// Seeded tensors of a kernel at some dimensions.
struct Data {
  Data(const Kernel &kernel, const std::map<std::string, int64_t> &dims) {
    auto extents = [&](const Shape &shape) {
      std::vector<int64_t> all;
      for (const Dimension &dimension : shape)
        all.push_back(dimension.isLiteral() ? dimension.literal : dims.at(dimension.name));
      return all;
    };
    for (const std::string &name : kernel.dimensions)
      arguments.dims.push_back(dims.at(name));
    for (const Parameter &parameter : kernel.parameters) {
      arguments.scalars.push_back(parameter.byDefault.value_or(0));
      arguments.tensors.push_back(nullptr);
      if (parameter.isScalar())
        continue;
      tensors.push_back(llvm::cantFail(Tensor::allocate(parameter.type, extents(parameter.shape))));
      fillWithData(tensors.back(), DataKind::uniform, tensors.size(), 1);
      arguments.tensors.back() = tensors.back().data();
    }
    for (const Result &result : kernel.results) {
      tensors.push_back(llvm::cantFail(Tensor::allocate(result.type, extents(result.shape))));
      arguments.results.push_back(tensors.back().data());
    }
  }
  std::vector<Tensor> tensors;
  Arguments arguments;
};

/// The shortest of several runs, at least a few and for about half a second, in CPU seconds; and
/// the highest of the ceilings measured between them: a run cannot exceed it when the frequency
/// changes.
struct Measured {
  double seconds = 1e9;
  Ceilings ceilings;
};

Measured measure(Executable &executable, const Arguments &arguments) {
  Measured best;
  double spent = 0;
  for (int round = 0; round < 200 && (round < 4 || spent < 0.6); ++round) {
    const Ceilings now = measureCeilings();
    best.ceilings.f32 = std::max(best.ceilings.f32, now.f32);
    best.ceilings.bf16 = std::max(best.ceilings.bf16, now.bf16);
    best.ceilings.i8 = std::max(best.ceilings.i8, now.i8);
    int runs = 1;
    double seconds = 0;
    for (; seconds < 2e-3; runs *= 2) {
      const double begin = threadSeconds();
      for (int i = 0; i < runs; ++i)
        llvm::cantFail(executable.run(arguments, 1));
      seconds = threadSeconds() - begin;
      best.seconds = std::min(best.seconds, seconds / runs);
      spent += seconds;
    }
  }
  return best;
}

void products(const std::vector<std::string> &types) {
  const std::vector<std::array<int64_t, 3>> shapes = {
      {2048, 2048, 2048}, {4096, 1024, 4096}, {1024, 512, 1024}, {512, 128, 512},
      {1000, 1000, 1000}, {127, 129, 131},    {64, 64, 64},      {32, 32, 32},
      {16, 4096, 4096},   {1, 4096, 4096},    {4096, 1, 4096},   {4096, 64, 4096},
      {8192, 256, 64}};
  fmt::print("{:<18}{}\n", "M,N,K", "  GFLOP/s and fraction of the ceiling, by type");
  std::map<std::string, Compiled> kernels;
  for (const std::string &type : types)
    kernels.emplace(type, compile(fusedText(type), "host"));
  for (auto [m, n, k] : shapes) {
    fmt::print("{:<18}", fmt::format("{},{},{}", m, n, k));
    for (const std::string &type : types) {
      Compiled &kernel = kernels.at(type);
      Data data(*kernel.program.kernels[0], {{"M", m}, {"N", n}, {"K", k}});
      const Measured best = measure(*kernel.executable, data.arguments);
      const double rate = 2e-9 * double(m) * double(n) * double(k) / best.seconds;
      double ceiling = best.ceilings.f32;
      if (type == "i8" && best.ceilings.i8 > 0)
        ceiling = best.ceilings.i8;
      else if (type == "bf16")
        ceiling = std::max(ceiling, best.ceilings.bf16);
      fmt::print("  {:>4} {:7.1f} {:5.3f}", type, rate, rate / ceiling);
      std::fflush(stdout);
    }
    fmt::print("\n");
  }
}

void elementwise() {
  const double copy = measureCopyBandwidth();
  fmt::print("\ncopy {:.1f} GB/s; elementwise, f32[4096, 4096]:\n", copy);
  for (auto [name, body] : std::vector<std::pair<std::string, std::string>>{
           {"relu", "relu(x)"}, {"add a row", "x + v"}, {"gelu", "gelu(x)"}}) {
    Compiled kernel = compile(
        "kernel k(x: f32[M, N], v: f32[N]) -> y: f32[M, N] { y = " + body + " + 0 * v; }", "host");
    Data data(*kernel.program.kernels[0], {{"M", 4096}, {"N", 4096}});
    const Measured best = measure(*kernel.executable, data.arguments);
    const double rate = 8e-9 * 4096 * 4096 / best.seconds;
    fmt::print("  {:<10} {:6.1f} GB/s  {:5.3f} of the copy\n", name, rate, rate / copy);
  }
}

void emulated() {
  const std::map<std::string, int64_t> dims = {{"M", 2048}, {"N", 2048}, {"K", 2048}};
  Compiled host = compile(fusedText("f16"), "host"),
           core = compile(fusedText("f16"), "ascend910b3");
  Data data(*host.program.kernels[0], dims);
  const double onHost = measure(*host.executable, data.arguments).seconds;
  const double onCore = measure(*core.executable, data.arguments).seconds;
  fmt::print(
      "\n2048,2048,2048 f16 on an emulated core: {:.1f} ms, {:.2f} times the host's {:.1f}\n",
      onCore * 1e3, onCore / onHost, onHost * 1e3);
}

} // namespace
} // namespace mmk

int main(int argc, char **argv) {
  std::vector<std::string> types(argv + 1, argv + argc);
  if (types.empty())
    types = {"f32", "f16", "bf16", "i8"};
  const mmk::Ceilings ceilings = mmk::measureCeilings();
  fmt::print("one core: f32 {:.0f} GFLOP/s, vdpbf16ps {:.0f}, vpdpbusd {:.0f} GOP/s\n\n",
             ceilings.f32, ceilings.bf16, ceilings.i8);
  mmk::products(types);
  mmk::elementwise();
  mmk::emulated();
}
