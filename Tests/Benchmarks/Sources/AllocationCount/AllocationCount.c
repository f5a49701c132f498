#include "AllocationCount.h"

#include <stddef.h>
#include <stdlib.h>

#if defined(__GLIBC__)

// The program's functions replace those of the C library, for all libraries that it uses.

#include <errno.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static _Thread_local int64_t count = 0;

int64_t allocation_count(void) { return count; }

void *malloc(size_t size) {
    count++;
    return __libc_malloc(size);
}

void *calloc(size_t elements, size_t size) {
    count++;
    return __libc_calloc(elements, size);
}

void *realloc(void *block, size_t size) {
    count++;
    return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
    count++;
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
