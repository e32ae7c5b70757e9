# SPDX-License-Identifier: Apache-2.0
# gordian_embed(NAME [FOLDER folder] FILES…)
# A library of the files' text: #include "FOLDER/NAME.h" gives gordian::embedded::FILE_NAME for each, with every sign of
# its name that is no letter or digit an underscore. The compiler never sees a file of its own, and a program that uses
# the library needs none at run time. FOLDER is where the files are, if the build makes them.
function(gordian_embed name)
  cmake_parse_arguments(ARG "" "FOLDER" "" ${ARGN})
  if(NOT ARG_FOLDER)
    set(ARG_FOLDER "${CMAKE_CURRENT_SOURCE_DIR}")
  endif()
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  set(header "${PROJECT_BINARY_DIR}/${folder}/${name}.h")
  set(source "${PROJECT_BINARY_DIR}/${folder}/${name}.cc")
  list(TRANSFORM ARG_UNPARSED_ARGUMENTS PREPEND "${ARG_FOLDER}/" OUTPUT_VARIABLE files)
  list(JOIN ARG_UNPARSED_ARGUMENTS "|" names)
  add_custom_command(
    OUTPUT "${header}" "${source}"
    COMMAND ${CMAKE_COMMAND} "-DNAMES=${names}" "-DFOLDER=${ARG_FOLDER}" "-DHEADER=${header}" "-DSOURCE=${source}"
            -P "${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake"
    DEPENDS ${files} "${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake"
    COMMENT "Embedding ${name}"
    VERBATIM)
  add_library(${name} STATIC "${source}" "${header}")
  set_target_properties(${name} PROPERTIES CXX_CLANG_TIDY "")
endfunction()
