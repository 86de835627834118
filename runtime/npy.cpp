#include "runtime/npy.h"

#include "runtime/npy_header.h"
#include "runtime/whole_file.h"

#include "llvm/Support/FileSystem.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace mmk {
namespace {

/// The dictionary of a tensor is a line; a longer one is refused.
constexpr uint32_t maxHeaderBytes = 65536;

struct Close {
  void operator()(FILE *file) const { fclose(file); }
};
using File = std::unique_ptr<FILE, Close>;

llvm::Error failure(const std::string &path, const std::string &message) {
  return llvm::createStringError(fmt::format("{}: {}", path, message));
}

llvm::Error systemFailure(const std::string &path, const std::string &what, int code) {
  return failure(path, fmt::format("{}: {}", what, strerror(code)));
}

llvm::Error truncated(const std::string &path, size_t expected, const char *what, size_t found) {
  return failure(
      path, fmt::format("truncated: expected {} bytes of {}, found {}", expected, what, found));
}

/// Reads exactly `count` bytes, or says how many there were.
llvm::Error readExactly(const std::string &path, FILE *file, void *target, size_t count,
                        const char *what) {
  const size_t found = fread(target, 1, count, file);
  if (found == count)
    return llvm::Error::success();
  if (ferror(file))
    return systemFailure(path, "cannot read", errno);
  return truncated(path, count, what, found);
}

/// Fails where a file is too short for the shape that it claims, before there is memory for it.
llvm::Error expectElements(const std::string &path, FILE *file, ElementType type,
                           const std::vector<int64_t> &shape) {
  struct stat status;
  const off_t at = ftello(file);
  if (at < 0 || fstat(fileno(file), &status) != 0 || !S_ISREG(status.st_mode))
    return llvm::Error::success(); // a pipe has no size
  size_t bytes = sizeInBytes(type);
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      return llvm::Error::success(); // too many bytes for memory, which is refused when it is
                                     // allocated
  const size_t found = static_cast<size_t>(std::max<off_t>(status.st_size - at, 0));
  return found < bytes ? truncated(path, bytes, "elements", found) : llvm::Error::success();
}

llvm::Expected<NpyHeader> readHeader(const std::string &path, FILE *file) {
  unsigned char start[8], length[4] = {};
  if (llvm::Error error = readExactly(path, file, start, sizeof start, "magic word"))
    return std::move(error);
  if (memcmp(start, "\x93NUMPY", 6) != 0)
    return failure(path, "not a .npy file: it does not start with \\x93NUMPY");
  const unsigned major = start[6], minor = start[7];
  if (major < 1 || major > 3 || minor != 0)
    return failure(path, fmt::format("expected version 1.0, 2.0 or 3.0 of the .npy format, found "
                                     "{}.{}",
                                     major, minor));
  if (llvm::Error error = readExactly(path, file, length, major == 1 ? 2 : 4, "header length"))
    return std::move(error);
  const uint32_t bytes =
      length[0] | length[1] << 8 | length[2] << 16 | static_cast<uint32_t>(length[3]) << 24;
  if (bytes > maxHeaderBytes)
    return failure(path, fmt::format("a header of {} bytes; expected at most {} bytes", bytes,
                                     maxHeaderBytes));
  std::string text(bytes, '\0');
  if (llvm::Error error = readExactly(path, file, text.data(), bytes, "header"))
    return std::move(error);
  llvm::Expected<NpyHeader> header = parseNpyHeader(text);
  if (!header)
    return failure(path, llvm::toString(header.takeError()));
  return header;
}

llvm::Error otherShape(const std::string &path, ElementType type,
                       const std::vector<int64_t> &expected, const std::vector<int64_t> &found) {
  return failure(
      path, fmt::format("expected {}, found {}", spelling(type, expected), spelling(type, found)));
}

llvm::Error writeAll(const std::string &path, int descriptor, const void *data, size_t count) {
  const char *at = static_cast<const char *>(data);
  while (count > 0) {
    const ssize_t written = ::write(descriptor, at, count);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return systemFailure(path, "cannot write", errno);
    at += written;
    count -= static_cast<size_t>(written);
  }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<std::vector<int64_t>> readNpyShape(const std::string &path) {
  const File file(fopen(path.c_str(), "rb"));
  if (!file)
    return systemFailure(path, "cannot open", errno);
  llvm::Expected<NpyHeader> header = readHeader(path, file.get());
  if (!header)
    return header.takeError();
  return header->shape;
}

llvm::Expected<Tensor> readNpy(const std::string &path, ElementType expected,
                               const std::vector<int64_t> *wanted) {
  const File file(fopen(path.c_str(), "rb"));
  if (!file)
    return systemFailure(path, "cannot open", errno);
  llvm::Expected<NpyHeader> header = readHeader(path, file.get());
  if (!header)
    return header.takeError();
  if (const std::string refusal = refuseNpyType(header->descr, expected); !refusal.empty())
    return failure(path, refusal);
  // A vector is the same in both orders, and NumPy calls some Fortran ones so.
  const auto isLong = [](int64_t extent) { return extent != 1; };
  if (header->fortranOrder && std::count_if(header->shape.begin(), header->shape.end(), isLong) > 1)
    return failure(path, "in Fortran order, expected C order; save np.ascontiguousarray(array)");

  if (llvm::Error error = expectElements(path, file.get(), expected, header->shape))
    return std::move(error);
  if (wanted && *wanted != header->shape)
    return otherShape(path, expected, *wanted, header->shape);
  llvm::Expected<Tensor> tensor = Tensor::allocate(expected, header->shape);
  if (!tensor)
    return failure(path, llvm::toString(tensor.takeError()));
  if (llvm::Error error =
          readExactly(path, file.get(), tensor->data(), tensor->bytes(), "elements"))
    return std::move(error);
  if (fgetc(file.get()) != EOF)
    return failure(path, fmt::format("bytes behind the {} bytes of elements of {}", tensor->bytes(),
                                     spelling(expected, tensor->shape)));
  return tensor;
}

llvm::Error expectShape(const Tensor &tensor, const std::string &path,
                        const std::vector<int64_t> &shape) {
  if (tensor.shape == shape)
    return llvm::Error::success();
  return otherShape(path, tensor.type, shape, tensor.shape);
}

llvm::Error writeNpy(const Tensor &tensor, const std::string &path) {
  // Renaming over a device or a directory would replace it instead of writing to it.
  if (llvm::sys::fs::exists(path) && !llvm::sys::fs::is_regular_file(path))
    return failure(path, "cannot write: not a regular file");
  llvm::Expected<WholeFile> file = WholeFile::beside(path);
  if (!file)
    return failure(path, "cannot write: " + llvm::toString(file.takeError()));
  const std::string header = writeNpyHeader(tensor.type, tensor.shape);
  if (llvm::Error error = writeAll(path, file->descriptor(), header.data(), header.size()))
    return error;
  if (llvm::Error error = writeAll(path, file->descriptor(), tensor.data(), tensor.bytes()))
    return error;
  if (llvm::Error kept = file->keep())
    return failure(path, "cannot write: " + llvm::toString(std::move(kept)));
  return llvm::Error::success();
}

} // namespace mmk
