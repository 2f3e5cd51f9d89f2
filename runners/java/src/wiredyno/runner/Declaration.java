package wiredyno.runner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarFile;

/** The codecs and transports as runner.toml declares them, with the versions of the jars on the class path. */
final class Declaration {
    private Declaration() {}

    /** The words of each codec (`codec`) or transport (`transport`), in runner.toml's order, as {@code describe} gives them. */
    static List<Map<String, Object>> all(String kind) throws IOException, Refusal {
        Map<String, Object> declared = Toml.read(Files.readString(Path.of(System.getProperty("wiredyno.declaration"))));
        List<String> jars = jars();
        List<Map<String, Object>> all = new ArrayList<>();
        for (Object one : (List<?>) declared.getOrDefault(kind, List.of())) {
            @SuppressWarnings("unchecked")
            Map<String, Object> words = (Map<String, Object>) one;
            words.put("version", version((String) words.get("library"), jars));
            all.add(words);
        }
        return all;
    }

    /** The words of one transport; none if it is not declared, as the probes' is not. */
    static Map<?, ?> transport(String id) throws IOException, Refusal {
        return all("transport").stream().filter(one -> one.get("id").equals(id)).findFirst().orElse(Map.of());
    }

    private static String version(String library, List<String> jars) throws Refusal {
        for (String jar : jars) {
            String name = jar.substring(jar.lastIndexOf('/') + 1);
            if (name.startsWith(library + "-") && Character.isDigit(name.charAt(library.length() + 1))) {
                return name.substring(library.length() + 1, name.length() - ".jar".length());
            }
        }
        throw new Refusal("no jar of " + library + " on the class path: delete the runner's environment, it is made again");
    }

    /** The libraries that runner.jar names in its manifest. */
    private static List<String> jars() throws IOException {
        for (String entry : System.getProperty("java.class.path").split(":")) {
            if (entry.endsWith("/runner.jar")) {
                try (JarFile jar = new JarFile(entry)) {
                    return List.of(jar.getManifest().getMainAttributes().getValue(Attributes.Name.CLASS_PATH).split(" "));
                }
            }
        }
        return List.of();
    }
}
