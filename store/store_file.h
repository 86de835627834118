// The file of the memory: made for this user alone, and begun anew where it cannot be gone on with.
// All functions throw a std::runtime_error that says why there can be no memory.
#pragma once

#include "store/database.h"

#include <memory>
#include <string>

namespace mmk::tune {

/// Refuses a folder that others could write to or replace: its figures choose what is run.
void makePrivateFolder(const std::string &folder);

/// Opens the file, or makes it. One that is damaged, or of another layout, is set aside and a new
/// one begun, which `notice` then says.
std::unique_ptr<Database> openStoreFile(const std::string &path, std::string &notice);

} // namespace mmk::tune
