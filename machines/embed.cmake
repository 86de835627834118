# Writes OUTPUT, a C++ source with each of the JSON files DESCRIPTIONS as a raw string.
#   cmake -DOUTPUT=embedded.cpp "-DDESCRIPTIONS=a.json;b.json" -P embed.cmake
set(entries "")
foreach(file IN LISTS DESCRIPTIONS)
  get_filename_component(name "${file}" NAME_WE)
  file(READ "${file}" text)
  string(APPEND entries "      {\"${name}\", R\"mmk_json(${text})mmk_json\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"machines/embedded.h\"

const std::vector<std::pair<std::string_view, std::string_view>> &mmk::embeddedDescriptions() {
  static const std::vector<std::pair<std::string_view, std::string_view>> all = {
${entries}  };
  return all;
}
")
