package wiredyno.runner;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads values as the contract passes them, in Protobuf's wire format. Not by protobuf-java, which is one of the measured libraries and
 * would no longer be cold.
 */
public final class WireReader {
    private final ByteBuffer in;

    public WireReader(byte[] bytes) {
        this(ByteBuffer.wrap(bytes));
    }

    private WireReader(ByteBuffer in) {
        this.in = in.order(ByteOrder.LITTLE_ENDIAN);
    }

    /** The next field's tag, 0 at the end. */
    public int tag() {
        return in.hasRemaining() ? (int) varint() : 0;
    }

    /** Whether there is more. */
    public boolean more() {
        return in.hasRemaining();
    }

    public long varint() {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            byte one = in.get();
            value |= (one & 0x7fL) << shift;
            if (one >= 0) {
                return value;
            }
        }
        throw new IllegalArgumentException("a varint of more than ten bytes");
    }

    public long zigzag() {
        long value = varint();
        return value >>> 1 ^ -(value & 1);
    }

    public int fixed32() {
        return in.getInt();
    }

    public long fixed64() {
        return in.getLong();
    }

    /** What has a length before it: a message, a map's entry, packed numbers. */
    public WireReader inner() {
        int length = (int) varint();
        WireReader inner = new WireReader(in.slice(in.position(), length));
        in.position(in.position() + length);
        return inner;
    }

    public byte[] data() {
        ByteBuffer inner = inner().in;
        byte[] bytes = new byte[inner.remaining()];
        inner.get(bytes);
        return bytes;
    }

    public String text() {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(inner().in).toString();
        } catch (CharacterCodingException error) {
            throw new IllegalArgumentException("text that is not UTF-8", error);
        }
    }

    /** The comparison of texts by their UTF-8. */
    public static int compare(String one, String other) {
        return Arrays.compareUnsigned(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }
}
