package wiredyno.runner;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Reading fields into a digest: every number, every character, every byte. Generated code calls it for each field, in the order of the
 * definition, whatever object the field is in.
 */
public final class Touch {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private Touch() {}

    /** Where a digest begins. */
    public static final long START = 7;

    public static long number(long digest, long value) {
        return digest * 31 + value;
    }

    public static long real(long digest, double value) {
        return digest * 31 + Double.doubleToRawLongBits(value);
    }

    public static long single(long digest, float value) {
        return digest * 31 + Float.floatToRawIntBits(value);
    }

    public static long flag(long digest, boolean value) {
        return digest * 31 + (value ? 1 : 0);
    }

    /** Not {@code hashCode}, which a text keeps: the second reading would read nothing. Four sums side by side, so that none waits for another. */
    public static long text(long digest, String value) {
        int length = value.length();
        long a = length;
        long b = 0;
        long c = 0;
        long d = 0;
        int i = 0;
        for (; i + 3 < length; i += 4) {
            a = a * 31 + value.charAt(i);
            b = b * 31 + value.charAt(i + 1);
            c = c * 31 + value.charAt(i + 2);
            d = d * 31 + value.charAt(i + 3);
        }
        for (; i < length; i++) {
            a = a * 31 + value.charAt(i);
        }
        return (((digest * 31 + a) * 31 + b) * 31 + c) * 31 + d;
    }

    /** Eight bytes at a time, as in the Rust runner. */
    public static long data(long digest, byte[] value) {
        digest = digest * 31 + value.length;
        int i = 0;
        for (; i + 7 < value.length; i += 8) {
            digest = digest * 31 + (long) LONGS.get(value, i);
        }
        for (; i < value.length; i++) {
            digest = digest * 31 + value[i];
        }
        return digest;
    }
}
