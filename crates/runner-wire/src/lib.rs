//! The contract between the orchestrator and its runners: JSON lines and the layout of bulk records.
