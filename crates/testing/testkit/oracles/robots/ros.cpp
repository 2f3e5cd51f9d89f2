// ROS 1: roscpp's serialization over gencpp's headers. -DTYPE=VehicleData -DHEADER='"wiredyno/VehicleData.h"'
#include HEADER
#include <ros/serialization.h>

#include "stopwatch.h"

namespace serialization = ros::serialization;

static uint8_t message[MAX_MESSAGE_BYTES], out[MAX_MESSAGE_BYTES];

int main(int count, char **arguments) {
    const long calls = count > 1 ? atol(arguments[1]) : 100000;
    const size_t bytes = read_message(message);
    wiredyno::TYPE value;
    const auto read = [&](wiredyno::TYPE &into) {
        serialization::IStream stream(message, bytes);
        serialization::deserialize(stream, into);
        KEEP(&into);
    };
    const auto decode = [&]() CALL {
        wiredyno::TYPE fresh;
        read(fresh);
    };
    const auto encode = [&]() CALL {
        KEEP(&value);
        serialization::OStream stream(out, sizeof out);
        serialization::serialize(stream, value);
        KEEP(out);
    };
    read(value);
    encode();
    if (serialization::serializationLength(value) != bytes || memcmp(out, message, bytes) != 0)
        fail("ros: the bytes differ");
    double encode_ns, decode_ns;
    TIME(calls, encode_ns, encode());
    TIME(calls, decode_ns, decode());
    if (memcmp(out, message, bytes) != 0) fail("ros: the bytes differ after timing");
    print_times(calls, bytes, encode_ns, decode_ns);
    return 0;
}
