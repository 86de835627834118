// Elements of a tile's tensors in memory, where they are not as they are computed with, or no
// single load or plain store moves them.
#pragma once

#include "codegen/emitter.h"

namespace mmk {

/// A condition is a byte in memory: its type, and elements or vectors on the way there and back.
llvm::Type *inMemory(Emitter &e, llvm::Type *type);
llvm::Value *toMemory(Emitter &e, llvm::Value *value);
llvm::Value *fromMemory(Emitter &e, llvm::Value *stored, llvm::Type *type);

/// The elements below `count` (null: all of the vector) at a stride of bytes, the others zero:
/// element by element, through a vector in memory.
llvm::Value *loadStrided(Emitter &e, llvm::Type *vector, llvm::Value *pointer, llvm::Value *stride,
                         llvm::Value *count);
void storeStrided(Emitter &e, llvm::Value *value, llvm::Value *pointer, llvm::Value *stride,
                  llvm::Value *count);

/// A non-temporal store, aligned to the vector. Those of a tile are visible to other cores after
/// the fence.
void storeStreamed(Emitter &e, llvm::Value *value, llvm::Value *pointer);
void fenceStreamed(Emitter &e);

} // namespace mmk
