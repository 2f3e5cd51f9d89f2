package wiredyno.runner.codecs;

import java.nio.ByteBuffer;

/** Bytes in libraries' buffers. */
public final class Buffers {
    private Buffers() {}

    /** A copy of what a buffer has left; the buffer stays as it is. Empty for null: a FlatBuffers writer may leave out a vector of no bytes. */
    public static byte[] bytes(ByteBuffer buffer) {
        if (buffer == null) {
            return new byte[0];
        }
        byte[] copy = new byte[buffer.remaining()];
        buffer.duplicate().get(copy);
        return copy;
    }

    /** The same for a text. */
    public static String text(String value) {
        return value == null ? "" : value;
    }
}
