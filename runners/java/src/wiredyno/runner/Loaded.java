package wiredyno.runner;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** A payload with a codec and its samples. */
final class Loaded {
    final String id;
    private final String name;
    private final Codecs.Entry entry;
    private final Map<String, String> schemas;
    final Values values;
    Codec codec;
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

    /** Takes samples, and verifies that each comes back equal and is read completely. */
    void load(List<byte[]> samples) throws Exception {
        int count = samples.size();
        domain = new Object[count];
        built = new Object[count];
        bodies = new Object[count];
        decoded = new Object[count];
        for (int i = 0; i < count; i++) {
            domain[i] = values.fromBytes(samples.get(i));
            built[i] = codec.build(domain[i]);
            byte[] body = codec.encode(built[i]);
            bodies[i] = body;
            decoded[i] = codec.decode(body);
            verify(samples.get(i), decoded[i], i);
            if (codec.read(decoded[i]) != values.read(domain[i])) {
                throw new Refusal(id + " over " + name + ": sample " + i + " is not read whole; report this");
            }
        }
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
