package wiredyno.runner.roles;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import wiredyno.runner.Refusal;

/** The field that carries a message's number, by its path in the domain's class (docs/RUNNER.md, "The number inside a message"). */
public class Sequence {
    private static final long BASE = 1_000_000_000;
    private static final long SPAN = 1_000_000_000;
    private static final int BYTES = 8;
    private static final int DIGITS = 10;
    /** 2^64 and more, as an unsigned number. */
    private static final long ALL = -1;

    /** The getters on the way to the object with the field. */
    private final List<Method> way = new ArrayList<>();
    private final Method get;
    private final Method set;

    /** A field by the names of the definition, joined by dots. */
    public Sequence(Class<?> root, String path) throws Refusal {
        Class<?> owner = root;
        String[] names = path.split("\\.");
        for (int i = 0; i < names.length - 1; i++) {
            way.add(accessor(owner, names[i], 0, path));
            owner = way.get(i).getReturnType();
        }
        get = accessor(owner, names[names.length - 1], 0, path);
        set = accessor(owner, names[names.length - 1], 1, path);
        Class<?> type = get.getReturnType();
        if (!List.of(int.class, Integer.class, long.class, Long.class, String.class, byte[].class).contains(type)) {
            throw new Refusal("the sequence `" + path + "` is not a number, text or bytes");
        }
    }

    /** The getter (no parameters) or setter (one) of a field: its name in the definition is in an annotation. */
    private static Method accessor(Class<?> owner, String field, int parameters, String path) throws Refusal {
        for (Method method : owner.getMethods()) {
            JsonProperty named = method.getAnnotation(JsonProperty.class);
            if (named != null && named.value().equals(field) && method.getParameterCount() == parameters) {
                return method;
            }
        }
        throw new Refusal("the sequence `" + path + "`: " + owner.getSimpleName() + " has no field `" + field + "`");
    }

    /** A message with room for a number: what stays of the field's own value is remembered. */
    public final class Place {
        private final Object domain;
        private final Object owner;
        private final Object value;
        private final int width;

        private Place(Object domain) throws ReflectiveOperationException {
            this.domain = domain;
            Object at = domain;
            for (Method step : way) {
                at = step.invoke(at);
            }
            owner = at;
            value = get.invoke(owner);
            width = value instanceof String text ? width(text) : value instanceof byte[] bytes ? Math.min(BYTES, bytes.length) : 0;
        }

        Object domain() {
            return domain;
        }

        /** How many numbers the field can hold, without a sign. */
        long span() {
            Class<?> type = get.getReturnType();
            if (type == byte[].class) {
                return width == BYTES ? ALL : 1L << 8 * width;
            }
            if (type != String.class) {
                return SPAN;
            }
            long span = 1;
            for (int i = 0; i < width; i++) {
                if (Long.compareUnsigned(span, Long.divideUnsigned(ALL, 10)) > 0) {
                    return ALL;
                }
                span *= 10;
            }
            return span;
        }

        private void set(long number) throws ReflectiveOperationException {
            Sequence.this.set.invoke(owner, with(number));
        }

        private Object with(long number) {
            Class<?> type = get.getReturnType();
            if (type == String.class) {
                String text = value == null ? "" : (String) value;
                char[] digits = new char[width];
                long rest = number;
                for (int i = width - 1; i >= 0; i--) {
                    digits[i] = (char) ('0' + Long.remainderUnsigned(rest, 10));
                    rest = Long.divideUnsigned(rest, 10);
                }
                return text.substring(0, text.length() - width).concat(new String(digits));
            }
            if (type == byte[].class) {
                byte[] bytes = value == null ? new byte[0] : ((byte[]) value).clone();
                for (int i = 0; i < width; i++) {
                    bytes[i] = (byte) (number >>> 8 * (width - 1 - i));
                }
                return bytes;
            }
            long whole = BASE + Long.remainderUnsigned(number, SPAN);
            return type == int.class || type == Integer.class ? (Object) (int) whole : (Object) whole;
        }
    }

    final Place at(Object domain) throws ReflectiveOperationException {
        return new Place(domain);
    }

    /** Puts a number into a message; the probes mark these calls. */
    protected void put(Place place, long number) throws ReflectiveOperationException {
        place.set(number);
    }

    /** How many characters at the end of a text hold the number: its digits, else up to ten ASCII characters. */
    private static int width(String text) {
        int digits = 0;
        while (digits < text.length() && isDigit(text.charAt(text.length() - 1 - digits))) {
            digits++;
        }
        if (digits > 0) {
            return digits;
        }
        int ascii = 0;
        while (ascii < Math.min(DIGITS, text.length()) && text.charAt(text.length() - 1 - ascii) < 0x80) {
            ascii++;
        }
        return ascii;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
