package wiredyno.runner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarFile;

/** The codecs as runner.toml declares them, with the versions of the jars on the class path. */
final class Declaration {
    private static final String BEGIN = "[[codec]]";

    private Declaration() {}

    /** Each codec's words, in runner.toml's order, as {@code describe} gives them. */
    static List<Map<String, Object>> codecs() throws IOException, Refusal {
        List<Map<String, Object>> codecs = new ArrayList<>();
        Map<String, Object> open = null;
        for (String line : Files.readAllLines(Path.of(System.getProperty("wiredyno.declaration")))) {
            if (line.startsWith("[")) {
                open = line.equals(BEGIN) ? new LinkedHashMap<>() : null;
                if (open != null) {
                    codecs.add(open);
                }
            } else if (open != null && line.contains(" = ")) {
                int at = line.indexOf(" = ");
                // Texts and lists of texts are written alike in TOML and in JSON.
                open.put(line.substring(0, at), Json.read(line.substring(at + 3)));
            }
        }
        List<String> jars = jars();
        for (Map<String, Object> codec : codecs) {
            codec.put("version", version((String) codec.get("library"), jars));
        }
        return codecs;
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
