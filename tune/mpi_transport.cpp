// The module that is loaded under mpirun; the only code that calls MPI.
#include "tune/mpi_transport.h"

#include <cstdlib>
#include <list>
#include <mpi.h>
#include <unistd.h>
#include <vector>

namespace mmk::tune {
namespace {

constexpr int tag = 0;

struct Outgoing {
  std::vector<char> bytes;
  MPI_Request request = MPI_REQUEST_NULL;
};
/// Buffers of messages until they are sent; those to a lost rank stay.
std::list<Outgoing> outgoing;
std::vector<char> incoming;

bool hasGone(Outgoing &message) {
  int done = 0;
  return MPI_Test(&message.request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done;
}

void send(int to, const char *bytes, size_t count) {
  outgoing.remove_if(hasGone);
  Outgoing &message = outgoing.emplace_back();
  message.bytes.assign(bytes, bytes + count);
  MPI_Isend(message.bytes.data(), static_cast<int>(count), MPI_CHAR, to, tag, MPI_COMM_WORLD,
            &message.request);
}

int take(const char **bytes, size_t *count) {
  int found = 0, length = 0;
  MPI_Status status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &found, &status) != MPI_SUCCESS || !found)
    return -1;
  MPI_Get_count(&status, MPI_CHAR, &length);
  incoming.resize(length);
  if (MPI_Recv(incoming.data(), length, MPI_CHAR, status.MPI_SOURCE, tag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE) != MPI_SUCCESS)
    return -1;
  *bytes = incoming.data();
  *count = incoming.size();
  return status.MPI_SOURCE;
}

// MPI_Finalize waits for all ranks, also for a lost one.
void finish(bool isWhole) {
  if (isWhole)
    MPI_Finalize();
}

} // namespace

extern "C" const MpiTransport *mmkStartMpi() {
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS ||
      provided < MPI_THREAD_SERIALIZED)
    return nullptr;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  static MpiTransport transport;
  MPI_Comm_rank(MPI_COMM_WORLD, &transport.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &transport.size);
  transport.send = send;
  transport.take = take;
  transport.finish = finish;
  return &transport;
}

} // namespace mmk::tune
