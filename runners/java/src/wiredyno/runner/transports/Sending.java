package wiredyno.runner.transports;

/** A connected publisher's client. */
public interface Sending {
    /** Hands over a message; its row goes into the reports about it. */
    void send(long row, byte[] body) throws Exception;

    /** Whether it reports when messages were sent. */
    boolean reportsSent();

    /** Whether it reports when they were acknowledged. */
    boolean acknowledges();

    /** Waits at most so long for what is under way, and disconnects. What went wrong; null if nothing did. */
    String finish(long graceNs);
}
