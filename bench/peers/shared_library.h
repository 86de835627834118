// A library loaded by itself: two BLAS in one process export the same names.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace mmk::peers {

class SharedLibrary {
public:
  /// It resolves its own names first, and exports none of them.
  explicit SharedLibrary(const char *path) : handle_(dlopen(path, RTLD_NOW | RTLD_DEEPBIND)) {
    if (!handle_)
      fail();
  }

  template <typename Function> Function *get(const char *name) const {
    void *symbol = dlsym(handle_, name);
    if (!symbol)
      fail();
    return reinterpret_cast<Function *>(symbol);
  }

private:
  [[noreturn]] static void fail() {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(2);
  }
  void *handle_;
};

} // namespace mmk::peers
