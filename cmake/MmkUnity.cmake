# MMK_UNITY: the sources of a target are compiled in batches, each as if it were one file. A build from
# nothing takes half of the time, as templates are instantiated and inline functions are compiled once
# for a batch. A build after an edit takes longer. `./dev run` and `./dev test` set it when they make
# the build folder, `./dev build` does not.
#
# Names in the anonymous namespaces of one folder must then differ; the compiler reports where they
# do not. A source that cannot share a batch has SKIP_UNITY_BUILD_INCLUSION set in its folder.
option(MMK_UNITY "compile the sources of a target in batches" OFF)

set(mmk_batch_bytes 170000) # at most; some 15 s of compilation

# mmk_batch(TARGET): gives every source of TARGET the batch that it is compiled in. The batches of a
# target are equally large.
function(mmk_batch target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  set(kinds llvm mlir)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
    if(NOT path MATCHES "\\.cpp$" OR NOT EXISTS ${path}) # what is generated stays by itself
      continue()
    endif()
    # Such a line is in effect to the end of the compiled file.
    file(STRINGS ${path} pragma REGEX "^#pragma clang fp")
    if(pragma)
      continue()
    endif()
    # Many names are in llvm and in mlir, and ambiguous where both namespaces are used.
    file(STRINGS ${path} opened REGEX "^using namespace llvm;")
    set(kind mlir)
    if(opened)
      set(kind llvm)
    endif()
    file(SIZE ${path} bytes)
    math(EXPR bytes_${kind} "0${bytes_${kind}} + ${bytes}")
    list(APPEND sources_${kind} ${source} ${bytes})
  endforeach()
  foreach(kind IN LISTS kinds)
    if(NOT sources_${kind})
      continue()
    endif()
    math(EXPR batches "(${bytes_${kind}} + ${mmk_batch_bytes} - 1) / ${mmk_batch_bytes}")
    set(before 0)
    while(sources_${kind})
      list(POP_FRONT sources_${kind} source bytes)
      math(EXPR number "${before} * ${batches} / ${bytes_${kind}}")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${kind}${number})
      math(EXPR before "${before} + ${bytes}")
    endwhile()
  endforeach()
endfunction()
