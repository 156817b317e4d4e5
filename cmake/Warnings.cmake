# Warnings for our own files; errors where CI builds.
option(TYTO_WERROR "treat warnings as errors" OFF)
add_library(tyto_warnings INTERFACE)
target_compile_options(tyto_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast -Wnon-virtual-dtor
  $<$<BOOL:${TYTO_WERROR}>:-Werror>)
# GCC 12 sees std::string and vector instructions write out of bounds where they are inlined and do not.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(tyto_warnings INTERFACE
    $<$<CONFIG:Release>:-Wno-array-bounds -Wno-restrict -Wno-stringop-overflow>)
endif()
