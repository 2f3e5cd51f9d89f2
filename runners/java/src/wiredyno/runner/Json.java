package wiredyno.runner;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * JSON of requests and replies. A reader and writer of its own, because one of the measured libraries would no longer be cold when a
 * codec's first calls are timed.
 *
 * <p>Objects are maps that keep their order, arrays lists, numbers {@code Long} or {@code Double}.
 */
public final class Json {
    /** The deepest nesting that is read. */
    private static final int DEEPEST = 64;

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** The value of a text. */
    public static Object read(String text) {
        Json reader = new Json(text);
        Object value = reader.value(0);
        reader.space();
        if (reader.at < text.length()) {
            throw reader.wrong("more after its end");
        }
        return value;
    }

    /** A value as text, without blanks. */
    public static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof String text) {
            quote(text, out);
        } else if (value instanceof Map<?, ?> map) {
            String before = "{";
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                out.append(before);
                quote((String) entry.getKey(), out);
                write(entry.getValue(), out.append(':'));
                before = ",";
            }
            out.append(map.isEmpty() ? "{}" : "}");
        } else if (value instanceof List<?> list) {
            String before = "[";
            for (Object element : list) {
                write(element, out.append(before));
                before = ",";
            }
            out.append(list.isEmpty() ? "[]" : "]");
        } else {
            out.append(value);
        }
    }

    private static void quote(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"', '\\' -> out.append('\\').append(c);
                case '\n' -> out.append("\\n");
                default -> {
                    if (c < ' ') {
                        out.append(String.format("\\u%04x", (int) c));
                    } else if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                        out.append(c).append(text.charAt(++i));
                    } else {
                        // Half a character, as damaged input has it, is in no reply.
                        out.append(Character.isSurrogate(c) ? '\ufffd' : c);
                    }
                }
            }
        }
        out.append('"');
    }

    private IllegalArgumentException wrong(String what) {
        return new IllegalArgumentException(what + " at character " + (at + 1));
    }

    private void space() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private char next() {
        space();
        if (at == text.length()) {
            throw wrong("the text ends");
        }
        return text.charAt(at);
    }

    private void take(char c) {
        if (next() != c) {
            throw wrong("`" + text.charAt(at) + "` instead of `" + c + "`");
        }
        at++;
    }

    private Object value(int depth) {
        if (depth > DEEPEST) {
            throw wrong("nested too deeply");
        }
        return switch (next()) {
            case '{' -> object(depth);
            case '[' -> array(depth);
            case '"' -> string();
            case 't' -> word("true", true);
            case 'f' -> word("false", false);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw wrong("an unknown word");
        }
        at += word.length();
        return value;
    }

    private Map<String, Object> object(int depth) {
        Map<String, Object> map = new LinkedHashMap<>();
        take('{');
        if (next() != '}') {
            do {
                next();
                String name = string();
                take(':');
                if (map.put(name, value(depth + 1)) != null) {
                    throw wrong("`" + name + "` is there twice, before");
                }
            } while (more('}'));
        }
        take('}');
        return map;
    }

    private List<Object> array(int depth) {
        List<Object> list = new ArrayList<>();
        take('[');
        if (next() != ']') {
            do {
                list.add(value(depth + 1));
            } while (more(']'));
        }
        take(']');
        return list;
    }

    private boolean more(char end) {
        if (next() == ',') {
            at++;
            return true;
        }
        if (text.charAt(at) != end) {
            throw wrong("no `,` and no `" + end + "`");
        }
        return false;
    }

    private String string() {
        take('"');
        // Bodies are long texts without escapes.
        int end = text.indexOf('"', at);
        int escape = text.indexOf('\\', at);
        if (end >= 0 && (escape < 0 || escape > end)) {
            String plain = text.substring(at, end);
            at = end + 1;
            return plain;
        }
        StringBuilder out = new StringBuilder();
        for (;;) {
            if (at == text.length()) {
                throw wrong("the text ends");
            }
            char c = text.charAt(at++);
            if (c == '"') {
                return out.toString();
            }
            out.append(c == '\\' ? escaped() : c);
        }
    }

    private char escaped() {
        if (at == text.length()) {
            throw wrong("the text ends");
        }
        char c = text.charAt(at++);
        int place = "nrtbf".indexOf(c);
        if (place >= 0) {
            return "\n\r\t\b\f".charAt(place);
        }
        if (c != 'u') {
            return c;
        }
        if (at + 4 > text.length()) {
            throw wrong("the text ends");
        }
        at += 4;
        return (char) Integer.parseInt(text, at - 4, at, 16);
    }

    private Object number() {
        int begin = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        String digits = text.substring(begin, at);
        try {
            if (digits.matches("-?[0-9]+")) {
                // Seeds have 64 bits without a sign: those above 63 bits become negative.
                return digits.startsWith("-") ? Long.parseLong(digits) : Long.parseUnsignedLong(digits);
            }
            return Double.valueOf(digits);
        } catch (NumberFormatException error) {
            throw wrong("`" + digits + "` is not a number, before");
        }
    }
}
