// Preloaded into a program: counts its calls that change what is on disk under one directory, and
// spoils one of them.
//   RHC_FAULT_DIR    the directory, an absolute path without links
//   RHC_FAULT_STATE  a file of struct State outside of it: the processes of a program count
//   together RHC_FAULT_AT     number of the call that is spoiled, from 1; 0 or none: calls are only
//   counted RHC_FAULT_HOW    enospc, eio: it fails. short: a write takes half, and what is called
//   next finds the disk full.
//                    full: from this call on, nothing can be made or written. before, after: the
//                    process is killed before or after it takes effect. torn: it is killed with a
//                    write half done
//   RHC_FAULT_LOG    a file that gets a line for each call: its name and its path
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

struct State {
  atomic_long calls;
  char hit[4000];  // name and path of the call that was spoiled
};

// What becomes of one call.
enum Fate { kGoesOn, kFails, kIsHalved, kDiesAfter, kIsTorn };

static struct State* state;
static const char *directory, *how = "";
static long at;
static int log_file = -1;

__attribute__((constructor)) static void begin(void) {
  const char* file = getenv("RHC_FAULT_STATE");
  directory = getenv("RHC_FAULT_DIR");
  if (!file || !directory) return;
  if (getenv("RHC_FAULT_AT")) at = atol(getenv("RHC_FAULT_AT"));
  if (getenv("RHC_FAULT_HOW")) how = getenv("RHC_FAULT_HOW");
  const int opened = (int)syscall(SYS_openat, AT_FDCWD, file, O_RDWR | O_CLOEXEC);
  if (opened < 0) abort();
  void* shared = mmap(NULL, sizeof(struct State), PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
  if (shared == MAP_FAILED) abort();
  if (getenv("RHC_FAULT_LOG"))
    log_file = (int)syscall(SYS_openat, AT_FDCWD, getenv("RHC_FAULT_LOG"),
                            O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  state = shared;
}

static int is_under(const char* path) {
  const size_t length = strlen(directory);
  return strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == 0);
}

// The absolute path of a name that may not exist yet.
static void absolute(int folder, const char* name, char* path) {
  char base[PATH_MAX], whole[2 * PATH_MAX];
  path[0] = 0;
  if (name[0] == '/') {
    snprintf(whole, sizeof whole, "%s", name);
  } else if (folder == AT_FDCWD) {
    if (!getcwd(base, sizeof base)) return;
    snprintf(whole, sizeof whole, "%s/%s", base, name);
  } else {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    const ssize_t size = readlink(link, base, sizeof base - 1);
    if (size < 0) return;
    base[size] = 0;
    snprintf(whole, sizeof whole, "%s/%s", base, name);
  }
  for (size_t n = strlen(whole); n > 1 && whole[n - 1] == '/'; --n) whole[n - 1] = 0;
  char* slash = strrchr(whole, '/');
  *slash = 0;
  if (!realpath(whole, base)) snprintf(base, sizeof base, "%.*s", PATH_MAX - 1, whole);
  snprintf(path, PATH_MAX, "%.*s/%.*s", PATH_MAX - NAME_MAX - 2, base, NAME_MAX, slash + 1);
}

static int makes_or_fills(const char* call) {
  return strcmp(call, "open") == 0 || strcmp(call, "mkdir") == 0 || strcmp(call, "write") == 0 ||
         strcmp(call, "link") == 0;
}

static void die(void) {
  syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
  for (;;) pause();
}

// Counts a call on a path, and says what becomes of it.
static enum Fate meet(const char* call, const char* path) {
  if (!state || !is_under(path)) return kGoesOn;
  const long number = atomic_fetch_add(&state->calls, 1) + 1;
  if (log_file >= 0) {
    char line[PATH_MAX + 64];
    const int size = snprintf(line, sizeof line, "%s %s\n", call, path);
    syscall(SYS_write, log_file, line, size);
  }
  const int cut_short = strcmp(how, "short") == 0;
  if (at > 0 && ((strcmp(how, "full") == 0 && number > at && makes_or_fills(call)) ||
                 (cut_short && number == at + 1))) {
    errno = ENOSPC;
    return kFails;
  }
  if (at == 0 || number != at) return kGoesOn;
  snprintf(state->hit, sizeof state->hit, "%s %s", call, path);
  if (strcmp(how, "before") == 0) die();
  if (strcmp(how, "after") == 0) return kDiesAfter;
  if (strcmp(how, "torn") == 0) return kIsTorn;
  if (cut_short) return kIsHalved;
  errno = strcmp(how, "eio") == 0 ? EIO : ENOSPC;
  return kFails;
}

static enum Fate meet_name(const char* call, int folder, const char* name) {
  if (!state) return kGoesOn;
  const int error = errno;
  char path[PATH_MAX];
  absolute(folder, name, path);
  errno = error;
  return meet(call, path);
}

static enum Fate meet_file(const char* call, int file) {
  if (!state) return kGoesOn;
  const int error = errno;
  char link[64], path[PATH_MAX] = "";
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t size = readlink(link, path, sizeof path - 1);
  if (size > 0) path[size] = 0;
  errno = error;
  return meet(call, path);
}

// The C library's own function behind one of ours.
#define REAL(name) ((__typeof__(&name))real(#name))
static void* real(const char* name) { return dlsym(RTLD_NEXT, name); }

#define SPOIL(fate, call)                                  \
  do {                                                     \
    const enum Fate spoiled = (fate);                      \
    if (spoiled == kFails) return -1;                      \
    const __typeof__(call) result = (call);                \
    if (spoiled != kGoesOn && spoiled != kIsHalved) die(); \
    return result;                                         \
  } while (0)

// Writes take half of their bytes where they are halved or torn.
#define SPOIL_WRITE(fate, call, half)                                                    \
  do {                                                                                   \
    const enum Fate spoiled = (fate);                                                    \
    if (spoiled == kFails) return -1;                                                    \
    const ssize_t result = spoiled == kIsHalved || spoiled == kIsTorn ? (half) : (call); \
    if (spoiled == kDiesAfter || spoiled == kIsTorn) die();                              \
    return result;                                                                       \
  } while (0)

ssize_t write(int file, const void* bytes, size_t count) {
  SPOIL_WRITE(meet_file("write", file), REAL(write)(file, bytes, count),
              REAL(write)(file, bytes, count / 2));
}

ssize_t pwrite(int file, const void* bytes, size_t count, off_t place) {
  SPOIL_WRITE(meet_file("write", file), REAL(pwrite)(file, bytes, count, place),
              REAL(pwrite)(file, bytes, count / 2, place));
}

ssize_t pwrite64(int file, const void* bytes, size_t count, off64_t place) {
  SPOIL_WRITE(meet_file("write", file), REAL(pwrite64)(file, bytes, count, place),
              REAL(pwrite64)(file, bytes, count / 2, place));
}

ssize_t writev(int file, const struct iovec* parts, int count) {
  SPOIL_WRITE(meet_file("write", file), REAL(writev)(file, parts, count),
              REAL(write)(file, parts[0].iov_base, parts[0].iov_len / 2));
}

int fsync(int file) { SPOIL(meet_file("sync", file), REAL(fsync)(file)); }
int fdatasync(int file) { SPOIL(meet_file("sync", file), REAL(fdatasync)(file)); }
int syncfs(int file) { SPOIL(meet_file("sync", file), REAL(syncfs)(file)); }

int ftruncate(int file, off_t size) {
  SPOIL(meet_file("truncate", file), REAL(ftruncate)(file, size));
}
int ftruncate64(int file, off64_t size) {
  SPOIL(meet_file("truncate", file), REAL(ftruncate64)(file, size));
}
int truncate(const char* path, off_t size) {
  SPOIL(meet_name("truncate", AT_FDCWD, path), REAL(truncate)(path, size));
}
int truncate64(const char* path, off64_t size) {
  SPOIL(meet_name("truncate", AT_FDCWD, path), REAL(truncate64)(path, size));
}

int rename(const char* from, const char* to) {
  SPOIL(meet_name("rename", AT_FDCWD, to), REAL(rename)(from, to));
}
int renameat(int folder, const char* from, int other, const char* to) {
  SPOIL(meet_name("rename", other, to), REAL(renameat)(folder, from, other, to));
}
int renameat2(int folder, const char* from, int other, const char* to, unsigned flags) {
  SPOIL(meet_name("rename", other, to), REAL(renameat2)(folder, from, other, to, flags));
}

int link(const char* from, const char* to) {
  SPOIL(meet_name("link", AT_FDCWD, to), REAL(link)(from, to));
}
int linkat(int folder, const char* from, int other, const char* to, int flags) {
  SPOIL(meet_name("link", other, to), REAL(linkat)(folder, from, other, to, flags));
}
int symlink(const char* from, const char* to) {
  SPOIL(meet_name("link", AT_FDCWD, to), REAL(symlink)(from, to));
}

int unlink(const char* path) { SPOIL(meet_name("unlink", AT_FDCWD, path), REAL(unlink)(path)); }
int unlinkat(int folder, const char* path, int flags) {
  SPOIL(meet_name("unlink", folder, path), REAL(unlinkat)(folder, path, flags));
}
int rmdir(const char* path) { SPOIL(meet_name("unlink", AT_FDCWD, path), REAL(rmdir)(path)); }
int remove(const char* path) { SPOIL(meet_name("unlink", AT_FDCWD, path), REAL(remove)(path)); }

int mkdir(const char* path, mode_t mode) {
  SPOIL(meet_name("mkdir", AT_FDCWD, path), REAL(mkdir)(path, mode));
}
int mkdirat(int folder, const char* path, mode_t mode) {
  SPOIL(meet_name("mkdir", folder, path), REAL(mkdirat)(folder, path, mode));
}

// Opening for reading changes nothing, and so does not count.
static int writes(int flags) { return (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT); }

static enum Fate meet_opening(int folder, const char* path, int flags) {
  return writes(flags) ? meet_name("open", folder, path) : kGoesOn;
}

#define MODE_OF(flags)                     \
  mode_t mode = 0;                         \
  if ((flags) & (O_CREAT | __O_TMPFILE)) { \
    va_list more;                          \
    va_start(more, flags);                 \
    mode = va_arg(more, mode_t);           \
    va_end(more);                          \
  }

int open(const char* path, int flags, ...) {
  MODE_OF(flags);
  SPOIL(meet_opening(AT_FDCWD, path, flags), REAL(open)(path, flags, mode));
}
int open64(const char* path, int flags, ...) {
  MODE_OF(flags);
  SPOIL(meet_opening(AT_FDCWD, path, flags), REAL(open64)(path, flags, mode));
}
int openat(int folder, const char* path, int flags, ...) {
  MODE_OF(flags);
  SPOIL(meet_opening(folder, path, flags), REAL(openat)(folder, path, flags, mode));
}
int openat64(int folder, const char* path, int flags, ...) {
  MODE_OF(flags);
  SPOIL(meet_opening(folder, path, flags), REAL(openat64)(folder, path, flags, mode));
}
int creat(const char* path, mode_t mode) {
  SPOIL(meet_name("open", AT_FDCWD, path), REAL(creat)(path, mode));
}

// Streams of C++ open their files so, and then write by `write` and `writev`.
FILE* fopen(const char* path, const char* mode) {
  const enum Fate fate = strpbrk(mode, "wa+") ? meet_name("open", AT_FDCWD, path) : kGoesOn;
  if (fate == kFails) return NULL;
  FILE* file = REAL(fopen)(path, mode);
  if (fate != kGoesOn && fate != kIsHalved) die();
  return file;
}
FILE* fopen64(const char* path, const char* mode) {
  const enum Fate fate = strpbrk(mode, "wa+") ? meet_name("open", AT_FDCWD, path) : kGoesOn;
  if (fate == kFails) return NULL;
  FILE* file = REAL(fopen64)(path, mode);
  if (fate != kGoesOn && fate != kIsHalved) die();
  return file;
}
