package wiredyno.runner.transports;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.function.Consumer;
import javax.net.SocketFactory;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import wiredyno.runner.Refusal;

/** Sockets without Nagle's algorithm, for libraries that leave it on. */
final class Sockets {
    private Sockets() {}

    /** In the clear. */
    static final class Plain extends SocketFactory {
        @Override
        public Socket createSocket() throws IOException {
            Socket made = new Socket();
            made.setTcpNoDelay(true);
            return made;
        }

        @Override
        public Socket createSocket(String host, int port) throws IOException {
            throw new IOException("this factory makes sockets that are not connected");
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress local, int localPort) throws IOException {
            return createSocket(host, port);
        }

        @Override
        public Socket createSocket(InetAddress host, int port) throws IOException {
            return createSocket(host.getHostName(), port);
        }

        @Override
        public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) throws IOException {
            return createSocket(host, port);
        }
    }

    /** By TLS: the version that was negotiated is told. */
    static final class Encrypted extends SSLSocketFactory {
        private final Tls tls;
        private final SSLSocketFactory own;
        private final Consumer<String> version;

        Encrypted(Tls tls, Consumer<String> version) throws Refusal {
            this.tls = tls;
            this.version = version;
            own = tls.context().getSocketFactory();
        }

        private Socket set(Socket made) throws IOException {
            made.setTcpNoDelay(true);
            SSLSocket socket = (SSLSocket) made;
            socket.setSSLParameters(tls.parameters());
            socket.addHandshakeCompletedListener(event -> version.accept(Tls.version(event.getSession().getProtocol())));
            return made;
        }

        @Override
        public Socket createSocket() throws IOException {
            return set(own.createSocket());
        }

        @Override
        public Socket createSocket(Socket plain, String host, int port, boolean closes) throws IOException {
            plain.setTcpNoDelay(true);
            return set(own.createSocket(plain, host, port, closes));
        }

        @Override
        public Socket createSocket(String host, int port) throws IOException {
            return set(own.createSocket(host, port));
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress local, int localPort) throws IOException {
            return set(own.createSocket(host, port, local, localPort));
        }

        @Override
        public Socket createSocket(InetAddress host, int port) throws IOException {
            return set(own.createSocket(host, port));
        }

        @Override
        public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) throws IOException {
            return set(own.createSocket(host, port, local, localPort));
        }

        @Override
        public String[] getDefaultCipherSuites() {
            return own.getDefaultCipherSuites();
        }

        @Override
        public String[] getSupportedCipherSuites() {
            return own.getSupportedCipherSuites();
        }
    }
}
