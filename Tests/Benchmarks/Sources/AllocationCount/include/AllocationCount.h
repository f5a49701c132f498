/// Counts the allocations of the calling thread; preloaded as a library, those of a whole program.

#ifndef ALLOCATION_COUNT_H
#define ALLOCATION_COUNT_H

#include <stdint.h>

/// Number of allocations of the calling thread so far; -1 where they cannot be counted.
int64_t allocation_count(void);

#endif
