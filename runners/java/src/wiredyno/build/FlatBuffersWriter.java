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

/** FlatBuffers: flatc's classes over the definition as the program lowers it, and the codec over them. There is no object before the bytes. */
final class FlatBuffersWriter extends Shape {
    private static final String PACKAGE = "wiredyno.flat";
    private static final Pattern ENUM = Pattern.compile("enum (\\w+) : (\\w+) \\{");
    private static final String BUILDER = "com.google.flatbuffers.FlatBufferBuilder";

    /** The integer type of each enum. */
    private final Map<String, String> enums = new HashMap<>();

    private FlatBuffersWriter(String text) {
        for (String line : text.split("\n")) {
            Matcher matcher = ENUM.matcher(line);
            if (matcher.matches()) {
                enums.put(matcher.group(1), matcher.group(2));
            }
        }
    }

    static void write(Model model, Path schema, Path work, Map<String, String> sources) throws IOException, InterruptedException {
        String text = Files.readString(schema);
        Path own = work.resolve("message.fbs");
        Files.writeString(own, "namespace " + PACKAGE + ";\n" + text);
        Path out = Files.createDirectories(work.resolve("flat"));
        Tool.run("flatc", "--java", "-o", out.toString(), own.toString());
        Tool.sources(out, sources);
        sources.put("wiredyno.made.FlatBuffersCodec", new FlatBuffersWriter(text).codec(model));
    }

    private String codec(Model model) {
        Code code = new Code().line("package wiredyno.made;").line("public final class FlatBuffersCodec extends wiredyno.runner.Codec {");
        String root = model.root.name();
        // Kept and cleared, as its documentation advises.
        code.line("private final %s builder = new %<s(1024);", BUILDER);
        code.line("public byte[] encode(Object built) {").line("builder.clear();");
        code.line("builder.finish(write_%s(builder, (%s) built));", root, model.root.domain()).line("return builder.sizedByteArray();").line("}");
        code.line("public Object decode(byte[] body) {");
        code.line("return %s.getRootAs%s(java.nio.ByteBuffer.wrap(body));", of(model.root), root).line("}");
        code.line("public long read(Object decoded) throws Exception {");
        code.line("return read_%s(wiredyno.runner.Touch.START, (%s) decoded);", root, of(model.root)).line("}");
        code.line("public Object domain(Object decoded) throws Exception {").line("return domain_%s((%s) decoded);", root, of(model.root)).line("}");
        model.structs.values().forEach(struct -> writer(struct, code));
        writeRead(model, code);
        writeDomain(model, code);
        return code.line("}").toString();
    }

    /** What is not in a table itself comes first, then the table. */
    private void writer(Struct struct, Code code) {
        code.line("private static int write_%s(%s b, %s d) {", struct.name(), BUILDER, struct.domain());
        for (Member member : struct.members()) {
            String own = "d." + member.get() + "()";
            String at = "f" + member.number();
            if (member.isMap()) {
                String entry = PACKAGE + "." + struct.name() + Model.camel(member.name()) + "Entry";
                code.line("int[] e%s = new int[%s.size()];", at, own).line("{").line("int i = 0;").line("for (var e : %s.entrySet()) {", own);
                code.line("var k = e.getKey();").line("var v = e.getValue();");
                outside(member.key(), "ko", "k", code);
                outside(member.type(), "vo", "v", code);
                code.line("%s.start%s(b);", entry, simple(entry)).line("%s.addKey(b, %s);", entry, inside(member.key(), "ko", "k"));
                code.line("%s.addValue(b, %s);", entry, inside(member.type(), "vo", "v"));
                code.line("e%s[i++] = %s.end%s(b);", at, entry, simple(entry)).line("}").line("}");
                code.line("int %s = offsets(b, e%<s);", at);
            } else if (member.repeated()) {
                list(member, own, at, code);
            } else if (isOutside(member.type())) {
                code.line("int %s = 0;", at);
                code.line(member.optional() ? "if (%s != null) {" : "{", own);
                code.line("%s = %s;", at, created(member.type(), own)).line("}");
            }
        }
        String table = of(struct);
        code.line("%s.start%s(b);", table, struct.name());
        for (Member member : struct.members()) {
            String own = "d." + member.get() + "()";
            boolean offset = member.isMap() || member.repeated() || isOutside(member.type());
            code.line(!member.optional() ? "{" : "if (" + own + " != null) {");
            // flatc 2.0.8 leaves out a number that may be absent if it is 0, which is then absent.
            boolean forced = member.optional() && !offset;
            if (forced) {
                code.line("b.forceDefaults(true);");
            }
            code.line("%s.add%s(b, %s);", table, upper(member), offset ? "f" + member.number() : inside(member.type(), "", own));
            if (forced) {
                code.line("b.forceDefaults(false);");
            }
            code.line("}");
        }
        code.line("return %s.end%s(b);", table, struct.name()).line("}");
        if (struct.place() == 0) {
            code.line("private static int offsets(%s b, int[] all) {", BUILDER).line("b.startVector(4, all.length, 4);");
            code.line("for (int i = all.length - 1; i >= 0; i--) {").line("b.addOffset(all[i]);").line("}").line("return b.endVector();").line("}");
        }
    }

    private void list(Member member, String own, String at, Code code) {
        Type type = member.type();
        if (isOutside(type)) {
            code.line("int[] e%s = new int[%s.size()];", at, own).line("{").line("int i = 0;").line("for (var x : %s) {", own);
            if (type.kind() == Kind.DATA) {
                // A vector of vectors is a vector of tables around them.
                code.line("int inner = b.createByteVector(x);").line("%s.BytesElement.startBytesElement(b);", PACKAGE);
                code.line("%s.BytesElement.addValue(b, inner);", PACKAGE).line("e%s[i++] = %s.BytesElement.endBytesElement(b);", at, PACKAGE);
            } else {
                code.line("e%s[i++] = %s;", at, created(type, "x"));
            }
            code.line("}").line("}").line("int %s = offsets(b, e%<s);", at);
            return;
        }
        int size = width(type);
        code.line("b.startVector(%d, %s.size(), %d);", size, own, size);
        code.line("for (int i = %s.size() - 1; i >= 0; i--) {", own).line("b.%s;", added(type, own + ".get(i)")).line("}");
        code.line("int %s = b.endVector();", at);
    }

    private static boolean isOutside(Type type) {
        return switch (type.kind()) {
            case TEXT, DATA, MESSAGE -> true;
            default -> false;
        };
    }

    private static String created(Type type, String value) {
        return switch (type.kind()) {
            case TEXT -> "b.createString(" + value + ")";
            case DATA -> "b.createByteVector(" + value + ")";
            default -> "write_" + type.struct().name() + "(b, " + value + ")";
        };
    }

    private static void outside(Type type, String at, String value, Code code) {
        if (isOutside(type)) {
            code.line("int %s = %s;", at, created(type, value));
        }
    }

    private static String inside(Type type, String at, String value) {
        return isOutside(type) ? at : type.kind() == Kind.ENUM ? value + ".number()" : value;
    }

    private int width(Type type) {
        return switch (type.kind()) {
            case BOOL -> 1;
            case INT, UINT, FLOAT -> 4;
            case ENUM -> switch (enums.get(type.choice().name())) {
                case "byte", "ubyte" -> 1;
                case "short", "ushort" -> 2;
                default -> 4;
            };
            default -> 8;
        };
    }

    private String added(Type type, String value) {
        return switch (type.kind()) {
            case INT -> "addInt(" + value + ")";
            case UINT -> "addInt((int) (long) " + value + ")";
            case LONG, ULONG -> "addLong(" + value + ")";
            case FLOAT -> "addFloat(" + value + ")";
            case DOUBLE -> "addDouble(" + value + ")";
            case BOOL -> "addBoolean(" + value + ")";
            default -> switch (width(type)) {
                case 1 -> "addByte((byte) " + value + ".number())";
                case 2 -> "addShort((short) " + value + ".number())";
                default -> "addInt(" + value + ".number())";
            };
        };
    }

    private static String simple(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }

    private static String upper(Member member) {
        return Model.camel(member.name());
    }

    private static String lower(Member member) {
        String name = upper(member);
        return Model.escaped(Character.toLowerCase(name.charAt(0)) + name.substring(1));
    }

    @Override
    String of(Struct struct) {
        return PACKAGE + "." + struct.name();
    }

    @Override
    String get(Member member) {
        return "o." + lower(member) + (member.type().kind() == Kind.DATA ? "AsByteBuffer()" : "()");
    }

    @Override
    String has(Member member) {
        return isOutside(member.type()) ? get(member) + " != null" : "o.has" + upper(member) + "()";
    }

    @Override
    String size(Member member) {
        return "o." + lower(member) + "Length()";
    }

    @Override
    String each(Member member) {
        return "for (int i = 0, n = " + size(member) + "; i < n; i++) {";
    }

    @Override
    String element(Member member) {
        return "o." + lower(member) + "(i)" + (member.type().kind() == Kind.DATA ? ".valueAsByteBuffer()" : "");
    }

    @Override
    String entries(Member member) {
        return each(member);
    }

    @Override
    String entryCount(Member member) {
        return size(member);
    }

    @Override
    String key(Member member) {
        return "o." + lower(member) + "(i).key()";
    }

    @Override
    String value(Member member) {
        return "o." + lower(member) + "(i).value" + (member.type().kind() == Kind.DATA ? "AsByteBuffer()" : "()");
    }

    @Override
    String leaf(Type type, String value) {
        return switch (type.kind()) {
            case DATA -> "wiredyno.runner.codecs.Buffers.bytes(" + value + ")";
            case TEXT -> "wiredyno.runner.codecs.Buffers.text(" + value + ")";
            default -> value;
        };
    }
}
