package wiredyno.runner.transports;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import wiredyno.runner.Refusal;

/** What a request says about its client: where to, in which mode, with which options. */
public final class Terms {
    /** How long a client may take to connect. */
    public static final long CONNECT_MS = 20_000;

    private static final Map<String, Long> UNITS = Map.of("ns", 1L, "us", 1_000L, "ms", 1_000_000L, "s", 1_000_000_000L, "min", 60_000_000_000L);

    final String id;
    /** The word after the colon of a mode; null where the protocol has one. */
    public final String setting;
    public final String host;
    public final int port;
    final long seed;
    /** Null without a login. */
    final String user;
    final String password;
    /** Null in the clear. */
    final Tls tls;
    private final Map<String, Object> options = new LinkedHashMap<>();

    /**
     * Takes the terms.
     *
     * @param declared the transport as runner.toml declares it: its settings and options
     */
    public Terms(String id, Map<?, ?> request, Map<?, ?> declared) throws Refusal {
        this.id = id;
        setting = (String) request.get("setting");
        check(setting, declared);
        Map<?, ?> endpoint = (Map<?, ?>) request.get("endpoint");
        host = (String) endpoint.get("host");
        port = ((Long) endpoint.get("port")).intValue();
        seed = request.get("seed") instanceof Long number ? number : 0;
        take(request.get("options") instanceof Map<?, ?> given ? given : Map.of(), declared);
        if (request.get("login") instanceof Map<?, ?> login) {
            user = (String) login.get("user");
            try {
                password = Files.readString(Path.of((String) login.get("password_file")));
            } catch (IOException error) {
                throw new Refusal("the password can't be read: " + error);
            }
        } else {
            user = null;
            password = null;
        }
        tls = request.get("tls") instanceof Map<?, ?> terms ? new Tls(terms, host, id.startsWith("coap/")) : null;
    }

    private void check(String setting, Map<?, ?> declared) throws Refusal {
        if (declared.get("settings") instanceof List<?> settings) {
            List<?> names = settings.stream().map(one -> ((Map<?, ?>) one).get("name")).toList();
            if (!names.contains(setting)) {
                throw new Refusal(id + " has no setting `" + setting + "`: it has " + names);
            }
        }
    }

    /** Fills in the options: those that are given, and the defaults of the others. */
    private void take(Map<?, ?> given, Map<?, ?> declared) throws Refusal {
        List<?> known = declared.get("options") instanceof List<?> list ? list : List.of();
        for (Object one : known) {
            Map<?, ?> option = (Map<?, ?>) one;
            String name = (String) option.get("name");
            Object value = given.containsKey(name) ? given.get(name) : option.get("default");
            Map<?, ?> kind = (Map<?, ?>) option.get("kind");
            if (kind.get("of") instanceof List<?> of && !of.contains(value)) {
                throw new Refusal(id + ": `" + name + "` is " + value + ", and can be one of " + of);
            }
            options.put(name, value);
        }
        for (Object name : given.keySet()) {
            if (!options.containsKey(name)) {
                throw new Refusal(id + " has no option `" + name + "`: it has " + new TreeSet<>(options.keySet()));
            }
        }
    }

    String word(String option) {
        return (String) options.get(option);
    }

    long whole(String option) {
        return (Long) options.get(option);
    }

    double real(String option) {
        return ((Number) options.get(option)).doubleValue();
    }

    boolean flag(String option) {
        return (Boolean) options.get(option);
    }

    /** A span as studies write it, `5ms`, in nanoseconds. */
    long spanNs(String option) {
        String text = word(option);
        int at = 0;
        while (at < text.length() && !Character.isLetter(text.charAt(at))) {
            at++;
        }
        return Math.round(Double.parseDouble(text.substring(0, at)) * UNITS.get(text.substring(at)));
    }

    /** A span in whole milliseconds, rounded up. */
    int spanMs(String option) {
        return (int) Math.min(Integer.MAX_VALUE, (spanNs(option) + 999_999) / 1_000_000);
    }

    /** Where the client connects to: by the server's name where the library takes it from the host. */
    String hostToConnect() {
        return tls == null ? host : tls.host();
    }

    String address() {
        return host + ":" + port;
    }
}
