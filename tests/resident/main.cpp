// mmk as a process that stays: it runs the command lines that a test sends, one after the other.
// Starting a process and its first compilation take 0.1 s, which is more than most cases of a test.
// The protocol is that of resident.py.
#include "driver/dispatch.h"

#include <cstdlib>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace {

constexpr int streams = 3;

struct Request {
  std::string folder;
  std::vector<std::string> environment, words;
};

/// The message's fields, each with a 0 behind it.
Request parsed(const std::string &message) {
  std::vector<std::string> fields;
  for (size_t at = 0; at < message.size(); at += fields.back().size() + 1)
    fields.emplace_back(message.c_str() + at);
  const auto variables = fields.begin() + 2, words = variables + std::atol(fields[1].c_str());
  return {fields[0], {variables, words}, {words, fields.end()}};
}

/// Receives a request of this many bytes, and the files that are its standard streams from then on.
/// False when the test has ended.
bool receive(int channel, std::string &message) {
  uint64_t bytes = 0;
  iovec part{&bytes, sizeof bytes};
  alignas(cmsghdr) char control[CMSG_SPACE(streams * sizeof(int))];
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  if (recvmsg(channel, &header, MSG_CMSG_CLOEXEC | MSG_WAITALL) != sizeof bytes)
    return false;
  const cmsghdr *rights = CMSG_FIRSTHDR(&header);
  if (!rights || rights->cmsg_len != CMSG_LEN(streams * sizeof(int)))
    return false;
  const int *files = reinterpret_cast<const int *>(CMSG_DATA(rights));
  for (int stream = 0; stream < streams; ++stream) {
    dup2(files[stream], stream);
    close(files[stream]);
  }
  message.resize(bytes);
  return recv(channel, message.data(), bytes, MSG_WAITALL) == static_cast<ssize_t>(bytes);
}

int run(Request &request) {
  if (chdir(request.folder.c_str()) != 0)
    return EXIT_FAILURE;
  clearenv();
  for (std::string &variable : request.environment)
    putenv(variable.data());
  std::vector<char *> words;
  for (std::string &word : request.words)
    words.push_back(word.data());
  return mmk::driver::runCommandLine(static_cast<int>(words.size()), words.data());
}

} // namespace

int main(int argc, char **argv) {
  const int channel = argc == 2 ? std::atoi(argv[1]) : -1;
  const int ownErrors = dup(STDERR_FILENO);
  mmk::driver::startProcess();
  for (std::string message; receive(channel, message);) {
    // The environment of the process points into it.
    static Request request;
    request = parsed(message);
    const unsigned char code = static_cast<unsigned char>(run(request));
    if (write(channel, &code, 1) != 1)
      return EXIT_FAILURE;
  }
  dup2(ownErrors, STDERR_FILENO); // for what sanitizers say at the end
  return EXIT_SUCCESS;
}
