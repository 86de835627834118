// The C API: handles, and errors as values. No exception leaves it.
#include "library/mmk.h"

#include "backend/backend.h"
#include "library/binding.h"
#include "library/kernel.h"
#include "reference/empty_call.h"
#include "runtime/clock.h"
#include "support/bytes.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <memory>
#include <new>

using namespace mmk;
using namespace mmk::library;

namespace {

/// Returned when there is no memory for an error.
mmk_error noMemory{MMK_NO_MEMORY, "not enough memory"};

template <typename Body> mmk_error *guarded(Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return &noMemory;
  } catch (const std::exception &exception) {
    try {
      return bug(exception.what());
    } catch (...) {
      return &noMemory;
    }
  } catch (...) {
    return &noMemory;
  }
}

/// Binds a call to the kernel, or to another form of it, which `kernel` is then: where dimensions
/// that it joins are why it refuses, and where dimensions of extent 1 are left out.
mmk_error *bind(const mmk_kernel *&kernel, llvm::ArrayRef<mmk_tensor> tensors,
                llvm::ArrayRef<mmk_scalar> scalars, const Arguments *&arguments) {
  auto &it = const_cast<mmk_kernel &>(*kernel);
  mmk_error *error = it.signature->bind(tensors, scalars, arguments);
  if (!error) {
    mmk_kernel *form = formForUnits(it, arguments->dims);
    if (form == kernel)
      return nullptr;
    if (mmk_error *refusal = form->signature->bind(tensors, scalars, arguments)) {
      // Such as a result in the memory of a parameter, which one of the two allows.
      mmk_error_free(refusal);
      return it.signature->bind(tensors, scalars, arguments);
    }
    kernel = form;
    return nullptr;
  }
  if (!it.signature->isBetterApart(tensors))
    return error;
  mmk_error_free(error);
  mmk_kernel *apart = nullptr;
  if ((error = compileAs(it, {/*joinsDimensions=*/false}, apart)))
    return error;
  kernel = apart;
  return apart->signature->bind(tensors, scalars, arguments);
}

/// Checked before the run, so that nothing is written when memory is short.
mmk_error *expectRoom(const mmk_kernel &kernel, const Arguments &arguments, size_t most) {
  uint64_t bytes = 0;
  std::string parts;
  for (const Workspace &workspace : kernel.executable->workspaces(arguments.dims)) {
    bytes = llvm::SaturatingAdd(bytes, static_cast<uint64_t>(workspace.bytes));
    parts += fmt::format("{}{}: {}", parts.empty() ? "" : ", ", workspace.name,
                         inBytes(workspace.bytes));
  }
  if (bytes <= most)
    return nullptr;
  return new mmk_error{MMK_NO_MEMORY,
                       fmt::format("not enough memory: the intermediate tensors need {} ({}), but "
                                   "max_memory is {}",
                                   inBytes(static_cast<int64_t>(bytes)), parts,
                                   inBytes(static_cast<int64_t>(most)))};
}

mmk_error *errorOf(llvm::Error failed) {
  if (!failed)
    return nullptr;
  std::string message = llvm::toString(std::move(failed));
  if (message.starts_with("not enough memory"))
    return new mmk_error{MMK_NO_MEMORY, std::move(message)};
  return bug(std::move(message));
}

/// A call in which a dimension is 0.
mmk_error *runWithoutLaunch(const mmk_kernel &kernel, const Arguments &with, unsigned threads) {
  const Kernel &it = *kernel.kernel;
  const bool reads = std::ranges::any_of(
      it.results, [&](const Result &result) { return hasElements(it, result.shape, with.dims); });
  for (size_t i = 0; reads && i < it.parameters.size(); ++i)
    if (with.packed[i] && hasElements(it, it.parameters[i].shape, with.dims))
      return mistake(fmt::format("'{}' is packed, and no kernel is launched where a dimension is "
                                 "0; legal: the plain tensor",
                                 it.parameters[i].name));
  llvm::Error failed = runEmptyCall(
      it, {with.dims, with.scalars, with.tensors, with.results, with.strides}, threads);
  return errorOf(std::move(failed));
}

/// Far above what programs have, and far below what would fill the memory.
constexpr size_t maximumBytes = size_t(16) << 20;

/// Reads a file, up to one byte beyond the limit; returns an errno, or 0.
int readSome(const char *path, std::string &text) {
  const std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(path, "rb"), &std::fclose);
  if (!file)
    return errno;
  char block[65536];
  while (text.size() <= maximumBytes)
    if (const size_t count = std::fread(block, 1, sizeof block, file.get()))
      text.append(block, count);
    else
      return std::ferror(file.get()) ? errno : 0;
  return 0;
}

mmk_error *compileText(std::string text, std::string name, const mmk_compile_options *options,
                       mmk_kernel **kernel) {
  if (text.size() > maximumBytes)
    return mistake(name + " has more than 16 MiB, which no program needs");
  auto made = std::make_unique<mmk_kernel>();
  if (mmk_error *error = compile(std::move(text), std::move(name),
                                 options ? *options : mmk_compile_options{}, *made))
    return error;
  *kernel = made.release();
  return nullptr;
}

} // namespace

extern "C" {

const char *mmk_version(void) { return MMK_VERSION; }

mmk_error_kind mmk_error_kind_of(const mmk_error *error) { return error->kind; }

const char *mmk_error_message(const mmk_error *error) { return error->message.c_str(); }

void mmk_error_free(mmk_error *error) {
  if (error != &noMemory)
    delete error;
}

mmk_error *mmk_compile(const char *text, const char *name, const mmk_compile_options *options,
                       mmk_kernel **kernel) {
  return guarded([&]() -> mmk_error * {
    if (!text || !kernel)
      return mistake("mmk_compile expects a text and a place for the kernel, found NULL");
    *kernel = nullptr;
    return compileText(text, name ? name : "kernel.mmk", options, kernel);
  });
}

mmk_error *mmk_compile_file(const char *path, const mmk_compile_options *options,
                            mmk_kernel **kernel) {
  return guarded([&]() -> mmk_error * {
    if (!path || !kernel)
      return mistake("mmk_compile_file expects a path and a place for the kernel, found NULL");
    *kernel = nullptr;
    std::string text;
    if (const int code = readSome(path, text))
      return mistake(fmt::format("cannot read {}: {}", path, std::strerror(code)));
    return compileText(std::move(text), path, options, kernel);
  });
}

void mmk_kernel_free(mmk_kernel *kernel) { delete kernel; }

const char *mmk_kernel_name(const mmk_kernel *kernel) { return kernel->kernel->name.c_str(); }

const char *mmk_kernel_variant(const mmk_kernel *kernel) { return kernel->variant.c_str(); }

size_t mmk_kernel_arguments(const mmk_kernel *kernel) { return kernel->dimensions.size(); }

int mmk_kernel_argument(const mmk_kernel *kernel, size_t index, mmk_argument *argument) {
  if (!argument || index >= kernel->dimensions.size())
    return 0;
  const Kernel &it = *kernel->kernel;
  const size_t parameters = it.parameters.size();
  *argument = {};
  argument->is_result = index >= parameters;
  argument->name = argument->is_result ? it.results[index - parameters].name.c_str()
                                       : it.parameters[index].name.c_str();
  argument->type =
      typeOf(argument->is_result ? it.results[index - parameters].type : it.parameters[index].type);
  const std::vector<std::string> &dimensions = kernel->dimensions[index];
  argument->rank = static_cast<int>(dimensions.size());
  std::ranges::transform(dimensions, argument->dimensions,
                         [](const std::string &name) { return name.c_str(); });
  return 1;
}

int mmk_kernel_argument_is_constant(const mmk_kernel *kernel, size_t index) {
  const std::vector<Parameter> &parameters = kernel->kernel->parameters;
  return index < parameters.size() && parameters[index].isConstant;
}

mmk_error *mmk_run(const mmk_kernel *kernel, const mmk_tensor *tensors, size_t tensor_count,
                   const mmk_scalar *scalars, size_t scalar_count, const mmk_run_options *options) {
  return guarded([&]() -> mmk_error * {
    const Arguments *arguments = nullptr;
    if (mmk_error *error = bind(kernel, llvm::ArrayRef(tensors, tensor_count),
                                llvm::ArrayRef(scalars, scalar_count), arguments))
      return error;
    if (isEmptyCall(arguments->dims))
      return runWithoutLaunch(*kernel, *arguments, options ? options->threads : 0);
    if (options && options->max_memory != 0)
      if (mmk_error *error = expectRoom(*kernel, *arguments, options->max_memory))
        return error;
    const unsigned threads = options ? options->threads : 0;
    llvm::Error failed = kernel->executable->run(*arguments, threads);
    if (failed) // the variant may be too small for these dimensions
      if (std::string problem = kernel->limitProblem(arguments->dims); !problem.empty()) {
        llvm::consumeError(std::move(failed));
        return mistake(std::move(problem));
      }
    return errorOf(std::move(failed));
  });
}

mmk_error *mmk_result_extents(const mmk_kernel *kernel, const mmk_tensor *tensors,
                              size_t tensor_count, int64_t (*extents)[MMK_MAX_RANK]) {
  return guarded([&]() -> mmk_error * {
    if (!kernel || !extents)
      return mistake("mmk_result_extents expects a kernel and room for the extents, found NULL");
    return kernel->signature->inferResults(llvm::ArrayRef(tensors, tensor_count), extents);
  });
}

mmk_error *mmk_pack(const mmk_kernel *kernel, const mmk_tensor *tensor, void *packed,
                    size_t *bytes) {
  return guarded([&]() -> mmk_error * {
    if (!kernel || !tensor || !bytes)
      return mistake("mmk_pack expects a kernel, a tensor and a number of bytes, found NULL");
    return kernel->signature->pack(*tensor, packed, *bytes);
  });
}

mmk_error *mmk_count(const mmk_kernel *kernel, const mmk_dimension *dimensions,
                     size_t dimension_count, int64_t *cycles, double *microseconds) {
  return guarded([&]() -> mmk_error * {
    const Backend &backend = backendOf(kernel->machine.kind);
    if (!backend.hasClock())
      return mistake("the host has no clock but the real one; compile for an AI core to count");
    std::vector<int64_t> values;
    if (mmk_error *error =
            kernel->signature->bindDimensions(llvm::ArrayRef(dimensions, dimension_count), values))
      return error;
    auto &it = const_cast<mmk_kernel &>(*kernel);
    std::lock_guard lock(it.counting);
    llvm::Expected<ClockReport> report = backend.estimate(it.lowering.kernel(), it.machine, values);
    if (!report)
      return bug(llvm::toString(report.takeError()));
    if (cycles)
      *cycles = report->cycles;
    if (microseconds)
      *microseconds = report->microseconds;
    return nullptr;
  });
}

} // extern "C"
