// The part of the host's interface (AscendCL) that the programs of mmk call, on this computer.
#pragma once

#include <cstddef>
#include <cstdint>

using aclError = int;
using aclrtStream = void *;
using aclFloat16 = uint16_t;
constexpr aclError ACL_SUCCESS = 0;
enum aclrtMemMallocPolicy { ACL_MEM_MALLOC_HUGE_FIRST };
enum aclrtMemcpyKind { ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST };

inline aclError aclInit(const char *) { return ACL_SUCCESS; }
inline aclError aclFinalize() { return ACL_SUCCESS; }
inline aclError aclrtSetDevice(int32_t) { return ACL_SUCCESS; }
inline aclError aclrtResetDevice(int32_t) { return ACL_SUCCESS; }
inline aclError aclrtCreateStream(aclrtStream *) { return ACL_SUCCESS; }
inline aclError aclrtDestroyStream(aclrtStream) { return ACL_SUCCESS; }
/// A launch returns when the kernel has run.
inline aclError aclrtSynchronizeStream(aclrtStream) { return ACL_SUCCESS; }

aclError aclrtMalloc(void **address, size_t bytes, aclrtMemMallocPolicy policy);
aclError aclrtFree(void *address);
aclError aclrtMemcpy(void *to, size_t room, const void *from, size_t bytes, aclrtMemcpyKind kind);

inline float aclFloat16ToFloat(aclFloat16 bits) {
  return static_cast<float>(__builtin_bit_cast(_Float16, bits));
}
inline aclFloat16 aclFloatToFloat16(float value) {
  return __builtin_bit_cast(aclFloat16, static_cast<_Float16>(value));
}
