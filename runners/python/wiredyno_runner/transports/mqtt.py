"""MQTT 3.1.1 by Eclipse Paho: one client and one network thread a connection."""

import socket
import ssl
import threading
import time

from wiredyno_runner.tls import VERSIONS, addressed_without

QOS = {"qos0": 0, "qos1": 1, "qos2": 2}


class Mqtt:
    """Clients over one broker. Options are those that runner.toml declares: none."""

    id = "mqtt/paho"

    def __init__(self, setting, endpoint, options, seed, login, tls, limit_s):
        if setting not in QOS:
            raise ValueError(f"mqtt has no setting `{setting}`: it has {', '.join(QOS)}")
        self.qos, self.endpoint, self.seed, self.login, self.limit_s = QOS[setting], endpoint, seed, login, limit_s
        # Paho takes the server's name from the host that it connects to.
        self.tls, self.tls_version, self.host = tls, None, tls.host(endpoint) if tls else endpoint["host"]
        if options:
            raise ValueError(f"mqtt/paho has no option `{sorted(options)[0]}`: leave it out")

    @staticmethod
    def load_library():
        """Imports the library, before any clock."""
        global paho
        import paho.mqtt.client as paho

    def publisher(self, topic, report):
        return _Publishing(self, topic, report)

    def subscriber(self, topic, arrivals):
        return _Subscribing(self, topic, arrivals)


class _Client:
    def __init__(self, terms):
        self.terms, self.broken = terms, None
        self.ready, self.refused = threading.Event(), None
        self.closing = False
        self.own = paho.Client(paho.CallbackAPIVersion.VERSION2, clean_session=True, reconnect_on_failure=False)
        if terms.login:
            with open(terms.login["password_file"]) as file:
                self.own.username_pw_set(terms.login["user"], file.read())
        self.own.on_connect, self.own.on_disconnect = self._connected, self._gone
        self.own.on_socket_open = self._opened

    def connect(self):
        host, port = self.terms.host, self.terms.endpoint["port"]
        self._greet(host, port)
        self.own.loop_start()
        if not self.ready.wait(self.terms.limit_s):
            self.own.loop_stop()
            raise ConnectionError(self._without_tls(f"the broker at {host}:{port} did not answer within {self.terms.limit_s:.0f} s"))
        if self.refused:
            self.own.loop_stop()
            raise ConnectionError(self._without_tls(self.refused))

    def _without_tls(self, why):
        """A refusal in the clear, with its cause if the broker speaks TLS; one by TLS may be that of the client's certificate."""
        tls, endpoint = self.terms.tls, self.terms.endpoint
        found = tls.witness(endpoint) if tls else addressed_without(endpoint)
        return f"{why}: {found}" if found else why

    def _greet(self, host, port):
        """Opens the connection, by TLS if the terms say so."""
        tls = self.terms.tls
        if tls is None:
            self.own.connect(host, port, keepalive=60)
            return
        self.own.tls_set_context(tls.context())
        try:
            self.own.connect(host, port, keepalive=60)
        except (ssl.SSLError, ConnectionResetError) as error:
            raise ConnectionError(f"TLS with the broker at {host}:{port}: {tls.explained(error)}") from error
        if self.own.socket() is None:
            # A server that wants a certificate says so after the client's side of the handshake, and has closed the connection.
            raise ConnectionError(self._without_tls(f"the broker at {host}:{port} closed the connection"))

    def _opened(self, _client, _data, own):
        own.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.terms.tls:
            self.terms.tls_version = VERSIONS.get(own.version())

    def _connected(self, _client, _data, _flags, code, _properties):
        if code.is_failure:
            self.refused = f"the broker refused the connection: {code}"
            self.ready.set()
        else:
            self.begin()

    def _gone(self, _client, _data, _flags, code, _properties):
        if not self.closing:
            self.broken = f"the connection is gone: {code}"
            self.refused = self.refused or self.broken
            self.ready.set()
            self.broke(self.broken)

    def membership(self, _grace_s):
        """It is in no group."""

    def leave(self):
        """Others do not wait for it."""

    def finish(self, _grace_s):
        self.closing = True
        self.own.disconnect()
        self.own.loop_stop()
        return self.broken


class _Publishing(_Client):
    def __init__(self, terms, topic, report):
        super().__init__(terms)
        self.topic, self.report, self.acknowledges = topic, report, terms.qos > 0
        # Indexes by message id, and reports that arrived before publish() returned the id.
        self.lock, self.places, self.early = threading.Lock(), {}, {}
        self.own.max_queued_messages_set(0)
        self.own.on_publish = self._published
        self.connect()

    def begin(self):
        self.ready.set()

    def broke(self, why):
        self.report.broke(why)

    def send(self, place, body):
        info = self.own.publish(self.topic, body, self.terms.qos)
        if info.rc not in (paho.MQTT_ERR_SUCCESS, paho.MQTT_ERR_QUEUE_SIZE):
            raise ConnectionError(paho.error_string(info.rc))
        if self.terms.qos > 0:
            self.report.was_sent(place, time.monotonic_ns())
        with self.lock:
            at_ns = self.early.pop(info.mid, None)
            if at_ns is None:
                self.places[info.mid] = place
                return
        self._report(place, at_ns)

    def _published(self, _client, _data, mid, _code, _properties):
        at_ns = time.monotonic_ns()
        with self.lock:
            place = self.places.pop(mid, None)
            if place is None:
                self.early[mid] = at_ns
                return
        self._report(place, at_ns)

    def _report(self, place, at_ns):
        # At QoS 0 the library reports that the socket has taken the message, else that it is acknowledged (PUBACK, PUBCOMP).
        if self.terms.qos == 0:
            self.report.was_sent(place, at_ns)
        else:
            self.report.was_acked(place, at_ns)

    def finish(self, grace_s):
        until = time.monotonic() + grace_s
        while self.places and not self.broken and time.monotonic() < until:
            time.sleep(0.005)
        waiting = len(self.places)
        why = super().finish(grace_s)
        return why or (f"{waiting} messages were not sent or not acknowledged" if waiting else None)


class _Subscribing(_Client):
    def __init__(self, terms, topic, arrivals):
        super().__init__(terms)
        self.topic, self.arrivals = topic, arrivals
        self.own.on_message, self.own.on_subscribe = self._message, self._subscribed
        self.connect()

    def begin(self):
        self.own.subscribe(self.topic, self.terms.qos)

    def broke(self, why):
        self.arrivals.broke(why)

    def _subscribed(self, _client, _data, _mid, codes, _properties):
        if codes and codes[0].is_failure:
            self.refused = f"the broker refused the subscription: {codes[0]}"
        self.ready.set()

    def _message(self, _client, _data, message):
        received_ns = time.monotonic_ns()
        self.arrivals.arrived(message.payload, received_ns)
