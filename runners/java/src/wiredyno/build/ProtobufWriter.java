package wiredyno.build;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumValueDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.DescriptorProtos.FileOptions;
import com.google.protobuf.DescriptorProtos.MessageOptions;
import com.google.protobuf.DescriptorProtos.OneofDescriptorProto;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import wiredyno.build.Model.Choice;
import wiredyno.build.Model.Member;
import wiredyno.build.Model.Struct;
import wiredyno.build.Model.Type;

/**
 * protobuf-java: protoc's classes, and the codec over them.
 *
 * <p>protoc is given the messages under neutral names ({@code M0}, {@code f1}), which are not in the bytes: no name of a definition can
 * collide with one of Java's or of the generated code's.
 */
final class ProtobufWriter extends Shape {
    private final String outer;

    private ProtobufWriter(String outer) {
        this.outer = outer;
    }

    static void write(Model model, Path work, Path tools, Map<String, String> sources) throws IOException, InterruptedException {
        write(model, work, tools, "", "ProtobufCodec", sources);
        // The runtime of Android, which protobuf-java's jar has too.
        write(model, work, tools, "lite", "ProtobufLiteCodec", sources);
    }

    private static void write(Model model, Path work, Path tools, String runtime, String name, Map<String, String> sources)
            throws IOException, InterruptedException {
        String own = "wiredyno.protobuf" + runtime;
        Path set = work.resolve(own + ".binpb");
        Files.write(set, FileDescriptorSet.newBuilder().addFile(neutral(model, own)).build().toByteArray());
        Path out = Files.createDirectories(work.resolve(own));
        Tool.run(tools.resolve("protoc").toString(), "--descriptor_set_in=" + set, "--java_out=" + (runtime.isEmpty() ? "" : runtime + ":") + out,
                "messages.proto");
        Tool.sources(out, sources);
        sources.put("wiredyno.made." + name, new ProtobufWriter(own + ".Messages.").codec(model, name));
    }

    private static FileDescriptorProto neutral(Model model, String own) {
        FileDescriptorProto.Builder file = FileDescriptorProto.newBuilder().setName("messages.proto").setSyntax("proto3");
        file.setPackage("wiredyno").setOptions(FileOptions.newBuilder().setJavaPackage(own).setJavaOuterClassname("Messages"));
        model.structs.values().forEach(struct -> file.addMessageType(message(struct)));
        for (Choice choice : model.choices.values()) {
            EnumDescriptorProto.Builder made = EnumDescriptorProto.newBuilder().setName("E" + choice.place());
            for (EnumValueDescriptor value : choice.values()) {
                String name = "E" + choice.place() + "_" + String.valueOf(value.getNumber()).replace('-', 'M');
                made.addValue(EnumValueDescriptorProto.newBuilder().setName(name).setNumber(value.getNumber()));
            }
            file.addEnumType(made);
        }
        return file.build();
    }

    private static DescriptorProto message(Struct struct) {
        DescriptorProto.Builder made = DescriptorProto.newBuilder().setName("M" + struct.place());
        // Oneofs that stand for `optional` come after the others.
        struct.descriptor().getRealOneofs().forEach(one -> made.addOneofDecl(OneofDescriptorProto.newBuilder().setName("o" + one.getIndex())));
        for (Member member : struct.members()) {
            FieldDescriptor of = struct.descriptor().findFieldByName(member.name());
            FieldDescriptorProto.Builder field = FieldDescriptorProto.newBuilder().setName("f" + member.number()).setNumber(member.number());
            boolean many = member.repeated() || member.isMap();
            field.setLabel(many ? FieldDescriptorProto.Label.LABEL_REPEATED : FieldDescriptorProto.Label.LABEL_OPTIONAL);
            if (member.isMap()) {
                String entry = "F" + member.number() + "Entry";
                field.setType(FieldDescriptorProto.Type.TYPE_MESSAGE).setTypeName(".wiredyno.M" + struct.place() + "." + entry);
                made.addNestedType(DescriptorProto.newBuilder().setName(entry).setOptions(MessageOptions.newBuilder().setMapEntry(true))
                        .addField(typed(FieldDescriptorProto.newBuilder().setName("key").setNumber(1), member.key()))
                        .addField(typed(FieldDescriptorProto.newBuilder().setName("value").setNumber(2), member.type())));
            } else {
                typed(field, member.type());
            }
            if (of.getRealContainingOneof() != null) {
                field.setOneofIndex(of.getRealContainingOneof().getIndex());
            } else if (member.presence() && member.type().kind() != Kind.MESSAGE) {
                field.setProto3Optional(true).setOneofIndex(made.getOneofDeclCount());
                made.addOneofDecl(OneofDescriptorProto.newBuilder().setName("_f" + member.number()));
            }
            if (member.repeated() && of.isPackable() && !member.packed()) {
                field.getOptionsBuilder().setPacked(false);
            }
            made.addField(field);
        }
        return made.build();
    }

    private static FieldDescriptorProto.Builder typed(FieldDescriptorProto.Builder field, Type type) {
        if (field.getLabel() != FieldDescriptorProto.Label.LABEL_REPEATED) {
            field.setLabel(FieldDescriptorProto.Label.LABEL_OPTIONAL);
        }
        field.setType(type.wire() == FieldDescriptor.Type.GROUP ? FieldDescriptorProto.Type.TYPE_MESSAGE : type.wire().toProto());
        if (type.struct() != null) {
            field.setTypeName(".wiredyno.M" + type.struct().place());
        } else if (type.choice() != null) {
            field.setTypeName(".wiredyno.E" + type.choice().place());
        }
        return field;
    }

    private String codec(Model model, String name) {
        Code code = new Code().line("package wiredyno.made;").line("public final class %s extends wiredyno.runner.Codec {", name);
        // A message keeps its serialized size, and that of its parts.
        code.line("@Override public boolean isEncodedOnce() {").line("return true;").line("}");
        String root = model.root.name();
        String own = outer + "M" + model.root.place();
        code.line("public Object build(Object domain) {").line("return build_%s((%s) domain);", root, model.root.domain()).line("}");
        code.line("public byte[] encode(Object built) {").line("return ((%s) built).toByteArray();", own).line("}");
        code.line("public Object decode(byte[] body) throws Exception {").line("return %s.parseFrom(body);", own).line("}");
        code.line("public long read(Object decoded) throws Exception {");
        code.line("return read_%s(wiredyno.runner.Touch.START, (%s) decoded);", root, own).line("}");
        code.line("public Object domain(Object decoded) throws Exception {").line("return domain_%s((%s) decoded);", root, own).line("}");
        model.structs.values().forEach(struct -> build(struct, code));
        writeRead(model, code);
        writeDomain(model, code);
        return code.line("}").toString();
    }

    private void build(Struct struct, Code code) {
        code.line("private static %s build_%s(%s d) {", of(struct), struct.name(), struct.domain());
        code.line("var o = %s.newBuilder();", of(struct));
        for (Member member : struct.members()) {
            int number = member.number();
            String own = "d." + member.get() + "()";
            if (member.isMap()) {
                code.line("for (var e : %s.entrySet()) {", own);
                String put = member.type().kind() == Kind.ENUM ? "putF%dValue" : "putF%d";
                code.line("o." + put + "(%s, %s);", number, lowered(member.key(), "e.getKey()"),
                        member.type().kind() == Kind.ENUM ? "e.getValue().number()" : lowered(member.type(), "e.getValue()")).line("}");
            } else if (member.repeated()) {
                code.line("for (var x : %s) {", own).line("o.addF%d(%s);", number, lowered(member.type(), "x")).line("}");
            } else if (member.optional()) {
                code.line("if (%s != null) {", own).line("o.setF%d(%s);", number, lowered(member.type(), own)).line("}");
            } else {
                code.line("o.setF%d(%s);", number, lowered(member.type(), own));
            }
        }
        code.line("return o.build();").line("}");
    }

    private String lowered(Type type, String value) {
        return switch (type.kind()) {
            case UINT -> "(int) (long) " + value;
            case DATA -> "com.google.protobuf.ByteString.copyFrom(" + value + ")";
            case ENUM -> outer + "E" + type.choice().place() + ".forNumber(" + value + ".number())";
            case MESSAGE -> "build_" + type.struct().name() + "(" + value + ")";
            default -> value;
        };
    }

    @Override
    String of(Struct struct) {
        return outer + "M" + struct.place();
    }

    @Override
    String get(Member member) {
        if (member.isMap()) {
            return "o.getF" + member.number() + (member.type().kind() == Kind.ENUM ? "ValueMap()" : "Map()");
        }
        return "o.getF" + member.number() + (member.type().kind() == Kind.ENUM ? "Value()" : "()");
    }

    @Override
    String has(Member member) {
        return "o.hasF" + member.number() + "()";
    }

    @Override
    String size(Member member) {
        return "o.getF" + member.number() + "Count()";
    }

    @Override
    String each(Member member) {
        return "for (int i = 0, n = " + size(member) + "; i < n; i++) {";
    }

    @Override
    String element(Member member) {
        return "o.getF" + member.number() + (member.type().kind() == Kind.ENUM ? "Value(i)" : "(i)");
    }

    @Override
    String leaf(Type type, String value) {
        return switch (type.kind()) {
            case UINT -> "(" + value + " & 0xffffffffL)";
            case DATA -> value + ".toByteArray()";
            default -> value;
        };
    }
}
