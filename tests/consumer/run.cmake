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
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${work}/prefix -DEXAMPLE=${EXAMPLE} -DDOCUMENT=${DOCUMENT})
run(${CMAKE_COMMAND} --build ${work}/build)
execute_process(COMMAND ${work}/build/consumer OUTPUT_VARIABLE said RESULT_VARIABLE result)
if(result OR NOT said MATCHES "${SAYS}")
  message(FATAL_ERROR "the example says: ${said}")
endif()
# What is for the shell is there, too.
foreach(file include/rhc/rhc.h share/bash-completion/completions/rhc share/zsh/site-functions/_rhc
             share/fish/vendor_completions.d/rhc.fish share/man/man1/rhc.1 share/man/man1/rhc-sweep-status.1)
  if(NOT EXISTS ${work}/prefix/${file})
    message(FATAL_ERROR "${file} was not installed")
  endif()
endforeach()
# And nothing that only rhc itself includes.
if(EXISTS ${work}/prefix/include/rhc/store OR EXISTS ${work}/prefix/include/rhc/report)
  message(FATAL_ERROR "headers were installed that are not public")
endif()
# The installed program finds its modules.
if(WITH_TORCH)
  run(${work}/prefix/bin/rhc explore pendulum --method sac-pe --episodes 2 --quiet --no-evaluation
      --out ${work}/run features=20)
endif()
if(WITH_MUJOCO)
  run(${CMAKE_COMMAND} -E env RHC_MODULES=${work}/prefix/${LIBDIR}/rhc ${work}/prefix/bin/rhc explore arm --method random --episodes 1
      --quiet --no-evaluation --out ${work}/arm features=20)
endif()
