/* LCM: the C that lcm-gen writes. -DTYPE=wiredyno_VehicleData -DHEADER='"wiredyno_VehicleData.h"' */
#include HEADER
#include "stopwatch.h"

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)

static uint8_t message[MAX_MESSAGE_BYTES], out[MAX_MESSAGE_BYTES];

static void decode_once(size_t bytes) {
    TYPE value;
    if (JOIN(TYPE, _decode)(message, 0, (int)bytes, &value) < 0) fail("lcm: decoding failed");
    KEEP(&value);
    JOIN(TYPE, _decode_cleanup)(&value);
}

int main(int count, char **arguments) {
    const long calls = count > 1 ? atol(arguments[1]) : 100000;
    const size_t bytes = read_message(message);
    TYPE value;
    if (JOIN(TYPE, _decode)(message, 0, (int)bytes, &value) != (int)bytes) fail("lcm: decoding failed");
    if (JOIN(TYPE, _encode)(out, 0, sizeof out, &value) != (int)bytes || memcmp(out, message, bytes) != 0)
        fail("lcm: the bytes differ");
    double encode_ns, decode_ns;
    TIME(calls, encode_ns, {
        KEEP(&value);
        JOIN(TYPE, _encode)(out, 0, sizeof out, &value);
        KEEP(out);
    });
    TIME(calls, decode_ns, decode_once(bytes));
    if (memcmp(out, message, bytes) != 0) fail("lcm: the bytes differ after timing");
    print_times(calls, bytes, encode_ns, decode_ns);
    return 0;
}
