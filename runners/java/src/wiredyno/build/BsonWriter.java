package wiredyno.build;

import java.util.Map;
import wiredyno.build.Model.Member;
import wiredyno.build.Model.Struct;
import wiredyno.build.Model.Type;

/** BSON: MongoDB's documents, made from the domain's objects with a line for each field. */
final class BsonWriter extends Shape {
    private static final String DOCUMENT = "org.bson.Document";

    private BsonWriter() {}

    static void write(Model model, Map<String, String> sources) {
        Code code = new Code().line("package wiredyno.made;").line("public final class BsonCodec extends wiredyno.runner.codecs.BsonDocuments {");
        String root = model.root.name();
        code.line("public Object build(Object domain) {").line("return build_%s((%s) domain);", root, model.root.domain()).line("}");
        code.line("public long read(Object decoded) throws Exception {");
        code.line("return read_%s(wiredyno.runner.Touch.START, (%s) decoded);", root, DOCUMENT).line("}");
        code.line("public Object domain(Object decoded) throws Exception {").line("return domain_%s((%s) decoded);", root, DOCUMENT).line("}");
        BsonWriter shape = new BsonWriter();
        model.structs.values().forEach(struct -> build(struct, code));
        shape.writeRead(model, code);
        shape.writeDomain(model, code);
        sources.put("wiredyno.made.BsonCodec", code.line("}").toString());
    }

    private static void build(Struct struct, Code code) {
        code.line("private static %s build_%s(%s d) {", DOCUMENT, struct.name(), struct.domain()).line("var o = new %s();", DOCUMENT);
        for (Member member : struct.members()) {
            String own = "d." + member.get() + "()";
            String name = Code.quoted(member.name());
            if (member.isMap()) {
                String key = member.key().kind() == Kind.ULONG ? "Long.toUnsignedString(e.getKey())" : "String.valueOf(e.getKey())";
                code.line("{").line("var m = new %s();", DOCUMENT).line("for (var e : %s.entrySet()) {", own);
                code.line("m.append(%s, %s);", key, lowered(member.type(), "e.getValue()")).line("}");
                code.line("o.append(%s, m);", name).line("}");
            } else if (member.repeated()) {
                code.line("{").line("var l = new java.util.ArrayList<Object>(%s.size());", own).line("for (var x : %s) {", own);
                code.line("l.add(%s);", lowered(member.type(), "x")).line("}").line("o.append(%s, l);", name).line("}");
            } else if (member.optional()) {
                code.line("if (%s != null) {", own).line("o.append(%s, %s);", name, lowered(member.type(), own)).line("}");
            } else {
                code.line("o.append(%s, %s);", name, lowered(member.type(), own));
            }
        }
        code.line("return o;").line("}");
    }

    private static String lowered(Type type, String value) {
        return switch (type.kind()) {
            case FLOAT -> "(double) " + value;
            case DATA -> "new org.bson.types.Binary(" + value + ")";
            case ENUM -> value + ".text()";
            case MESSAGE -> "build_" + type.struct().name() + "(" + value + ")";
            default -> value;
        };
    }

    @Override
    String of(Struct struct) {
        return DOCUMENT;
    }

    @Override
    String get(Member member) {
        String own = "o.get(" + Code.quoted(member.name()) + ")";
        return member.isMap() ? "((" + DOCUMENT + ") " + own + ")" : member.repeated() ? "((java.util.List<?>) " + own + ")" : own;
    }

    @Override
    String has(Member member) {
        return get(member) + " != null";
    }

    @Override
    String key(Member member) {
        return switch (member.key().kind()) {
            case INT -> "Integer.parseInt(e.getKey())";
            case UINT, LONG -> "Long.parseLong(e.getKey())";
            case ULONG -> "Long.parseUnsignedLong(e.getKey())";
            case BOOL -> "Boolean.parseBoolean(e.getKey())";
            default -> "e.getKey()";
        };
    }

    @Override
    String leaf(Type type, String value) {
        return switch (type.kind()) {
            case INT -> "((Integer) " + value + ")";
            case UINT, LONG, ULONG -> "((Long) " + value + ")";
            case FLOAT -> "((float) (double) (Double) " + value + ")";
            case DOUBLE -> "((Double) " + value + ")";
            // Of a map's key it is one already.
            case BOOL -> value.startsWith("Boolean.") ? value : "((Boolean) " + value + ")";
            case TEXT -> "((String) " + value + ")";
            case DATA -> "((org.bson.types.Binary) " + value + ").getData()";
            case ENUM -> type.choice().domain() + ".of((String) " + value + ").number()";
            case MESSAGE -> "((" + DOCUMENT + ") " + value + ")";
        };
    }
}
