/* Reads and writes messages in unaligned PER with asn1c's generated code, in its own loop.
 *
 * loop FILE CALLS: FILE contains one message per line, as hexadecimal digits. Every message is decoded, encoded again and
 * compared before anything is timed, and once more after. Then CALLS calls of each phase, over the messages in turn,
 * are timed with CLOCK_MONOTONIC. One JSON object on stdout:
 *   {"messages": N, "calls": CALLS, "encode_ns": ns per call, "decode_ns": ns per call, "bytes": of all messages}
 * Inside the clock of encode: uper_encode_to_buffer into a reused buffer. Inside the clock of decode:
 * uper_decode_complete with its allocations, and freeing its result. Outside: everything else.
 * Built by `build`, which sets the type ROOT. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <asn_application.h>

extern asn_TYPE_descriptor_t ROOT;

struct message {
    unsigned char *bytes;
    size_t length;
    void *object;
};

static void fail(size_t at, const char *what) {
    fprintf(stderr, "message %zu: %s\n", at, what);
    exit(1);
}

static void *decode(const struct message *message, size_t at) {
    void *object = NULL;
    asn_dec_rval_t result = uper_decode_complete(NULL, &ROOT, &object, message->bytes, message->length);
    if (result.code != RC_OK) fail(at, "asn1c can't decode it");
    return object;
}

static size_t encode(void *object, unsigned char *buffer, size_t size, size_t at) {
    asn_enc_rval_t result = uper_encode_to_buffer(&ROOT, object, buffer, size);
    if (result.encoded < 0) fail(at, "asn1c can't encode it");
    return ((size_t)result.encoded + 7) / 8;
}

/* The messages of the file; their number in *count. */
static struct message *read_messages(const char *path, size_t *count) {
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    struct message *messages = NULL;
    if (file == NULL) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(1);
    }
    *count = 0;
    while ((length = getline(&line, &size, file)) > 1) {
        size_t digits = (size_t)length - (line[length - 1] == '\n');
        struct message *message;
        messages = realloc(messages, (*count + 1) * sizeof *messages);
        message = &messages[*count];
        message->length = digits / 2;
        message->bytes = malloc(message->length + 1);
        for (size_t at = 0; at < message->length; at++) {
            unsigned byte;
            if (sscanf(line + 2 * at, "%2x", &byte) != 1) fail(*count, "these are not hexadecimal digits");
            message->bytes[at] = (unsigned char)byte;
        }
        message->object = decode(message, *count);
        *count += 1;
    }
    free(line);
    fclose(file);
    if (*count == 0) fail(0, "the file has no messages");
    return messages;
}

static void verify(const struct message *messages, size_t count, unsigned char *buffer, size_t size) {
    for (size_t at = 0; at < count; at++) {
        void *object = decode(&messages[at], at);
        if (encode(object, buffer, size, at) != messages[at].length
            || memcmp(buffer, messages[at].bytes, messages[at].length) != 0)
            fail(at, "asn1c writes other bytes");
        ASN_STRUCT_FREE(ROOT, object);
    }
}

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(int argc, char **argv) {
    static unsigned char buffer[1 << 20];
    size_t count, bytes = 0, at = 0;
    unsigned long calls = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    double start, encode_ns, decode_ns;
    struct message *messages;
    if (calls == 0) {
        fprintf(stderr, "usage: loop FILE CALLS (at least 1)\n");
        return 2;
    }
    messages = read_messages(argv[1], &count);
    verify(messages, count, buffer, sizeof buffer);

    start = now_ns();
    for (unsigned long call = 0; call < calls; call++) {
        encode(messages[at].object, buffer, sizeof buffer, at);
        __asm__ volatile("" : : "r"(buffer) : "memory");
        at = at + 1 < count ? at + 1 : 0;
    }
    encode_ns = (now_ns() - start) / (double)calls;

    at = 0;
    start = now_ns();
    for (unsigned long call = 0; call < calls; call++) {
        void *object = decode(&messages[at], at);
        __asm__ volatile("" : : "r"(object) : "memory");
        ASN_STRUCT_FREE(ROOT, object);
        at = at + 1 < count ? at + 1 : 0;
    }
    decode_ns = (now_ns() - start) / (double)calls;

    verify(messages, count, buffer, sizeof buffer);
    for (at = 0; at < count; at++) bytes += messages[at].length;
    printf("{\"messages\": %zu, \"calls\": %lu, \"encode_ns\": %.2f, \"decode_ns\": %.2f, \"bytes\": %zu}\n", count,
           calls, encode_ns, decode_ns, bytes);
    return 0;
}
