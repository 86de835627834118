// Counting by the processes of `mpirun mmk tune`: rank 0 searches and distributes, the others
// count.
#pragma once

#include "tune/team.h"

namespace mmk::tune {

struct MpiTransport;

/// The transport of this process when mpirun has started it as one of several, else null. The error
/// says why it cannot communicate with the others.
llvm::Expected<const MpiTransport *> startMpi();

/// On rank 0. Its own threads count too, by `local`. The jobs of a rank that does not answer are
/// assigned to another, and it gets no more until it answers.
std::unique_ptr<Team> mpiTeam(const MpiTransport &mpi, std::unique_ptr<Team> local);

/// On the other ranks: counts the jobs received, by `local`, until rank 0 has finished.
void serveMpi(const MpiTransport &mpi, Team &local);

} // namespace mmk::tune
