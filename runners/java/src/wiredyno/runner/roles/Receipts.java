package wiredyno.runner.roles;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The subscriber's end of a closed loop's named pipe. It is opened for both directions first, which never waits, then for writing alone:
 * a write fails once the publisher has closed its end, and the pipe of the next loop is opened.
 */
final class Receipts {
    private final Path path;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(Digest.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private FileChannel pipe;

    Receipts(String path) {
        this.path = Path.of(path);
    }

    /** Writes a receipt; nothing if there is no gate. One that is full, with thousands of receipts, is waited for. */
    synchronized void tell(Digest digest) {
        // Warm-up messages arrive before there is one.
        if (pipe == null && !Files.exists(path)) {
            return;
        }
        try {
            if (pipe == null) {
                FileChannel both = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
                try {
                    pipe = FileChannel.open(path, StandardOpenOption.WRITE);
                } finally {
                    both.close();
                }
            }
            buffer.clear().putLong(digest.low()).putLong(digest.high()).flip();
            pipe.write(buffer);
        } catch (IOException error) {
            close();
        }
    }

    synchronized void close() {
        if (pipe != null) {
            try {
                pipe.close();
            } catch (IOException error) {
                System.err.println("the gate: " + error);
            }
            pipe = null;
        }
    }
}
