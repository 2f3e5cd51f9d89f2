package wiredyno.runner.transports;

/** Where a publisher's client reports what became of messages, on any thread. Moments are of {@link System#nanoTime}. */
public interface Report {
    /** The transport has taken the message of this row. */
    void sent(long row, long atNs);

    /** The protocol's acknowledgement of it has arrived. */
    void acked(long row, long atNs);

    /** The client can't go on. */
    void broke(String why);
}
