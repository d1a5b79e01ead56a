# Tests are run suite by suite: what a suite makes once, such as a run, is then made once. A program is asked for its
# tests after it was built, so that no suite can be forgotten.
#   rhc_add_suites(test_store store) suite Lock of the program test_store becomes the test store/Lock
#     FILTER  of GoogleTest, for names of tests: only these
#     LABEL   instead of `unit`
#     LONG    patterns SUITE.TEST: each becomes a test of its own with the label `long`, and its suite goes without it
#     WITHOUT patterns SUITE.TEST: these are left out
#     COSTS   SUITE=SECONDS of those that take longest: they begin first
#     PROPERTIES  of all tests
function(rhc_add_suites target prefix)
  cmake_parse_arguments(ARG "" "FILTER;LABEL" "LONG;WITHOUT;COSTS;PROPERTIES" ${ARGN})
  if(NOT ARG_LABEL)
    set(ARG_LABEL unit)
  endif()
  set(listed ${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake)
  add_custom_command(TARGET ${target} POST_BUILD BYPRODUCTS ${listed} VERBATIM
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${target}> -DPREFIX=${prefix} "-DFILTER=${ARG_FILTER}" -DLABEL=${ARG_LABEL}
            "-DLONG=${ARG_LONG}" "-DWITHOUT=${ARG_WITHOUT}" "-DCOSTS=${ARG_COSTS}" "-DPROPERTIES=${ARG_PROPERTIES}" -DOUT=${listed}
            -P ${PROJECT_SOURCE_DIR}/cmake/list_suites.cmake)
  # Not built, it fails instead of being left out.
  set(included ${CMAKE_CURRENT_BINARY_DIR}/${target}_include.cmake)
  file(WRITE ${included} "if(EXISTS \"${listed}\")\n  include(\"${listed}\")\nelse()\n"
                         "  add_test(${prefix}/was_not_built false)\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${included})
endfunction()
