// The file of the store: readable by this user only, and replaced by a new one where it cannot be
// used. All functions throw a std::runtime_error that says why no store can be opened.
#pragma once

#include "store/database.h"

#include <memory>
#include <string>

namespace mmk::tune {

/// Refuses a folder that other users could write to or replace: its figures choose the variants
/// that run.
void makePrivateFolder(const std::string &folder);

/// Opens the file, or makes it. One that is damaged, or of another layout, is renamed and a new one
/// begun; `notice` then reports it.
std::unique_ptr<Database> openStoreFile(const std::string &path, std::string &notice);

} // namespace mmk::tune
