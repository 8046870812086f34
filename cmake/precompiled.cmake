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
  if(VARVE_SANITIZE)
    varve_precompile(varve_headers_plain common_headers.h -O0 ${folder_options})
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Of a dozen joined files GCC inlines only as much as of one: the innermost loops call what they do not call in files
    # apart, and wide questions take a fifth longer. It takes the limit of a precompiled header over that of its user.
    set(loop_options "SHELL:--param large-unit-insns=40000")
    varve_precompile(varve_headers_loops common_headers.h ${loop_options})
  endif()
endif()

# Folders in whose loops tests and fuzz targets spend their time. With a sanitizer the others are not optimised, which is
# half the work of a compiler. With TSan that goes for all: few tests run there.
set(folders_with_loops "^(aggregate|base|chunk|codec|counter|engine/rocksdb|engine/shared|index|message|message/block|model|protocol|query|rollup|storage)$")
# What runs at a start, in a command or once in a while: a third less to compile, from nothing to the first start.
set(folders_out_of_the_way "^(cli|config|devices|logs|migrate|server|snmp/correlation|snmp/inventory|snmp/walk|tools)$")

# Whose loops answer questions and take in samples.
set(folders_with_inner_loops "^(aggregate|chunk|codec|engine/shared|protocol|query|rollup|write)$")

# varve_compile_folder(TARGET FOLDER): for a target of no tests.
function(varve_compile_folder target folder)
  set(headers varve_headers)
  if(VARVE_SANITIZE STREQUAL "thread" OR (VARVE_SANITIZE AND NOT folder MATCHES "${folders_with_loops}"))
    set(headers varve_headers_plain)
    target_compile_options(${target} PRIVATE -O0)
  elseif(folder MATCHES "${folders_out_of_the_way}" AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    target_compile_options(${target} PRIVATE -O1)
  elseif(TARGET varve_headers_loops AND folder MATCHES "${folders_with_inner_loops}")
    set(headers varve_headers_loops)
    target_compile_options(${target} PRIVATE ${loop_options})
  endif()
  if(TARGET ${headers})
    target_compile_options(${target} PRIVATE ${precompiled_options} ${folder_options})
    target_precompile_headers(${target} REUSE_FROM ${headers})
  endif()
endfunction()

# varve_compile_tests(TARGET): for a target whose every source is a test.
function(varve_compile_tests target)
  target_compile_options(${target} PRIVATE -O0 ${precompiled_options})
  target_precompile_headers(${target} REUSE_FROM varve_test_headers)
  set_target_properties(${target} PROPERTIES varve_tests ON)
endfunction()
