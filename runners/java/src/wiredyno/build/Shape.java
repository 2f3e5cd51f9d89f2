package wiredyno.build;

import wiredyno.build.Model.Member;
import wiredyno.build.Model.Struct;
import wiredyno.build.Model.Type;

/**
 * The structure of a library's objects: expressions over an object {@code o}. From it come the two functions that every codec needs over
 * decoded objects: reading every field into a digest, and the domain's object.
 */
abstract class Shape {
    /** The class of a message's object. */
    abstract String of(Struct struct);

    /** A field's value, the list or the map. */
    abstract String get(Member member);

    /** Whether an optional field is there. */
    abstract String has(Member member);

    /** A value as the domain has it; messages are left as they are, an enum becomes its number. */
    abstract String leaf(Type type, String value);

    /** The number of a list's elements. */
    String size(Member member) {
        return get(member) + ".size()";
    }

    /** The head of a loop over a list; its element is {@link #element}. */
    String each(Member member) {
        return "for (var x : " + get(member) + ") {";
    }

    String element(Member member) {
        return "x";
    }

    String entries(Member member) {
        return "for (var e : " + get(member) + ".entrySet()) {";
    }

    String entryCount(Member member) {
        return get(member) + ".size()";
    }

    String key(Member member) {
        return "e.getKey()";
    }

    String value(Member member) {
        return "e.getValue()";
    }

    /** Functions that read objects into a digest, one for each message: {@code read_NAME(digest, object)}. */
    final void writeRead(Model model, Code code) {
        for (Struct struct : model.structs.values()) {
            code.line("private static long read_%s(long d, %s o) throws Exception {", struct.name(), of(struct));
            for (Member member : struct.members()) {
                if (member.isMap()) {
                    code.line("{").line("long m = 0;").line(entries(member));
                    code.line("long e0 = %s;", touched(member.key(), "wiredyno.runner.Touch.START", key(member)));
                    code.line("m += %s;", touched(member.type(), "e0", value(member))).line("}");
                    code.line("d = wiredyno.runner.Touch.number(wiredyno.runner.Touch.number(d, %s), m);", entryCount(member)).line("}");
                } else if (member.repeated()) {
                    code.line("d = wiredyno.runner.Touch.number(d, %s);", size(member)).line(each(member));
                    code.line("d = %s;", touched(member.type(), "d", element(member))).line("}");
                } else if (member.optional()) {
                    code.line("d = wiredyno.runner.Touch.flag(d, %s);", has(member)).line("if (%s) {", has(member));
                    code.line("d = %s;", touched(member.type(), "d", get(member))).line("}");
                } else {
                    code.line("d = %s;", touched(member.type(), "d", get(member)));
                }
            }
            code.line("return d;").line("}");
        }
    }

    private String touched(Type type, String digest, String value) {
        String leaf = leaf(type, value);
        String call = switch (type.kind()) {
            case INT, UINT, LONG, ULONG, ENUM -> "number";
            case FLOAT -> "single";
            case DOUBLE -> "real";
            case BOOL -> "flag";
            case TEXT -> "text";
            case DATA -> "data";
            case MESSAGE -> null;
        };
        return call == null ? "read_" + type.struct().name() + "(" + digest + ", " + leaf + ")"
                : "wiredyno.runner.Touch." + call + "(" + digest + ", " + leaf + ")";
    }

    /** Functions that make the domain's object, one for each message: {@code domain_NAME(object)}. */
    final void writeDomain(Model model, Code code) {
        for (Struct struct : model.structs.values()) {
            code.line("private static %s domain_%s(%s o) throws Exception {", struct.domain(), struct.name(), of(struct));
            code.line("if (o == null) {").line("return null;").line("}");
            code.line("%s d = new %<s();", struct.domain());
            for (Member member : struct.members()) {
                if (member.isMap()) {
                    code.line("{").line("var m = new java.util.LinkedHashMap<%s, %s>();", member.key().boxed(), member.type().boxed());
                    code.line(entries(member)).line("m.put(%s, %s);", lifted(member.key(), key(member)), lifted(member.type(), value(member)));
                    code.line("}").line("d.%s(m);", member.set()).line("}");
                } else if (member.repeated()) {
                    code.line("{").line("var l = new java.util.ArrayList<%s>();", member.type().boxed()).line(each(member));
                    code.line("l.add(%s);", lifted(member.type(), element(member))).line("}").line("d.%s(l);", member.set()).line("}");
                } else if (member.optional()) {
                    code.line("if (%s) {", has(member)).line("d.%s(%s);", member.set(), lifted(member.type(), get(member))).line("}");
                } else {
                    code.line("d.%s(%s);", member.set(), lifted(member.type(), get(member)));
                }
            }
            code.line("return d;").line("}");
        }
    }

    private String lifted(Type type, String value) {
        String leaf = leaf(type, value);
        return switch (type.kind()) {
            case ENUM -> type.choice().domain() + ".of(" + leaf + ")";
            case MESSAGE -> "domain_" + type.struct().name() + "(" + leaf + ")";
            default -> leaf;
        };
    }

    /** The domain's own objects. */
    static final class Plain extends Shape {
        @Override
        String of(Struct struct) {
            return struct.domain();
        }

        @Override
        String get(Member member) {
            return "o." + member.get() + "()";
        }

        @Override
        String has(Member member) {
            return get(member) + " != null";
        }

        @Override
        String leaf(Type type, String value) {
            return type.kind() == Kind.ENUM ? value + ".number()" : value;
        }
    }
}
