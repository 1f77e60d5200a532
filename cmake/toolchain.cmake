# Compiler settings. Everything here hangs on the target baton_flags, which each of our targets
# links privately, so that a project which embeds Baton keeps its own flags.

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
  endif()

  find_program(BATON_CCACHE ccache)
  if(BATON_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${BATON_CCACHE})
  endif()
  find_program(BATON_MOLD mold)
  if(BATON_MOLD)
    add_link_options(-fuse-ld=mold)
  endif()
endif()

find_package(Threads REQUIRED)

add_library(baton_flags INTERFACE)
target_link_libraries(baton_flags INTERFACE Threads::Threads)

# Assertions stay on in every build, whatever the build type says.
target_compile_options(baton_flags INTERFACE -UNDEBUG)

target_compile_options(
  baton_flags
  INTERFACE -Wall
            -Wextra
            -Wpedantic
            -Wshadow
            -Wconversion
            -Wnon-virtual-dtor
            -Woverloaded-virtual
            -Wold-style-cast
            -Wcast-qual
            -Wformat=2
            -Wimplicit-fallthrough
            -Wundef)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports -Wrestrict falsely for std::string concatenation (GCC bug 105651).
  target_compile_options(baton_flags INTERFACE -Wduplicated-cond -Wlogical-op -Wno-restrict)
endif()
if(BATON_WERROR)
  target_compile_options(baton_flags INTERFACE -Werror)
endif()

if(BATON_SANITIZE)
  set(sanitize -fsanitize=${BATON_SANITIZE} -fno-sanitize-recover=all)
  target_compile_options(baton_flags INTERFACE ${sanitize} -fno-omit-frame-pointer)
  target_link_options(baton_flags INTERFACE ${sanitize})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Instrumented code confuses the flow analysis behind these warnings; the release build has them.
    target_compile_options(baton_flags INTERFACE -Wno-maybe-uninitialized -Wno-array-bounds
                                                 -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
  if(BATON_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ warns that atomic_thread_fence is not modelled by the thread sanitizer.
    target_compile_options(baton_flags INTERFACE -Wno-tsan)
  endif()
endif()

if(BATON_COVERAGE)
  target_compile_options(baton_flags INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(baton_flags INTERFACE --coverage)
endif()
