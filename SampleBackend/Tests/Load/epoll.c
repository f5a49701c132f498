// The fewest system calls that send a change to many streams: a baseline for the backend (streams.py).
//
// `epoll THREADS` listens on a free port of 127.0.0.1, prints "listening on PORT", and reads commands:
//   head LENGTH, a line feed, and the bytes of the response to each request from now on
//   send LENGTH, a line feed, and bytes, which it writes to all connections, by one call each
// It prints "sent COUNT" when COUNT connections have accepted all of these bytes, and exits at the end of its input.

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { maximum_threads = 64, maximum_files = 1 << 17, maximum_head = 1 << 14 };

struct message {
    char *bytes;
    size_t length;
};

struct loop {
    int epoll, wake;  // The descriptor that is readable when `event` is to be sent.
    int *streams;     // The connections that have sent their request.
    int count, sent;
    pthread_t thread;
};

static struct loop loops[maximum_threads];
static int thread_count;
static struct message head, event;
static pthread_barrier_t sent_by_all;
static int place[maximum_files];  // Index of a descriptor in `streams`; -1 until its request has arrived.

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void send_event(struct loop *loop) {
    uint64_t value;
    if (read(loop->wake, &value, sizeof value) < 0) fail("read");
    loop->sent = 0;
    for (int i = 0; i < loop->count; i++)
        loop->sent += send(loop->streams[i], event.bytes, event.length, MSG_DONTWAIT | MSG_NOSIGNAL) ==
                      (ssize_t)event.length;
    pthread_barrier_wait(&sent_by_all);
}

static void leave(struct loop *loop, int connection) {
    if (place[connection] >= 0) {
        int last = loop->streams[--loop->count];
        loop->streams[place[connection]] = last;
        place[last] = place[connection];
    }
    close(connection);
}

static void receive(struct loop *loop, int connection) {
    char bytes[maximum_head];
    ssize_t length = recv(connection, bytes, sizeof bytes, MSG_DONTWAIT);
    if (length <= 0) {
        leave(loop, connection);
    } else if (place[connection] < 0 && length >= 4 && memcmp(bytes + length - 4, "\r\n\r\n", 4) == 0) {
        place[connection] = loop->count;
        loop->streams[loop->count++] = connection;
        send(connection, head.bytes, head.length, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
}

static void *run(void *argument) {
    struct loop *loop = argument;
    struct epoll_event events[64];
    for (;;) {
        int count = epoll_wait(loop->epoll, events, 64, -1);
        for (int i = 0; i < count; i++) {
            if (events[i].data.fd == loop->wake) send_event(loop);
            else receive(loop, events[i].data.fd);
        }
    }
}

static void watch(struct loop *loop, int descriptor) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
    if (epoll_ctl(loop->epoll, EPOLL_CTL_ADD, descriptor, &event) != 0) fail("epoll_ctl");
}

static void *accept_all(void *argument) {
    int listener = *(int *)argument;
    for (int next = 0;; next = (next + 1) % thread_count) {
        int connection = accept(listener, NULL, NULL);
        if (connection < 0 || connection >= maximum_files) fail("accept");
        int yes = 1;
        setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        place[connection] = -1;
        watch(&loops[next], connection);
    }
}

static int listen_anywhere(void) {
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 4096) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) != 0)
        fail("listen");
    printf("listening on %d\n", ntohs(address.sin_port));
    return listener;
}

static void read_message(struct message *message, size_t length) {
    free(message->bytes);
    message->bytes = malloc(length);
    message->length = length;
    if (!message->bytes || fread(message->bytes, 1, length, stdin) != length) fail("fread");
}

int main(int count, char **arguments) {
    thread_count = count == 2 ? atoi(arguments[1]) : 0;
    if (thread_count < 1 || thread_count > maximum_threads) {
        fprintf(stderr, "USAGE: epoll THREADS\n");
        return 64;
    }
    setlinebuf(stdout);
    int listener = listen_anywhere();
    pthread_barrier_init(&sent_by_all, NULL, (unsigned)thread_count + 1);
    for (int i = 0; i < thread_count; i++) {
        loops[i].epoll = epoll_create1(0);
        loops[i].wake = eventfd(0, 0);
        loops[i].streams = malloc(maximum_files * sizeof(int));
        if (!loops[i].streams) fail("malloc");
        watch(&loops[i], loops[i].wake);
        pthread_create(&loops[i].thread, NULL, run, &loops[i]);
    }
    pthread_t acceptor;
    pthread_create(&acceptor, NULL, accept_all, &listener);
    char command[5];
    size_t length;
    while (scanf("%4s %zu", command, &length) == 2 && getchar() == '\n') {
        if (strcmp(command, "head") == 0) {
            read_message(&head, length);
            continue;
        }
        read_message(&event, length);
        uint64_t one = 1;
        for (int i = 0; i < thread_count; i++)
            if (write(loops[i].wake, &one, sizeof one) < 0) fail("write");
        pthread_barrier_wait(&sent_by_all);
        int sent = 0;
        for (int i = 0; i < thread_count; i++) sent += loops[i].sent;
        printf("sent %d\n", sent);
    }
    return 0;
}
