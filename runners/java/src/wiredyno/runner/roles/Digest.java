package wiredyno.runner.roles;

import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hashing;

/**
 * XXH3-128 of a body, seed 0: what identifies a message.
 *
 * @param low the lower half, which files have first
 * @param high the upper half
 */
record Digest(long low, long high) {
    /** Bytes of a digest in the gate and in records. */
    static final int BYTES = 16;

    // The factor by which a subscriber's number changes the digests of its records (docs/RUNNER.md, `subscribe`).
    private static final long FACTOR_HIGH = 0x9e3779b97f4a7c15L;
    private static final long FACTOR_LOW = 0xf39cc0605cedc835L;

    static Digest of(byte[] body) {
        HashValue128 hash = Hashing.xxh3_128().hashBytesTo128Bits(body);
        return new Digest(hash.getLeastSignificantBits(), hash.getMostSignificantBits());
    }

    /** A subscriber's record of this digest: changed by its number times the factor, modulo 2^128. */
    Digest as(long subscriber) {
        long carried = Math.multiplyHigh(FACTOR_LOW, subscriber) + (FACTOR_LOW < 0 ? subscriber : 0);
        return new Digest(low ^ FACTOR_LOW * subscriber, high ^ (FACTOR_HIGH * subscriber + carried));
    }
}
