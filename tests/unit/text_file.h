// A file of the tree as text.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace mmk {

inline std::string textOfFile(const std::filesystem::path &file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

} // namespace mmk
