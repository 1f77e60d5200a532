# The library that other programs link, and what `cmake --install` puts where.
#
# Every folder that the engine and the worker stand on goes into one archive, libbaton.a, which is
# the target baton::baton, here and for those who say find_package(baton). The folders themselves,
# their flags and their headers stay behind; include/baton is all that a program sees.

option(BATON_INSTALL "Make the rules for cmake --install" ${PROJECT_IS_TOP_LEVEL})

# Which package brings a library that a folder links. A folder that links another one needs a line.
set(baton_package_of_Threads::Threads Threads)
set(baton_package_of_OpenSSL::Crypto OpenSSL)
set(baton_package_of_OpenSSL::SSL OpenSSL)
set(baton_package_of_SQLite::SQLite3 SQLite3)
set(baton_package_of_simdjson::simdjson simdjson)

# All folders below the given ones, and the libraries from outside that they link.
function(baton_walk_folders folders_out externals_out)
  set(todo ${ARGN})
  set(folders "")
  set(externals "")
  while(todo)
    list(POP_FRONT todo folder)
    if(folder IN_LIST folders)
      continue()
    endif()
    list(APPEND folders ${folder})
    get_target_property(links baton_${folder} INTERFACE_LINK_LIBRARIES)
    foreach(link IN LISTS links)
      if(link MATCHES "^baton::(.+)$")
        list(APPEND todo ${CMAKE_MATCH_1})
      elseif(link AND NOT link MATCHES "baton_flags")
        list(APPEND externals ${link})
      endif()
    endforeach()
  endwhile()
  list(REMOVE_DUPLICATES externals)
  set(${folders_out} ${folders} PARENT_SCOPE)
  set(${externals_out} ${externals} PARENT_SCOPE)
endfunction()

baton_walk_folders(folders externals engine worker client)

set(objects "")
foreach(folder IN LISTS folders)
  get_target_property(type baton_${folder} TYPE)
  if(NOT type STREQUAL "INTERFACE_LIBRARY")
    list(APPEND objects $<TARGET_OBJECTS:baton_${folder}>)
  endif()
endforeach()

add_library(baton_library STATIC ${objects})
add_library(baton::baton ALIAS baton_library)
set_target_properties(baton_library PROPERTIES OUTPUT_NAME baton EXPORT_NAME baton
                                               LINKER_LANGUAGE CXX)
target_compile_features(baton_library PUBLIC cxx_std_20)
target_include_directories(baton_library PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                $<INSTALL_INTERFACE:include>)

set(BATON_FIND_DEPENDENCIES "")
foreach(external IN LISTS externals)
  set(package ${baton_package_of_${external}})
  if(NOT package)
    message(FATAL_ERROR "cmake/install.cmake does not know which package brings ${external}")
  endif()
  find_package(${package} REQUIRED)
  target_link_libraries(baton_library PUBLIC ${external})
  string(APPEND BATON_FIND_DEPENDENCIES "find_dependency(${package})\n")
endforeach()

if(NOT BATON_INSTALL)
  return()
endif()

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/baton)
configure_package_config_file(
  cmake/batonConfig.cmake.in ${PROJECT_BINARY_DIR}/batonConfig.cmake
  INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/batonConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)

install(TARGETS baton_library EXPORT baton_targets)
install(EXPORT baton_targets FILE batonTargets.cmake NAMESPACE baton:: DESTINATION ${config_dir})
install(FILES ${PROJECT_BINARY_DIR}/batonConfig.cmake
              ${PROJECT_BINARY_DIR}/batonConfigVersion.cmake DESTINATION ${config_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/baton DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
if(TARGET baton)
  install(TARGETS baton)
endif()
