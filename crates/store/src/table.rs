//! Named columns of one length, to and from Parquet, without Arrow.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::column::reader::ColumnReader;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

/// The values of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// Integers: times, counts, bytes.
    Integer(Vec<i64>),
    /// Integers that can be absent.
    MaybeInteger(Vec<Option<i64>>),
    /// Ratios and rates.
    Real(Vec<f64>),
    /// Ids and prose.
    Text(Vec<String>),
}

impl Column {
    fn schema(&self, name: &str) -> Result<Type> {
        let (physical, repetition, logical) = match self {
            Column::Integer(_) => (PhysicalType::INT64, Repetition::REQUIRED, None),
            Column::MaybeInteger(_) => (PhysicalType::INT64, Repetition::OPTIONAL, None),
            Column::Real(_) => (PhysicalType::DOUBLE, Repetition::REQUIRED, None),
            Column::Text(_) => (PhysicalType::BYTE_ARRAY, Repetition::REQUIRED, Some(LogicalType::String)),
        };
        Type::primitive_type_builder(name, physical)
            .with_repetition(repetition)
            .with_logical_type(logical)
            .build()
    }
}

/// Rows to be written as one row group; every table of a file has the same columns.
#[derive(Debug, Default)]
pub struct Table {
    columns: Vec<(&'static str, Column)>,
}

impl Table {
    /// Adds a column.
    pub fn with(mut self, name: &'static str, column: Column) -> Self {
        self.columns.push((name, column));
        self
    }

    fn schema(&self) -> Result<Arc<Type>> {
        let fields = self.columns.iter().map(|(name, column)| column.schema(name).map(Arc::new));
        let fields = fields.collect::<Result<Vec<_>>>()?;
        Ok(Arc::new(Type::group_type_builder("row").with_fields(fields).build()?))
    }
}

/// Writes tables, one row group each, into a file; nothing is written when there is none.
pub fn write_parquet(path: &Path, tables: impl IntoIterator<Item = Result<Table>>) -> Result<()> {
    let mut tables = tables.into_iter().peekable();
    let schema = match tables.peek() {
        None => return Ok(()),
        Some(Ok(first)) => first.schema()?,
        Some(Err(error)) => return Err(ParquetError::General(error.to_string())),
    };
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = SerializedFileWriter::new(File::create(path)?, schema, Arc::new(properties))?;
    for table in tables {
        let mut group = writer.next_row_group()?;
        for (_, column) in table?.columns {
            let Some(mut out) = group.next_column()? else {
                return Err(ParquetError::General(
                    "a table has more columns than the first of its file".into(),
                ));
            };
            match column {
                Column::Integer(values) => {
                    out.typed::<Int64Type>().write_batch(&values, None, None)?;
                }
                Column::MaybeInteger(values) => {
                    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
                    let present: Vec<i64> = values.into_iter().flatten().collect();
                    out.typed::<Int64Type>().write_batch(&present, Some(&levels), None)?;
                }
                Column::Real(values) => {
                    out.typed::<DoubleType>().write_batch(&values, None, None)?;
                }
                Column::Text(values) => {
                    let values: Vec<ByteArray> =
                        values.into_iter().map(|text| ByteArray::from(text.into_bytes())).collect();
                    out.typed::<ByteArrayType>().write_batch(&values, None, None)?;
                }
            }
            out.close()?;
        }
        group.close()?;
    }
    writer.close()?;
    Ok(())
}

/// A Parquet file that is read row group by row group, column by column.
pub struct Reader {
    file: SerializedFileReader<File>,
}

impl Reader {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Self> {
        Ok(Reader { file: SerializedFileReader::new(File::open(path)?)? })
    }

    /// Number of row groups.
    pub fn groups(&self) -> usize {
        self.file.num_row_groups()
    }

    fn column(&self, group: usize, name: &str) -> Result<(ColumnReader, usize)> {
        let metadata = self.file.metadata().row_group(group);
        let rows = usize::try_from(metadata.num_rows())
            .map_err(|_| ParquetError::General("a row group has a negative number of rows".into()))?;
        let index = metadata
            .columns()
            .iter()
            .position(|column| column.column_path().string() == name)
            .ok_or_else(|| ParquetError::General(format!("there is no column `{name}`")))?;
        Ok((self.file.get_row_group(group)?.get_column_reader(index)?, rows))
    }

    /// A column of integers, absent or not.
    pub fn integers(&self, group: usize, name: &str) -> Result<Vec<Option<i64>>> {
        let (ColumnReader::Int64ColumnReader(mut reader), rows) = self.column(group, name)? else {
            return Err(ParquetError::General(format!("the column `{name}` holds no integers")));
        };
        let (mut values, mut levels) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
        let (records, present, _) = reader.read_records(rows, Some(&mut levels), None, &mut values)?;
        if present == records && levels.is_empty() {
            return Ok(values.into_iter().map(Some).collect());
        }
        let mut values = values.into_iter();
        Ok(levels.into_iter().map(|level| if level == 1 { values.next() } else { None }).collect())
    }

    /// As [`Self::integers`]; all absent where an older file has no such column.
    pub fn integers_or_absent(&self, group: usize, name: &str) -> Result<Vec<Option<i64>>> {
        let metadata = self.file.metadata().row_group(group);
        if metadata.columns().iter().any(|column| column.column_path().string() == name) {
            return self.integers(group, name);
        }
        Ok(vec![None; usize::try_from(metadata.num_rows()).unwrap_or_default()])
    }

    /// A column of text.
    pub fn texts(&self, group: usize, name: &str) -> Result<Vec<String>> {
        let (ColumnReader::ByteArrayColumnReader(mut reader), rows) = self.column(group, name)? else {
            return Err(ParquetError::General(format!("the column `{name}` holds no text")));
        };
        let mut values = Vec::with_capacity(rows);
        reader.read_records(rows, None, None, &mut values)?;
        values.into_iter().map(|text| Ok(text.as_utf8()?.to_owned())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_come_back_as_written_in_every_row_group() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        let table = |offset: i64| {
            Ok(Table::default()
                .with("trial", Column::Integer(vec![offset, offset + 1, i64::MIN]))
                .with("acked_ns", Column::MaybeInteger(vec![None, Some(offset), None]))
                .with("ratio", Column::Real(vec![0.5, -1.0, 0.0]))
                .with("mode", Column::Text(vec!["mqtt:qos0".into(), String::new(), "ü".into()])))
        };
        write_parquet(&path, [table(7), table(70)]).unwrap();
        let reader = Reader::open(&path).unwrap();
        assert_eq!(reader.groups(), 2);
        assert_eq!(reader.integers(1, "trial").unwrap(), [Some(70), Some(71), Some(i64::MIN)]);
        assert_eq!(reader.integers(1, "acked_ns").unwrap(), [None, Some(70), None]);
        assert_eq!(reader.texts(0, "mode").unwrap(), ["mqtt:qos0", "", "ü"]);
        assert!(reader.texts(0, "trial").is_err());
        assert!(reader.integers(0, "nothing").is_err());
    }
}
