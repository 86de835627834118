# MMK_INSTRUMENT: the instrumentation of the project's own code. LLVM and the other packages are
# used as Debian built them.
#   address    every access to memory, leaks, and undefined behaviour
#   thread     races between threads
#   coverage   which lines the tests reach
#   fuzz       as address, and for libFuzzer which branches an input takes
set(MMK_INSTRUMENT "" CACHE STRING "address, thread, coverage, fuzz or nothing")
set_property(CACHE MMK_INSTRUMENT PROPERTY STRINGS "" address thread coverage fuzz)

if(MMK_INSTRUMENT STREQUAL "address")
  # vptr needs type information, which LLVM is built without.
  set(mmk_instrument_flags -fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=undefined
    -O1 -g1 -fno-omit-frame-pointer)
elseif(MMK_INSTRUMENT STREQUAL "thread")
  set(mmk_instrument_flags -fsanitize=thread -O1 -g1)
elseif(MMK_INSTRUMENT STREQUAL "coverage")
  set(mmk_instrument_flags -fprofile-instr-generate -fcoverage-mapping)
elseif(MMK_INSTRUMENT STREQUAL "fuzz")
  set(mmk_instrument_flags -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=vptr
    -fno-sanitize-recover=undefined -O1 -g1)
elseif(MMK_INSTRUMENT)
  message(FATAL_ERROR "MMK_INSTRUMENT is '${MMK_INSTRUMENT}'; expected address, thread, coverage, "
    "fuzz or nothing")
endif()
add_compile_options(${mmk_instrument_flags})
add_link_options(${mmk_instrument_flags})
