// Counts allocations by replacing glibc's malloc: for test programs of one file.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdlib>

namespace {

std::atomic<bool> counting = false;
std::atomic<int> allocations = 0;

void count() {
  if (counting) ++allocations;
}

}  // namespace

// Everything that allocates ends in one of these, `new` included.
extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  count();
  return __libc_malloc(size);
}

void* calloc(std::size_t number, std::size_t size) {
  count();
  return __libc_calloc(number, size);
}

void* realloc(void* old, std::size_t size) {
  count();
  return __libc_realloc(old, size);
}

void* memalign(std::size_t alignment, std::size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  count();
  *result = __libc_memalign(alignment, size);
  return *result ? 0 : ENOMEM;
}

}  // extern "C"

namespace rhc {

// How often `work` allocates.
template <class Work>
int allocations_of(Work&& work) {
  allocations = 0;
  counting = true;
  work();
  counting = false;
  return allocations;
}

}  // namespace rhc
