# mmk_library(FOLDER [HOT] SOURCES ... LINK ...): the static library mmk_FOLDER of one folder, with the
# project's warnings, and with the headers of LLVM and ANTLR as system headers. It links the
# libraries that the table `layers` allows; LINK adds packages. HOT folders have inner loops of their
# own and are optimised more.
#
# The compiler enforces the layers: a library finds its own headers, and those of the libraries that
# it links, in include folders that hold one folder of the project each. An include upward finds no
# file.
function(mmk_library folder)
  cmake_parse_arguments(ARG "HOT" "" "SOURCES;LINK" ${ARGN})
  set(name mmk_${folder})
  add_library(${name} STATIC ${ARG_SOURCES})
  mmk_options(${name})
  if(ARG_HOT)
    mmk_optimise(${name} -O2)
  endif()
  mmk_layer(${name} ${folder} PUBLIC)
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

# mmk_layer(TARGET FOLDER SCOPE): TARGET is made of FOLDER, and links the folders that it may
# include.
function(mmk_layer target folder scope)
  set(root ${PROJECT_BINARY_DIR}/include/${folder})
  file(MAKE_DIRECTORY ${root})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${root}/${folder} SYMBOLIC)
  target_include_directories(${target} ${scope} ${root})
  file(STRINGS ${PROJECT_SOURCE_DIR}/layers line REGEX "^${folder}:")
  if(NOT line)
    message(FATAL_ERROR "the folder ${folder} is not in the table 'layers'")
  endif()
  string(REGEX REPLACE "^[a-z]+:|\\([a-z]+\\)" "" known "${line}")
  separate_arguments(known)
  if("backends" IN_LIST known)
    list(REMOVE_ITEM known backends)
    list(APPEND known ${MMK_BACKENDS})
  endif()
  foreach(lower ${known})
    target_link_libraries(${target} ${scope} mmk_${lower})
  endforeach()
endfunction()

# The back ends of the table, and machines/kinds.def with a line for each: MMK_KIND(KIND, FOLDER).
file(STRINGS ${PROJECT_SOURCE_DIR}/layers lines REGEX "^[a-z]+:.*\\([a-z]+\\)$")
set(kinds "// The kinds of machine and the folders of their back ends, from the table `layers`.\n")
foreach(line ${lines})
  string(REGEX MATCH "^[a-z]+" folder "${line}")
  string(REGEX REPLACE ".*\\(([a-z]+)\\)$" "\\1" kind "${line}")
  list(APPEND MMK_BACKENDS ${folder})
  string(APPEND kinds "MMK_KIND(${kind}, ${folder})\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/machines/kinds.def CONTENT "${kinds}" @ONLY)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS layers)

# mmk_options(TARGET): the project's options for one target. Generated headers lie in the build folder.
function(mmk_options target)
  target_include_directories(${target} PUBLIC ${PROJECT_BINARY_DIR})
  target_include_directories(${target} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_compile_definitions(${target} PUBLIC ${LLVM_DEFINITIONS_LIST})
  # No fused multiply-add where the source has none: it rounds differently, not every computer has
  # one, and cycles, choices and checks are the same on all.
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-unused-parameter -ffp-contract=off)
  if(MMK_PRECOMPILED_HEADERS) # when all that it links is known
    cmake_language(EVAL CODE "cmake_language(DEFER CALL mmk_precompile ${target})")
  endif()
  # Most of the project calls MLIR and LLVM, in whose code the time goes. -O1 compiles faster than -O2 by
  # a tenth; folders with loops of their own are HOT.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(MMK_UNITY) # when all its sources are known
    cmake_language(EVAL CODE "cmake_language(DEFER CALL mmk_batch ${target})")
  endif()
endfunction()

# mmk_optimise(TARGET LEVEL): another level than that of the others, which makes no difference to
# headers that were parsed at theirs.
function(mmk_optimise target level)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${level}>
    $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:Clang>>:SHELL:-Xclang -fno-validate-pch>)
endfunction()

# mmk_program_options(TARGET): of tests and benchmarks, which may include from every folder that
# they link, and from their own.
function(mmk_program_options target)
  mmk_options(${target})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
endfunction()

separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND "${LLVM_DEFINITIONS}")
