#include "bench/compiled.h"
#include "bench/peers/contenders.h"

#include <map>

namespace mmk::peers {

Contenders ofMmk(const Problem &problem, const Operands &operands) {
  // One kernel a type serves all shapes.
  static std::map<std::pair<ElementType, bool>, Compiled> kernels;
  const std::pair key(problem.type, problem.batch != 0);
  auto found = kernels.find(key);
  if (found == kernels.end()) {
    const std::string text = fusedText(std::string(spelling(problem.type)), problem.batch != 0);
    found = kernels.emplace(key, compile(text, "host")).first;
  }
  const Compiled &kernel = found->second;

  Arguments arguments;
  const std::map<std::string, int64_t> dims = {
      {"B", problem.batch}, {"M", problem.m}, {"N", problem.n}, {"K", problem.k}};
  for (const std::string &name : kernel.program.kernels[0]->dimensions)
    arguments.dims.push_back(dims.at(name));
  arguments.tensors = {operands.a.data(), operands.b.data()};
  if (problem.type == ElementType::i8)
    arguments.tensors.push_back(operands.scale.data());
  arguments.tensors.push_back(operands.bias.data());
  arguments.tensors.push_back(nullptr);
  arguments.scalars.assign(arguments.tensors.size(), 0);
  arguments.scalars.back() = Operands::alpha;

  Tensor result = problem.result();
  arguments.results = {result.data()};
  Contenders made;
  made.push_back({"mmk", false, std::move(result),
                  [&executable = *kernel.executable, arguments, threads = problem.threads] {
                    llvm::cantFail(executable.run(arguments, threads));
                  }});
  return made;
}

} // namespace mmk::peers
