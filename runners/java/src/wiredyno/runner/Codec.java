package wiredyno.runner;

/** A codec over a definition: four phases over its plain objects, as docs/METHODOLOGY.md divides them. */
public abstract class Codec {
    /** From the domain's object to the library's. If that is the domain's, there is nothing to do. */
    public Object build(Object domain) throws Exception {
        return domain;
    }

    /** Whether a built object keeps something from its first encoding, such as its size, that the next ones then save. Each is timed once only. */
    public boolean isEncodedOnce() {
        return false;
    }

    /** To bytes, in an array of their own. */
    public abstract byte[] encode(Object built) throws Exception;

    /** From bytes to the library's object. */
    public abstract Object decode(byte[] body) throws Exception;

    /** Reads every field of a decoded object into a digest, the same for all objects of one value. */
    public abstract long read(Object decoded) throws Exception;

    /** The domain's object of a decoded one. Never timed. */
    public Object domain(Object decoded) throws Exception {
        return decoded;
    }
}
