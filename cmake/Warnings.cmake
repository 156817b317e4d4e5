# Warnings for our own files; errors where CI builds.
option(TYTO_WERROR "treat warnings as errors" OFF)
add_library(tyto_warnings INTERFACE)
target_compile_options(tyto_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast -Wnon-virtual-dtor
  $<$<BOOL:${TYTO_WERROR}>:-Werror>)
