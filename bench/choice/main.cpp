#include "choose/chooser.h"
#include "frontend/compile.h"
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>
using namespace mmk;
int main(int argc, char **argv) {
  std::ifstream in(argv[1]);
  std::stringstream text;
  text << in.rdbuf();
  auto machine = llvm::cantFail(loadMachine(argv[2]));
  Diagnostics d;
  std::unique_ptr<SourceFile> keep;
  auto program = checkProgram(argv[1], text.str(), d, keep, &machine);
  if (!program) {
    printf("%s", d.render().c_str());
    return 1;
  }
  const Kernel &kernel = *program->kernels.front();
  Compiler compiler(*program, machine);
  std::vector<int64_t> dims;
  for (auto &name : kernel.dimensions)
    for (int i = 4; i < argc; ++i)
      if (std::string(argv[i]).substr(0, name.size() + 1) == name + "=")
        dims.push_back(std::stoll(argv[i] + name.size() + 1));
  for (int rep = 0; rep < 2; ++rep) {
    auto t0 = std::chrono::steady_clock::now();
    Chooser chooser(compiler, kernel, machine, {});
    chooser.mostTiles = std::stoi(argv[3]);
    auto chosen = chooser.choose(dims);
    double ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - t0).count();
    if (rep == 0)
      continue;
    printf("%.1f ms, best %ld\n", ms, chosen ? chosen->cycles : 0);
    if (chosen)
      for (auto &c : chosen->counted) {
        printf("%10.0f %10ld %6.2f  ", c.predicted, c.cycles, c.predicted / c.cycles);
        for (auto &[k, w] : c.choices)
          printf("%s=%s ", k.c_str(), w.c_str());
        printf("\n");
      }
  }
}
