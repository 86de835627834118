# mmk_llvm, and mmk_mlir with it: the packages' libraries of LLVM and MLIR, mostly the shared ones.
# A program with MMK_STARTS_AT_ONCE links the archives instead: loading and relocating the shared
# ones takes 19 ms of every start, as long as running a small kernel from the cache. That of ANTLR
# saves 5 ms more (dsl/).
function(mmk_archives_of variable)
  set(archives)
  foreach(library IN LISTS ARGN)
    set(type)
    if(TARGET ${library}) # some are listed that the packages leave out
      get_target_property(type ${library} TYPE)
    endif()
    if(type STREQUAL "STATIC_LIBRARY")
      get_target_property(archive ${library} LOCATION)
      if(EXISTS "${archive}")
        list(APPEND archives "${archive}")
      endif()
    endif()
  endforeach()
  list(JOIN archives "," archives)
  set(${variable} "${archives}" PARENT_SCOPE)
endfunction()

mmk_archives_of(llvm_archives ${LLVM_AVAILABLE_LIBS})
mmk_archives_of(mlir_archives ${MLIR_EXPORTED_TARGETS})
add_library(mmk_llvm INTERFACE)
add_library(mmk_mlir INTERFACE)
if(llvm_archives AND mlir_archives AND TARGET ZLIB::ZLIB AND TARGET zstd::libzstd_shared)
  set(archives $<BOOL:$<TARGET_PROPERTY:MMK_STARTS_AT_ONCE>>)
  # Archives refer to each other cyclically. LLVM's own dependences come last.
  target_link_libraries(mmk_llvm INTERFACE
    $<IF:${archives},$<LINK_GROUP:RESCAN,${llvm_archives}>,LLVM>
    $<${archives}:ZLIB::ZLIB> $<${archives}:zstd::libzstd_shared>)
  target_link_libraries(mmk_mlir INTERFACE
    $<IF:${archives},$<LINK_GROUP:RESCAN,${mlir_archives}>,MLIR> mmk_llvm)
else()
  message(STATUS "LLVM and MLIR have no archives here: programs take 20 ms longer to start")
  target_link_libraries(mmk_llvm INTERFACE LLVM)
  target_link_libraries(mmk_mlir INTERFACE MLIR mmk_llvm)
endif()

# Links without unused sections of the archives: some hold incomplete debug information, at which
# valgrind fails. The static constructors, which every start runs, lie side by side, on few pages.
function(mmk_starts_at_once program)
  set_target_properties(${program} PROPERTIES MMK_STARTS_AT_ONCE ON)
  target_link_options(${program} PRIVATE LINKER:--gc-sections LINKER:-z,keep-text-section-prefix)
  if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT MMK_INSTRUMENT)
    target_link_options(${program} PRIVATE LINKER:--strip-debug)
  endif()
endfunction()
