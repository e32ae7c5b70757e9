# SPDX-License-Identifier: Apache-2.0
# gordian_embed(NAME FILES…)
# A library of the files' text: #include "FOLDER/NAME.h" gives gordian::embedded::FILE_NAME for each, with every sign of
# its name that is no letter or digit an underscore. The compiler never sees a file of its own, and a program that uses
# the library needs none at run time.
function(gordian_embed name)
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  set(header "${PROJECT_BINARY_DIR}/${folder}/${name}.h")
  set(source "${PROJECT_BINARY_DIR}/${folder}/${name}.cc")
  list(TRANSFORM ARGN PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" OUTPUT_VARIABLE files)
  list(JOIN ARGN "|" names)
  add_custom_command(
    OUTPUT "${header}" "${source}"
    COMMAND ${CMAKE_COMMAND} "-DNAMES=${names}" "-DFOLDER=${CMAKE_CURRENT_SOURCE_DIR}" "-DHEADER=${header}" "-DSOURCE=${source}"
            -P "${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake"
    DEPENDS ${files} "${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake"
    COMMENT "Embedding ${name}"
    VERBATIM)
  add_library(${name} STATIC "${source}" "${header}")
  set_target_properties(${name} PROPERTIES CXX_CLANG_TIDY "")
endfunction()
