package wiredyno.runner;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** The session: requests in, replies out, and the state between them. */
final class Session {
    private static final int CONTRACT = 2;
    private static final String NAME = "java";
    private static final String VERSION = "0.1.0";
    private static final String NOT_FRESH = "this is measured in a fresh process, and this one has already loaded a codec";

    /** A reply's line, and whether the session ends with it. */
    record Answer(String line, boolean stops) {}

    /** One operation. */
    private interface Operation {
        Map<String, Object> carryOut(Map<?, ?> request) throws Exception;
    }

    /** An operation, and the fields that its request may have. */
    private record Known(Operation operation, Set<String> fields) {}

    /** The fields of a request for a role. */
    private static final List<String> TERMS =
            List.of("transport", "setting", "endpoint", "topic", "clients", "topics", "options", "seed", "login", "tls");

    private final Map<String, Known> operations = new LinkedHashMap<>();
    private final Roles roles = new Roles();

    Session() {
        knows("describe", this::describe);
        knows("load", this::load, "payload", "codec", "compression", "samples");
        knows("call-first", this::callFirst, "payload", "codec");
        knows("encode-samples", this::encodeSamples, "payload", "codec", "samples", "give");
        knows("decode-samples", this::decodeSamples, "payload", "codec", "bodies");
        knows("encode", this::encode, "sample", "value");
        knows("decode", this::decode, "body");
        knows("measure", this::measure, "phase", "batch_time_ns", "batches", "buffer", "burden_per_mille", "settle_ns");
        knows("count-live", this::countLive, "counters");
        knows("publish", request -> roles.publish(request, loaded), terms("subscribers", "share"));
        knows("subscribe", request -> roles.subscribe(request, loaded), terms("listen", "shared", "gate"));
        knows("warm-up", roles::warmUp, "messages");
        knows("start", roles::start, "at_ns", "messages", "kind", "interval_ns", "arrivals", "duration_ns", "window", "seed", "deadline_ns", "gate",
                "burden_ns");
        knows("await-sent", roles::awaitSent, "until_ns", "acked");
        knows("await-received", roles::awaitReceived, "messages", "until_ns");
        knows("write-sent", roles::writeSent, "records");
        knows("await-delivered", roles::awaitDelivered, "sent", "until_ns");
        knows("finish", roles::finish, "records");
        knows("stop", request -> outcome("done"));
    }

    private void knows(String name, Operation operation, String... fields) {
        operations.put(name, new Known(operation, Set.of(fields)));
    }

    private static String[] terms(String... more) {
        return Stream.concat(TERMS.stream(), Stream.of(more)).toArray(String[]::new);
    }

    private Loaded loaded;
    private boolean fresh = true;
    /** The loops of the loaded codec, which stay compiled from one measurement to the next. */
    private final Map<String, Measure> measures = new LinkedHashMap<>();

    /** The reply to a line. */
    Answer answer(String line) {
        Map<String, Object> reply = new LinkedHashMap<>();
        reply.put("id", 0L);
        String name = null;
        try {
            Map<?, ?> request = (Map<?, ?>) Json.read(line);
            if (request.get("id") instanceof Long id) {
                reply.put("id", id);
            }
            name = (String) request.get("op");
            if (name == null) {
                throw new IllegalArgumentException("it has no `op`");
            }
            reply.put("ok", carryOut(name, request));
            return new Answer(Json.write(reply), name.equals("stop"));
        } catch (Refusal refusal) {
            reply.put("failed", Map.of("error", refusal.getMessage()));
        } catch (Exception | StackOverflowError | OutOfMemoryError | LinkageError error) {
            // Whatever a codec throws is a refusal, never the end.
            String what = name == null ? "this line is not a request; see docs/RUNNER.md: " : name + ": ";
            reply.put("failed", Map.of("error", what + cause(error)));
        }
        return new Answer(Json.write(reply), false);
    }

    /** What went wrong in a library that was called through reflection, or in a class that could not be set up. */
    private static Throwable cause(Throwable error) {
        boolean wraps = error instanceof java.lang.reflect.InvocationTargetException || error instanceof ExceptionInInitializerError;
        return wraps && error.getCause() != null ? cause(error.getCause()) : error;
    }

    private Map<String, Object> carryOut(String name, Map<?, ?> request) throws Exception {
        Known known = operations.get(name);
        if (known == null) {
            throw new Refusal("this runner has no operation `" + name + "`: it encodes, decodes, measures, publishes and subscribes");
        }
        for (Map.Entry<?, ?> field : request.entrySet()) {
            if (field.getValue() != null && !Set.of("id", "op").contains(field.getKey()) && !known.fields.contains(field.getKey())) {
                String takes = known.fields.isEmpty() ? "none" : String.join(", ", known.fields);
                throw new Refusal(name + ": unknown field `" + field.getKey() + "`, it takes " + takes);
            }
        }
        return known.operation.carryOut(request);
    }

    static Map<String, Object> outcome(String name) {
        Map<String, Object> made = new LinkedHashMap<>();
        made.put("outcome", name);
        return made;
    }

    private Map<String, Object> describe(Map<?, ?> request) throws Exception {
        Map<String, Object> made = outcome("description");
        made.put("contract", CONTRACT);
        Map<String, Object> runner = new LinkedHashMap<>();
        runner.put("name", NAME);
        runner.put("language", "Java " + System.getProperty("java.version"));
        runner.put("version", VERSION);
        made.put("runner", runner);
        made.put("codecs", Declaration.all("codec"));
        made.put("compressions", List.of());
        made.put("transports", Declaration.all("transport"));
        made.put("definition", Made.fact("definition"));
        List<Object> notCarried = new ArrayList<>();
        Codecs.ALL.forEach((id, entry) -> {
            if (entry.notCarried() != null) {
                notCarried.add(List.of(id, entry.notCarried()));
            }
        });
        made.put("not_carried", notCarried);
        return made;
    }

    private Map<String, Object> load(Map<?, ?> request) throws Exception {
        Object compression = request.get("compression");
        if (compression != null && !compression.equals("none")) {
            throw new Refusal("this runner has no compression `" + compression + "`: leave it out");
        }
        fresh = false;
        loaded = null;
        measures.clear();
        Loaded made = loaded(request).bind();
        made.load(samples(request, limit(request)));
        loaded = made;
        Map<String, Object> outcome = outcome("loaded");
        outcome.put("samples", made.lengths.size());
        outcome.put("body_bytes", made.lengths);
        return outcome;
    }

    private static Loaded loaded(Map<?, ?> request) throws Exception {
        return new Loaded((Map<?, ?>) needed(request, "payload"), (String) needed(request, "codec"));
    }

    static Object needed(Map<?, ?> request, String name) throws Refusal {
        Object value = request.get(name);
        if (value == null) {
            throw new Refusal("the field `" + name + "` is missing");
        }
        return value;
    }

    private static long limit(Map<?, ?> request) {
        return request.get("samples") instanceof Long limit ? limit : Long.MAX_VALUE;
    }

    private static Samples samples(Map<?, ?> request, long limit) throws Refusal {
        return Samples.open((String) ((Map<?, ?>) needed(request, "payload")).get("samples"), limit);
    }

    private Map<String, Object> countLive(Map<?, ?> request) throws Exception {
        roles.countLive(request);
        return outcome("done");
    }

    private void first() throws Refusal {
        if (!fresh) {
            throw new Refusal(NOT_FRESH);
        }
        fresh = false;
    }

    private Map<String, Object> callFirst(Map<?, ?> request) throws Exception {
        first();
        Samples samples = samples(request, 1);
        if (samples.count() == 0) {
            throw new Refusal("no sample 0: the file has none");
        }
        Loaded one = loaded(request);
        Object domain = one.values.fromBytes(samples.get(0));
        long begin = System.nanoTime();
        one.bind();
        long setup = System.nanoTime() - begin;
        Object built = one.codec.build(domain);
        begin = System.nanoTime();
        byte[] body = one.codec.encode(built);
        long encode = System.nanoTime() - begin;
        begin = System.nanoTime();
        Object decoded = one.codec.decode(body);
        long decode = System.nanoTime() - begin;
        one.verify(samples.get(0), decoded, 0);
        Map<String, Object> calls = new LinkedHashMap<>();
        calls.put("setup_ns", setup);
        calls.put("encode_ns", encode);
        calls.put("decode_ns", decode);
        Map<String, Object> outcome = outcome("called-first");
        outcome.put("calls", calls);
        return outcome;
    }

    private Map<String, Object> encodeSamples(Map<?, ?> request) throws Exception {
        boolean give = Boolean.TRUE.equals(request.get("give"));
        if (!give) {
            first();
        }
        fresh = false;
        Loaded one = loaded(request).bind();
        List<Object> bodies = new ArrayList<>();
        Samples samples = samples(request, limit(request));
        for (int sample = 0; sample < samples.count(); sample++) {
            byte[] body = one.codec.encode(one.codec.build(one.values.fromBytes(samples.get(sample))));
            if (give) {
                bodies.add(HexFormat.of().formatHex(body));
            }
        }
        Map<String, Object> outcome = outcome("encoded-samples");
        outcome.put("bodies", bodies);
        return outcome;
    }

    private Map<String, Object> decodeSamples(Map<?, ?> request) throws Exception {
        List<?> bodies = request.get("bodies") instanceof List<?> list ? list : List.of();
        if (!fresh) {
            throw new Refusal(NOT_FRESH);
        }
        fresh = bodies.isEmpty();
        Loaded one = loaded(request).bind();
        for (Object body : bodies) {
            one.codec.read(one.codec.decode(HexFormat.of().parseHex((String) body)));
        }
        return outcome("done");
    }

    private Loaded ready() throws Refusal {
        if (loaded == null) {
            throw new Refusal("nothing is loaded: `load` a payload first");
        }
        return loaded;
    }

    private Map<String, Object> encode(Map<?, ?> request) throws Exception {
        Loaded one = ready();
        byte[] body;
        if (request.get("value") instanceof String value) {
            body = one.codec.encode(one.codec.build(one.values.fromBytes(HexFormat.of().parseHex(value))));
        } else if (request.get("sample") instanceof Long sample) {
            if (sample < 0 || sample >= one.lengths.size()) {
                throw new Refusal("no sample " + sample + ": " + one.lengths.size() + " are loaded");
            }
            body = one.body(sample.intValue());
        } else {
            throw new Refusal("encode: give `sample` or `value`");
        }
        Map<String, Object> outcome = outcome("encoded");
        outcome.put("body", HexFormat.of().formatHex(body));
        return outcome;
    }

    private Map<String, Object> decode(Map<?, ?> request) throws Exception {
        Loaded one = ready();
        byte[] body = HexFormat.of().parseHex((String) needed(request, "body"));
        byte[] value = one.values.toBytes(one.codec.domain(one.codec.decode(body)));
        Map<String, Object> outcome = outcome("decoded");
        outcome.put("value", HexFormat.of().formatHex(value));
        return outcome;
    }

    private Map<String, Object> measure(Map<?, ?> request) throws Exception {
        Loaded one = ready();
        Measure.Order order = Measure.Order.of(request);
        if (one.domain.length == 0) {
            throw new Refusal("nothing to measure: load samples first");
        }
        Measure measure = measures.get(order.phase());
        if (measure == null) {
            measure = new Measure(one.codec, order.phase(), one.inputs(order.phase()), one.domain);
            measures.put(order.phase(), measure);
        }
        Map<String, Object> outcome = outcome("measured");
        outcome.put("measurement", measure.run(order));
        outcome.put("digest", one.proof(order.phase()));
        return outcome;
    }
}
