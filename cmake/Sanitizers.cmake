# TYTO_SANITIZE=address,undefined or thread; set by the presets.
set(TYTO_SANITIZE "" CACHE STRING "sanitisers, as for -fsanitize=")
if(TYTO_SANITIZE)
  add_compile_options(-fsanitize=${TYTO_SANITIZE} -fno-omit-frame-pointer)
  # What the address sanitiser or the hardware sees as well; a third of the build's time.
  if(TYTO_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize=null,alignment,object-size,vptr)
  endif()
  add_link_options(-fsanitize=${TYTO_SANITIZE})
  # The library calls its own instances of inline functions, which are watched, not a program's, which need not be.
  set(CMAKE_SHARED_LINKER_FLAGS "${CMAKE_SHARED_LINKER_FLAGS} -Wl,-Bsymbolic-functions")
endif()
