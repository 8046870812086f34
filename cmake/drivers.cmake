# The Rust crate drivers/ (Cassandra and Redis) as the imported library `varve_drivers`.
# One release build serves every build directory, sanitizers included: cargo's own lock and fingerprints see to that.
find_program(CARGO cargo)
if(NOT CARGO)
  message(FATAL_ERROR "cargo is not there (./dev setup installs it); -DVARVE_CLUSTER=OFF builds without Cassandra and Redis")
endif()
find_package(OpenSSL REQUIRED)

set(drivers_dir ${CMAKE_SOURCE_DIR}/drivers)
set(drivers_target ${CMAKE_SOURCE_DIR}/build/drivers-target)
set(drivers_library ${drivers_target}/release/libvarve_drivers.a)
file(GLOB drivers_sources CONFIGURE_DEPENDS ${drivers_dir}/src/*.rs ${drivers_dir}/Cargo.*)
add_custom_command(
  OUTPUT ${CMAKE_BINARY_DIR}/drivers.stamp
  BYPRODUCTS ${drivers_library}
  COMMAND ${CARGO} build --release --locked --quiet --manifest-path ${drivers_dir}/Cargo.toml --target-dir ${drivers_target}
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
