package wiredyno.runner;

/** The domain's objects of a definition: generated for it, without any of the measured libraries. */
public interface Values {
    /** The class of the definition's message. */
    Class<?> root();

    /** The object of Protobuf's bytes. */
    Object fromBytes(byte[] bytes) throws Refusal;

    /** Protobuf's bytes of an object, fields in the order of their numbers, entries of maps sorted; refuses one that misses something. */
    byte[] toBytes(Object domain) throws Refusal;

    /** Reads every field of an object, as {@link Codec#read}. */
    long read(Object domain);
}
