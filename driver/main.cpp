// The `mmk` command.
#include "driver/dispatch.h"

int main(int argc, char **argv) {
  mmk::driver::startProcess();
  return mmk::driver::runCommandLine(argc, argv);
}
