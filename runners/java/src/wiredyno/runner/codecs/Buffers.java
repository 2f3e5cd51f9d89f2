package wiredyno.runner.codecs;

import java.nio.ByteBuffer;

/** Bytes in libraries' buffers. */
public final class Buffers {
    private Buffers() {}

    /** A copy of what a buffer has left; the buffer stays as it is. */
    public static byte[] bytes(ByteBuffer buffer) {
        byte[] copy = new byte[buffer.remaining()];
        buffer.duplicate().get(copy);
        return copy;
    }
}
