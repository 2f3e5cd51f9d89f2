"""The transports, by their ids. One is added by a module here and its class below; runner.toml declares it."""

from wiredyno_runner.transports import kafka, mqtt

TRANSPORTS = {transport.id: transport for transport in (mqtt.Mqtt, kafka.Kafka)}
