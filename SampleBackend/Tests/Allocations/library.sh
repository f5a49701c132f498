# The library that counts allocations; source it after Tests/setup.sh.

# Whether allocations can be counted here: the C library is glibc.
counts_allocations() { getconf GNU_LIBC_VERSION >/dev/null 2>&1; }

# build_allocation_count FILE: builds it with the compiler that comes with Swift.
build_allocation_count() {
    local source=Tests/Benchmarks/Sources/AllocationCount
    clang -O2 -Wall -Wextra -Werror -fPIC -shared -ftls-model=initial-exec -I "$source/include" \
        -o "$1" "$source/AllocationCount.c" || fail "the library that counts allocations cannot be built"
}
