package wiredyno.build;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import wiredyno.build.Model.Member;
import wiredyno.build.Model.Struct;
import wiredyno.build.Model.Type;

/** Apache Thrift: its own compiler's classes, over the definition as the program lowers it, and the codec over them. */
final class ThriftWriter extends Shape {
    private static final String PACKAGE = "wiredyno.thrift";
    private static final Pattern STRUCT = Pattern.compile("struct (\\w+) \\{");
    private static final Pattern FIELD = Pattern.compile("\\s+(\\d+): (?:optional )?(.+) (\\w+),");

    /** A field as the interface language has it. */
    private record Field(String name, String type) {}

    private final Map<String, Map<Integer, Field>> structs = new HashMap<>();
    private Map<Integer, Field> current;

    private ThriftWriter(String text) {
        Map<Integer, Field> open = null;
        for (String line : text.split("\n")) {
            Matcher struct = STRUCT.matcher(line);
            Matcher field = FIELD.matcher(line);
            if (struct.matches()) {
                open = new HashMap<>();
                structs.put(struct.group(1), open);
            } else if (open != null && field.matches()) {
                open.put(Integer.parseInt(field.group(1)), new Field(field.group(3), field.group(2)));
            }
        }
    }

    static void write(Model model, Path schema, Path work, Map<String, String> sources) throws IOException, InterruptedException {
        String text = Files.readString(schema);
        Path own = work.resolve("message.thrift");
        Files.writeString(own, "namespace java " + PACKAGE + "\n" + text);
        Path out = Files.createDirectories(work.resolve("thrift"));
        Tool.run("thrift", "--gen", "java:generated_annotations=suppress,private_members", "-out", out.toString(), own.toString());
        Tool.sources(out, sources);
        sources.put("wiredyno.made.ThriftCodec", new ThriftWriter(text).codec(model));
    }

    private String codec(Model model) {
        Code code = new Code().line("package wiredyno.made;").line("public final class ThriftCodec extends wiredyno.runner.codecs.ThriftStructs {");
        String root = model.root.name();
        code.line("public ThriftCodec(String protocol) throws Exception {").line("super(protocol);").line("}");
        code.line("protected org.apache.thrift.TBase<?, ?> empty() {").line("return new %s();", of(model.root)).line("}");
        code.line("public Object build(Object domain) {").line("return build_%s((%s) domain);", root, model.root.domain()).line("}");
        code.line("public long read(Object decoded) throws Exception {");
        code.line("return read_%s(wiredyno.runner.Touch.START, (%s) decoded);", root, of(model.root)).line("}");
        code.line("public Object domain(Object decoded) throws Exception {").line("return domain_%s((%s) decoded);", root, of(model.root)).line("}");
        model.structs.values().forEach(struct -> build(struct, code));
        writeRead(model, code);
        writeDomain(model, code);
        return code.line("}").toString();
    }

    private void build(Struct struct, Code code) {
        code.line("private static %s build_%s(%s d) {", of(struct), struct.name(), struct.domain()).line("var o = new %s();", of(struct));
        for (Member member : struct.members()) {
            String own = "d." + member.get() + "()";
            String type = current.get(member.number()).type;
            String set = "o.set" + capital(member);
            if (member.isMap()) {
                String[] parts = type.substring("map<".length(), type.length() - 1).split(", ", 2);
                code.line("{").line("var m = new java.util.HashMap<%s, %s>();", boxed(member.key(), parts[0]), boxed(member.type(), parts[1]));
                code.line("for (var e : %s.entrySet()) {", own);
                code.line("m.put(%s, %s);", lowered(member.key(), parts[0], "e.getKey()"), lowered(member.type(), parts[1], "e.getValue()"));
                code.line("}").line("%s(m);", set).line("}");
            } else if (member.repeated()) {
                String element = type.substring("list<".length(), type.length() - 1);
                code.line("{").line("var l = new java.util.ArrayList<%s>(%s.size());", boxed(member.type(), element), own);
                code.line("for (var x : %s) {", own).line("l.add(%s);", lowered(member.type(), element, "x")).line("}");
                code.line("%s(l);", set).line("}");
            } else if (member.optional()) {
                code.line("if (%s != null) {", own).line("%s(%s);", set, lowered(member.type(), type, own)).line("}");
            } else {
                code.line("%s(%s);", set, lowered(member.type(), type, own));
            }
        }
        code.line("return o;").line("}");
    }

    private static String boxed(Type type, String thrift) {
        return switch (type.kind()) {
            case INT, UINT, LONG, ULONG -> switch (thrift) {
                case "i8" -> "Byte";
                case "i16" -> "Short";
                case "i32" -> "Integer";
                default -> "Long";
            };
            case FLOAT -> "Double";
            case DATA -> "java.nio.ByteBuffer";
            case ENUM -> PACKAGE + "." + type.choice().name();
            case MESSAGE -> PACKAGE + "." + type.struct().name();
            default -> type.kind().boxed;
        };
    }

    private static String lowered(Type type, String thrift, String value) {
        String plain = type.kind().plain;
        return switch (type.kind()) {
            case INT, UINT, LONG, ULONG -> switch (thrift) {
                case "i8" -> "(byte) (" + plain + ") " + value;
                case "i16" -> "(short) (" + plain + ") " + value;
                case "i32" -> "(int) (" + plain + ") " + value;
                default -> "(long) (" + plain + ") " + value;
            };
            case FLOAT -> "(double) (float) " + value;
            case DATA -> "java.nio.ByteBuffer.wrap(" + value + ")";
            case ENUM -> PACKAGE + "." + type.choice().name() + ".findByValue(" + value + ".number())";
            case MESSAGE -> "build_" + type.struct().name() + "(" + value + ")";
            default -> value;
        };
    }

    /** A field's name in its accessors. */
    private String capital(Member member) {
        String name = current.get(member.number()).name;
        return Character.toUpperCase(name.charAt(0)) + name.substring(1);
    }

    @Override
    String of(Struct struct) {
        current = structs.get(struct.name());
        return PACKAGE + "." + struct.name();
    }

    @Override
    String get(Member member) {
        boolean one = !member.repeated() && !member.isMap();
        // A field of bytes has its buffer beside the array, which would be a copy.
        if (one && member.type().kind() == Kind.DATA) {
            return "o.bufferFor" + capital(member) + "()";
        }
        return "o." + (one && member.type().kind() == Kind.BOOL ? "is" : "get") + capital(member) + "()";
    }

    @Override
    String has(Member member) {
        return "o.isSet" + capital(member) + "()";
    }

    @Override
    String leaf(Type type, String value) {
        return switch (type.kind()) {
            case INT -> "((int) " + value + ")";
            case UINT, LONG, ULONG -> "((long) " + value + ")";
            case FLOAT -> "((float) (double) " + value + ")";
            case DATA -> "wiredyno.runner.codecs.Buffers.bytes(" + value + ")";
            case ENUM -> value + ".getValue()";
            default -> value;
        };
    }
}
