package wiredyno.runner;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import wiredyno.runner.roles.Live;
import wiredyno.runner.roles.Publisher;
import wiredyno.runner.roles.Role;
import wiredyno.runner.roles.Sequence;
import wiredyno.runner.roles.Subscriber;
import wiredyno.runner.transports.Terms;
import wiredyno.runner.transports.Transport;
import wiredyno.runner.transports.Transports;

/** The requests of message trials: this runner is a publisher or a subscriber, or neither. */
final class Roles {
    /** Creates the sequence field's access; the probes put in their own. */
    interface Sequences {
        Sequence of(Class<?> root, String path) throws Refusal;
    }

    static Sequences sequences = Sequence::new;

    /** Null while it has none. */
    private Role role;
    /** Where the next role counts what it does; null for nowhere. */
    private Live live;

    void countLive(Map<?, ?> request) throws Exception {
        live = new Live((String) Session.needed(request, "counters"));
    }

    /** A transport on the terms of a request. */
    private Transport transport(Map<?, ?> request) throws Exception {
        if (role != null) {
            throw new Refusal("this runner has a role already: `finish` it first");
        }
        String id = (String) Session.needed(request, "transport");
        Transport.Make made = Transports.ALL.get(id);
        if (made == null) {
            throw new Refusal("no transport `" + id + "` here: `describe` lists them");
        }
        Session.needed(request, "endpoint");
        return made.of(new Terms(id, request, Declaration.transport(id)));
    }

    private Live counters() {
        Live own = live;
        live = null;
        return own;
    }

    private static long number(Map<?, ?> request, String name) {
        return request.get(name) instanceof Long number ? number : 1;
    }

    private Map<String, Object> connected(Transport transport) {
        Map<String, Object> words = Session.outcome("connected");
        words.put("connect_ns", role.connectNs());
        if (transport.tlsVersion() != null) {
            words.put("tls", transport.tlsVersion());
        }
        return words;
    }

    /** Connects publishers; null is loaded if nothing is. */
    Map<String, Object> publish(Map<?, ?> request, Loaded loaded) throws Exception {
        if (loaded == null) {
            throw new Refusal("nothing is loaded: `load` a payload and a codec first");
        }
        Transport transport = transport(request);
        Publisher.Share share = Publisher.Share.ALL;
        if (request.get("share") instanceof Map<?, ?> given) {
            share = new Publisher.Share((Long) given.get("number"), (Long) given.get("of"));
        }
        Sequence sequence = loaded.sequence == null ? null : sequences.of(loaded.values.root(), loaded.sequence);
        role = new Publisher(loaded.codec, loaded.messages(), sequence, transport::publisher, (String) Session.needed(request, "topic"),
                number(request, "clients"), number(request, "topics"), share, counters());
        return connected(transport);
    }

    /** Connects subscribers; without a codec loaded they only receive. */
    Map<String, Object> subscribe(Map<?, ?> request, Loaded loaded) throws Exception {
        if (Boolean.TRUE.equals(request.get("listen"))) {
            throw new Refusal(request.get("transport") + " listens nowhere: it needs a broker");
        }
        Transport transport = transport(request);
        role = new Subscriber(loaded == null ? null : loaded::another, transport::subscriber, (String) Session.needed(request, "topic"),
                number(request, "clients"), number(request, "topics"), (String) request.get("gate"), Boolean.TRUE.equals(request.get("shared")), counters());
        return connected(transport);
    }

    private <T extends Role> T its(Class<T> wanted, Map<?, ?> request) throws Refusal {
        if (!wanted.isInstance(role)) {
            String what = wanted == Role.class ? "publisher or a subscriber" : wanted.getSimpleName().toLowerCase(java.util.Locale.ROOT);
            throw new Refusal("`" + request.get("op") + "` is for a " + what + ", and this runner is none now");
        }
        return wanted.cast(role);
    }

    Map<String, Object> warmUp(Map<?, ?> request) throws Exception {
        its(Publisher.class, request).warmUp((Long) Session.needed(request, "messages"));
        return Session.outcome("done");
    }

    Map<String, Object> start(Map<?, ?> request) throws Exception {
        for (String name : List.of("at_ns", "messages", "kind", "interval_ns")) {
            Session.needed(request, name);
        }
        its(Publisher.class, request).start(request);
        return Session.outcome("done");
    }

    Map<String, Object> awaitSent(Map<?, ?> request) throws Exception {
        return its(Publisher.class, request).awaitSent((Long) Session.needed(request, "until_ns"), Boolean.TRUE.equals(request.get("acked")));
    }

    Map<String, Object> awaitReceived(Map<?, ?> request) throws Exception {
        return its(Subscriber.class, request).awaitReceived((Long) Session.needed(request, "messages"), (Long) Session.needed(request, "until_ns"));
    }

    Map<String, Object> writeSent(Map<?, ?> request) throws Exception {
        Map<String, Object> words = Session.outcome("written");
        words.put("records", its(Publisher.class, request).writeSent((String) Session.needed(request, "records")));
        return words;
    }

    Map<String, Object> awaitDelivered(Map<?, ?> request) throws Exception {
        return its(Subscriber.class, request).awaitDelivered((String) Session.needed(request, "sent"), (Long) Session.needed(request, "until_ns"));
    }

    Map<String, Object> finish(Map<?, ?> request) throws Exception {
        Role own = its(Role.class, request);
        String records = (String) Session.needed(request, "records");
        role = null;
        List<Object> memberships = own.memberships();
        Map<String, Object> words = new LinkedHashMap<>(own.finish(records));
        if (!memberships.isEmpty()) {
            words.put("memberships", memberships);
        }
        return words;
    }
}
