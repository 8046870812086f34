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
add_link_options(LINKER:--gc-sections)  # a seventh of the program: what the drivers bring for others

add_library(varve_options INTERFACE)
target_include_directories(varve_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(varve_options INTERFACE
  -Wall -Wextra -Wpedantic -Werror -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-qual -Woverloaded-virtual
  -Wunused -Wimplicit-fallthrough -Wextra-semi -Wvla -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees ghosts here under -O2 with inlined std::string and std::vector; clang and the sanitizers look for the real ones.
  target_compile_options(varve_options INTERFACE -Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overflow
    -Wno-array-bounds -Wno-stringop-overread -Wno-free-nonheap-object -Wduplicated-cond -Wlogical-op)
  if(VARVE_UNITY)
    target_compile_options(varve_options INTERFACE -Wno-subobject-linkage)  # a type of a file's own, in a class of that file
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # GCC 12's library uses what it deprecates itself (std::stable_sort's buffer); clang sees it through our templates.
  target_compile_options(varve_options INTERFACE -Wno-deprecated-declarations -Wthread-safety)
endif()
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  # AVX2 and BMI2: every server processor since 2015. See docs/decisions/0002.
  target_compile_options(varve_options INTERFACE -march=x86-64-v3)
endif()
if(VARVE_SANITIZE)
  # ASan sees what goes through a null pointer or beyond an object; each of these checks costs much to compile.
  target_compile_options(varve_options INTERFACE -fsanitize=${VARVE_SANITIZE} -fno-sanitize-recover=all
    -fno-sanitize=alignment,null,object-size,vptr)
  target_link_options(varve_options INTERFACE -fsanitize=${VARVE_SANITIZE})
  target_compile_definitions(varve_options INTERFACE VARVE_SANITIZED)
  if(VARVE_SANITIZE STREQUAL "thread")
    target_compile_definitions(varve_options INTERFACE VARVE_SANITIZED_THREADS)
  endif()
endif()
# The fuzz targets stand in the build with ASan and UBSan: the folders are compiled once for them and for the unit tests.
set(VARVE_FUZZ OFF)
if(VARVE_SANITIZE MATCHES address AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(VARVE_FUZZ ON)
endif()
