// `mmk compile --emit=ascendc`: a kernel's variant as a project in Ascend C.
#pragma once

#include "cli/run_case.h"
#include "compiler/compiler.h"
#include "driver/session.h"

#include <string>

namespace mmk::driver {

/// Plans with the room in UB that calls of the interface need (ascendc/vector_room.h), unless the
/// command line says how much of it is reserved.
void leaveRoom(Target &target);

/// Writes the project into a folder. With a case, its dimensions are those that the host program
/// runs by default, and the clock's prediction for them stands at the top. A program that cannot be
/// written is a UserError at its place.
void writeAscendcProject(Session &session, Lowering &lowering, const std::vector<RunCase> &runs,
                         const std::string &folder);

} // namespace mmk::driver
