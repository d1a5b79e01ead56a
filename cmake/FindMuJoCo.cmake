# Finds MuJoCo in its Python wheel, in an environment of this repository (`tools/setup mujoco` makes one), or in
# the folder MUJOCO_DIR: the wheel's package, or one with include/ and lib/ as MuJoCo is released.
# Sets MuJoCo_FOUND, MuJoCo_VERSION, MuJoCo_INCLUDE_DIR and MuJoCo_LIBRARY.
set(MUJOCO_DIR "" CACHE PATH "Folder with MuJoCo's include/ and libmujoco.so; empty: an environment of this repository")
if(MUJOCO_DIR)
  set(_mujoco_places ${MUJOCO_DIR})
else()
  file(GLOB _mujoco_places ${PROJECT_SOURCE_DIR}/.venv*/lib/python3*/site-packages/mujoco)
endif()
# Not cached: another environment may be there at the next configuration.
unset(MuJoCo_INCLUDE_DIR)
unset(MuJoCo_LIBRARY)
foreach(_place ${_mujoco_places})
  file(GLOB _libraries ${_place}/libmujoco.so* ${_place}/lib/libmujoco.so*)
  if(MuJoCo_LIBRARY OR NOT _libraries OR NOT EXISTS ${_place}/include/mujoco/mujoco.h)
    continue()
  endif()
  list(GET _libraries 0 _library)
  file(STRINGS ${_place}/include/mujoco/mujoco.h _line REGEX "define +mjVERSION_HEADER +[0-9]+")
  string(REGEX MATCH "[0-9]+$" _number "${_line}")
  math(EXPR _major "${_number} / 1000000")
  math(EXPR _minor "${_number} / 1000 % 1000")
  math(EXPR _patch "${_number} % 1000")
  set(MuJoCo_VERSION ${_major}.${_minor}.${_patch})
  if(MuJoCo_FIND_VERSION AND NOT MuJoCo_VERSION VERSION_EQUAL MuJoCo_FIND_VERSION)
    continue()
  endif()
  set(MuJoCo_INCLUDE_DIR ${_place}/include)
  # Links lead to a file whose name holds the version.
  get_filename_component(MuJoCo_LIBRARY ${_library} REALPATH)
endforeach()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MuJoCo REQUIRED_VARS MuJoCo_LIBRARY MuJoCo_INCLUDE_DIR
                                  VERSION_VAR MuJoCo_VERSION)
