package wiredyno.runner.transports;

import wiredyno.runner.Refusal;

/** Clients by one library, on the terms of one request. */
public interface Transport {
    Sending publisher(String topic, Report report) throws Exception;

    Receiving subscriber(String topic, Arrivals arrivals) throws Exception;

    /** The version of TLS that was negotiated, as the contract words it; null without TLS, or if the client does not tell. */
    String tlsVersion();

    /** Creates a transport from the terms of a request. */
    interface Make {
        Transport of(Terms terms) throws Refusal;
    }
}
