// The stream of the NPU on which PyTorch works: a declaration, to compile a registration.
#pragma once

namespace c10_npu {
struct NPUStream {
  /// Behind all that PyTorch has queued for it.
  void *stream() const;
};
NPUStream getCurrentNPUStream();
} // namespace c10_npu
