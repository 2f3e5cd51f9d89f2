package wiredyno.build;

import com.google.protobuf.Descriptors.EnumValueDescriptor;
import java.util.Map;
import java.util.stream.Collectors;
import wiredyno.build.Model.Choice;
import wiredyno.build.Model.Member;
import wiredyno.build.Model.Struct;
import wiredyno.build.Model.Type;

/** The domain's classes: plain objects with getters and setters, as programs write them for Jackson. */
final class Domain {
    private static final String ANNOTATION = "@com.fasterxml.jackson.annotation.";

    private Domain() {}

    static void write(Model model, Map<String, String> sources) {
        model.structs.values().forEach(one -> sources.put(one.domain(), struct(one)));
        model.choices.values().forEach(one -> sources.put(one.domain(), choice(one)));
    }

    private static String struct(Struct one) {
        Code code = new Code().line("package wiredyno.domain;");
        code.line(ANNOTATION + "JsonInclude(com.fasterxml.jackson.annotation.JsonInclude.Include.NON_NULL)");
        code.line(ANNOTATION + "JsonPropertyOrder({%s})",
                one.members().stream().map(member -> Code.quoted(member.name())).collect(Collectors.joining(", ")));
        if (one.members().isEmpty()) {
            // Jackson refuses to write an object without properties unless it is annotated.
            code.line(ANNOTATION + "JsonAutoDetect");
        }
        code.line("public final class %s {", one.name());
        for (Member member : one.members()) {
            code.line("private %s f%d;", member.domain(), member.number());
        }
        for (Member member : one.members()) {
            String named = ANNOTATION + "JsonProperty(" + Code.quoted(member.name()) + ")";
            String type = member.domain();
            code.line(named);
            unsigned(member, "Serialize", "Writer").forEach(code::line);
            code.line("public %s %s() {", type, member.get()).line("return f%d;", member.number()).line("}");
            code.line(named);
            unsigned(member, "Deserialize", "Reader").forEach(code::line);
            code.line("public void %s(%s value) {", member.set(), type).line("f%d = value;", member.number()).line("}");
        }
        return code.line("}").toString();
    }

    /** The annotations that make 64 bits without a sign a number of JSON. */
    private static java.util.List<String> unsigned(Member member, String what, String end) {
        java.util.List<String> parts = new java.util.ArrayList<>();
        if (isUnsigned(member.type())) {
            String which = member.repeated() || member.isMap() ? "contentUsing" : "using";
            parts.add(which + " = wiredyno.runner.codecs.Unsigned." + end + ".class");
        }
        if (member.isMap() && isUnsigned(member.key())) {
            parts.add("keyUsing = wiredyno.runner.codecs.Unsigned.Key" + end + ".class");
        }
        if (parts.isEmpty()) {
            return parts;
        }
        return java.util.List.of("@com.fasterxml.jackson.databind.annotation.Json" + what + "(" + String.join(", ", parts) + ")");
    }

    static boolean isUnsigned(Type type) {
        return type.kind() == Kind.ULONG;
    }

    private static String choice(Choice one) {
        Code code = new Code().line("package wiredyno.domain;").line("public enum %s {", one.name());
        for (EnumValueDescriptor value : one.values()) {
            String constant = Choice.constant(value);
            String named = constant.equals(value.getName()) ? "" : ANNOTATION + "JsonProperty(" + Code.quoted(value.getName()) + ") ";
            code.line("%s%s(%d, %s),", named, constant, value.getNumber(), Code.quoted(value.getName()));
        }
        code.line(";").line("private final int number;").line("private final java.lang.String text;");
        code.line("%s(int number, java.lang.String text) {", one.name()).line("this.number = number;").line("this.text = text;").line("}");
        code.line("public java.lang.String text() {").line("return text;").line("}");
        code.line("public int number() {").line("return number;").line("}");
        code.line("public static %s of(int number) {", one.name()).line("switch (number) {");
        for (EnumValueDescriptor value : one.values()) {
            code.line("case %d: return %s;", value.getNumber(), Choice.constant(value));
        }
        code.line("default: throw new IllegalArgumentException(%s + number);", Code.quoted("`" + one.name() + "` has no value "));
        code.line("}").line("}");
        code.line("public static %s of(java.lang.String text) {", one.name()).line("switch (text) {");
        for (EnumValueDescriptor value : one.values()) {
            code.line("case %s: return %s;", Code.quoted(value.getName()), Choice.constant(value));
        }
        code.line("default: throw new IllegalArgumentException(%s + text);", Code.quoted("`" + one.name() + "` has no value "));
        return code.line("}").line("}").line("}").toString();
    }
}
