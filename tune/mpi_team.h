// Counting by the processes of `mpirun mmk tune`: rank 0 searches and distributes, the others
// count.
#pragma once

#include "tune/team.h"

namespace mmk::tune {

struct MpiTransport;

/// The transport of this process when mpirun has started it as one of several, else null. The error
/// says why it cannot talk to the others.
llvm::Expected<const MpiTransport *> startMpi();

/// On rank 0. Its own threads count too, by `local`. A rank that does not answer costs its share
/// only: what it was given is given to another, and it gets no more until it is heard of.
std::unique_ptr<Team> mpiTeam(const MpiTransport &mpi, std::unique_ptr<Team> local);

/// On the other ranks: counts what comes, by `local`, until rank 0 has done.
void serveMpi(const MpiTransport &mpi, Team &local);

} // namespace mmk::tune
