#define _GNU_SOURCE
#include "AllocationCount.h"

#include <stddef.h>
#include <stdlib.h>

#if defined(__GLIBC__)

// The program's functions replace those of the C library, for all libraries that it uses. So do those
// of a library that is preloaded into another program (LD_PRELOAD), which then counts the allocations
// of all threads in the file that ALLOCATION_COUNTS names, for other processes to read meanwhile, or those
// of the threads whose name begins with ALLOCATION_THREADS.

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

enum { SITES = 1 << 14, DEPTH = 30, OWN_FRAMES = 3 };

/// Callers of allocations; unused while the hash is 0.
struct site {
    _Atomic uint64_t hash, allocations, bytes;
    void *callers[DEPTH];
};

/// Content of the file.
struct counts {
    _Atomic uint64_t allocations, bytes;
    /// Not 0 while sites are recorded; other processes write it.
    _Atomic uint64_t records_sites;
    struct site sites[SITES];
};

static _Thread_local int64_t count = 0;
static _Thread_local bool is_recording = false;
static struct counts *counts = NULL;
static const char *threads = NULL;

__attribute__((constructor)) static void map_counts(void) {
    const char *path = getenv("ALLOCATION_COUNTS");
    if (path == NULL) return;
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, sizeof(struct counts)) != 0) return;
    void *start = mmap(NULL, sizeof(struct counts), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (start == MAP_FAILED) return;
    // The first backtrace loads a library.
    void *callers[1];
    backtrace(callers, 1);
    threads = getenv("ALLOCATION_THREADS");
    counts = start;
}

/// Adds an allocation to the site of its callers, in an open hash table.
__attribute__((noinline)) static void record_site(size_t size) {
    void *callers[OWN_FRAMES + DEPTH] = {NULL};
    if (backtrace(callers, OWN_FRAMES + DEPTH) < OWN_FRAMES) return;
    uint64_t hash = 14695981039346656037u;
    for (int index = OWN_FRAMES; index < OWN_FRAMES + DEPTH; index++)
        hash = (hash ^ (uintptr_t)callers[index]) * 1099511628211u;
    hash |= 1;
    for (uint64_t place = hash >> 32, end = place + SITES; place < end; place++) {
        struct site *site = &counts->sites[place % SITES];
        uint64_t found = 0;
        if (atomic_compare_exchange_strong(&site->hash, &found, hash))
            for (int index = 0; index < DEPTH; index++)
                site->callers[index] = callers[OWN_FRAMES + index];
        else if (found != hash)
            continue;
        atomic_fetch_add(&site->allocations, 1);
        atomic_fetch_add(&site->bytes, size);
        return;
    }
}

static bool is_counted_thread(void) {
    char name[16] = "";
    return threads == NULL ||
        (prctl(PR_GET_NAME, name) == 0 && strncmp(name, threads, strlen(threads)) == 0);
}

/// Counts an allocation.
__attribute__((noinline)) static void record(size_t size) {
    count++;
    if (counts == NULL || !is_counted_thread()) return;
    atomic_fetch_add_explicit(&counts->allocations, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&counts->bytes, size, memory_order_relaxed);
    if (is_recording || counts->records_sites == 0) return;
    is_recording = true;
    record_site(size);
    is_recording = false;
}

int64_t allocation_count(void) { return count; }

void *malloc(size_t size) {
    record(size);
    return __libc_malloc(size);
}

void *calloc(size_t elements, size_t size) {
    record(elements * size);
    return __libc_calloc(elements, size);
}

void *realloc(void *block, size_t size) {
    record(size);
    return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
    record(size);
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
    void *result = memalign(alignment, size);
    if (result == NULL) return ENOMEM;
    *block = result;
    return 0;
}

#else

int64_t allocation_count(void) { return -1; }

#endif
