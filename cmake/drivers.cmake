# The Rust crate drivers/ (Cassandra and Redis) as the imported library `varve_drivers`.
# One release build serves every build directory, sanitizers included: cargo's own lock and fingerprints see to that.
set(drivers_dir ${CMAKE_SOURCE_DIR}/drivers)
file(STRINGS ${drivers_dir}/Cargo.toml drivers_rust REGEX "^rust-version")
string(REGEX REPLACE ".*\"(.*)\"" "\\1" drivers_rust "${drivers_rust}")

# The first cargo on the path that is recent enough: there may be an old one before Debian's.
function(recent_cargo result candidate)
  execute_process(COMMAND ${candidate} --version OUTPUT_VARIABLE version ERROR_QUIET)
  if(NOT version MATCHES "^cargo ([0-9.]+)" OR CMAKE_MATCH_1 VERSION_LESS drivers_rust)
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()
find_program(CARGO cargo VALIDATOR recent_cargo)
if(NOT CARGO)
  message(FATAL_ERROR "there is no cargo ${drivers_rust} or later (./dev setup installs it); "
    "-DVARVE_CLUSTER=OFF builds without Cassandra and Redis")
endif()
get_filename_component(drivers_rustc ${CARGO} DIRECTORY)
find_package(OpenSSL REQUIRED)

set(drivers_target ${CMAKE_SOURCE_DIR}/build/drivers-target)
set(drivers_library ${drivers_target}/release/libvarve_drivers.a)
file(GLOB drivers_sources CONFIGURE_DEPENDS ${drivers_dir}/src/*.rs ${drivers_dir}/Cargo.*)
add_custom_command(
  OUTPUT ${CMAKE_BINARY_DIR}/drivers.stamp
  BYPRODUCTS ${drivers_library}
  COMMAND ${CMAKE_COMMAND} -E env RUSTC=${drivers_rustc}/rustc ${CARGO} build --release --locked --quiet --manifest-path ${drivers_dir}/Cargo.toml --target-dir ${drivers_target}
  COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/drivers.stamp
  DEPENDS ${drivers_sources}
  COMMENT "cargo: drivers (three minutes the first time)"
  VERBATIM)
add_custom_target(varve_drivers_build DEPENDS ${CMAKE_BINARY_DIR}/drivers.stamp)

add_library(varve_drivers STATIC IMPORTED GLOBAL)
add_dependencies(varve_drivers varve_drivers_build)
file(MAKE_DIRECTORY ${drivers_target}/release)
set_target_properties(varve_drivers PROPERTIES
  IMPORTED_LOCATION ${drivers_library}
  INTERFACE_INCLUDE_DIRECTORIES ${drivers_dir}/include
  INTERFACE_LINK_LIBRARIES "OpenSSL::SSL;OpenSSL::Crypto;Threads::Threads;${CMAKE_DL_LIBS};m")
