# Copies a source of the core with one piece of its text replaced.
#
#   cmake -DEDIT=<file> -DROOT=<source tree> -DOUTPUT=<file> -P replace.cmake
#
# The edit names the source in its first line, "file <path>", and has the text between the lines
# "<<<<" and "====" and what replaces it between "====" and ">>>>". Fails when the text is not
# there, or is there more than once: then the source has changed and the edit must follow it.

file(READ "${EDIT}" edit)
if(NOT edit MATCHES "^file ([^\n]+)\n(.*)$")
  message(FATAL_ERROR "${EDIT}: the first line must be 'file <path>'")
endif()
set(path "${CMAKE_MATCH_1}")

string(FIND "${edit}" "\n<<<<\n" begin)
string(FIND "${edit}" "\n====\n" middle)
string(FIND "${edit}" "\n>>>>\n" end)
if(begin LESS 0 OR middle LESS begin OR end LESS middle)
  message(FATAL_ERROR "${EDIT}: expected the lines <<<<, ==== and >>>> in this order")
endif()
math(EXPR old_start "${begin} + 6")
math(EXPR old_length "${middle} - ${old_start}")
math(EXPR new_start "${middle} + 6")
math(EXPR new_length "${end} - ${new_start}")
string(SUBSTRING "${edit}" ${old_start} ${old_length} old)
if(new_length LESS 0)
  set(new "")
else()
  string(SUBSTRING "${edit}" ${new_start} ${new_length} new)
endif()

file(READ "${ROOT}/${path}" source)
string(FIND "${source}" "${old}" first)
string(FIND "${source}" "${old}" last REVERSE)
if(first LESS 0)
  message(FATAL_ERROR "${EDIT}: ${path} does not contain this text any more:\n${old}")
endif()
if(NOT first EQUAL last)
  message(FATAL_ERROR "${EDIT}: ${path} contains this text more than once:\n${old}")
endif()
string(REPLACE "${old}" "${new}" source "${source}")
file(WRITE "${OUTPUT}" "${source}")
