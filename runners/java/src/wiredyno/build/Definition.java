package wiredyno.build;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Builds what the runner needs for a definition, by a process of its own: the domain's classes, the libraries' classes by their own
 * compilers, and the code between, in a jar. Nothing is compiled where something is measured: it would hide what first calls cost.
 *
 * <p>Arguments: the folder with the definition, its message's full name, its digest, the folder to fill, the one with the tools.
 */
public final class Definition {
    /** What the runner reads: see {@code wiredyno.runner.Made}. */
    private static final String FACTS = "definition.properties";

    private final Path schemas;
    private final Path work;
    private final Path tools;
    private final Model model;
    private final Map<String, String> sources = new LinkedHashMap<>();
    private final Properties facts = new Properties();

    private Definition(Path schemas, String message, Path work, Path tools) throws Exception {
        this.schemas = schemas;
        this.work = work;
        this.tools = tools;
        this.model = Model.read(Files.readAllBytes(schemas.resolve("definition.binpb")), message);
    }

    public static void main(String[] words) throws Exception {
        Path built = Path.of(words[3]);
        Path work = Files.createTempDirectory("definition");
        try {
            Definition one = new Definition(Path.of(words[0]), words[1], work, Path.of(words[4]));
            one.facts.setProperty("definition", words[2]);
            one.facts.setProperty("message", words[1]);
            one.write();
            one.compile(built);
        } finally {
            try (Stream<Path> files = Files.walk(work)) {
                files.sorted(java.util.Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
            }
        }
    }

    /** The sources, first of what every codec uses, then of each. A codec that can't carry the definition is noted with the reason. */
    private void write() throws Exception {
        Domain.write(model, sources);
        ValuesWriter.write(model, sources);
        if (model.notDescribing != null) {
            facts.setProperty("not-carried.describing", model.notDescribing);
        }
        StreamingWriter.write(model, sources);
        ProtobufWriter.write(model, work, tools, sources);
        BsonWriter.write(model, sources);
        ExiWriter.write(model, sources);
        by("thrift", () -> ThriftWriter.write(model, schemas.resolve("thrift/message.thrift"), work, sources));
        by("flatbuffers", () -> FlatBuffersWriter.write(model, schemas.resolve("fbs/message.fbs"), work, sources));
        by("avro", () -> AvroWriter.write(model, schemas.resolve("avsc/message.avsc"), work, sources));
    }

    /** Writes the sources of a library; one whose compiler refuses the definition does not carry it. */
    private interface Writing {
        void write() throws Exception;
    }

    private void by(String library, Writing writing) throws InterruptedException {
        try {
            writing.write();
        } catch (InterruptedException error) {
            throw error;
        } catch (Exception error) {
            refuse(library, "its compiler refuses the definition: " + error.getMessage());
        }
    }

    /** Leaves a library out, with the reason. */
    private void refuse(String library, String reason) {
        facts.setProperty("not-carried." + library, reason.lines().findFirst().orElse(""));
        sources.keySet().removeIf(name -> library.equals(libraryOf(name)));
    }

    /** The library that a class belongs to, if the others can do without it. */
    private static String libraryOf(String name) {
        for (Map.Entry<String, String> one : Map.of("Thrift", "thrift", "Flat", "flatbuffers", "Avro", "avro").entrySet()) {
            String own = one.getKey();
            if (name.startsWith("wiredyno." + own.toLowerCase(java.util.Locale.ROOT) + ".") || name.startsWith("wiredyno.made." + own)) {
                return one.getValue();
            }
        }
        return null;
    }

    private void compile(Path built) throws IOException {
        JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
        if (javac == null) {
            throw new IOException("this Java has no compiler: install a JDK (sudo apt-get install openjdk-17-jdk-headless)");
        }
        Path classes = Files.createDirectories(work.resolve("classes"));
        while (!compiled(javac, classes)) {
            // Without the library whose code did not compile.
        }
        try (var out = Files.newOutputStream(classes.resolve(FACTS))) {
            facts.store(out, null);
        }
        Jar.write(classes, built.resolve("definition.jar"));
    }

    /** Compiles all sources; false if a library's did not compile, and was left out. */
    private boolean compiled(JavaCompiler javac, Path classes) throws IOException {
        Path written = Files.createDirectories(work.resolve("sources"));
        Map<Path, String> files = new LinkedHashMap<>();
        for (Map.Entry<String, String> source : sources.entrySet()) {
            Path file = written.resolve(source.getKey().replace('.', '/') + ".java");
            Files.createDirectories(file.getParent());
            Files.writeString(file, source.getValue());
            files.put(file, source.getKey());
        }
        List<String> options = List.of("-proc:none", "-nowarn", "-Xlint:none", "-g:none", "-encoding", "UTF-8", "-d", classes.toString(),
                "-classpath", System.getProperty("java.class.path"));
        try (StandardJavaFileManager manager = javac.getStandardFileManager(null, null, null)) {
            DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
            if (javac.getTask(null, manager, said, options, null, manager.getJavaFileObjectsFromPaths(files.keySet())).call()) {
                return true;
            }
            for (Diagnostic<? extends JavaFileObject> one : said.getDiagnostics()) {
                String name = one.getSource() == null ? "" : files.getOrDefault(Path.of(one.getSource().toUri()), "");
                if (one.getKind() == Diagnostic.Kind.ERROR && libraryOf(name) != null) {
                    refuse(libraryOf(name), "the code of its compiler does not compile: " + name + ": " + one.getMessage(null));
                    return false;
                }
            }
            said.getDiagnostics().forEach(System.err::println);
            throw new IOException("the code generated for the definition does not compile; see above, and report this");
        }
    }
}
