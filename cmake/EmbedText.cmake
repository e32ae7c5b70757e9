# SPDX-License-Identifier: Apache-2.0
# Run by gordian_embed: writes HEADER and SOURCE with the text of each of NAMES (parted by |) in FOLDER.
string(REPLACE "|" ";" NAMES "${NAMES}")
set(declarations)
set(definitions)
foreach(file IN LISTS NAMES)
  string(MAKE_C_IDENTIFIER "${file}" identifier)
  file(READ "${FOLDER}/${file}" text HEX)
  string(LENGTH "${text}" digits)
  math(EXPR bytes "${digits} / 2")
  string(REGEX REPLACE "(..)" "0x\\1," values "${text}")
  string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" values "${values}")
  string(APPEND declarations "extern const std::string_view ${identifier};\n")
  string(APPEND definitions
    "static const unsigned char k_${identifier}[] = {\n${values}0};\n"
    "const std::string_view ${identifier}(reinterpret_cast<const char*>(k_${identifier}), ${bytes});\n")
endforeach()
get_filename_component(header_name "${HEADER}" NAME)
file(WRITE "${HEADER}" "#pragma once\n\n#include <string_view>\n\nnamespace gordian::embedded {\n${declarations}}\n")
file(WRITE "${SOURCE}" "#include \"${header_name}\"\n\nnamespace gordian::embedded {\n${definitions}}\n")
