// Moves the clock of a process by CLOCK_OFFSET seconds: preloaded (LD_PRELOAD). The monotonic clock stays.
// libfaketime replaces the environment at its start, and Swift finds the arguments beside the original one.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long offset(void) {
    static long seconds, isRead;
    if (!isRead) {
        const char *text = getenv("CLOCK_OFFSET");
        seconds = text ? atol(text) : 0;
        isRead = 1;
    }
    return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = (int)syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += offset();
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    struct timespec now;
    (void)zone;
    int result = clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return result;
}

time_t time(time_t *time) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (time) *time = now.tv_sec;
    return now.tv_sec;
}

// The kernel compares deadlines with its own clock; those of the monotonic clock are far from the moved one.
int pthread_cond_timedwait(
    pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict deadline) {
    typedef int (*Wait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
    static Wait wait;
    if (!wait) wait = (Wait)dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
    if (!wait) wait = (Wait)dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    struct timespec own = *deadline, now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (own.tv_sec > now.tv_sec + 365L * 24 * 3600) own.tv_sec -= offset();
    return wait(condition, mutex, &own);
}
