# mmk_library(NAME SOURCES ... LINK ...): a static library of one folder of the house, with the
# project's warnings, and with the headers of LLVM and ANTLR as system headers.
function(mmk_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  mmk_options(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

function(mmk_options target)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_include_directories(${target} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_compile_definitions(${target} PUBLIC ${LLVM_DEFINITIONS_LIST})
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-unused-parameter)
  if(MMK_PRECOMPILED_HEADERS) # when all that it links is known
    cmake_language(EVAL CODE "cmake_language(DEFER CALL mmk_precompile ${target})")
  endif()
endfunction()

separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND "${LLVM_DEFINITIONS}")
