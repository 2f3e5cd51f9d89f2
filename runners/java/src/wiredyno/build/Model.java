package wiredyno.build;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.GenericDescriptor;
import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A definition: the messages and enums that its root reaches, with their names in Java. */
final class Model {
    // Numbers of our options in wiredyno/options.proto.
    private static final int REQUIRED = 50008;
    private static final int STANDS_FOR_VALUE = 50103;
    private static final int WELL_KNOWN = 50104;
    private static final int STANDS_FOR_NULL = 50202;

    /** Words that no Java name may be. */
    private static final Set<String> KEYWORDS = Set.of(
            "abstract", "assert", "boolean", "break", "byte", "case", "catch", "char", "class", "const", "continue", "default", "do",
            "double", "else", "enum", "extends", "final", "finally", "float", "for", "goto", "if", "implements", "import", "instanceof",
            "int", "interface", "long", "native", "new", "package", "private", "protected", "public", "return", "short", "static",
            "strictfp", "super", "switch", "synchronized", "this", "throw", "throws", "transient", "try", "void", "volatile", "while",
            "true", "false", "null", "_");

    /** A message. {@code name} is its path inside the package without points, {@code place} its place among all. */
    record Struct(String name, int place, Descriptor descriptor, List<Member> members) {
        /** The domain's class. */
        String domain() {
            return "wiredyno.domain." + name;
        }
    }

    /** An enum. */
    record Choice(String name, int place, EnumDescriptor descriptor) {
        String domain() {
            return "wiredyno.domain." + name;
        }

        /** Its values, one for each number. */
        List<EnumValueDescriptor> values() {
            Set<Integer> seen = new HashSet<>();
            return descriptor.getValues().stream().filter(value -> seen.add(value.getNumber())).toList();
        }

        static String constant(EnumValueDescriptor value) {
            return escaped(value.getName());
        }
    }

    /** The type of one value. */
    record Type(Kind kind, FieldDescriptor.Type wire, Struct struct, Choice choice) {
        String plain() {
            return struct != null ? struct.domain() : choice != null ? choice.domain() : kind.plain;
        }

        String boxed() {
            return kind.isPrimitive() ? kind.boxed : plain();
        }
    }

    /** A field. A map has the type of its keys in {@code key}, of its values in {@code type}. */
    record Member(String name, String accessor, int number, Type type, Type key, boolean repeated, boolean packed, boolean optional,
            boolean presence, String oneof) {
        boolean isMap() {
            return key != null;
        }

        /** Whether it is one value that is always there. */
        boolean isOne() {
            return !repeated && !isMap() && !optional;
        }

        String domain() {
            if (isMap()) {
                return "java.util.Map<" + key.boxed() + ", " + type.boxed() + ">";
            }
            return repeated ? "java.util.List<" + type.boxed() + ">" : optional ? type.boxed() : type.plain();
        }

        String get() {
            return "get" + accessor;
        }

        String set() {
            return "set" + accessor;
        }
    }

    final Struct root;
    final Map<String, Struct> structs = new LinkedHashMap<>();
    final Map<String, Choice> choices = new LinkedHashMap<>();
    /** Why formats that write a message's value in its place can't carry the definition here; null if they can. */
    String notDescribing;

    private Model(Descriptor root) {
        this.root = struct(root);
    }

    /** The definition of an encoded FileDescriptorSet, whose message has this full name. */
    static Model read(byte[] set, String message) throws InvalidProtocolBufferException, DescriptorValidationException {
        Map<String, FileDescriptor> files = new LinkedHashMap<>();
        for (FileDescriptorProto file : FileDescriptorSet.parseFrom(set).getFileList()) {
            FileDescriptor[] used = file.getDependencyList().stream().map(files::get).toArray(FileDescriptor[]::new);
            files.put(file.getName(), FileDescriptor.buildFrom(file, used));
        }
        for (FileDescriptor file : files.values()) {
            for (Descriptor top : file.getMessageTypes()) {
                if (top.getFullName().equals(message)) {
                    return new Model(top);
                }
            }
        }
        throw new IllegalArgumentException("the definition has no message " + message);
    }

    private static boolean isSet(Message options, int number) {
        return options.getUnknownFields().hasField(number)
                && (options.getUnknownFields().getField(number).getVarintList().stream().anyMatch(value -> value != 0)
                        || !options.getUnknownFields().getField(number).getLengthDelimitedList().isEmpty());
    }

    private static String path(GenericDescriptor of) {
        return of.getFullName().substring(of.getFile().getPackage().isEmpty() ? 0 : of.getFile().getPackage().length() + 1).replace(".", "");
    }

    private Struct struct(Descriptor of) {
        Struct known = structs.get(of.getFullName());
        if (known != null) {
            return known;
        }
        if (isSet(of.getOptions(), STANDS_FOR_VALUE) || isSet(of.getOptions(), WELL_KNOWN)) {
            notDescribing = "`" + path(of) + "` stands for a value, or is a well-known type, which this runner can't write in its place";
        }
        Struct made = new Struct(path(of), structs.size(), of, new ArrayList<>());
        structs.put(of.getFullName(), made);
        Set<String> accessors = new HashSet<>(Set.of("Class"));
        for (FieldDescriptor field : of.getFields()) {
            String accessor = camel(field.getName());
            made.members.add(member(field, accessors.add(accessor) ? accessor : accessor + "_" + field.getNumber()));
        }
        return made;
    }

    private Member member(FieldDescriptor of, String accessor) {
        if (of.isMapField()) {
            Type key = type(of.getMessageType().findFieldByName("key"));
            Type value = type(of.getMessageType().findFieldByName("value"));
            return new Member(of.getName(), accessor, of.getNumber(), value, key, false, false, false, false, null);
        }
        OneofDescriptor oneof = of.getRealContainingOneof();
        boolean required = isSet(of.getOptions(), REQUIRED);
        boolean presence = of.hasPresence() || oneof != null;
        return new Member(of.getName(), accessor, of.getNumber(), type(of), null, of.isRepeated(), of.isRepeated() && of.isPacked(),
                presence && !required && !of.isRepeated(), presence, oneof == null ? null : oneof.getName());
    }

    private Type type(FieldDescriptor of) {
        Kind kind = Kind.of(of.getType());
        Choice choice = kind == Kind.ENUM ? choice(of.getEnumType()) : null;
        return new Type(kind, of.getType(), kind == Kind.MESSAGE ? struct(of.getMessageType()) : null, choice);
    }

    private Choice choice(EnumDescriptor of) {
        if (isSet(of.getOptions(), STANDS_FOR_NULL)) {
            notDescribing = "`" + path(of) + "` stands for null, which this runner can't write in its place";
        }
        return choices.computeIfAbsent(of.getFullName(), name -> new Choice(path(of), choices.size(), of));
    }

    /** A name with the letter after each underscore, and the first, in upper case. */
    static String camel(String name) {
        StringBuilder out = new StringBuilder();
        for (String part : name.split("_")) {
            if (!part.isEmpty()) {
                out.append(Character.toUpperCase(part.charAt(0))).append(part, 1, part.length());
            }
        }
        return out.toString();
    }

    static String escaped(String name) {
        return KEYWORDS.contains(name) ? name + "_" : name;
    }
}
