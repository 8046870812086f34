# Compiler options of our own code, in one interface target.
find_package(Git QUIET)
set(VARVE_COMMIT "unknown")
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --short HEAD WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
                  OUTPUT_VARIABLE VARVE_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  # What ccache wants to be allowed before it keeps what uses a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

add_library(varve_options INTERFACE)
target_include_directories(varve_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(varve_options INTERFACE
  -Wall -Wextra -Wpedantic -Werror -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-qual -Woverloaded-virtual
  -Wunused -Wimplicit-fallthrough -Wextra-semi -Wvla -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees ghosts here under -O2 with inlined std::string and std::vector; clang and the sanitizers look for the real ones.
  target_compile_options(varve_options INTERFACE -Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overflow
    -Wno-array-bounds -Wno-stringop-overread -Wno-free-nonheap-object -Wduplicated-cond -Wlogical-op)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # GCC 12's library uses what it deprecates itself (std::stable_sort's buffer); clang sees it through our templates.
  target_compile_options(varve_options INTERFACE -Wno-deprecated-declarations)
endif()
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  # AVX2 and BMI2: every server processor since 2015. See docs/decisions/0002.
  target_compile_options(varve_options INTERFACE -march=x86-64-v3)
endif()
if(VARVE_SANITIZE)
  target_compile_options(varve_options INTERFACE -fsanitize=${VARVE_SANITIZE} -fno-sanitize-recover=all -fno-sanitize=alignment)
  target_link_options(varve_options INTERFACE -fsanitize=${VARVE_SANITIZE})
endif()
if(VARVE_FUZZ)
  target_compile_options(varve_options INTERFACE -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-sanitize=alignment)
  target_link_options(varve_options INTERFACE -fsanitize=address,undefined)
endif()
