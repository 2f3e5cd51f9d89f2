"""Python codecs behind the runner contract. The domain value is a dict."""

VERSION = "0.1.0"
CONTRACT = 2
NAME = "python"
