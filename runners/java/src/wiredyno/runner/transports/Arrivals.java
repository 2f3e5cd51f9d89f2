package wiredyno.runner.transports;

/** Where a subscriber's client hands over what arrives, on one thread at a time. */
public interface Arrivals {
    /** A message has arrived; when the client handed it to the program. */
    void arrived(byte[] body, long receivedNs);

    /** The client can't go on. */
    void broke(String why);
}
