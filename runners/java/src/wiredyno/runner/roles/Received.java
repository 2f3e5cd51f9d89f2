package wiredyno.runner.roles;

import java.io.IOException;

/** The messages that a subscriber received: rows of 40 bytes (docs/RUNNER.md, "Bulk records"). */
final class Received {
    static final int WIDTH = 5;
    static final int RECEIVED = 3;

    private static final String MAGIC = "WDRECV01";

    private final Rows rows = new Rows(WIDTH, 1);
    private final long[] words = new long[WIDTH];

    Received() throws IOException {}

    /** Adds an arrival; one thread at a time. */
    void add(Digest digest, long length, long receivedNs, long decodedNs) {
        rows.begin();
        words[0] = digest.low();
        words[1] = digest.high();
        words[2] = length;
        words[RECEIVED] = receivedNs;
        words[4] = decodedNs;
        rows.add(words);
    }

    long count() {
        return rows.count();
    }

    /** Copies rows from an index on: how many. */
    int read(long from, long[] into) throws IOException {
        return rows.read(from, into);
    }

    long cpuNs() {
        return rows.cpuNs();
    }

    /** Writes all rows, after which there are no more: how many. */
    long finish(String path) throws IOException {
        try {
            return rows.write(path, MAGIC, 0);
        } finally {
            rows.close();
        }
    }
}
