# MMK_PRECOMPILED_HEADERS: the packages' headers are parsed once for all files, not once a file.
# They take most of the compile time of a file, 7 of 10 s in one measured. Of the project's own headers
# only those of the dialects are here, which nearly all files above ir/ include: a change of another
# header recompiles only the files that include it. Every file still includes what it uses:
# `./dev coverage` builds without.
option(MMK_PRECOMPILED_HEADERS "parse the packages' headers once for all files" ON)
if(MMK_INSTRUMENT STREQUAL "coverage")
  set(MMK_PRECOMPILED_HEADERS OFF)
endif()

# Headers that five files or more include, and those that these include.
set(mmk_llvm_headers
  <algorithm> <array> <bit> <chrono> <cmath> <cstdint> <cstring> <filesystem> <fstream> <functional>
  <limits> <map> <memory> <mutex> <numeric> <optional> <random> <set> <sstream> <string>
  <string_view> <thread> <tuple> <utility> <variant> <vector>
  <fmt/format.h> <fmt/ranges.h>
  <llvm/ADT/MapVector.h> <llvm/ADT/StringExtras.h> <llvm/ADT/TypeSwitch.h>
  <llvm/IR/IRBuilder.h> <llvm/IR/Module.h>
  <llvm/Support/Error.h> <llvm/Support/FileSystem.h> <llvm/Support/FormatVariadic.h>
  <llvm/Support/JSON.h> <llvm/Support/MemoryBuffer.h> <llvm/Support/raw_ostream.h>
  <llvm/Target/TargetMachine.h>)
set(mmk_mlir_headers
  <mlir/Bytecode/BytecodeOpInterface.h>
  <mlir/Dialect/Affine/IR/AffineOps.h> <mlir/Dialect/Arith/IR/Arith.h>
  <mlir/Dialect/Linalg/IR/Linalg.h> <mlir/Dialect/Math/IR/Math.h>
  <mlir/Dialect/SCF/IR/SCF.h> <mlir/Dialect/Tensor/IR/Tensor.h>
  <mlir/IR/Builders.h> <mlir/IR/IRMapping.h> <mlir/IR/MLIRContext.h> <mlir/IR/OpImplementation.h>
  <mlir/IR/OwningOpRef.h> <mlir/IR/PatternMatch.h> <mlir/IR/SymbolTable.h>
  <mlir/Parser/Parser.h> <mlir/Pass/Pass.h> <mlir/Pass/PassManager.h>)
# The dialects of the project: the operations that TableGen generates take as long as MLIR's.
set(mmk_dialect_headers <ir/aicore.h> <ir/mmk.h>)
set(mmk_test_headers <gtest/gtest.h> <regex> <llvm/ExecutionEngine/Orc/LLJIT.h> <llvm/TargetParser/Host.h>)

# mmk_parse(NAME [ON BASE] [LINK LIBRARIES..] HEADERS headers..): parses them once, for the targets that
# mmk_precompile gives NAME. Only what BASE does not hold already is parsed: clang chains the two.
function(mmk_parse name)
  cmake_parse_arguments(ARG "" "ON" "LINK;HEADERS" ${ARGN})
  file(CONFIGURE OUTPUT empty.cpp CONTENT "")
  add_library(${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp)
  target_compile_definitions(${name} PRIVATE ${LLVM_DEFINITIONS_LIST})
  target_include_directories(${name} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_link_libraries(${name} PRIVATE fmt::fmt ${ARG_LINK})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>) # as mmk_options
  # With time stamps in it, ccache would treat every rebuild of it as a new one.
  target_compile_options(${name} PRIVATE
    $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
  if(ARG_ON)
    set(base ${PROJECT_BINARY_DIR}/CMakeFiles/${ARG_ON}.dir/cmake_pch.hxx.pch)
    target_compile_options(${name} PRIVATE "SHELL:-Xclang -include-pch -Xclang ${base}")
    set_source_files_properties(${PROJECT_BINARY_DIR}/CMakeFiles/${name}.dir/cmake_pch.hxx.cxx
      PROPERTIES OBJECT_DEPENDS ${base})
  endif()
endfunction()

if(MMK_PRECOMPILED_HEADERS)
  mmk_parse(mmk_llvm_packages HEADERS ${mmk_llvm_headers})
  mmk_parse(mmk_packages ON mmk_llvm_packages HEADERS ${mmk_mlir_headers})
  mmk_parse(mmk_dialects ON mmk_packages LINK mmk_ir HEADERS ${mmk_dialect_headers})
  if(BUILD_TESTING)
    mmk_parse(mmk_test_packages ON mmk_dialects LINK mmk_ir GTest::gtest HEADERS ${mmk_test_headers})
  endif()
endif()

# mmk_precompile(TARGET): TARGET uses the precompiled headers of what it links, itself or through others;
# with those of others it would not link, as some of their inline functions are always emitted.
# Programs are compiled like libraries, as precompiled headers of one are not accepted by the other.
function(mmk_precompile target)
  get_target_property(linked ${target} LINK_LIBRARIES)
  set(rest ${linked})
  while(rest)
    list(POP_FRONT rest library)
    if(TARGET ${library})
      get_target_property(below ${library} INTERFACE_LINK_LIBRARIES)
      if(below)
        list(REMOVE_ITEM below ${linked})
        list(APPEND linked ${below})
        list(APPEND rest ${below})
      endif()
    endif()
  endwhile()
  if("GTest::gtest" IN_LIST linked AND "mmk_ir" IN_LIST linked)
    set(packages mmk_test_packages)
  elseif("mmk_ir" IN_LIST linked)
    set(packages mmk_dialects)
  elseif("mmk_mlir" IN_LIST linked)
    set(packages mmk_packages)
  elseif("mmk_llvm" IN_LIST linked)
    set(packages mmk_llvm_packages)
  else()
    return()
  endif()
  target_compile_options(${target} PRIVATE -fPIC)
  # Clang drops libstdc++'s suppression of this warning around its own deprecated uses; a build
  # without precompiled headers reports those of the project.
  target_compile_options(${target} PRIVATE -Wno-deprecated-declarations)
  target_precompile_headers(${target} REUSE_FROM ${packages})
endfunction()
