/* CDR: Cyclone DDS's serializer over idlc's descriptors. -DTYPE=wiredyno_VehicleData -DHEADER='"vehicle.h"' */
#include HEADER
#include <dds/ddsi/ddsi_cdrstream.h>
#include <dds/ddsi/ddsi_serdata_default.h>

#include "stopwatch.h"

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define XCDR1 1

/* Encapsulation: representation and options, which the stream functions leave to the caller. */
#define HEADER_BYTES 4

static uint8_t message[MAX_MESSAGE_BYTES];

int main(int count, char **arguments) {
    const long calls = count > 1 ? atol(arguments[1]) : 100000;
    const size_t whole = read_message(message);
    const uint8_t header[HEADER_BYTES] = {0, 1, 0, 0};
    if (whole < HEADER_BYTES || memcmp(message, header, HEADER_BYTES) != 0) fail("cdr: not little-endian CDR");
    /* Aligned like a receive buffer. */
    const uint32_t bytes = (uint32_t)(whole - HEADER_BYTES);
    uint8_t *body = aligned_alloc(8, MAX_MESSAGE_BYTES);
    memcpy(body, message + HEADER_BYTES, bytes);

    const dds_topic_descriptor_t *topic = &JOIN(TYPE, _desc);
    struct ddsi_sertype_default type;
    memset(&type, 0, sizeof type);
    type.type.size = topic->m_size;
    type.type.align = topic->m_align;
    type.type.ops.nops = dds_stream_countops(topic->m_ops, topic->m_nkeys, topic->m_keys);
    type.type.ops.ops = (uint32_t *)topic->m_ops;
    type.opt_size_xcdr1 = dds_stream_check_optimize(&type.type, XCDR1);

    TYPE *value = calloc(1, sizeof *value);
    double encode_ns, decode_ns;
    uint32_t actual;
    dds_istream_t in;
    dds_ostream_t out;
#define DECODE(into)                                                                                        \
    do {                                                                                                    \
        if (!dds_stream_normalize(body, bytes, false, XCDR1, &type, false, &actual)) fail("cdr: refused");  \
        dds_istream_init(&in, bytes, body, XCDR1);                                                          \
        dds_stream_read_sample(&in, into, &type);                                                           \
        dds_istream_fini(&in);                                                                              \
    } while (0)
    DECODE(value);
    dds_ostream_init(&out, MAX_MESSAGE_BYTES, XCDR1);
    if (!dds_stream_write_sample(&out, value, &type)) fail("cdr: encoding failed");
    if (out.m_index != bytes || memcmp(out.m_buffer, body, bytes) != 0) fail("cdr: the bytes differ");
    TIME(calls, encode_ns, {
        KEEP(value);
        out.m_index = 0;
        dds_stream_write_sample(&out, value, &type);
        KEEP(out.m_buffer);
    });
    TIME(calls, decode_ns, {
        TYPE made;
        memset(&made, 0, sizeof made);
        DECODE(&made);
        KEEP(&made);
        dds_stream_free_sample(&made, topic->m_ops);
    });
    if (out.m_index != bytes || memcmp(out.m_buffer, body, bytes) != 0) fail("cdr: the bytes differ after timing");
    print_times(calls, whole, encode_ns, decode_ns);
    return 0;
}
