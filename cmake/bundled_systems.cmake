# Puts the models of systems/ into their TOML files, and those into a library that has describe/bundled_systems.cc.
function(rhc_bundle_systems library)
  set(definitions "")
  set(files "")
  foreach(name pendulum-mujoco cartpole-mujoco acrobot two-pole-cart arm)
    set(toml ${PROJECT_SOURCE_DIR}/systems/${name}.toml)
    set(model ${PROJECT_SOURCE_DIR}/systems/${name}.xml)
    set(out ${CMAKE_CURRENT_BINARY_DIR}/systems/${name}.toml)
    add_custom_command(
      OUTPUT ${out}
      COMMAND ${CMAKE_COMMAND} -DTOML=${toml} -DMODEL=${model} -DOUT=${out}
              -P ${PROJECT_SOURCE_DIR}/cmake/embed_model.cmake
      DEPENDS ${toml} ${model} ${PROJECT_SOURCE_DIR}/cmake/embed_model.cmake
      VERBATIM)
    target_sources(${library} PRIVATE ${out})
    string(TOUPPER ${name} upper)
    string(REPLACE "-" "_" upper ${upper})
    list(APPEND definitions RHC_${upper}="${out}")
    list(APPEND files ${out})
  endforeach()
  set_source_files_properties(${PROJECT_SOURCE_DIR}/rhc/describe/bundled_systems.cc PROPERTIES
                              OBJECT_DEPENDS "${files}" COMPILE_DEFINITIONS "${definitions}")
endfunction()
