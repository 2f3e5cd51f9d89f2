package wiredyno.runner;

import java.nio.charset.StandardCharsets;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import wiredyno.runner.roles.Messages;

/** A payload with a codec and its samples. */
final class Loaded {
    /** The most samples that are kept as objects, to measure with; all are verified, and sent. */
    private static final int KEPT = 10_000;

    final String id;
    private final String name;
    private final Codecs.Entry entry;
    private final Map<String, String> schemas;
    final Values values;
    /** The path of the sequence field, names joined by dots; null for none. */
    final String sequence;
    Codec codec;
    private Samples samples;
    /** The length of each sample's body. */
    List<Object> lengths;
    private boolean isTaken;
    Object[] domain;
    Object[] built;
    Object[] bodies;
    Object[] decoded;

    /** A payload for a codec that is not created yet. */
    Loaded(Map<?, ?> payload, String id) throws Exception {
        this.id = id;
        this.name = (String) payload.get("name");
        this.entry = Codecs.ALL.get(id);
        if (entry == null) {
            throw new Refusal("no codec `" + id + "` here: `describe` lists them");
        }
        String definition = Samples.digest(Samples.content((String) payload.get("descriptor_set")));
        if (!definition.equals(Made.fact("definition"))) {
            throw new Refusal(name + " has the definition " + definition + ", and this runner was built for " + Made.fact("definition")
                    + ": build one for it");
        }
        String reason = entry.notCarried();
        if (reason != null) {
            throw new Refusal(id + " can't carry " + name + ": " + reason);
        }
        this.schemas = schema((Map<?, ?>) payload.get("schemas"));
        this.values = (Values) Made.of("DomainValues");
        this.sequence = (String) payload.get("sequence");
    }

    /** The definition in the language that the codec's library reads when it is created, if there is one. */
    private Map<String, String> schema(Map<?, ?> files) throws Refusal {
        if (entry.schema() == null) {
            return Map.of();
        }
        Object file = files == null ? null : files.get(entry.schema());
        if (file == null) {
            throw new Refusal(id + " needs the definition in `" + entry.schema() + "`: name its file in `schemas` of `payload`");
        }
        return Map.of(entry.schema(), new String(Samples.content((String) file), StandardCharsets.UTF_8));
    }

    /** Creates the codec: the timed set-up. */
    Loaded bind() throws Exception {
        codec = entry.make().of(values, schemas);
        return this;
    }

    /** A codec for a thread: the first is the one that was timed, others are made like it. */
    synchronized Codec another() throws Exception {
        if (isTaken) {
            return entry.make().of(values, schemas);
        }
        isTaken = true;
        return codec;
    }

    /** Its samples, to be sent. */
    Messages messages() {
        return new Messages() {
            @Override
            public int count() {
                return samples.count();
            }

            @Override
            public Object domain(int sample) throws Refusal {
                return values.fromBytes(samples.get(sample));
            }
        };
    }

    /** Takes samples, and verifies that each comes back equal and is read completely. */
    void load(Samples samples) throws Exception {
        this.samples = samples;
        int count = samples.count();
        int kept = Math.min(count, KEPT);
        int[] written = new int[count];
        domain = new Object[kept];
        built = new Object[kept];
        bodies = new Object[kept];
        decoded = new Object[kept];
        for (int i = 0; i < count; i++) {
            byte[] sample = samples.get(i);
            Object value = values.fromBytes(sample);
            Object own = codec.build(value);
            byte[] body = codec.encode(own);
            Object back = codec.decode(body);
            verify(sample, back, i);
            if (codec.read(back) != values.read(value)) {
                throw new Refusal(id + " over " + name + ": sample " + i + " is not read whole; report this");
            }
            written[i] = body.length;
            if (i < kept) {
                domain[i] = value;
                built[i] = own;
                bodies[i] = body;
                decoded[i] = back;
            }
        }
        lengths = new AbstractList<>() {
            @Override
            public Object get(int sample) {
                return written[sample];
            }

            @Override
            public int size() {
                return count;
            }
        };
    }

    /** The body of a sample. */
    byte[] body(int sample) throws Exception {
        return codec.encode(codec.build(values.fromBytes(samples.get(sample))));
    }

    /** Refuses a decoded object that is not the value of a sample. */
    void verify(byte[] sample, Object decoded, int number) throws Exception {
        // By one writer, so that equal values are equal bytes whoever wrote the sample.
        byte[] expected = values.toBytes(values.fromBytes(sample));
        if (!Arrays.equals(values.toBytes(codec.domain(decoded)), expected)) {
            throw new Refusal(id + " over " + name + ": sample " + number + " does not come back equal from a round trip");
        }
    }

    /** The inputs of a phase. */
    Object[] inputs(String phase) {
        return switch (phase) {
            case "encode" -> built;
            case "decode" -> bodies;
            case "read" -> decoded;
            default -> domain;
        };
    }

    /**
     * The digest of a phase's product of the last sample, produced once more outside the clock. Bytes are digested by value, because a
     * codec may write one value in more than one way.
     */
    String proof(String phase) throws Exception {
        Object last = inputs(phase)[domain.length - 1];
        return switch (phase) {
            case "read" -> String.format("%016x", codec.read(last));
            case "decode" -> Samples.shortDigest(values.toBytes(codec.domain(codec.decode((byte[]) last))));
            case "build" -> written(codec.encode(codec.build(last)));
            case "encode" -> written(codec.encode(last));
            default -> written(codec.encode(built[built.length - 1]));
        };
    }

    private String written(byte[] body) throws Exception {
        return Samples.shortDigest(values.toBytes(codec.domain(codec.decode(body))));
    }
}
