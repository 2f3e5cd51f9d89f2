"""Google's well-known types (`wiredyno.well_known` in options.proto) as users of a format write them: conversion of their fields to a
replacement, and back.

Texts are those of proto3's JSON mapping, by Google's own library."""

from datetime import UTC, datetime, timedelta

from google.protobuf import duration_pb2, field_mask_pb2, timestamp_pb2

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)


class Texts:
    """Texts for all of them: JSON."""

    def __init__(self):
        # For each, a function from its fields in the order of their numbers, and its inverse.
        self.ways = {
            "timestamp": (self.write_time, self.read_time),
            "duration": (self.write_duration, self.read_duration),
            "field_mask": (self.write_mask, self.read_mask),
        }

    @staticmethod
    def write_time(seconds, nanos):
        return timestamp_pb2.Timestamp(seconds=seconds, nanos=nanos).ToJsonString()

    @staticmethod
    def read_time(text):
        time = timestamp_pb2.Timestamp()
        time.FromJsonString(text)
        return {"seconds": time.seconds, "nanos": time.nanos}

    @staticmethod
    def write_duration(seconds, nanos):
        return duration_pb2.Duration(seconds=seconds, nanos=nanos).ToJsonString()

    @staticmethod
    def read_duration(text):
        duration = duration_pb2.Duration()
        duration.FromJsonString(text)
        return {"seconds": duration.seconds, "nanos": duration.nanos}

    @staticmethod
    def write_mask(paths):
        return field_mask_pb2.FieldMask(paths=paths).ToJsonString()

    @staticmethod
    def read_mask(text):
        mask = field_mask_pb2.FieldMask()
        mask.FromJsonString(text)
        return {"paths": list(mask.paths)}


class Datetimes:
    """Python's own type for times, with a resolution of microseconds."""

    def __init__(self):
        self.ways = {"timestamp": (self.write_time, self.read_time)}

    @staticmethod
    def write_time(seconds, nanos):
        if nanos % 1000:
            raise ValueError(f"a time with {nanos} ns: Python's datetime has microseconds")
        return EPOCH + timedelta(seconds=seconds, microseconds=nanos // 1000)

    @staticmethod
    def read_time(time):
        seconds, rest = divmod(time - EPOCH, SECOND)
        return {"seconds": seconds, "nanos": rest.microseconds * 1000}


class Extensions:
    """msgpack's type for MessagePack's extension -1, with a resolution of nanoseconds."""

    def __init__(self, timestamp):
        def read(time):
            return {"seconds": time.seconds, "nanos": time.nanoseconds}

        self.ways = {"timestamp": (timestamp, read)}
