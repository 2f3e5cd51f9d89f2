package wiredyno.runner;

/**
 * Reading fields into a digest: every number, every character, every byte. Generated code calls it for each field, in the order of the
 * definition, whatever object the field is in.
 */
public final class Touch {
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

    /** Not {@code hashCode}, which a text keeps: the second reading would read nothing. */
    public static long text(long digest, String value) {
        int length = value.length();
        digest = digest * 31 + length;
        for (int i = 0; i < length; i++) {
            digest = digest * 31 + value.charAt(i);
        }
        return digest;
    }

    public static long data(long digest, byte[] value) {
        digest = digest * 31 + value.length;
        for (byte one : value) {
            digest = digest * 31 + one;
        }
        return digest;
    }
}
