# Installs the library to an empty prefix and builds, links and runs a project that knows only that.
set(work ${BUILD}/consumer)
file(REMOVE_RECURSE ${work})
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(result)
    message(FATAL_ERROR "failed: ${ARGN}")
  endif()
endfunction()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix)
run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${work}/build -G Ninja -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${work}/prefix)
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/consumer)
# The installed program finds its modules.
if(WITH_TORCH)
  run(${work}/prefix/bin/rhc explore pendulum --method sac-pe --episodes 2 --quiet --no-evaluation
      --out ${work}/run features=20)
endif()
if(WITH_MUJOCO)
  run(${CMAKE_COMMAND} -E env RHC_MODULES=${work}/prefix/${LIBDIR}/rhc ${work}/prefix/bin/rhc explore arm --method random --episodes 1
      --quiet --no-evaluation --out ${work}/arm features=20)
endif()
