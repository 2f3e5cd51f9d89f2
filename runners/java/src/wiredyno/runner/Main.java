package wiredyno.runner;

import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;

/** The runner's program: requests on standard input, replies on standard output (docs/RUNNER.md). */
public final class Main {
    /** How long an operation may continue once the input has ended. */
    private static final long GRACE_MS = 1_000;

    private Main() {}

    public static void main(String[] words) throws Exception {
        OutputStream replies = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out));
        // What a library prints is not a reply.
        System.setOut(System.err);
        LinkedBlockingQueue<Optional<String>> lines = new LinkedBlockingQueue<>();
        // Blocked in a read it takes no time from measurements; it notices the input's end during an operation.
        Thread reader = new Thread(() -> read(lines), "requests");
        reader.setDaemon(true);
        reader.start();
        Session session = new Session();
        for (Optional<String> line; (line = lines.take()).isPresent(); ) {
            Session.Answer answer = session.answer(line.get());
            replies.write(answer.line().getBytes(StandardCharsets.UTF_8));
            replies.write('\n');
            replies.flush();
            if (answer.stops()) {
                break;
            }
        }
        // An ordinary exit would wait for threads of libraries.
        Runtime.getRuntime().halt(0);
    }

    private static void read(LinkedBlockingQueue<Optional<String>> lines) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line; (line = in.readLine()) != null; ) {
                lines.add(Optional.of(line));
            }
        } catch (IOException error) {
            System.err.println("standard input: " + error);
        }
        lines.add(Optional.empty());
        try {
            Thread.sleep(GRACE_MS);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(0);
    }
}
