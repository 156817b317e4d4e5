# Every third-party library, found once. Torch is looked up by src/tyto/nn alone.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(Threads REQUIRED)

# The OpenMP flavour of OpenBLAS, whatever the system's default is: the pthread flavour's threads
# fight torch's. All three libraries are linked; with one alone torch later brings in the other
# flavour and its first large product may never return.
find_path(TYTO_BLAS_DIR NAMES libopenblas.so.0
          PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp /usr/lib/x86_64-linux-gnu/openblas-openmp
          NO_DEFAULT_PATH REQUIRED)
add_library(tyto_blas INTERFACE)
target_link_libraries(tyto_blas INTERFACE
  -Wl,--no-as-needed
  ${TYTO_BLAS_DIR}/libopenblas.so.0 ${TYTO_BLAS_DIR}/libblas.so.3 ${TYTO_BLAS_DIR}/liblapack.so.3
  -Wl,--as-needed)
