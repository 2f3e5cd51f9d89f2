// Written by Wiredyno for one start: Californium's server with a resource for each topic.
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.eclipse.californium.core.CoapResource;
import org.eclipse.californium.core.CoapServer;
import org.eclipse.californium.core.coap.CoAP.ResponseCode;
import org.eclipse.californium.core.config.CoapConfig;
import org.eclipse.californium.core.network.CoapEndpoint;
import org.eclipse.californium.core.server.resources.CoapExchange;
import org.eclipse.californium.core.server.resources.Resource;
import org.eclipse.californium.elements.config.Configuration;
import org.eclipse.californium.elements.config.UdpConfig;

/** Any path is a resource from its first request on; what is put or posted there is its state, and observers are notified. */
public final class Broker extends CoapResource {
    private static final byte[] NOTHING = {};
    private volatile byte[] state = NOTHING;

    private Broker(String name) {
        super(name);
        setObservable(true);
    }

    @Override
    public synchronized Resource getChild(String name) {
        Resource child = super.getChild(name);
        if (child == null) {
            child = new Broker(name);
            add(child);
        }
        return child;
    }

    @Override
    public void handleGET(CoapExchange exchange) {
        exchange.respond(ResponseCode.CONTENT, state);
    }

    @Override
    public void handlePUT(CoapExchange exchange) {
        byte[] body = exchange.getRequestPayload();
        state = body == null ? NOTHING : body;
        exchange.respond(ResponseCode.CHANGED);
        // Notifications are as reliable as the request that causes them.
        setObserveType(exchange.advanced().getRequest().getType());
        changed();
    }

    @Override
    public void handlePOST(CoapExchange exchange) {
        handlePUT(exchange);
    }

    public static void main(String[] arguments) throws Exception {
        CoapConfig.register();
        UdpConfig.register();
        // No configuration file is read or written.
        Configuration configuration = new Configuration();
        configuration.set(CoapConfig.MAX_RESOURCE_BODY_SIZE, 8 << 20);
        configuration.set(CoapConfig.PREFERRED_BLOCK_SIZE, 1024);
        // Whole bodies in one datagram are accepted up to any size; notifications larger than a block are sent in blocks.
        configuration.set(UdpConfig.UDP_DATAGRAM_SIZE, 65_535);
        InetSocketAddress address = new InetSocketAddress(InetAddress.getByName(arguments[0]), Integer.parseInt(arguments[1]));
        CoapEndpoint endpoint =
                CoapEndpoint.builder().setConfiguration(configuration).setInetSocketAddress(address).build();
        CoapServer server = new CoapServer(configuration) {
            @Override
            protected Resource createRoot() {
                return new Broker("");
            }
        };
        server.addEndpoint(endpoint);
        server.start();
    }
}
