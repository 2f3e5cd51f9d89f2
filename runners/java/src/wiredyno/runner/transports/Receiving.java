package wiredyno.runner.transports;

import java.util.Map;

/** A connected subscriber's client. */
public interface Receiving {
    /** Waits until it knows its part of what so many subscribers of a topic share. */
    default void settle(int members, long limitNs) throws Exception {}

    /** Stops receiving, and tells what it did as a member of a group; null if it is in none. */
    default Map<String, Object> membership(long graceNs) throws Exception {
        return null;
    }

    /** Leaves its group, where it is in one. Others wait for that. */
    default void leave() {}

    /** Disconnects. What went wrong; null if nothing did. */
    String finish(long graceNs);
}
