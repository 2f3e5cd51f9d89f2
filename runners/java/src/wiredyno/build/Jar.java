package wiredyno.build;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Writes a jar with a folder's files, in the order of their names. */
final class Jar {
    private Jar() {}

    static void write(Path folder, Path jar) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(folder)) {
            files = all.filter(Files::isRegularFile).sorted().toList();
        }
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(jar))) {
            for (Path file : files) {
                out.putNextEntry(new ZipEntry(folder.relativize(file).toString()));
                out.write(Files.readAllBytes(file));
            }
        }
    }
}
