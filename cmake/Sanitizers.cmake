# TYTO_SANITIZE=address,undefined or thread; set by the presets.
set(TYTO_SANITIZE "" CACHE STRING "sanitisers, as for -fsanitize=")
if(TYTO_SANITIZE)
  add_compile_options(-fsanitize=${TYTO_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TYTO_SANITIZE})
endif()
