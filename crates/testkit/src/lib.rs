//! Conformance suites that iterate the registries.
