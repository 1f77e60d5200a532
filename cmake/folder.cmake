# One CMake target per folder.
#
#   baton_folder(<name> [SUBDIRS dir...] [DEPS folder...] [LINK external...]
#                [TEST_DEPS folder...] [TEST_LINK external...] [TEST_LABEL label]
#                [TEST_TIMEOUT seconds] [RAPIDCHECK])
#
# Every *.cc of the current directory and of the SUBDIRS, one level each, goes into the static
# library baton_<name>, also called baton::<name>; a folder without any becomes an INTERFACE
# library. DEPS names other folders by their short name. Files called *_main.cc are left out.
# Files called *_test.cc become one GoogleTest program <name>_test; every test in it is known to
# ctest under its own name, with the label "unit" unless TEST_LABEL says otherwise.
# Includes are written from src/: #include "lifecycle/decide.h".
#
#   baton_program(<name> SOURCES file... [DEPS folder...] [LINK external...])
#
# An executable build/<preset>/<name>.
#
#   baton_script_test(<name> COMMAND word... [LABEL label] [TIMEOUT seconds])
#
# A test that is a command; it runs in the root of the source tree.

include(GoogleTest)

function(baton_target_defaults target scope)
  target_compile_features(${target} ${scope} cxx_std_20)
  target_include_directories(${target} ${scope} ${PROJECT_SOURCE_DIR}/src)
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/include)
    target_include_directories(${target} ${scope} ${PROJECT_SOURCE_DIR}/include)
  endif()
  if(NOT scope STREQUAL "INTERFACE")
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
    target_link_libraries(${target} PRIVATE baton_flags)
    # Several sources at once share the work on their headers, which is most of it. A source whose
    # local names clash with a neighbour's is kept apart by its folder (baton_compile_alone).
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${BATON_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()

# Sources of the current directory that are never compiled together with others.
function(baton_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

function(baton_link_folders target scope)
  foreach(folder IN LISTS ARGN)
    target_link_libraries(${target} ${scope} baton::${folder})
  endforeach()
endfunction()

function(baton_folder name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "RAPIDCHECK" "TEST_LABEL;TEST_TIMEOUT"
                        "SUBDIRS;DEPS;LINK;TEST_DEPS;TEST_LINK")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "baton_folder(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()

  set(patterns "${CMAKE_CURRENT_SOURCE_DIR}/*.cc")
  foreach(dir IN LISTS arg_SUBDIRS)
    list(APPEND patterns "${CMAKE_CURRENT_SOURCE_DIR}/${dir}/*.cc")
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_(test|main)\\.cc$")

  if(sources)
    set(scope PUBLIC)
    add_library(baton_${name} STATIC ${sources})
  else()
    set(scope INTERFACE)
    add_library(baton_${name} INTERFACE)
  endif()
  add_library(baton::${name} ALIAS baton_${name})
  baton_target_defaults(baton_${name} ${scope})
  baton_link_folders(baton_${name} ${scope} ${arg_DEPS})
  target_link_libraries(baton_${name} ${scope} ${arg_LINK})

  if(BATON_TESTS AND tests)
    set(link ${arg_TEST_LINK})
    if(arg_RAPIDCHECK)
      list(APPEND link rapidcheck_gtest)
    endif()
    baton_gtest_program(
      ${name}_test "${arg_TEST_LABEL}" "${arg_TEST_TIMEOUT}"
      SOURCES ${tests}
      DEPS ${name} ${arg_TEST_DEPS}
      LINK ${link})
  endif()
endfunction()

function(baton_gtest_program name label timeout)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "SOURCES;DEPS;LINK")
  if(NOT label)
    set(label unit)
  endif()
  if(NOT timeout)
    set(timeout 300)
  endif()
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  baton_target_defaults(${name} PRIVATE)
  # Test sources are compiled more often than their loops run: without optimisation they build in
  # less than half the time. What they test is built as the preset says.
  target_compile_options(${name} PRIVATE -O0)
  baton_link_folders(${name} PRIVATE ${arg_DEPS})
  target_link_libraries(${name} PRIVATE ${arg_LINK} GTest::gtest_main)
  # PRE_TEST: ctest asks the program for its tests, so that a build never runs what it built.
  gtest_discover_tests(
    ${name}
    NO_PRETTY_TYPES NO_PRETTY_VALUES
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 120
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    PROPERTIES TIMEOUT ${timeout} LABELS ${label})
  set_property(GLOBAL APPEND PROPERTY BATON_TEST_PROGRAMS "${label} ${name}")
endfunction()

function(baton_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS;LINK")
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  baton_target_defaults(${name} PRIVATE)
  baton_link_folders(${name} PRIVATE ${arg_DEPS})
  target_link_libraries(${name} PRIVATE ${arg_LINK})
endfunction()

function(baton_script_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL;TIMEOUT" "COMMAND")
  if(NOT BATON_TESTS)
    return()
  endif()
  if(NOT arg_LABEL)
    set(arg_LABEL script)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  add_test(NAME ${name} COMMAND ${arg_COMMAND} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT})
endfunction()

# Writes "label program" lines to build/<preset>/test-programs.txt, for ./dev to run whole programs.
function(baton_write_test_programs)
  get_property(programs GLOBAL PROPERTY BATON_TEST_PROGRAMS)
  list(JOIN programs "\n" text)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/test-programs.txt CONTENT "${text}\n" @ONLY)
endfunction()
