// Files that travel inside the program.
#pragma once

// Defines NAME_begin and NAME_end around the bytes of the file at PATH (a string literal): as they
// are, without a detour through a million numbers in source code. At file scope, once a program.
#define RHC_EMBED(NAME, PATH)         \
  asm(".section .rodata\n"            \
      ".global " #NAME                \
      "_begin\n"                      \
      ".global " #NAME "_end\n" #NAME \
      "_begin:\n"                     \
      ".incbin \"" PATH "\"\n" #NAME  \
      "_end:\n"                       \
      ".byte 0\n"                     \
      ".previous\n");                 \
  extern "C" const char NAME##_begin[], NAME##_end[]
