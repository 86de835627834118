// Elementwise kernels, compared with a copy of the same tensors.
#include "bench/ceilings.h"
#include "bench/compiled.h"
#include "bench/peers/rows.h"
#include "runtime/data.h"
#include "runtime/threads.h"

#include <Eigen/Core>
#include <oneapi/dnnl/dnnl.hpp>
#include <unsupported/Eigen/SpecialFunctions>

#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>

namespace mmk::peers {
namespace {

constexpr int64_t rows = 4096, columns = 4096;

enum class Function { relu, gelu, add };
struct Kernel {
  Function function;
  const char *name, *text;
};
constexpr Kernel kernels[] = {
    {Function::relu, "relu", "kernel k(x: f32[M, N]) -> y: f32[M, N] { y = relu(x); }"},
    {Function::gelu, "gelu", "kernel k(x: f32[M, N]) -> y: f32[M, N] { y = gelu(x); }"},
    {Function::add, "add of a row",
     "kernel k(x: f32[M, N], v: f32[N]) -> y: f32[M, N] { y = x + v; }"}};

struct Data {
  Data() {
    fillWithData(x, DataKind::normal, 1, availableThreads());
    fillWithData(v, DataKind::normal, 2, 1);
  }
  Tensor x = llvm::cantFail(Tensor::allocate(ElementType::f32, {rows, columns}));
  Tensor v = llvm::cantFail(Tensor::allocate(ElementType::f32, {columns}));
};

double expected(Function function, double x, double v) {
  switch (function) {
  case Function::relu:
    return std::fmax(x, 0);
  case Function::gelu:
    return 0.5 * x * (1 + std::erf(x * M_SQRT1_2));
  case Function::add:
    return x + v;
  }
  return 0;
}

std::string whatIsWrong(Function function, const Data &data, const Tensor &result) {
  for (int64_t i = 0; i < rows * columns; i += 61) {
    const double wanted = expected(function, data.x[i], data.v[i % columns]);
    if (!(std::fabs(result[i] - wanted) <= 2e-6 * std::fmax(1, std::fabs(wanted))))
      return fmt::format("element {} is {}, expected {}", i, result[i], wanted);
  }
  return result.canariesIntact() ? "" : "wrote beyond its result";
}

Tensor newResult() { return llvm::cantFail(Tensor::allocate(ElementType::f32, {rows, columns})); }

Contender byMmk(const Kernel &kernel, const Data &data, unsigned threads) {
  auto compiled = std::make_shared<Compiled>(compile(kernel.text, "host"));
  Tensor result = newResult();
  Arguments arguments;
  for (const std::string &name : compiled->program.kernels[0]->dimensions)
    arguments.dims.push_back(name == "M" ? rows : columns);
  arguments.tensors = {data.x.data()};
  if (kernel.function == Function::add)
    arguments.tensors.push_back(data.v.data());
  arguments.scalars.assign(arguments.tensors.size(), 0);
  arguments.results = {result.data()};
  return {"mmk", false, std::move(result), [compiled, arguments, threads] {
            llvm::cantFail(compiled->executable->run(arguments, threads));
          }};
}

Contender byOneDnn(const Kernel &kernel, const Data &data, unsigned threads) {
  using dnnl::memory;
  auto *setThreads = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  setThreads(static_cast<int>(threads));
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const auto dense = [](int64_t m, int64_t n) {
    return memory::desc({m, n}, memory::data_type::f32, memory::format_tag::ab);
  };
  Tensor result = newResult();
  const memory x(dense(rows, columns), engine, const_cast<void *>(data.x.data())),
      v(dense(1, columns), engine, const_cast<void *>(data.v.data())),
      y(dense(rows, columns), engine, result.data());
  dnnl::primitive primitive;
  std::unordered_map<int, memory> arguments = {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}};
  if (kernel.function == Function::add) {
    primitive = dnnl::binary(dnnl::binary::primitive_desc(
        {dnnl::algorithm::binary_add, x.get_desc(), v.get_desc(), y.get_desc()}, engine));
    arguments.emplace(DNNL_ARG_SRC_1, v);
  } else {
    const auto algorithm = kernel.function == Function::relu ? dnnl::algorithm::eltwise_relu
                                                             : dnnl::algorithm::eltwise_gelu_erf;
    primitive = dnnl::eltwise_forward(dnnl::eltwise_forward::primitive_desc(
        {dnnl::prop_kind::forward_inference, algorithm, x.get_desc(), 0}, engine));
  }
  return {"oneDNN", false, std::move(result), [=, stream = dnnl::stream(engine)]() mutable {
            setThreads(static_cast<int>(threads));
            primitive.execute(stream, arguments);
            stream.wait();
          }};
}

/// Calls `body` for the rows of each thread.
void inParts(unsigned threads, llvm::function_ref<void(int64_t begin, int64_t count)> body) {
  const int64_t part = rows / threads;
  parallelFor(threads, threads, [&](int64_t i, unsigned) { body(i * part, part); });
}

Contender byEigen(const Kernel &kernel, const Data &data, unsigned threads) {
  using Rows = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Row = Eigen::Array<float, 1, Eigen::Dynamic>;
  Tensor result = newResult();
  float *y = result.as<float>();
  return {"Eigen", false, std::move(result), [&kernel, &data, threads, y] {
            const Eigen::Map<const Row> v(data.v.as<float>(), columns);
            inParts(threads, [&](int64_t begin, int64_t count) {
              const Eigen::Map<const Rows> in(data.x.as<float>() + begin * columns, count, columns);
              Eigen::Map<Rows> out(y + begin * columns, count, columns);
              switch (kernel.function) {
              case Function::relu:
                out = in.cwiseMax(0.0f);
                break;
              case Function::gelu:
                out = 0.5f * in * (1.0f + (in * static_cast<float>(M_SQRT1_2)).erf());
                break;
              case Function::add:
                out = in.rowwise() + v;
                break;
              }
            });
          }};
}

Row measure(const Kernel &kernel, unsigned threads, double seconds) {
  const Data data;
  std::vector<Contender> contenders;
  contenders.push_back(byMmk(kernel, data, threads));
  contenders.push_back(byOneDnn(kernel, data, threads));
  contenders.push_back(byEigen(kernel, data, threads));
  Row row{"elementwise", kernel.name, threads, 2.0 * sizeof(float) * rows * columns};
  Tensor copied = newResult();
  // With and without non-temporal stores; the faster is the ceiling.
  std::vector<double> copies[2];
  size_t turns = 0;
  row.contenders = takeTurns(
      contenders, threads, seconds,
      [&](const Tensor &result) { return whatIsWrong(kernel.function, data, result); },
      [&] {
        const size_t which = turns++ % 2;
        auto *copy =
            which ? +[](void *to, const void *from, size_t bytes) { std::memcpy(to, from, bytes); }
                  : copyPastCaches;
        const double seconds = timeOf(threads, [&] {
          inParts(threads, [&](int64_t begin, int64_t count) {
            copy(copied.as<float>() + begin * columns, data.x.as<float>() + begin * columns,
                 sizeof(float) * static_cast<size_t>(count * columns));
          });
        });
        copies[which].push_back(row.work / seconds);
      });
  row.ceiling = std::max(spreadOf(copies[0]).median, spreadOf(copies[1]).median);
  row.isBoundByMemory = true;
  return row;
}

} // namespace

std::vector<RowToMeasure> elementwiseRows() {
  std::vector<RowToMeasure> made;
  for (unsigned threads = 1; threads <= std::min(2u, availableThreads()); ++threads)
    for (const Kernel &kernel : kernels)
      made.push_back({fmt::format("{} {} thread{}", kernel.name, threads, threads == 1 ? "" : "s"),
                      threads, [=](double seconds) { return measure(kernel, threads, seconds); }});
  return made;
}

} // namespace mmk::peers
