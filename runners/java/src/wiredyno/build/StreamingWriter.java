package wiredyno.build;

import java.util.Map;
import wiredyno.build.Model.Member;
import wiredyno.build.Model.Struct;
import wiredyno.build.Model.Type;

/** Jackson's streaming interface: the code that a program writes by hand around a generator and a parser, for JSON and CBOR alike. */
final class StreamingWriter {
    private static final String GENERATOR = "com.fasterxml.jackson.core.JsonGenerator";
    private static final String PARSER = "com.fasterxml.jackson.core.JsonParser";
    private static final String TOKEN = "com.fasterxml.jackson.core.JsonToken";
    private static final String UNSIGNED = "wiredyno.runner.codecs.Unsigned";

    private StreamingWriter() {}

    static void write(Model model, Map<String, String> sources) {
        Code code = new Code().line("package wiredyno.made;").line("import wiredyno.runner.codecs.JacksonStreaming;");
        code.line("public final class StreamingWalk implements JacksonStreaming.Walk {");
        String root = model.root.name();
        code.line("public void write(%s g, Object o) throws java.io.IOException {", GENERATOR);
        code.line("write_%s(g, (%s) o);", root, model.root.domain()).line("}");
        code.line("public Object read(%s p) throws java.io.IOException {", PARSER).line("return read_%s(p);", root).line("}");
        for (Struct struct : model.structs.values()) {
            writer(struct, code);
            reader(struct, code);
        }
        sources.put("wiredyno.made.StreamingWalk", code.line("}").toString());
    }

    private static void writer(Struct struct, Code code) {
        for (Member member : struct.members()) {
            code.line("private static final com.fasterxml.jackson.core.io.SerializedString N%d_%d =", struct.place(), member.number());
            code.line("        new com.fasterxml.jackson.core.io.SerializedString(%s);", Code.quoted(member.name()));
        }
        code.line("private static void write_%s(%s g, %s o) throws java.io.IOException {", struct.name(), GENERATOR, struct.domain());
        code.line("g.writeStartObject();");
        for (Member member : struct.members()) {
            String own = "o." + member.get() + "()";
            if (member.optional()) {
                code.line("if (%s != null) {", own);
            }
            code.line("g.writeFieldName(N%d_%d);", struct.place(), member.number());
            if (member.isMap()) {
                code.line("g.writeStartObject();").line("for (var e : %s.entrySet()) {", own);
                code.line("g.writeFieldName(%s);", member.key().kind() == Kind.TEXT ? "e.getKey()"
                        : member.key().kind() == Kind.ULONG ? "Long.toUnsignedString(e.getKey())" : "String.valueOf(e.getKey())");
                code.line(written(member.type(), "e.getValue()")).line("}").line("g.writeEndObject();");
            } else if (member.repeated()) {
                code.line("g.writeStartArray();").line("for (var x : %s) {", own).line(written(member.type(), "x")).line("}");
                code.line("g.writeEndArray();");
            } else {
                code.line(written(member.type(), own));
            }
            if (member.optional()) {
                code.line("}");
            }
        }
        code.line("g.writeEndObject();").line("}");
    }

    private static String written(Type type, String value) {
        return switch (type.kind()) {
            case INT, UINT, LONG, FLOAT, DOUBLE -> "g.writeNumber(" + value + ");";
            case ULONG -> UNSIGNED + ".write(g, " + value + ");";
            case BOOL -> "g.writeBoolean(" + value + ");";
            case TEXT -> "g.writeString(" + value + ");";
            case DATA -> "g.writeBinary(" + value + ");";
            case ENUM -> "g.writeString(" + value + ".text());";
            case MESSAGE -> "write_" + type.struct().name() + "(g, " + value + ");";
        };
    }

    private static void reader(Struct struct, Code code) {
        String domain = struct.domain();
        code.line("private static %s read_%s(%s p) throws java.io.IOException {", domain, struct.name(), PARSER);
        code.line("JacksonStreaming.expect(p, %s.START_OBJECT);", TOKEN).line("%s o = new %<s();", domain);
        code.line("for (String name; (name = p.nextFieldName()) != null;) {").line("p.nextToken();").line("switch (name) {");
        for (Member member : struct.members()) {
            code.line("case %s: {", Code.quoted(member.name()));
            if (member.isMap()) {
                code.line("JacksonStreaming.expect(p, %s.START_OBJECT);", TOKEN);
                code.line("var m = new java.util.LinkedHashMap<%s, %s>();", member.key().boxed(), member.type().boxed());
                code.line("for (String key; (key = p.nextFieldName()) != null;) {").line("p.nextToken();");
                code.line("m.put(%s, %s);", key(member.key()), value(member.type())).line("}");
                code.line("o.%s(m);", member.set());
            } else if (member.repeated()) {
                code.line("JacksonStreaming.expect(p, %s.START_ARRAY);", TOKEN);
                code.line("var l = new java.util.ArrayList<%s>();", member.type().boxed());
                code.line("while (p.nextToken() != %s.END_ARRAY) {", TOKEN).line("l.add(%s);", value(member.type())).line("}");
                code.line("o.%s(l);", member.set());
            } else {
                code.line("o.%s(%s);", member.set(), value(member.type()));
            }
            code.line("break;").line("}");
        }
        code.line("default: throw JacksonStreaming.unknown(p, name);").line("}").line("}");
        code.line("JacksonStreaming.expect(p, %s.END_OBJECT);", TOKEN).line("return o;").line("}");
    }

    private static String key(Type type) {
        return switch (type.kind()) {
            case INT -> "Integer.valueOf(key)";
            case UINT, LONG -> "Long.valueOf(key)";
            case ULONG -> "Long.parseUnsignedLong(key)";
            case BOOL -> "JacksonStreaming.flag(p, key)";
            default -> "key";
        };
    }

    private static String value(Type type) {
        return switch (type.kind()) {
            case INT -> "p.getIntValue()";
            case UINT, LONG -> "p.getLongValue()";
            case ULONG -> UNSIGNED + ".read(p)";
            case FLOAT -> "JacksonStreaming.single(p)";
            case DOUBLE -> "JacksonStreaming.real(p)";
            case BOOL -> "p.getBooleanValue()";
            case TEXT -> "JacksonStreaming.text(p)";
            case DATA -> "p.getBinaryValue()";
            case ENUM -> type.choice().domain() + ".of(JacksonStreaming.text(p))";
            case MESSAGE -> "read_" + type.struct().name() + "(p)";
        };
    }
}
