package wiredyno.build;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Schema compilers: programs of other languages. */
final class Tool {
    private Tool() {}

    /** Runs a program to its end; what it says goes to standard error. */
    static void run(String... words) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        process.getOutputStream().close();
        process.getInputStream().transferTo(System.err);
        int status = process.waitFor();
        if (status != 0) {
            throw new IOException(String.join(" ", words) + " ended with " + status);
        }
    }

    /** Adds the sources that a compiler wrote into a folder. */
    static void sources(Path folder, Map<String, String> sources) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(folder)) {
            files = all.filter(file -> file.toString().endsWith(".java")).toList();
        }
        for (Path file : files) {
            String path = folder.relativize(file).toString();
            sources.put(path.substring(0, path.length() - ".java".length()).replace('/', '.'), Files.readString(file));
        }
    }
}
