package wiredyno.build;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.compiler.specific.SpecificCompiler;
import org.apache.avro.generic.GenericData;
import wiredyno.build.Model.Choice;
import wiredyno.build.Model.Member;
import wiredyno.build.Model.Struct;
import wiredyno.build.Model.Type;

/** Apache Avro: specific records, by Avro's own compiler, and generic ones, over the definition as the program lowers it. */
abstract class AvroWriter extends Shape {
    private static final String PACKAGE = "wiredyno.avro";

    final Map<String, Schema> schemas = new HashMap<>();

    static void write(Model model, Path schema, Path work, Map<String, String> sources) throws IOException {
        ObjectMapper mapper = new ObjectMapper();
        String text = Files.readString(schema);
        // Java's packages are Avro's namespaces, which are not in the bytes.
        ObjectNode named = ((ObjectNode) mapper.readTree(text)).put("namespace", PACKAGE);
        Schema own = new Schema.Parser().parse(named.toString());
        SpecificCompiler compiler = new SpecificCompiler(own);
        compiler.setStringType(GenericData.StringType.String);
        Path out = Files.createDirectories(work.resolve("avro"));
        compiler.compileToDestination(null, out.toFile());
        Tool.sources(out, sources);
        sources.put("wiredyno.made.AvroSpecific", codec(model, own, new Specific(), "AvroSpecific", "AvroSpecificRecords"));
        sources.put("wiredyno.made.AvroGeneric", codec(model, new Schema.Parser().parse(text), new Generic(), "AvroGeneric", "AvroGenericRecords"));
    }

    private static String codec(Model model, Schema schema, AvroWriter shape, String name, String base) {
        shape.collect(schema);
        Code code = new Code().line("package wiredyno.made;").line("public final class %s extends wiredyno.runner.codecs.%s {", name, base);
        String root = model.root.name();
        shape.head(model, name, code);
        code.line("public Object build(Object domain) {").line("return build_%s((%s) domain);", root, model.root.domain()).line("}");
        code.line("public long read(Object decoded) throws Exception {");
        code.line("return read_%s(wiredyno.runner.Touch.START, (%s) decoded);", root, shape.of(model.root)).line("}");
        code.line("public Object domain(Object decoded) throws Exception {");
        code.line("return domain_%s((%s) decoded);", root, shape.of(model.root)).line("}");
        model.structs.values().forEach(struct -> shape.build(struct, code));
        shape.writeRead(model, code);
        shape.writeDomain(model, code);
        return code.line("}").toString();
    }

    private void collect(Schema schema) {
        switch (schema.getType()) {
            case RECORD -> {
                if (schemas.put(schema.getName(), schema) == null) {
                    schema.getFields().forEach(field -> collect(field.schema()));
                }
            }
            case ENUM -> schemas.put(schema.getName(), schema);
            case ARRAY -> collect(schema.getElementType());
            case MAP -> collect(schema.getValueType());
            case UNION -> schema.getTypes().forEach(this::collect);
            default -> { }
        }
    }

    /** Numbers of an enum's symbols, in their order. */
    final List<Integer> numbers(Choice choice) {
        List<Integer> numbers = new ArrayList<>();
        for (String symbol : schemas.get(choice.name()).getEnumSymbols()) {
            numbers.add(choice.descriptor().findValueByName(symbol).getNumber());
        }
        return numbers;
    }

    final Schema.Field field(Struct struct, Member member) {
        return schemas.get(struct.name()).getField(member.name());
    }

    /** Maps whose keys are not texts are lists of entries. */
    static boolean isList(Member member) {
        return member.key().kind() != Kind.TEXT;
    }

    final Schema entry(Struct struct, Member member) {
        return field(struct, member).schema().getElementType();
    }

    abstract void head(Model model, String name, Code code);

    abstract String created(Schema record);

    abstract String put(Schema record, String field, String value);

    abstract String lowered(Type type, String value);

    private void build(Struct struct, Code code) {
        Schema record = schemas.get(struct.name());
        code.line("private %s build_%s(%s d) {", of(struct), struct.name(), struct.domain()).line("var o = %s;", created(record));
        for (Member member : struct.members()) {
            String own = "d." + member.get() + "()";
            if (member.isMap() && isList(member)) {
                Schema entry = entry(struct, member);
                code.line("{").line("var l = new java.util.ArrayList<%s>();", entryType(entry)).line("for (var e : %s.entrySet()) {", own);
                code.line("var x = %s;", created(entry)).line("x." + put(entry, "key", lowered(member.key(), "e.getKey()")));
                code.line("x." + put(entry, "value", lowered(member.type(), "e.getValue()"))).line("l.add(x);").line("}");
                code.line("o." + put(record, member.name(), "l")).line("}");
            } else if (member.isMap()) {
                code.line("{").line("var m = new java.util.HashMap<String, %s>();", elementType(member.type())).line("for (var e : %s.entrySet()) {", own);
                code.line("m.put(e.getKey(), %s);", lowered(member.type(), "e.getValue()")).line("}");
                code.line("o." + put(record, member.name(), "m")).line("}");
            } else if (member.repeated()) {
                code.line("{").line("var l = new java.util.ArrayList<%s>(%s.size());", elementType(member.type()), own).line("for (var x : %s) {", own);
                code.line("l.add(%s);", lowered(member.type(), "x")).line("}").line("o." + put(record, member.name(), "l")).line("}");
            } else if (member.optional()) {
                code.line("if (%s != null) {", own).line("o." + put(record, member.name(), lowered(member.type(), own))).line("}");
            } else {
                code.line("o." + put(record, member.name(), lowered(member.type(), own)));
            }
        }
        code.line("return o;").line("}");
    }

    abstract String entryType(Schema entry);

    abstract String elementType(Type type);

    @Override
    final String has(Member member) {
        return get(member) + " != null";
    }

    /** Generated classes with getters and setters. */
    private static final class Specific extends AvroWriter {
        @Override
        void head(Model model, String name, Code code) {
            code.line("public %s() {", name).line("super(%s.getClassSchema(), %<s.class);", of(model.root)).line("}");
            for (Choice choice : model.choices.values()) {
                code.line("private static final int[] N_%s = {%s};", choice.name(), join(numbers(choice)));
                code.line("private static %s.%s enum_%2$s(%s value) {", PACKAGE, choice.name(), choice.domain()).line("switch (value.number()) {");
                List<Integer> numbers = numbers(choice);
                for (int i = 0; i < numbers.size(); i++) {
                    String symbol = SpecificCompiler.mangle(schemas.get(choice.name()).getEnumSymbols().get(i));
                    code.line("case %d: return %s.%s.%s;", numbers.get(i), PACKAGE, choice.name(), symbol);
                }
                code.line("default: throw new IllegalArgumentException();").line("}").line("}");
            }
        }

        private static String join(List<Integer> numbers) {
            return String.join(", ", numbers.stream().map(String::valueOf).toList());
        }

        @Override
        String of(Struct struct) {
            current = struct;
            return PACKAGE + "." + struct.name();
        }

        /** The message whose fields are being written: the names of accessors depend on all of its fields. */
        private Struct current;

        @Override
        String get(Member member) {
            Schema record = schemas.get(current.name());
            return "o." + SpecificCompiler.generateGetMethod(record, record.getField(member.name())) + "()";
        }

        @Override
        String entries(Member member) {
            return isList(member) ? "for (var e : " + get(member) + ") {" : super.entries(member);
        }

        @Override
        String created(Schema record) {
            return "new " + record.getFullName() + "()";
        }

        @Override
        String put(Schema record, String field, String value) {
            return SpecificCompiler.generateSetMethod(record, record.getField(field)) + "(" + value + ");";
        }

        @Override
        String entryType(Schema entry) {
            return entry.getFullName();
        }

        @Override
        String elementType(Type type) {
            return switch (type.kind()) {
                case DATA -> "java.nio.ByteBuffer";
                case ENUM -> PACKAGE + "." + type.choice().name();
                case MESSAGE -> PACKAGE + "." + type.struct().name();
                default -> type.boxed();
            };
        }

        @Override
        String lowered(Type type, String value) {
            return switch (type.kind()) {
                case DATA -> "java.nio.ByteBuffer.wrap(" + value + ")";
                case ENUM -> "enum_" + type.choice().name() + "(" + value + ")";
                case MESSAGE -> "build_" + type.struct().name() + "(" + value + ")";
                default -> value;
            };
        }

        @Override
        String leaf(Type type, String value) {
            return switch (type.kind()) {
                case DATA -> "wiredyno.runner.codecs.Buffers.bytes(" + value + ")";
                case ENUM -> "N_" + type.choice().name() + "[" + value + ".ordinal()]";
                default -> value;
            };
        }
    }

    /** GenericData's records, by the names of fields. */
    private static final class Generic extends AvroWriter {
        private static final String RECORD = "org.apache.avro.generic.GenericRecord";

        @Override
        void head(Model model, String name, Code code) {
            code.line("public %s(String schema) {", name).line("super(schema);").line("}");
            for (String one : schemas.keySet()) {
                code.line("private final org.apache.avro.Schema s_%s = named(%s);", one, Code.quoted(one));
            }
        }

        @Override
        String of(Struct struct) {
            return RECORD;
        }

        @Override
        String get(Member member) {
            String own = "o.get(" + Code.quoted(member.name()) + ")";
            if (member.isMap()) {
                return isList(member) ? "((java.util.List<?>) " + own + ")" : "((java.util.Map<?, ?>) " + own + ")";
            }
            return member.repeated() ? "((java.util.List<?>) " + own + ")" : own;
        }

        @Override
        String entries(Member member) {
            return isList(member) ? "for (var x : " + get(member) + ") {" : super.entries(member);
        }

        @Override
        String key(Member member) {
            return isList(member) ? "((" + RECORD + ") x).get(\"key\")" : super.key(member);
        }

        @Override
        String value(Member member) {
            return isList(member) ? "((" + RECORD + ") x).get(\"value\")" : super.value(member);
        }

        @Override
        String created(Schema record) {
            return "new org.apache.avro.generic.GenericData.Record(s_" + record.getName() + ")";
        }

        @Override
        String put(Schema record, String field, String value) {
            return "put(" + Code.quoted(field) + ", " + value + ");";
        }

        @Override
        String entryType(Schema entry) {
            return "Object";
        }

        @Override
        String elementType(Type type) {
            return "Object";
        }

        @Override
        String lowered(Type type, String value) {
            return switch (type.kind()) {
                case DATA -> "java.nio.ByteBuffer.wrap(" + value + ")";
                case ENUM -> "new org.apache.avro.generic.GenericData.EnumSymbol(s_" + type.choice().name() + ", " + value + ".text())";
                case MESSAGE -> "build_" + type.struct().name() + "(" + value + ")";
                default -> value;
            };
        }

        @Override
        String leaf(Type type, String value) {
            return switch (type.kind()) {
                case TEXT -> value + ".toString()";
                case DATA -> "wiredyno.runner.codecs.Buffers.bytes((java.nio.ByteBuffer) " + value + ")";
                case ENUM -> type.choice().domain() + ".of(" + value + ".toString()).number()";
                case MESSAGE -> "((" + RECORD + ") " + value + ")";
                default -> "((" + type.kind().boxed + ") " + value + ")";
            };
        }
    }
}
