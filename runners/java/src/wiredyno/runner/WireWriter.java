package wiredyno.runner;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Writes values as the contract passes them, in Protobuf's wire format; see {@link WireReader}. */
public final class WireWriter {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    public byte[] bytes() {
        return out.toByteArray();
    }

    /** A number that has 32 bits and no sign. */
    public static long unsigned(long value) throws Refusal {
        if (value >>> 32 != 0) {
            throw new Refusal(value + " is not an unsigned 32-bit number");
        }
        return value;
    }

    public void varint(long value) {
        while ((value & ~0x7fL) != 0) {
            out.write((int) (value & 0x7f | 0x80));
            value >>>= 7;
        }
        out.write((int) value);
    }

    public void zigzag(long value) {
        varint(value << 1 ^ value >> 63);
    }

    public void fixed32(int value) {
        out.writeBytes(ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(value).array());
    }

    public void fixed64(long value) {
        out.writeBytes(ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array());
    }

    public void data(byte[] value) {
        varint(value.length);
        out.writeBytes(value);
    }

    /** A text; a lone surrogate has no UTF-8. */
    public void text(String value) throws Refusal {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        if (!new String(bytes, StandardCharsets.UTF_8).equals(value)) {
            throw new Refusal("a text has half a character: a surrogate without the other");
        }
        data(bytes);
    }

    public void inner(WireWriter inner) {
        varint(inner.out.size());
        out.writeBytes(inner.out.toByteArray());
    }
}
