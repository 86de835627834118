// aicore.load3d in the emulated core: windows of an image as a matrix.
#pragma once

#include "codegen/program_values.h"

namespace mmk {

/// The windows as dense rows of pixels x depth, of the image's elements; valid until the function
/// returns. Gives their address; a row has as many elements as the target along its depth.
llvm::Value *emitWindows(aicore::Load3dOp op, Emitter &e, ProgramValues &values);

} // namespace mmk
