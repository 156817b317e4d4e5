# ccache, wherever it is installed: clones share what they compiled, wherever they lie.
option(TYTO_CCACHE "compile through ccache where it is installed" ON)
find_program(TYTO_CCACHE_PROGRAM ccache)
if(TYTO_CCACHE AND TYTO_CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${TYTO_CCACHE_PROGRAM})
else()
  # As through ccache: no object bears the path of the folder it was compiled in.
  add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
endif()
