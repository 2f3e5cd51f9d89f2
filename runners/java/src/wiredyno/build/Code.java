package wiredyno.build;

/** Lines of generated source. */
final class Code {
    private final StringBuilder text = new StringBuilder();
    private int depth;

    /** A line; one that opens a brace indents those after it, one that closes a brace ends that. */
    Code line(String format, Object... parts) {
        String line = parts.length == 0 ? format : String.format(format, parts);
        if (line.startsWith("}")) {
            depth--;
        }
        text.append("    ".repeat(depth)).append(line).append('\n');
        if (line.endsWith("{")) {
            depth++;
        }
        return this;
    }

    /** A text as a literal. */
    static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
