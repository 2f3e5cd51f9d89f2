// Netstrings of 2015: a plain writer and reader of the layout, for two messages. -DTYPE=VehicleData
//
// Fields are u32 id, u32 size, value, all big-endian; messages start with AA CF and a u32 length and end with a comma.
#include <string>
#include <vector>

#include "stopwatch.h"

struct Writer {
    uint8_t *at;

    void u16(uint16_t value) {
        value = __builtin_bswap16(value);
        memcpy(at, &value, sizeof value);
        at += sizeof value;
    }
    void u32(uint32_t value) {
        value = __builtin_bswap32(value);
        memcpy(at, &value, sizeof value);
        at += sizeof value;
    }
    void u64(uint64_t value) {
        value = __builtin_bswap64(value);
        memcpy(at, &value, sizeof value);
        at += sizeof value;
    }
    void number(float value) {
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        u32(bits);
    }
    void number(double value) {
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        u64(bits);
    }
    // Writes the number of bytes since `start` before them.
    void close(uint8_t *start) {
        Writer length{start - 4};
        length.u32(static_cast<uint32_t>(at - start));
    }
    uint8_t *open() { return at += 4; }
    template <typename Write> void field(uint32_t id, Write write) {
        u32(id);
        uint8_t *start = open();
        write();
        close(start);
    }
    template <typename Message> void message(const Message &value) {
        u16(0xAACF);
        uint8_t *start = open();
        value.write(*this);
        close(start);
        *at++ = ',';
    }
};

struct Reader {
    const uint8_t *at, *end;

    void need(size_t bytes) const {
        if (static_cast<size_t>(end - at) < bytes) fail("netstrings: too short");
    }
    uint16_t u16() {
        need(2);
        uint16_t value;
        memcpy(&value, at, sizeof value);
        at += sizeof value;
        return __builtin_bswap16(value);
    }
    uint32_t u32() {
        need(4);
        uint32_t value;
        memcpy(&value, at, sizeof value);
        at += sizeof value;
        return __builtin_bswap32(value);
    }
    uint64_t u64() {
        need(8);
        uint64_t value;
        memcpy(&value, at, sizeof value);
        at += sizeof value;
        return __builtin_bswap64(value);
    }
    void number(float &value) {
        const uint32_t bits = u32();
        memcpy(&value, &bits, sizeof value);
    }
    void number(double &value) {
        const uint64_t bits = u64();
        memcpy(&value, &bits, sizeof value);
    }
    Reader part() {
        const uint32_t size = u32();
        need(size);
        Reader inside{at, at + size};
        at += size;
        return inside;
    }
    template <typename Message> void message(Message &value) {
        if (u16() != 0xAACF) fail("netstrings: magic");
        Reader inside = part();
        need(1);
        if (*at++ != ',') fail("netstrings: comma");
        while (inside.at < inside.end) {
            const uint32_t id = inside.u32();
            Reader field = inside.part();
            value.read(id, field);
        }
    }
};

struct Point {
    double x = 0, y = 0, z = 0;

    void write(Writer &to) const {
        to.field(1, [&] { to.number(x); });
        to.field(2, [&] { to.number(y); });
        to.field(3, [&] { to.number(z); });
    }
    void read(uint32_t id, Reader &from) {
        switch (id) {
        case 1: from.number(x); break;
        case 2: from.number(y); break;
        case 3: from.number(z); break;
        }
    }
};

struct VehicleData {
    Point position, velocity;
    double heading = 0, absolute_path = 0, relative_path = 0, speed = 0, acceleration = 0, steering_wheel_angle = 0,
           battery_voltage = 0;

    void write(Writer &to) const {
        to.field(1, [&] { to.message(position); });
        to.field(2, [&] { to.number(heading); });
        to.field(3, [&] { to.number(absolute_path); });
        to.field(4, [&] { to.number(relative_path); });
        to.field(5, [&] { to.message(velocity); });
        to.field(6, [&] { to.number(speed); });
        to.field(7, [&] { to.number(acceleration); });
        to.field(8, [&] { to.number(steering_wheel_angle); });
        to.field(9, [&] { to.number(battery_voltage); });
    }
    void read(uint32_t id, Reader &from) {
        switch (id) {
        case 1: from.message(position); break;
        case 2: from.number(heading); break;
        case 3: from.number(absolute_path); break;
        case 4: from.number(relative_path); break;
        case 5: from.message(velocity); break;
        case 6: from.number(speed); break;
        case 7: from.number(acceleration); break;
        case 8: from.number(steering_wheel_angle); break;
        case 9: from.number(battery_voltage); break;
        }
    }
};

struct LaserScan {
    uint32_t scan = 0;
    int64_t taken_us = 0;
    float first_angle = 0, angle_step = 0;
    std::vector<float> ranges, intensities;

    static void write_list(Writer &to, const std::vector<float> &list) {
        to.u32(static_cast<uint32_t>(list.size()));
        for (const float value : list) to.number(value);
    }
    static void read_list(Reader &from, std::vector<float> &list) {
        const uint32_t count = from.u32();
        from.need(size_t{count} * 4);
        list.resize(count);
        for (float &value : list) from.number(value);
    }
    void write(Writer &to) const {
        to.field(1, [&] { to.u32(scan); });
        to.field(2, [&] { to.u64(static_cast<uint64_t>(taken_us)); });
        to.field(3, [&] { to.number(first_angle); });
        to.field(4, [&] { to.number(angle_step); });
        to.field(5, [&] { write_list(to, ranges); });
        to.field(6, [&] { write_list(to, intensities); });
    }
    void read(uint32_t id, Reader &from) {
        switch (id) {
        case 1: scan = from.u32(); break;
        case 2: taken_us = static_cast<int64_t>(from.u64()); break;
        case 3: from.number(first_angle); break;
        case 4: from.number(angle_step); break;
        case 5: read_list(from, ranges); break;
        case 6: read_list(from, intensities); break;
        }
    }
};

static uint8_t message[MAX_MESSAGE_BYTES], out[MAX_MESSAGE_BYTES];

int main(int count, char **arguments) {
    const long calls = count > 1 ? atol(arguments[1]) : 100000;
    const size_t bytes = read_message(message);
    TYPE value;
    const auto read = [&](TYPE &into) {
        Reader from{message, message + bytes};
        from.message(into);
        if (from.at != from.end) fail("netstrings: bytes are left");
        KEEP(&into);
    };
    const auto decode = [&]() CALL {
        TYPE fresh;
        read(fresh);
    };
    size_t written = 0;
    const auto encode = [&]() CALL {
        KEEP(&value);
        Writer to{out};
        to.message(value);
        written = static_cast<size_t>(to.at - out);
        KEEP(out);
    };
    read(value);
    encode();
    if (written != bytes || memcmp(out, message, bytes) != 0) fail("netstrings: the bytes differ");
    double encode_ns, decode_ns;
    TIME(calls, encode_ns, encode());
    TIME(calls, decode_ns, decode());
    if (memcmp(out, message, bytes) != 0) fail("netstrings: the bytes differ after timing");
    print_times(calls, bytes, encode_ns, decode_ns);
    return 0;
}
