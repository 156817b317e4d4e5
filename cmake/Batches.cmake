# Sources are compiled sixteen at a time, so that Eigen and the standard library are read and
# instantiated once for them: a third of the time of single files. Names in the unnamed namespaces
# of one module differ therefore. For quick turns the preset dev compiles each file by itself.
option(TYTO_UNITY "compile the sources of a module together" ON)
set(TYTO_UNITY_BATCH 16)

# A module that calls the inner loops of others, rather than having them, names a lower level in
# TYTO_MODULE_OPTIMISATION before it lists its sources: -O1 takes three quarters of -O3's time to
# compile, -O2 nine tenths. -O1 does not fuse products with sums: only for modules that do not reckon.
# Those that reckon a little take TYTO_LIGHT_OPTIMISATION, which does, and rounds as -O3 does.
set(TYTO_LIGHT_OPTIMISATION -O1 -fexpensive-optimizations)
function(tyto_optimisation target)
  if(TYTO_MODULE_OPTIMISATION)
    set_property(SOURCE ${ARGN} TARGET_DIRECTORY ${target} APPEND PROPERTY
      COMPILE_OPTIONS "$<$<CONFIG:Release>:${TYTO_MODULE_OPTIMISATION}>")
  endif()
endfunction()

# tyto_batches(<target> <name> <root> <source>...): adds sources to a target in batches called after
# them. The batches name their sources relative to root, a folder that the target includes from
# (CMake's own UNITY_BUILD would write whole paths, and no clone could use what another has compiled).
function(tyto_batches target name root)
  if(NOT TYTO_UNITY)
    target_sources(${target} PRIVATE ${ARGN})
    tyto_optimisation(${target} ${ARGN})
    return()
  endif()
  set(count 0)
  set(lines "")
  list(LENGTH ARGN all)
  foreach(source ${ARGN})
    file(RELATIVE_PATH path ${root} ${source})
    if(NOT EXISTS ${source})
      message(FATAL_ERROR "${name}: there is no ${path}")
    endif()
    string(APPEND lines "#include \"${path}\"\n")
    math(EXPR count "${count} + 1")
    math(EXPR place "${count} % ${TYTO_UNITY_BATCH}")
    if(place EQUAL 0 OR count EQUAL all)
      math(EXPR batch "(${count} - 1) / ${TYTO_UNITY_BATCH}")
      set(file ${CMAKE_CURRENT_BINARY_DIR}/batches/${name}_${batch}.cpp)
      file(CONFIGURE OUTPUT ${file} CONTENT "${lines}" @ONLY)
      target_sources(${target} PRIVATE ${file})
      tyto_optimisation(${target} ${file})
      set(lines "")
    endif()
  endforeach()
endfunction()

# tyto_batches_of(<build> <target> <name> <source>...): links the batches that another build compiled for a target of that
# name in the same folder, rather than compiling them here as well.
function(tyto_batches_of build target name)
  list(LENGTH ARGN all)
  math(EXPR last "(${all} - 1) / ${TYTO_UNITY_BATCH}")
  file(RELATIVE_PATH folder ${PROJECT_BINARY_DIR} ${CMAKE_CURRENT_BINARY_DIR})
  foreach(batch RANGE ${last})
    set(object ${build}/${folder}/CMakeFiles/${target}.dir/batches/${name}_${batch}.cpp.o)
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    target_sources(${target} PRIVATE ${object})
  endforeach()
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
endfunction()
