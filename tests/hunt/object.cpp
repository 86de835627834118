#include "tests/hunt/object.h"

#include "codegen/plan.h"
#include "codegen/program.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <bit>
#include <dlfcn.h>

namespace mmk::hunt {
namespace {

using namespace llvm;

/// A shared library of an object, removed from the disk as soon as it is loaded.
class Library {
public:
  static Expected<std::unique_ptr<Library>> link(StringRef object) {
    SmallString<128> path;
    int file;
    if (std::error_code error = sys::fs::createTemporaryFile("mmk-hunt", "o", file, path))
      return errorCodeToError(error);
    raw_fd_ostream(file, /*shouldClose=*/true) << object;
    const std::string library = (path + ".so").str();
    Expected<std::string> linker = findLinker();
    if (!linker)
      return linker.takeError();
    const int failed =
        sys::ExecuteAndWait(*linker, {*linker, "-shared", path.str(), "-o", library});
    sys::fs::remove(path);
    if (failed)
      return createStringError("the object does not link");
    void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    sys::fs::remove(library);
    if (!handle)
      return createStringError(dlerror());
    return std::unique_ptr<Library>(new Library(handle));
  }
  ~Library() { dlclose(handle_); }

  template <typename Function> Function find(const std::string &name) const {
    return reinterpret_cast<Function>(dlsym(handle_, name.c_str()));
  }

private:
  explicit Library(void *handle) : handle_(handle) {}
  static Expected<std::string> findLinker() {
    for (const char *name : {"ld.lld-22", "ld.lld", "ld"})
      if (ErrorOr<std::string> found = sys::findProgramByName(name))
        return *found;
    return createStringError("no linker");
  }
  void *handle_;
};

int64_t globalBytes(aicore::KernelOp kernel) {
  int64_t used = 0;
  kernel.walk([&](aicore::AllocOp alloc) {
    if (alloc.getSpace() != aicore::Space::gm)
      return;
    const int64_t alignment = aicore::machineOf(alloc).alignment(alloc.getSpace());
    const int64_t copies = alloc.getCopies();
    used = std::max<int64_t>(used, alloc.getOffset().value_or(0) +
                                       copies * alignTo(alloc.getBytes(), alignment));
  });
  return used;
}

/// Of dense tensors, in C order.
std::vector<std::vector<int64_t>> stridesOf(aicore::KernelOp kernel, ArrayRef<int64_t> dims) {
  std::vector<std::vector<int64_t>> all;
  for (mlir::ArrayAttr tensors : {kernel.getArgs(), kernel.getResults()})
    for (auto tensor : tensors.getAsRange<ir::NamedAttr>()) {
      std::vector<int64_t> strides(tensor.getDims().size());
      int64_t elements = 1;
      for (size_t i = strides.size(); i-- > 0;) {
        strides[i] = elements;
        int64_t extent = 0;
        if (tensor.getDims()[i].getValue().getAsInteger(10, extent))
          extent = dims[llvm::find(kernel.getDims(), mlir::Attribute(tensor.getDims()[i])) -
                        kernel.getDims().begin()];
        elements *= extent;
      }
      all.push_back(std::move(strides));
    }
  return all;
}

} // namespace

Error runObject(mlir::ModuleOp module, const Machine &machine, const Arguments &arguments) {
  Expected<std::string> object = emitCode(module, machine, CodeFormat::object);
  if (!object)
    return object.takeError();
  Expected<std::unique_ptr<Library>> library = Library::link(*object);
  if (!library)
    return library.takeError();

  aicore::KernelOp kernel = *module.getOps<aicore::KernelOp>().begin();
  std::vector<float> scalars(arguments.scalars.begin(), arguments.scalars.end());
  for (auto [i, argument] : enumerate(kernel.getBody().getArguments().slice(
           kernel.getDims().size(), arguments.scalars.size())))
    if (argument.getType().isInteger(32)) // its bits
      scalars[i] = std::bit_cast<float>(static_cast<int32_t>(arguments.scalars[i]));
  std::vector<void *> tensors;
  for (const void *tensor : arguments.tensors)
    tensors.push_back(const_cast<void *>(tensor));
  tensors.insert(tensors.end(), arguments.results.begin(), arguments.results.end());
  auto workspaces = kernel.getBody().getOps<aicore::WorkspaceOp>();
  std::vector<int64_t> bytes(std::distance(workspaces.begin(), workspaces.end()));
  (*library)->find<WorkspaceFunction>(workspacesName)(arguments.dims.data(), bytes.data());
  std::vector<std::vector<std::max_align_t>> memory;
  for (int64_t size : bytes) {
    memory.emplace_back(size / sizeof(std::max_align_t) + 8);
    tensors.push_back(
        reinterpret_cast<void *>(alignTo(reinterpret_cast<uintptr_t>(memory.back().data()), 64)));
  }
  const std::vector<std::vector<int64_t>> strides = stridesOf(kernel, arguments.dims);
  std::vector<const int64_t *> stridesByTensor;
  for (const std::vector<int64_t> &each : strides)
    stridesByTensor.push_back(each.data());
  KernelArguments all{arguments.dims.data(), scalars.data(), tensors.data(), stridesByTensor.data(),
                      nullptr};
  EmulatedCores cores(machine, kernel.getCores(), globalBytes(kernel));
  for (auto [i, phase] : enumerate(kernel.getBody().getOps<aicore::PhaseOp>())) {
    std::vector<int64_t> plan(PhasePlan(phase).size());
    (*library)->find<PlanFunction>(planName(i))(arguments.dims.data(), 1, plan.data());
    all.plan = plan.data();
    if (Error error = cores.run((*library)->find<PhaseFunction>(phaseName(i)), all, 1))
      return error;
  }
  return Error::success();
}

} // namespace mmk::hunt
