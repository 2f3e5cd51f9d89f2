package wiredyno.build;

import java.util.Map;
import wiredyno.build.Model.Member;
import wiredyno.build.Model.Struct;
import wiredyno.build.Model.Type;

/** EXI: the code that a program writes around StAX's writer and reader, for the elements of the XML Schema that the program lowers. */
final class ExiWriter {
    private static final String WRITER = "javax.xml.stream.XMLStreamWriter";
    private static final String READER = "javax.xml.stream.XMLStreamReader";
    private static final String XML = "wiredyno.runner.codecs.ExiDocuments";

    private ExiWriter() {}

    static void write(Model model, Map<String, String> sources) {
        Code code = new Code().line("package wiredyno.made;").line("public final class ExiWalk implements %s.Walk {", XML);
        String root = model.root.name();
        code.line("public void write(%s w, Object o) throws Exception {", WRITER).line("w.writeStartElement(%s);", Code.quoted(root));
        code.line("write_%s(w, (%s) o);", root, model.root.domain()).line("w.writeEndElement();").line("}");
        code.line("public Object read(%s r) throws Exception {", READER).line("return read_%s(r);", root).line("}");
        for (Struct struct : model.structs.values()) {
            writer(struct, code);
            reader(struct, code);
        }
        sources.put("wiredyno.made.ExiWalk", code.line("}").toString());
    }

    private static void writer(Struct struct, Code code) {
        code.line("private static void write_%s(%s w, %s o) throws Exception {", struct.name(), WRITER, struct.domain());
        for (Member member : struct.members()) {
            String own = "o." + member.get() + "()";
            String name = Code.quoted(member.name());
            if (member.isMap()) {
                code.line("for (var e : %s.entrySet()) {", own).line("var k = e.getKey();").line("var v = e.getValue();");
                code.line("w.writeStartElement(%s);", name);
                element("\"key\"", member.key(), "k", code);
                element("\"value\"", member.type(), "v", code);
                code.line("w.writeEndElement();").line("}");
            } else if (member.repeated()) {
                code.line("for (var x : %s) {", own);
                element(name, member.type(), "x", code);
                code.line("}");
            } else {
                code.line(member.optional() ? "if (" + own + " != null) {" : "{");
                element(name, member.type(), own, code);
                code.line("}");
            }
        }
        code.line("}");
    }

    private static void element(String name, Type type, String value, Code code) {
        code.line("w.writeStartElement(%s);", name);
        if (type.kind() == Kind.MESSAGE) {
            code.line("write_%s(w, %s);", type.struct().name(), value);
        } else {
            code.line("w.writeCharacters(%s);", switch (type.kind()) {
                case TEXT -> value;
                case ULONG -> "Long.toUnsignedString(" + value + ")";
                case FLOAT -> XML + ".text((float) " + value + ")";
                case DOUBLE -> XML + ".text((double) " + value + ")";
                case DATA -> XML + ".text(" + value + ")";
                case ENUM -> value + ".text()";
                default -> "String.valueOf(" + value + ")";
            });
        }
        code.line("w.writeEndElement();");
    }

    private static void reader(Struct struct, Code code) {
        code.line("private static %s read_%s(%s r) throws Exception {", struct.domain(), struct.name(), READER).line("var o = new %s();", struct.domain());
        for (Member member : struct.members()) {
            if (member.isMap()) {
                code.line("o.%s(new java.util.LinkedHashMap<>());", member.set());
            } else if (member.repeated()) {
                code.line("o.%s(new java.util.ArrayList<>());", member.set());
            }
        }
        code.line("while (%s.begins(r)) {", XML).line("switch (r.getLocalName()) {");
        for (Member member : struct.members()) {
            code.line("case %s: {", Code.quoted(member.name()));
            if (member.isMap()) {
                code.line("%s.next(r, \"key\");", XML).line("%s k = %s;", member.key().boxed(), value(member.key()));
                code.line("%s.next(r, \"value\");", XML).line("o.%s().put(k, %s);", member.get(), value(member.type()));
                code.line("%s.end(r);", XML);
            } else if (member.repeated()) {
                code.line("o.%s().add(%s);", member.get(), value(member.type()));
            } else {
                code.line("o.%s(%s);", member.set(), value(member.type()));
            }
            code.line("break;").line("}");
        }
        code.line("default: throw %s.unknown(r);", XML).line("}").line("}").line("return o;").line("}");
    }

    private static String value(Type type) {
        String text = XML + ".text(r)";
        return switch (type.kind()) {
            case INT -> "Integer.valueOf(" + text + ")";
            case UINT, LONG -> "Long.valueOf(" + text + ")";
            case ULONG -> "Long.parseUnsignedLong(" + text + ")";
            case FLOAT -> "(float) " + XML + ".single(" + text + ")";
            case DOUBLE -> "(double) " + XML + ".real(" + text + ")";
            case BOOL -> XML + ".flag(" + text + ")";
            case TEXT -> text;
            case DATA -> XML + ".data(" + text + ")";
            case ENUM -> type.choice().domain() + ".of(" + text + ")";
            case MESSAGE -> "read_" + type.struct().name() + "(r)";
        };
    }
}
