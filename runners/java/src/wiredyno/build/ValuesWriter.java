package wiredyno.build;

import com.google.protobuf.Descriptors.FieldDescriptor;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import wiredyno.build.Model.Member;
import wiredyno.build.Model.Struct;
import wiredyno.build.Model.Type;

/** The domain's objects from Protobuf's bytes and back, as {@code wiredyno.runner.Values} says. */
final class ValuesWriter {
    static final String NAME = "wiredyno.made.DomainValues";

    private static final Set<FieldDescriptor.Type> WIRE_32 =
            Set.of(FieldDescriptor.Type.FIXED32, FieldDescriptor.Type.SFIXED32, FieldDescriptor.Type.FLOAT);
    private static final Set<FieldDescriptor.Type> WIRE_64 =
            Set.of(FieldDescriptor.Type.FIXED64, FieldDescriptor.Type.SFIXED64, FieldDescriptor.Type.DOUBLE);

    private ValuesWriter() {}

    static void write(Model model, Map<String, String> sources) {
        Code code = new Code().line("package wiredyno.made;").line("import wiredyno.runner.*;");
        code.line("public final class DomainValues implements Values {");
        String root = model.root.domain();
        code.line("public Class<?> root() {").line("return %s.class;", root).line("}");
        code.line("public Object fromBytes(byte[] bytes) throws Refusal {").line("try {");
        code.line("return from_%s(new WireReader(bytes));", model.root.name());
        code.line("} catch (java.nio.BufferUnderflowException | IndexOutOfBoundsException | IllegalArgumentException e) {");
        code.line("throw new Refusal(\"a value that is not in Protobuf's format: \" + e.getMessage());").line("}").line("}");
        code.line("public byte[] toBytes(Object domain) throws Refusal {").line("WireWriter out = new WireWriter();");
        code.line("to_%s((%s) domain, out);", model.root.name(), root).line("return out.bytes();").line("}");
        code.line("public long read(Object domain) {").line("try {");
        code.line("return read_%s(Touch.START, (%s) domain);", model.root.name(), root);
        code.line("} catch (Exception e) {").line("throw new IllegalStateException(e);").line("}").line("}");
        model.structs.values().forEach(struct -> from(struct, code));
        model.structs.values().forEach(struct -> to(struct, code));
        new Shape.Plain().writeRead(model, code);
        sources.put(NAME, code.line("}").toString());
    }

    private static void from(Struct struct, Code code) {
        code.line("private static %s from_%s(WireReader in) throws Refusal {", struct.domain(), struct.name());
        code.line("%s d = new %<s();", struct.domain());
        for (Member member : struct.members()) {
            // Lists and maps are there even if they are empty; so are values that are always there.
            if (member.isMap()) {
                code.line("var f%d = new java.util.LinkedHashMap<%s, %s>();", member.number(), member.key().boxed(), member.type().boxed());
                code.line("d.%s(f%d);", member.set(), member.number());
            } else if (member.repeated()) {
                code.line("var f%d = new java.util.ArrayList<%s>();", member.number(), member.type().boxed());
                code.line("d.%s(f%d);", member.set(), member.number());
            } else if (!member.optional()) {
                first(member.type()).ifPresent(first -> code.line("d.%s(%s);", member.set(), first));
            }
        }
        code.line("for (int tag; (tag = in.tag()) != 0;) {").line("switch (tag >>> 3) {");
        for (Member member : struct.members()) {
            code.line("case %d: {", member.number());
            if (member.isMap()) {
                Type key = member.key();
                Type value = member.type();
                code.line("WireReader entry = in.inner();");
                code.line("%s k = %s;", key.plain(), first(key).orElse(zero(key)));
                code.line("%s v = %s;", value.plain(), first(value).orElse(zero(value)));
                code.line("for (int part; (part = entry.tag()) != 0;) {").line("if (part >>> 3 == 1) {");
                code.line("k = %s;", reading(key, "entry")).line("} else {").line("v = %s;", reading(value, "entry")).line("}").line("}");
                code.line("f%d.put(k, v);", member.number());
            } else if (member.repeated() && member.packed()) {
                code.line("if ((tag & 7) == 2) {").line("for (WireReader all = in.inner(); all.more();) {");
                code.line("f%d.add(%s);", member.number(), reading(member.type(), "all")).line("}").line("} else {");
                code.line("f%d.add(%s);", member.number(), reading(member.type(), "in")).line("}");
            } else if (member.repeated()) {
                code.line("f%d.add(%s);", member.number(), reading(member.type(), "in"));
            } else {
                code.line("d.%s(%s);", member.set(), reading(member.type(), "in"));
            }
            code.line("break;").line("}");
        }
        code.line("default: throw new Refusal(%s + (tag >>> 3));", Code.quoted("`" + struct.name() + "` has no field number "));
        code.line("}").line("}").line("return d;").line("}");
    }

    /** The default of a type, if an object's field has another before it is set. */
    private static java.util.Optional<String> first(Type type) {
        return java.util.Optional.ofNullable(switch (type.kind()) {
            case TEXT -> "\"\"";
            case DATA -> "new byte[0]";
            case ENUM -> type.choice().domain() + ".of(0)";
            default -> null;
        });
    }

    private static String zero(Type type) {
        return type.kind() == Kind.MESSAGE ? "null" : type.kind() == Kind.BOOL ? "false" : "0";
    }

    private static String reading(Type type, String in) {
        return switch (type.wire()) {
            case INT32 -> "(int) " + in + ".varint()";
            case SINT32 -> "(int) " + in + ".zigzag()";
            case UINT32 -> in + ".varint() & 0xffffffffL";
            case SFIXED32 -> in + ".fixed32()";
            case FIXED32 -> in + ".fixed32() & 0xffffffffL";
            case INT64, UINT64 -> in + ".varint()";
            case SINT64 -> in + ".zigzag()";
            case SFIXED64, FIXED64 -> in + ".fixed64()";
            case FLOAT -> "Float.intBitsToFloat(" + in + ".fixed32())";
            case DOUBLE -> "Double.longBitsToDouble(" + in + ".fixed64())";
            case BOOL -> in + ".varint() != 0";
            case STRING -> in + ".text()";
            case BYTES -> in + ".data()";
            case ENUM -> type.choice().domain() + ".of((int) " + in + ".varint())";
            case MESSAGE, GROUP -> "from_" + type.struct().name() + "(" + in + ".inner())";
        };
    }

    private static void to(Struct struct, Code code) {
        code.line("private static void to_%s(%s d, WireWriter out) throws Refusal {", struct.name(), struct.domain());
        code.line("if (d == null) {").line("throw new Refusal(%s);", Code.quoted("a `" + struct.name() + "` is missing")).line("}");
        Map<Integer, Member> byNumber = new TreeMap<>();
        struct.members().forEach(member -> byNumber.put(member.number(), member));
        Map<String, List<Member>> choices =
                struct.members().stream().filter(member -> member.oneof() != null).collect(Collectors.groupingBy(Member::oneof));
        choices.forEach((name, members) -> {
            String set = members.stream().map(one -> "(d." + one.get() + "() == null ? 0 : 1)").collect(Collectors.joining(" + "));
            code.line("if (%s > 1) {", set).line("throw new Refusal(%s);", Code.quoted("more than one of `" + name + "` is set")).line("}");
        });
        for (Member member : byNumber.values()) {
            code.line("{").line("var v = d.%s();", member.get());
            boolean primitive = member.isOne() && member.type().kind().isPrimitive();
            if (!primitive && !member.optional()) {
                code.line("if (v == null) {").line("throw new Refusal(%s);",
                        Code.quoted("`" + struct.name() + "` lacks `" + member.name() + "`")).line("}");
            }
            if (member.isMap()) {
                map(member, code);
            } else if (member.repeated() && member.packed()) {
                code.line("if (!v.isEmpty()) {").line("WireWriter all = new WireWriter();").line("for (var x : v) {");
                content(member.type(), "x", "all", code);
                code.line("}").line("out.varint(%d);", member.number() << 3 | 2).line("out.inner(all);").line("}");
            } else if (member.repeated()) {
                code.line("for (var x : v) {");
                single(member.number(), member.type(), "x", "out", code);
                code.line("}");
            } else {
                String condition = member.optional() ? "v != null" : member.presence() ? "true" : notDefault(member.type());
                code.line("if (%s) {", condition);
                single(member.number(), member.type(), "v", "out", code);
                code.line("}");
            }
            code.line("}");
        }
        code.line("}");
    }

    private static void map(Member member, Code code) {
        String order = switch (member.key().kind()) {
            case TEXT -> "WireReader::compare";
            case ULONG -> "Long::compareUnsigned";
            default -> "java.util.Comparator.naturalOrder()";
        };
        code.line("var sorted = new java.util.TreeMap<%s, %s>(%s);", member.key().boxed(), member.type().boxed(), order);
        code.line("sorted.putAll(v);").line("for (var e : sorted.entrySet()) {").line("WireWriter entry = new WireWriter();");
        code.line("var k = e.getKey();").line("var x = e.getValue();");
        single(1, member.key(), "k", "entry", code);
        single(2, member.type(), "x", "entry", code);
        code.line("out.varint(%d);", member.number() << 3 | 2).line("out.inner(entry);").line("}");
    }

    private static String notDefault(Type type) {
        return switch (type.kind()) {
            case BOOL -> "v";
            case TEXT -> "!v.isEmpty()";
            case DATA -> "v.length > 0";
            case ENUM -> "v.number() != 0";
            default -> "v != 0";
        };
    }

    private static void single(int number, Type type, String value, String out, Code code) {
        boolean delimited = switch (type.kind()) {
            case TEXT, DATA, MESSAGE -> true;
            default -> false;
        };
        int wire = delimited ? 2 : WIRE_32.contains(type.wire()) ? 5 : WIRE_64.contains(type.wire()) ? 1 : 0;
        code.line("%s.varint(%d);", out, number << 3 | wire);
        content(type, value, out, code);
    }

    private static void content(Type type, String value, String out, Code code) {
        String line = switch (type.wire()) {
            case INT32, INT64, UINT64 -> "varint(" + value + ")";
            case UINT32 -> "varint(WireWriter.unsigned(" + value + "))";
            case SINT32, SINT64 -> "zigzag(" + value + ")";
            case SFIXED32 -> "fixed32(" + value + ")";
            case FIXED32 -> "fixed32((int) WireWriter.unsigned(" + value + "))";
            case SFIXED64, FIXED64 -> "fixed64(" + value + ")";
            case FLOAT -> "fixed32(Float.floatToRawIntBits(" + value + "))";
            case DOUBLE -> "fixed64(Double.doubleToRawLongBits(" + value + "))";
            case BOOL -> "varint(" + value + " ? 1 : 0)";
            case STRING -> "text(" + value + ")";
            case BYTES -> "data(" + value + ")";
            case ENUM -> "varint(" + value + ".number())";
            case MESSAGE, GROUP -> null;
        };
        if (line == null) {
            code.line("{").line("WireWriter inner = new WireWriter();").line("to_%s(%s, inner);", type.struct().name(), value);
            code.line("%s.inner(inner);", out).line("}");
        } else {
            code.line("%s.%s;", out, line);
        }
    }
}
