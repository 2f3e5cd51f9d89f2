/* What the programs share: reading the message from stdin, the timed loop, the printed line. */
#ifndef WIREDYNO_STOPWATCH_H
#define WIREDYNO_STOPWATCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_MESSAGE_BYTES (1u << 20)

/* Keeps the compiler from dropping work whose result is unused. */
#define KEEP(pointer) __asm__ volatile("" : : "r"(pointer) : "memory")

/* A serializer is called, not inlined into the loop: the same holds for generated C, Cyclone and ours. */
#define CALL __attribute__((noinline))

static int digit(int c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads one line of hexadecimal digits; returns the number of bytes. */
static size_t read_message(uint8_t *bytes) {
    size_t count = 0;
    for (;;) {
        const int high = digit(getchar());
        if (high < 0 || count == MAX_MESSAGE_BYTES) return count;
        bytes[count++] = (uint8_t)(high << 4 | digit(getchar()));
    }
}

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void fail(const char *why) {
    fprintf(stderr, "%s\n", why);
    exit(1);
}

/* Times `statement` and leaves the mean in `result`. */
#define TIME(calls, result, statement)                       \
    do {                                                     \
        for (long warm = 0; warm < (calls) / 100; warm++) {  \
            statement;                                       \
        }                                                    \
        const double start = now_ns();                       \
        for (long call = 0; call < (calls); call++) {        \
            statement;                                       \
        }                                                    \
        (result) = (now_ns() - start) / (double)(calls);     \
    } while (0)

static void print_times(long calls, size_t bytes, double encode_ns, double decode_ns) {
    printf("{\"calls\": %ld, \"bytes\": %zu, \"encode_ns\": %.2f, \"decode_ns\": %.2f}\n", calls, bytes, encode_ns,
           decode_ns);
}

#endif
