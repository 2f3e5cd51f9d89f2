package wiredyno.build;

import com.google.protobuf.Descriptors.FieldDescriptor;

/** The Java type of a value. */
enum Kind {
    INT("int", "java.lang.Integer"),
    /** 32 bits without a sign: the next wider type holds all of it. */
    UINT("long", "java.lang.Long"),
    LONG("long", "java.lang.Long"),
    /** 64 bits without a sign: the same bits with one, as Java's libraries have it. */
    ULONG("long", "java.lang.Long"),
    FLOAT("float", "java.lang.Float"),
    DOUBLE("double", "java.lang.Double"),
    BOOL("boolean", "java.lang.Boolean"),
    TEXT("java.lang.String", "java.lang.String"),
    DATA("byte[]", "byte[]"),
    ENUM("", ""),
    MESSAGE("", "");

    final String plain;
    final String boxed;

    Kind(String plain, String boxed) {
        this.plain = plain;
        this.boxed = boxed;
    }

    /** Whether a value is one of Java's primitive types. */
    boolean isPrimitive() {
        return !plain.equals(boxed);
    }

    static Kind of(FieldDescriptor.Type type) {
        return switch (type) {
            case INT32, SINT32, SFIXED32 -> INT;
            case UINT32, FIXED32 -> UINT;
            case INT64, SINT64, SFIXED64 -> LONG;
            case UINT64, FIXED64 -> ULONG;
            case FLOAT -> FLOAT;
            case DOUBLE -> DOUBLE;
            case BOOL -> BOOL;
            case STRING -> TEXT;
            case BYTES -> DATA;
            case ENUM -> ENUM;
            case MESSAGE, GROUP -> MESSAGE;
        };
    }
}
