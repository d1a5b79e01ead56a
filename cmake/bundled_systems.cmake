# Puts the models of systems/ into their TOML files, and those into the library.
set(bundled_definitions "")
set(bundled_files "")
foreach(name pendulum-mujoco cartpole-mujoco acrobot two-pole-cart arm)
  set(toml ${PROJECT_SOURCE_DIR}/systems/${name}.toml)
  set(model ${PROJECT_SOURCE_DIR}/systems/${name}.xml)
  set(out ${CMAKE_BINARY_DIR}/systems/${name}.toml)
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DTOML=${toml} -DMODEL=${model} -DOUT=${out}
            -P ${PROJECT_SOURCE_DIR}/cmake/embed_model.cmake
    DEPENDS ${toml} ${model} ${PROJECT_SOURCE_DIR}/cmake/embed_model.cmake
    VERBATIM)
  target_sources(rhc PRIVATE ${out})
  string(TOUPPER ${name} upper)
  string(REPLACE "-" "_" upper ${upper})
  list(APPEND bundled_definitions RHC_${upper}="${out}")
  list(APPEND bundled_files ${out})
endforeach()
set_source_files_properties(io/bundled_systems.cc PROPERTIES OBJECT_DEPENDS "${bundled_files}"
                            COMPILE_DEFINITIONS "${bundled_definitions}")
