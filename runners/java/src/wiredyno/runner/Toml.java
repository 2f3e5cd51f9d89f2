package wiredyno.runner;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A reader of the TOML of runner.toml: tables, arrays of tables, keys without dots, and values as JSON has them, with inline tables,
 * numbers with underscores, and comments. For the same reason as {@link Json} it is the runner's own.
 */
final class Toml {
    private final String text;
    private int at;

    private Toml(String text) {
        this.text = text;
    }

    /** The top table: arrays of tables are lists of maps. */
    static Map<String, Object> read(String text) {
        return new Toml(text).document();
    }

    private Map<String, Object> document() {
        Map<String, Object> top = new LinkedHashMap<>();
        Map<String, Object> open = top;
        while (!isAtEnd()) {
            if (text.startsWith("[[", at)) {
                open = new LinkedHashMap<>();
                list(top, header("[[", "]]")).add(open);
            } else if (text.charAt(at) == '[') {
                open = new LinkedHashMap<>();
                top.put(header("[", "]"), open);
            } else {
                pair(open);
            }
        }
        return top;
    }

    @SuppressWarnings("unchecked")
    private static List<Object> list(Map<String, Object> top, String name) {
        return (List<Object>) top.computeIfAbsent(name, key -> new ArrayList<>());
    }

    private String header(String begin, String end) {
        int to = text.indexOf(end, at);
        String name = text.substring(at + begin.length(), to);
        at = to + end.length();
        return name;
    }

    /** Skips blanks, line ends and comments. */
    private boolean isAtEnd() {
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '#') {
                at = text.indexOf('\n', at);
                at = at < 0 ? text.length() : at;
            } else if (Character.isWhitespace(c)) {
                at++;
            } else {
                return false;
            }
        }
        return true;
    }

    private char next() {
        if (isAtEnd()) {
            throw new IllegalArgumentException("the text ends");
        }
        return text.charAt(at);
    }

    private void take(char c) {
        if (next() != c) {
            throw new IllegalArgumentException("`" + text.charAt(at) + "` instead of `" + c + "` at character " + (at + 1));
        }
        at++;
    }

    private void pair(Map<String, Object> into) {
        next();
        into.put(word("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"), afterEquals());
    }

    private Object afterEquals() {
        take('=');
        return value();
    }

    private String word(String of) {
        int from = at;
        while (at < text.length() && of.indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        if (at == from) {
            throw new IllegalArgumentException("`" + text.charAt(at) + "` at character " + (at + 1));
        }
        return text.substring(from, at);
    }

    private Object value() {
        char c = next();
        if (c == '"') {
            int from = at++;
            while (text.charAt(at) != '"') {
                at += text.charAt(at) == '\\' ? 2 : 1;
            }
            // Texts are written alike in TOML and in JSON.
            return Json.read(text.substring(from, ++at));
        }
        if (c == '[') {
            at++;
            List<Object> list = new ArrayList<>();
            while (next() != ']') {
                list.add(value());
                more(']');
            }
            at++;
            return list;
        }
        if (c == '{') {
            at++;
            Map<String, Object> table = new LinkedHashMap<>();
            while (next() != '}') {
                pair(table);
                more('}');
            }
            at++;
            return table;
        }
        String plain = word("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-");
        return Json.read(plain.equals("true") || plain.equals("false") ? plain : plain.replace("_", ""));
    }

    private void more(char end) {
        if (next() != end) {
            take(',');
        }
    }
}
