# Headers parsed once. Tests are compiled with them and not optimised: half the time of a build; what they test is
# optimised as ever. Sanitizers' builds take them for the folders, too, and builds of joined files. Another release build does not: there
# a file that forgets an include is found.
set(precompiled_options -pthread)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND precompiled_options -fpch-preprocess)  # for ccache
else()
  list(APPEND precompiled_options "SHELL:-Xclang -fno-pch-timestamp")  # the same
endif()

function(varve_precompile name header)
  set(source ${CMAKE_BINARY_DIR}/${name}.cc)
  if(NOT EXISTS ${source})
    file(WRITE ${source} "// CMake wants a source for a precompiled header.\n")
  endif()
  add_library(${name} OBJECT ${source})
  target_link_libraries(${name} PRIVATE varve_options)
  target_compile_options(${name} PRIVATE ${precompiled_options} ${ARGN})
  target_precompile_headers(${name} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/${header})
endfunction()

varve_precompile(varve_test_headers test_headers.h -O0)
set_target_properties(varve_test_headers PROPERTIES varve_tests ON)
target_link_libraries(varve_test_headers PRIVATE GTest::gtest)
if(VARVE_SANITIZE OR VARVE_UNITY)
  set(folder_options)
  if(VARVE_FUZZ)
    set(folder_options -fsanitize=fuzzer-no-link)  # tells libFuzzer what an input reaches
  endif()
  varve_precompile(varve_headers common_headers.h ${folder_options})
endif()

# varve_compile_folder(TARGET): for a target of no tests.
function(varve_compile_folder target)
  if(TARGET varve_headers)
    target_compile_options(${target} PRIVATE ${precompiled_options} ${folder_options})
    target_precompile_headers(${target} REUSE_FROM varve_headers)
  endif()
endfunction()

# varve_compile_tests(TARGET): for a target whose every source is a test.
function(varve_compile_tests target)
  target_compile_options(${target} PRIVATE -O0 ${precompiled_options})
  target_precompile_headers(${target} REUSE_FROM varve_test_headers)
  set_target_properties(${target} PROPERTIES varve_tests ON)
endfunction()
