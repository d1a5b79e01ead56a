# Flags for our own code only: users of the library choose theirs.
add_library(rhc_flags INTERFACE)
target_compile_options(rhc_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                           -Wnon-virtual-dtor)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 raises these falsely, in fmt 9, in its own AVX-512 intrinsics and strings.
  target_compile_options(rhc_flags INTERFACE -Wno-stringop-overflow -Wno-stringop-overread
                                             -Wno-maybe-uninitialized
                                             -Wno-uninitialized -Wno-restrict -Wno-array-bounds)
endif()
if(RHC_WERROR)
  target_compile_options(rhc_flags INTERFACE -Werror)
endif()
# The address sanitizer finds these as well, but for alignment, which takes a third of the compiler's time and which
# vectorised loads check by themselves.
set(RHC_LEFT_TO_ADDRESS -fno-sanitize=null,pointer-overflow,object-size,alignment)
if(RHC_SANITIZE)
  target_compile_options(rhc_flags INTERFACE -fsanitize=${RHC_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
  # The tests' own code is left to the address sanitizer altogether.
  if(RHC_SANITIZE MATCHES "address.*undefined")
    target_compile_options(rhc_flags INTERFACE ${RHC_LEFT_TO_ADDRESS}
                                               $<$<BOOL:$<TARGET_PROPERTY:RHC_IS_TEST>>:-fno-sanitize=undefined>)
  endif()
  target_link_options(rhc_flags INTERFACE -fsanitize=${RHC_SANITIZE})
endif()
# The second copy of a library, for the tests alone. FAST where much is computed: that takes the compiler half as long
# again, and the tests a third of the time. Elsewhere checks are calls, which is less to compile.
function(rhc_sanitize_copy target)
  cmake_parse_arguments(ARG "FAST" "" "" ${ARGN})
  target_compile_options(${target} PRIVATE -w $<IF:$<BOOL:${ARG_FAST}>,-O2,-O1> -g1 -UNDEBUG -fsanitize=address,undefined
                         ${RHC_LEFT_TO_ADDRESS} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  if(NOT ARG_FAST AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE "SHELL:--param asan-instrumentation-with-call-threshold=0")
  endif()
endfunction()
# The large headers are read once for so many files, 16 or SIZE. A name in an unnamed namespace must then be the only one
# of its target.
function(rhc_compile_in_batches target)
  cmake_parse_arguments(ARG "" "SIZE" "" ${ARGN})
  if(NOT ARG_SIZE)
    set(ARG_SIZE 16)
  endif()
  if(RHC_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${ARG_SIZE})
    # Half a gigabyte before GCC looks for memory to take back, which is a twelfth of its time.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE "SHELL:--param ggc-min-heapsize=524288")
    endif()
  endif()
endfunction()
# For a target that computes nothing itself: compiled without making it fast, which is a quarter of the compiler's time.
# With the library first the linker takes its copy of an inline function that both have, which is compiled as ever.
function(rhc_leaves_computing_to_library target)
  if(NOT APPLE)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-Os>)
    target_link_options(${target} PRIVATE LINKER:--whole-archive $<TARGET_FILE:rhc> LINKER:--no-whole-archive)
  endif()
endfunction()
# Eigen's types change their alignment with the instruction set, so everything that is linked with
# the library must be compiled for the same one: this flag travels with it.
if(RHC_NATIVE)
  set(RHC_ARCH_FLAGS -march=native)
endif()
