cmake_minimum_required(VERSION 3.22)
# Writes which commit is being built, only where it has changed: SOURCE, OUT.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --exclude=*
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(commit "")
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define RHC_COMMIT \"@commit@\"\n" @ONLY)
