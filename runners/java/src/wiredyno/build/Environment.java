package wiredyno.build;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;

/**
 * Finishes the environment: the runner's jar, whose manifest names the libraries' in the order of SHA256SUMS and no other, and protoc,
 * which Maven keeps without leave to run.
 *
 * <p>Arguments: the environment's folder, and SHA256SUMS.
 */
public final class Environment {
    private Environment() {}

    public static void main(String[] words) throws IOException {
        Path folder = Path.of(words[0]);
        List<String> jars = new ArrayList<>();
        Path tools = Files.createDirectories(folder.resolve("tools"));
        for (String line : Files.readAllLines(Path.of(words[1]))) {
            String name = line.substring(line.indexOf("  ") + 2);
            if (name.endsWith(".jar")) {
                jars.add("jars/" + name);
            } else if (name.startsWith("protoc-")) {
                Path protoc = Files.copy(folder.resolve("jars").resolve(name), tools.resolve("protoc"));
                if (!protoc.toFile().setExecutable(true)) {
                    throw new IOException(protoc + " can't be made executable");
                }
            }
        }
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, String.join(" ", jars));
        Path classes = folder.resolve("classes");
        List<Path> files;
        try (Stream<Path> all = Files.walk(classes)) {
            files = all.filter(Files::isRegularFile).sorted().toList();
        }
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(folder.resolve("runner.jar")), manifest)) {
            for (Path file : files) {
                out.putNextEntry(new JarEntry(classes.relativize(file).toString()));
                out.write(Files.readAllBytes(file));
            }
        }
    }
}
