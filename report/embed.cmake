# Writes OUTPUT, a C++ source with each of the files PARTS as a raw string, by file name.
#   cmake -DOUTPUT=page_parts.cpp "-DPARTS=page.html;style.css" -P embed.cmake
set(entries "")
foreach(file IN LISTS PARTS)
  get_filename_component(name "${file}" NAME)
  file(READ "${file}" text)
  string(APPEND entries "      {\"${name}\", R\"mmk_part(${text})mmk_part\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"report/page_parts.h\"

const std::vector<std::pair<std::string_view, std::string_view>> &mmk::report::pageParts() {
  static const std::vector<std::pair<std::string_view, std::string_view>> all = {
${entries}  };
  return all;
}
")
