//! Run folders: parts, Parquet files, summary.
