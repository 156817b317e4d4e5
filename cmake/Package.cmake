# `make package`: a Debian package of what `make install` installs, but for headers and CMake's files.
set(doc ${CMAKE_INSTALL_DATADIR}/doc/tyto)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md DESTINATION ${doc})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${doc} PATTERN "tyto.1" EXCLUDE)

# A change of a day of its own per build would make two packages of one commit differ.
execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} log -1 --format=%cD
                OUTPUT_VARIABLE TYTO_PACKAGE_DATE OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT TYTO_PACKAGE_DATE)
  set(TYTO_PACKAGE_DATE "Thu, 01 Jan 1970 00:00:00 +0000")
endif()
set(TYTO_PACKAGE_RELEASE 1)
set(TYTO_MAINTAINER "Tyto maintainers <tyto@localhost>" CACHE STRING "who packages: name and address")
configure_file(cmake/debian/changelog.in debian/changelog.Debian @ONLY)
configure_file(CHANGELOG.md debian/changelog COPYONLY)
configure_file(docs/tyto.1 debian/tyto.1 @ONLY)
install(FILES cmake/debian/copyright DESTINATION ${doc})
install(FILES cmake/debian/lintian-overrides
  DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME tyto)
foreach(file changelog changelog.Debian tyto.1)
  add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/debian/${file}.gz
    COMMAND gzip -9nkf ${CMAKE_BINARY_DIR}/debian/${file}
    DEPENDS ${CMAKE_BINARY_DIR}/debian/${file} VERBATIM)
  list(APPEND compressed ${CMAKE_BINARY_DIR}/debian/${file}.gz)
endforeach()
add_custom_target(tyto_documents ALL DEPENDS ${compressed})
install(FILES ${CMAKE_BINARY_DIR}/debian/changelog.gz ${CMAKE_BINARY_DIR}/debian/changelog.Debian.gz
  DESTINATION ${doc})
install(FILES ${CMAKE_BINARY_DIR}/debian/tyto.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# Everything that is installed, in one word.
add_custom_target(tyto_installed)
add_dependencies(tyto_installed
  tyto_program tyto_nn tyto_faiss tyto_client tyto_video tyto_documents)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tyto)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_CMAKE_PROJECTS ${CMAKE_BINARY_DIR} tyto runtime /)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "engine for learning in an open world")
set(CPACK_PACKAGE_DESCRIPTION
"What does a recogniser do when the world shows it something new? Tyto runs such
experiments from a YAML file, compares methods, and uses what was learned: it
predicts, detects what is unusual, groups, calibrates and scores.

The program needs a processor with AVX2 (x86-64-v3).")
set(CPACK_PACKAGE_CONTACT "${TYTO_MAINTAINER}")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${TYTO_PACKAGE_RELEASE})
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# Of the modules opened on demand too: they are in the package.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
# The flavour of OpenBLAS itself: any other would satisfy what shlibdeps finds.
set(CPACK_DEBIAN_PACKAGE_DEPENDS libopenblas0-openmp)
include(CPack)
