"""TLS of clients: what a request asks for, checked before a connection, and OpenSSL's verdicts in words."""

import os
import socket
import ssl

# OpenSSL's verdicts on a certificate (openssl/x509_vfy.h, X509_V_ERR_*).
UNKNOWN_AUTHORITY = (
    "its certificate is not signed by a CA that is trusted here (unknown CA): if it is the right server, trust its CA with a CA file "
    "(for a broker by address, WIREDYNO_BROKER_CA_FILE)"
)
VERDICTS = {
    **dict.fromkeys((2, 18, 19, 20, 21), UNKNOWN_AUTHORITY),
    9: "its certificate is not valid yet: check the clocks of both machines",
    10: "its certificate has expired: renew it, or check this machine's clock",
}
WRONG_NAME = (62, 64)
# How long the look for a cause waits for each step.
WITNESS_S = 2.0
VERSIONS = {"TLSv1.2": "1.2", "TLSv1.3": "1.3"}


class Tls:
    """The terms of one request."""

    def __init__(self, terms):
        known = {"server_name", "ca_file", "certificate", "psk", "documents", "least", "resumes", "key_log"}
        unknown = terms.keys() - known
        if unknown:
            raise ValueError(f"`tls` has a term `{sorted(unknown)[0]}` that this runner does not know: they have to be of the same version")
        for term, what in (("psk", "a pre-shared key"), ("documents", "DDS Security"), ("resumes", "a resumed session")):
            if terms.get(term):
                raise ValueError(f"this client can't connect with {what}: leave it out, or take a codec of another runner")
        self.server_name, self.ca_file, self.key_log = terms["server_name"], terms.get("ca_file"), terms.get("key_log")
        self.least = terms.get("least")
        if self.least not in (None, "1.2", "1.3"):
            raise ValueError(f"`{self.least}` is not a TLS version that clients know: 1.2, 1.3")
        certificate = terms.get("certificate")
        self.identity = (certificate["certificate_file"], certificate["key_file"]) if certificate else None
        if self.ca_file is not None:
            _readable(f"the CA file {self.ca_file}", self.ca_file, "name a file with the CA's certificate in PEM form")
        for path in self.identity or ():
            _readable(f"the file {path} of this client's certificate", path, "name files in PEM form")

    def host(self, endpoint):
        """The host to connect to for a library that derives the server's name from it."""
        if self.server_name == endpoint["host"]:
            return self.server_name
        try:
            found = {address[4][0] for address in socket.getaddrinfo(self.server_name, endpoint["port"], type=socket.SOCK_STREAM)}
        except OSError:
            found = set()
        if endpoint["host"] in found:
            return self.server_name
        raise ValueError(f"`{self.server_name}` does not resolve to {endpoint['host']} here, and this client finds its server by that name")

    def context(self):
        """The terms for Python's own TLS."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if self.ca_file is None:
            context.load_default_certs()
        else:
            try:
                context.load_verify_locations(self.ca_file)
            except ssl.SSLError as error:
                raise ValueError(f"the CA file {self.ca_file} is damaged: {error}; name a file with the CA's certificate in PEM form") from error
        context.minimum_version = ssl.TLSVersion.TLSv1_3 if self.least == "1.3" else ssl.TLSVersion.TLSv1_2
        if self.identity:
            try:
                context.load_cert_chain(*self.identity)
            except (ssl.SSLError, ValueError) as error:
                certificate, key = self.identity
                raise ValueError(f"the certificate {certificate} with its key {key} can't be used: {error}; name files in PEM form") from error
        if self.key_log is not None:
            try:
                context.keylog_filename = self.key_log
            except OSError as error:
                raise ValueError(f"keys can't be written to {self.key_log}: {error.strerror}") from error
        return context

    def explained(self, error, name=None):
        """Why a handshake of Python's own TLS failed, in words; with a server of another name than that of the terms, by that."""
        if isinstance(error, ssl.SSLCertVerificationError):
            code = error.verify_code
            if code in WRONG_NAME:
                return f"its certificate is not for `{name or self.server_name}`: use an address with a name that it covers"
            return VERDICTS.get(code, f"its certificate is not valid: {error.verify_message}")
        reason = (getattr(error, "reason", None) or str(error)).upper()
        if "WRONG_VERSION_NUMBER" in reason or "RECORD_LAYER_FAILURE" in reason or "EOF" in reason or isinstance(error, ConnectionResetError):
            return f"it does not seem to speak TLS ({error}): use its TLS port, or an address without TLS"
        if "ALERT" in reason and ("CERTIFICATE" in reason or "UNKNOWN_CA" in reason):
            return f"the server refuses this client's certificate: {error}; is it signed by an authority that the server trusts, and still valid?"
        return f"the handshake failed: {error}"

    def witness(self, endpoint, name=None):
        """Why a library whose errors tell less does not get through: what Python's own TLS says of the same server. None if it gets through."""
        try:
            with (
                socket.create_connection((endpoint["host"], endpoint["port"]), WITNESS_S) as plain,
                self.context().wrap_socket(plain, server_hostname=name or self.server_name) as own,
            ):
                # With TLS 1.3 a server refuses a client's certificate after the client's side of the handshake.
                own.settimeout(WITNESS_S)
                own.recv(1)
        except TimeoutError:
            return None
        except (ssl.SSLError, ConnectionResetError) as error:
            return self.explained(error, name)
        except OSError as error:
            return str(error)
        return None


def addressed_without(endpoint):
    """What a failure in the clear came from, if the server speaks TLS; else None."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with socket.create_connection((endpoint["host"], endpoint["port"]), WITNESS_S) as plain, context.wrap_socket(plain):
            pass
    except OSError as error:
        if "ALERT" not in (getattr(error, "reason", None) or ""):
            return None
    return "it speaks TLS, but was addressed without: use an address with TLS (such as mqtts://, ssl://)"


def _readable(what, path, hint):
    try:
        with open(path, "rb") as file:
            os.fstat(file.fileno())
    except OSError as error:
        raise ValueError(f"{what} can't be read: {error.strerror}; {hint}") from error
