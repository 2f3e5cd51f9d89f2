package wiredyno.runner.transports;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateNotYetValidException;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import wiredyno.runner.Refusal;

/** TLS of clients: what a request asks for, checked before a connection, and the verdicts of Java's own TLS in words. */
public final class Tls {
    private static final Set<String> KNOWN =
            Set.of("server_name", "ca_file", "certificate", "psk", "documents", "least", "resumes", "key_log");
    /** How long the look for a cause waits for each step. */
    private static final int WITNESS_MS = 2_000;
    private static final String[] KINDS = {"RSA", "EC", "EdDSA"};

    private final String serverName;
    private final String host;
    /** Null for the system's authorities. */
    final String caFile;
    /** Null without a certificate of the client. */
    final String certificateFile;
    final String keyFile;
    private final String least;
    /** Null without a pre-shared key. */
    final String pskIdentity;
    private final String pskFile;

    /** Takes the terms; only over datagrams is there a client that takes a pre-shared key. */
    Tls(Map<?, ?> terms, String address, boolean overDatagrams) throws Refusal {
        for (Object name : terms.keySet()) {
            if (!KNOWN.contains(name)) {
                throw new Refusal("`tls` has a term `" + name + "` that this runner does not know: they have to be of the same version");
            }
        }
        Map<?, ?> psk = (Map<?, ?>) terms.get("psk");
        if (!overDatagrams) {
            refuse(terms, "psk", "a pre-shared key");
        }
        pskIdentity = psk == null ? null : (String) psk.get("identity");
        pskFile = psk == null ? null : (String) psk.get("key_file");
        refuse(terms, "documents", "DDS Security");
        refuse(terms, "resumes", "a resumed session");
        refuse(terms, "key_log", "a file for its keys, which Java's TLS does not tell");
        serverName = (String) terms.get("server_name");
        caFile = (String) terms.get("ca_file");
        least = (String) terms.get("least");
        if (least != null && !List.of("1.2", "1.3").contains(least)) {
            throw new Refusal("`" + least + "` is not a TLS version that clients know: 1.2, 1.3");
        }
        if (caFile != null) {
            readable("the CA file " + caFile, caFile, "name a file with the CA's certificate in PEM form");
        }
        Map<?, ?> certificate = (Map<?, ?>) terms.get("certificate");
        certificateFile = certificate == null ? null : (String) certificate.get("certificate_file");
        keyFile = certificate == null ? null : (String) certificate.get("key_file");
        if (certificate != null) {
            readable("the file " + certificateFile + " of this client's certificate", certificateFile, "name files in PEM form");
            readable("the file " + keyFile + " of this client's certificate", keyFile, "name files in PEM form");
        }
        host = host(address);
    }

    private static void refuse(Map<?, ?> terms, String term, String what) throws Refusal {
        Object value = terms.get(term);
        if (value != null && !Boolean.FALSE.equals(value)) {
            throw new Refusal("this client can't connect with " + what + ": leave it out, or take a codec of another runner");
        }
    }

    private static void readable(String what, String path, String hint) throws Refusal {
        try (InputStream in = Files.newInputStream(Path.of(path))) {
            in.read();
        } catch (IOException error) {
            throw new Refusal(what + " can't be read: " + error + "; " + hint);
        }
    }

    /** The host to connect to: the server's name, from which Java's TLS takes what the certificate has to be for. */
    private String host(String address) throws Refusal {
        if (serverName.equals(address)) {
            return address;
        }
        try {
            for (InetAddress found : InetAddress.getAllByName(serverName)) {
                if (found.getHostAddress().equals(address)) {
                    return serverName;
                }
            }
        } catch (IOException error) {
            // It does not resolve to anything.
        }
        throw new Refusal("`" + serverName + "` does not resolve to " + address + " here, and this client finds its server by that name");
    }

    String host() {
        return host;
    }

    /** The versions that may be negotiated. */
    String[] versions() {
        return "1.3".equals(least) ? new String[] {"TLSv1.3"} : new String[] {"TLSv1.3", "TLSv1.2"};
    }

    /** The trusted authorities; null for the system's. */
    TrustManagerFactory trust() throws Refusal {
        try {
            TrustManagerFactory made = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            if (caFile == null) {
                made.init((KeyStore) null);
                return made;
            }
            KeyStore store = empty();
            int number = 0;
            for (Certificate one : certificates(caFile)) {
                store.setCertificateEntry("ca-" + number++, one);
            }
            if (number == 0) {
                throw new CertificateException("it has no certificate");
            }
            made.init(store);
            return made;
        } catch (GeneralSecurityException | IOException error) {
            throw new Refusal("the CA file " + caFile + " is damaged: " + error.getMessage() + "; name a file with the CA's certificate in PEM form");
        }
    }

    /** What proves who the client is; null without a certificate. */
    KeyManagerFactory identity() throws Refusal {
        if (certificateFile == null) {
            return null;
        }
        try {
            KeyStore store = empty();
            char[] none = new char[0];
            store.setKeyEntry("client", key(), none, chain());
            KeyManagerFactory made = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            made.init(store, none);
            return made;
        } catch (GeneralSecurityException | IOException | IllegalArgumentException error) {
            throw new Refusal("the certificate " + certificateFile + " with its key " + keyFile + " can't be used: " + error.getMessage()
                    + "; name files in PEM form, the key as PKCS #8 (`BEGIN PRIVATE KEY`)");
        }
    }

    /** The pre-shared key, which its file has in hexadecimal. */
    byte[] pskKey() throws Refusal {
        try {
            return HexFormat.of().parseHex(Files.readString(Path.of(pskFile)).strip());
        } catch (IOException | IllegalArgumentException error) {
            throw new Refusal("the pre-shared key in " + pskFile + " can't be read: " + error.getMessage() + "; write it in hexadecimal");
        }
    }

    /** The certificates of the authorities that are trusted. */
    Certificate[] authorities() throws Refusal {
        for (TrustManager one : trust().getTrustManagers()) {
            if (one instanceof X509TrustManager manager) {
                return manager.getAcceptedIssuers();
            }
        }
        return new Certificate[0];
    }

    /** The client's certificate with those that lead to its authority. */
    Certificate[] chain() throws GeneralSecurityException, IOException {
        return certificates(certificateFile).toArray(new Certificate[0]);
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        return store;
    }

    private static List<Certificate> certificates(String file) throws GeneralSecurityException, IOException {
        byte[] text = Files.readAllBytes(Path.of(file));
        return List.copyOf(CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(text)));
    }

    /** The client's key. */
    PrivateKey key() throws GeneralSecurityException, IOException {
        String text = Files.readString(Path.of(keyFile));
        String begin = "-----BEGIN PRIVATE KEY-----";
        int from = text.indexOf(begin);
        int to = text.indexOf("-----END PRIVATE KEY-----");
        if (from < 0 || to < from) {
            throw new InvalidKeySpecException("no private key in PKCS #8");
        }
        byte[] bytes = Base64.getMimeDecoder().decode(text.substring(from + begin.length(), to));
        for (String kind : KINDS) {
            try {
                return KeyFactory.getInstance(kind).generatePrivate(new PKCS8EncodedKeySpec(bytes));
            } catch (InvalidKeySpecException error) {
                // Of another kind.
            }
        }
        throw new InvalidKeySpecException("its key is neither RSA nor of an elliptic curve");
    }

    /** The terms for Java's own TLS. */
    SSLContext context() throws Refusal {
        KeyManagerFactory identity = identity();
        try {
            SSLContext made = SSLContext.getInstance("TLS");
            made.init(identity == null ? null : identity.getKeyManagers(), trust().getTrustManagers(), null);
            return made;
        } catch (GeneralSecurityException error) {
            throw new Refusal("Java's TLS can't be set up: " + error);
        }
    }

    /** What a socket of that context must also do: verify the server's name, and speak one of the versions. */
    SSLParameters parameters() {
        SSLParameters made = new SSLParameters();
        made.setEndpointIdentificationAlgorithm("HTTPS");
        made.setProtocols(versions());
        return made;
    }

    /** The version that a session has, as the contract words it. */
    static String version(String protocol) {
        return switch (protocol) {
            case "TLSv1.3" -> "1.3";
            case "TLSv1.2" -> "1.2";
            default -> null;
        };
    }

    /** Why a handshake failed, in words. */
    String explained(Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateExpiredException) {
                return "its certificate has expired: renew it, or check this machine's clock";
            }
            if (cause instanceof CertificateNotYetValidException) {
                return "its certificate is not valid yet: check the clocks of both machines";
            }
            String said = String.valueOf(cause.getMessage());
            if (cause instanceof CertificateException && (said.startsWith("No subject alternative") || said.startsWith("No name matching"))) {
                return "its certificate is not for `" + serverName + "`: use an address with a name that it covers";
            }
            if (cause instanceof java.security.cert.CertPathBuilderException) {
                return "its certificate is not signed by a CA that is trusted here (unknown CA): if it is the right server, trust its CA with a CA "
                        + "file (for a broker by address, WIREDYNO_BROKER_CA_FILE)";
            }
            if (cause instanceof SSLException && (said.contains("Unsupported or unrecognized SSL message") || said.contains("plaintext connection"))) {
                return "it does not seem to speak TLS (" + said + "): use its TLS port, or an address without TLS";
            }
            if (cause instanceof SSLException && said.contains("fatal alert") && (said.contains("certificate") || said.contains("unknown_ca"))) {
                return "the server refuses this client's certificate: " + said + "; is it signed by an authority that the server trusts, and still valid?";
            }
        }
        Throwable last = error;
        while (last.getCause() != null) {
            last = last.getCause();
        }
        if (last instanceof java.io.EOFException || String.valueOf(last.getMessage()).contains("Connection reset")
                || String.valueOf(last.getMessage()).contains("terminated the handshake")) {
            return "it does not seem to speak TLS (" + last.getMessage() + "): use its TLS port, or an address without TLS";
        }
        return "the handshake failed: " + error;
    }

    /** Why a library whose errors tell less does not get through: what Java's own TLS says of the same server; null if it gets through. */
    String witness(String at, int port) {
        try (Socket plain = new Socket()) {
            plain.connect(new InetSocketAddress(at, port), WITNESS_MS);
            plain.setSoTimeout(WITNESS_MS);
            try (SSLSocket own = (SSLSocket) context().getSocketFactory().createSocket(plain, at, port, true)) {
                own.setSSLParameters(parameters());
                own.startHandshake();
                // With TLS 1.3 a server refuses a client's certificate after the client's side of the handshake.
                own.getInputStream().read();
            }
            return null;
        } catch (SocketTimeoutException error) {
            return null;
        } catch (SSLException error) {
            return explained(error);
        } catch (IOException error) {
            return String.valueOf(error.getMessage()).contains("reset") ? explained(error) : error.toString();
        } catch (Refusal error) {
            return error.getMessage();
        }
    }

    /** What a failure in the clear came from, if the server speaks TLS; else null. */
    static String addressedWithout(String host, int port) {
        try (Socket plain = new Socket()) {
            plain.connect(new InetSocketAddress(host, port), WITNESS_MS);
            plain.setSoTimeout(WITNESS_MS);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new Trusting()}, null);
            try (SSLSocket own = (SSLSocket) context.getSocketFactory().createSocket(plain, host, port, true)) {
                own.startHandshake();
            }
        } catch (IOException | GeneralSecurityException error) {
            if (!String.valueOf(error.getMessage()).contains("fatal alert")) {
                return null;
            }
        }
        return "it speaks TLS, but was addressed without: use an address with TLS (such as mqtts://, ssl://)";
    }

    /** Trusts any server: only to find out whether it speaks TLS. */
    private static final class Trusting implements X509TrustManager {
        @Override
        public void checkClientTrusted(java.security.cert.X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(java.security.cert.X509Certificate[] chain, String type) {}

        @Override
        public java.security.cert.X509Certificate[] getAcceptedIssuers() {
            return new java.security.cert.X509Certificate[0];
        }
    }
}
