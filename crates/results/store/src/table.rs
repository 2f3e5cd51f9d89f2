//! Named columns of equal length, to and from Parquet, without Arrow.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::column::reader::ColumnReader;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use serde_json::Value;

/// The values of a column, one for each row.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// Signed integers: times, counts, bytes.
    Integer(Vec<i64>),
    /// Integers that can be absent.
    MaybeInteger(Vec<Option<i64>>),
    /// Unsigned integers that can be absent.
    MaybeUnsigned(Vec<Option<u64>>),
    /// Numbers that can be absent.
    MaybeReal(Vec<Option<f64>>),
    /// Booleans that can be absent.
    MaybeFlag(Vec<Option<bool>>),
    /// Texts: ids and prose.
    Text(Vec<String>),
    /// Texts that can be absent.
    MaybeText(Vec<Option<String>>),
}

impl Column {
    fn len(&self) -> usize {
        match self {
            Column::Integer(values) => values.len(),
            Column::MaybeInteger(values) => values.len(),
            Column::MaybeUnsigned(values) => values.len(),
            Column::MaybeReal(values) => values.len(),
            Column::MaybeFlag(values) => values.len(),
            Column::Text(values) => values.len(),
            Column::MaybeText(values) => values.len(),
        }
    }

    /// Appends the other if it is of the same type; returns whether it did.
    fn append(&mut self, other: Column) -> bool {
        match (self, other) {
            (Column::Integer(values), Column::Integer(more)) => values.extend(more),
            (Column::MaybeInteger(values), Column::MaybeInteger(more)) => values.extend(more),
            (Column::MaybeUnsigned(values), Column::MaybeUnsigned(more)) => values.extend(more),
            (Column::MaybeReal(values), Column::MaybeReal(more)) => values.extend(more),
            (Column::MaybeFlag(values), Column::MaybeFlag(more)) => values.extend(more),
            (Column::Text(values), Column::Text(more)) => values.extend(more),
            (Column::MaybeText(values), Column::MaybeText(more)) => values.extend(more),
            _ => return false,
        }
        true
    }

    fn schema(&self, name: &str) -> Result<Type> {
        let unsigned = LogicalType::integer(64, false);
        let (physical, repetition, logical) = match self {
            Column::Integer(_) => (PhysicalType::INT64, Repetition::REQUIRED, None),
            Column::MaybeInteger(_) => (PhysicalType::INT64, Repetition::OPTIONAL, None),
            Column::MaybeUnsigned(_) => (PhysicalType::INT64, Repetition::OPTIONAL, Some(unsigned)),
            Column::MaybeReal(_) => (PhysicalType::DOUBLE, Repetition::OPTIONAL, None),
            Column::MaybeFlag(_) => (PhysicalType::BOOLEAN, Repetition::OPTIONAL, None),
            Column::Text(_) => (PhysicalType::BYTE_ARRAY, Repetition::REQUIRED, Some(LogicalType::String)),
            Column::MaybeText(_) => {
                (PhysicalType::BYTE_ARRAY, Repetition::OPTIONAL, Some(LogicalType::String))
            }
        };
        Type::primitive_type_builder(name, physical)
            .with_repetition(repetition)
            .with_logical_type(logical)
            .build()
    }
}

/// Rows that are written as one row group; every table of a file has the same columns.
#[derive(Debug, Default)]
pub struct Table {
    columns: Vec<(String, Column)>,
}

impl Table {
    /// Adds a column after the others.
    pub fn with(mut self, name: impl Into<String>, column: Column) -> Self {
        self.columns.push((name.into(), column));
        self
    }

    /// Number of rows, the length of each column.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }

    /// Appends the rows of a table with the same columns.
    pub fn append(&mut self, other: Table) -> Result<()> {
        if self.columns.is_empty() {
            *self = other;
            return Ok(());
        }
        for ((name, column), (_, more)) in self.columns.iter_mut().zip(other.columns) {
            if !column.append(more) {
                return Err(ParquetError::General(format!("the column `{name}` has two types")));
            }
        }
        Ok(())
    }

    fn schema(&self) -> Result<Arc<Type>> {
        let fields = self.columns.iter().map(|(name, column)| column.schema(name).map(Arc::new));
        let fields = fields.collect::<Result<Vec<_>>>()?;
        Ok(Arc::new(Type::group_type_builder("row").with_fields(fields).build()?))
    }
}

/// Approximate number of rows of a row group: what is in memory while a file is written or read.
pub const GROUP_ROWS: usize = 1 << 16;

/// A Parquet file that is written table by table, one row group for each.
pub struct Writer {
    file: SerializedFileWriter<File>,
}

impl Writer {
    /// Creates a file for tables with the columns of this one, with these pairs of metadata.
    pub fn create(path: &Path, like: &Table, metadata: &[(String, String)]) -> Result<Self> {
        let pair = |(key, value): &(String, String)| KeyValue::new(key.clone(), value.clone());
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_key_value_metadata(Some(metadata.iter().map(pair).collect()))
            .build();
        let file = SerializedFileWriter::new(File::create(path)?, like.schema()?, Arc::new(properties))?;
        Ok(Writer { file })
    }

    /// Writes a table as one row group.
    pub fn write(&mut self, table: Table) -> Result<()> {
        let mut group = self.file.next_row_group()?;
        for (_, column) in table.columns {
            let Some(mut out) = group.next_column()? else {
                return Err(ParquetError::General(
                    "a table has more columns than the first of its file".into(),
                ));
            };
            match column {
                Column::Integer(values) => {
                    out.typed::<Int64Type>().write_batch(&values, None, None)?;
                }
                Column::MaybeInteger(values) => write_some::<Int64Type>(&mut out, values)?,
                // The 64 bits are unchanged: the logical type declares them unsigned.
                Column::MaybeUnsigned(values) => {
                    let bits = |value: Option<u64>| value.map(u64::cast_signed);
                    write_some::<Int64Type>(&mut out, values.into_iter().map(bits).collect())?;
                }
                Column::MaybeReal(values) => write_some::<DoubleType>(&mut out, values)?,
                Column::MaybeFlag(values) => write_some::<BoolType>(&mut out, values)?,
                Column::MaybeText(values) => {
                    let bytes = |text: Option<String>| text.map(|text| ByteArray::from(text.into_bytes()));
                    write_some::<ByteArrayType>(&mut out, values.into_iter().map(bytes).collect())?;
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
        Ok(())
    }

    /// Writes the footer, without which nothing can be read.
    pub fn close(self) -> Result<()> {
        self.file.close()?;
        Ok(())
    }
}

/// Writes tables, gathered into row groups of about [`GROUP_ROWS`]; without any, no file is created.
pub fn write_parquet(
    path: &Path,
    metadata: &[(String, String)],
    tables: impl IntoIterator<Item = Result<Table>>,
) -> Result<()> {
    let (mut writer, mut gathered) = (None, Table::default());
    let mut write = |table: Table| {
        let writer = match &mut writer {
            Some(writer) => writer,
            none => none.insert(Writer::create(path, &table, metadata)?),
        };
        writer.write(table)
    };
    for table in tables {
        gathered.append(table?)?;
        if gathered.rows() >= GROUP_ROWS {
            write(std::mem::take(&mut gathered))?;
        }
    }
    if gathered.rows() > 0 {
        write(gathered)?;
    }
    writer.map_or(Ok(()), Writer::close)
}

/// Splits values that can be absent: which are present, and those.
fn write_some<T: DataType>(out: &mut SerializedColumnWriter<'_>, values: Vec<Option<T::T>>) -> Result<()> {
    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    let present: Vec<T::T> = values.into_iter().flatten().collect();
    out.typed::<T>().write_batch(&present, Some(&levels), None).map(drop)
}

/// Puts values at the rows whose levels declare one.
fn spread<T>(levels: Vec<i16>, values: Vec<T>, records: usize) -> Vec<Option<T>> {
    if levels.is_empty() && values.len() == records {
        return values.into_iter().map(Some).collect();
    }
    let mut values = values.into_iter();
    levels.into_iter().map(|level| if level == 1 { values.next() } else { None }).collect()
}

/// A Parquet file that is read row group by row group, column by column.
pub struct Reader {
    file: SerializedFileReader<File>,
}

impl Reader {
    /// Opens a file, and reads its footer.
    pub fn open(path: &Path) -> Result<Self> {
        Ok(Reader { file: SerializedFileReader::new(File::open(path)?)? })
    }

    /// Number of row groups, each of a bounded size.
    pub fn groups(&self) -> usize {
        self.file.num_row_groups()
    }

    /// Number of rows of all groups.
    pub fn rows(&self) -> u64 {
        u64::try_from(self.file.metadata().file_metadata().num_rows()).unwrap_or_default()
    }

    /// The value of a key in the file's metadata.
    pub fn told(&self, key: &str) -> Option<String> {
        let pairs = self.file.metadata().file_metadata().key_value_metadata()?;
        pairs.iter().find(|pair| pair.key == key)?.value.clone()
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

    /// A column of integers; absent ones are `None`.
    pub fn integers(&self, group: usize, name: &str) -> Result<Vec<Option<i64>>> {
        let (ColumnReader::Int64ColumnReader(mut reader), rows) = self.column(group, name)? else {
            return Err(ParquetError::General(format!("the column `{name}` holds no integers")));
        };
        let (mut values, mut levels) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
        let (records, _, _) = reader.read_records(rows, Some(&mut levels), None, &mut values)?;
        Ok(spread(levels, values, records))
    }

    /// Whether there is a column of this name.
    pub fn has(&self, group: usize, name: &str) -> bool {
        let columns = self.file.metadata().row_group(group).columns();
        columns.iter().any(|column| column.column_path().string() == name)
    }

    /// A column of any type as JSON values, with absent ones as `null` and texts unchanged. Whole numbers of an unsigned
    /// logical type are never negative.
    pub fn values(&self, group: usize, name: &str) -> Result<Vec<Value>> {
        let (column, rows) = self.column(group, name)?;
        let mut levels = Vec::with_capacity(rows);
        let some = |value: Option<Value>| value.unwrap_or(Value::Null);
        Ok(match column {
            ColumnReader::Int64ColumnReader(mut reader) => {
                let mut values = Vec::with_capacity(rows);
                let (records, _, _) = reader.read_records(rows, Some(&mut levels), None, &mut values)?;
                let unsigned = self.is_unsigned(group, name);
                let number =
                    |bits: i64| if unsigned { bits.cast_unsigned().into() } else { Value::from(bits) };
                spread(levels, values, records).into_iter().map(|bits| some(bits.map(number))).collect()
            }
            ColumnReader::DoubleColumnReader(mut reader) => {
                let mut values = Vec::with_capacity(rows);
                let (records, _, _) = reader.read_records(rows, Some(&mut levels), None, &mut values)?;
                spread(levels, values, records).into_iter().map(|real| some(real.map(Value::from))).collect()
            }
            ColumnReader::BoolColumnReader(mut reader) => {
                let mut values = Vec::with_capacity(rows);
                let (records, _, _) = reader.read_records(rows, Some(&mut levels), None, &mut values)?;
                spread(levels, values, records).into_iter().map(|flag| some(flag.map(Value::from))).collect()
            }
            ColumnReader::ByteArrayColumnReader(mut reader) => {
                let mut values = Vec::with_capacity(rows);
                let (records, _, _) = reader.read_records(rows, Some(&mut levels), None, &mut values)?;
                let text = |bytes: ByteArray| bytes.as_utf8().map(Value::from);
                let spread = spread(levels, values, records).into_iter();
                spread.map(|bytes| Ok(some(bytes.map(text).transpose()?))).collect::<Result<_>>()?
            }
            _ => {
                return Err(ParquetError::General(format!(
                    "the column `{name}` has a type that is never written"
                )));
            }
        })
    }

    fn is_unsigned(&self, group: usize, name: &str) -> bool {
        let columns = self.file.metadata().row_group(group).columns();
        let logical = columns.iter().find(|column| column.column_path().string() == name);
        let logical = logical.and_then(|column| column.column_descr().logical_type_ref().cloned());
        matches!(logical, Some(LogicalType::Integer(kind)) if !kind.is_signed)
    }

    /// As [`Self::integers`]; all absent if an older file lacks the column.
    pub fn integers_or_absent(&self, group: usize, name: &str) -> Result<Vec<Option<i64>>> {
        if self.has(group, name) {
            return self.integers(group, name);
        }
        let rows = self.file.metadata().row_group(group).num_rows();
        Ok(vec![None; usize::try_from(rows).unwrap_or_default()])
    }

    /// A column of texts, none of them absent.
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
                .with("ratio", Column::MaybeReal(vec![Some(0.5), None, Some(0.0)]))
                .with("seed", Column::MaybeUnsigned(vec![Some(u64::MAX), None, Some(0)]))
                .with("good", Column::MaybeFlag(vec![Some(true), Some(false), None]))
                .with("why", Column::MaybeText(vec![None, Some("so".into()), None]))
                .with("mode", Column::Text(vec!["mqtt:qos0".into(), String::new(), "ü".into()])))
        };
        let metadata = [("schema".to_owned(), "3".to_owned())];
        let mut writer = Writer::create(&path, &table(7).unwrap(), &metadata).unwrap();
        for table in [table(7), table(70)] {
            writer.write(table.unwrap()).unwrap();
        }
        writer.close().unwrap();
        let reader = Reader::open(&path).unwrap();
        assert_eq!((reader.groups(), reader.rows(), reader.told("schema").as_deref()), (2, 6, Some("3")));
        assert_eq!(reader.integers(1, "trial").unwrap(), [Some(70), Some(71), Some(i64::MIN)]);
        assert_eq!(reader.integers(1, "acked_ns").unwrap(), [None, Some(70), None]);
        assert_eq!(reader.texts(0, "mode").unwrap(), ["mqtt:qos0", "", "ü"]);
        let values = |name| Value::from(reader.values(1, name).unwrap());
        assert_eq!(values("ratio"), serde_json::json!([0.5, null, 0.0]));
        assert_eq!(values("seed"), serde_json::json!([u64::MAX, null, 0]));
        assert_eq!(values("good"), serde_json::json!([true, false, null]));
        assert_eq!(values("why"), serde_json::json!([null, "so", null]));
        assert_eq!(values("trial"), serde_json::json!([70, 71, i64::MIN]));
        write_parquet(&path, &metadata, [table(7), table(70)]).unwrap();
        let gathered = Reader::open(&path).unwrap();
        assert_eq!((gathered.groups(), gathered.rows()), (1, 6));
        assert_eq!(gathered.integers(0, "acked_ns").unwrap(), [None, Some(7), None, None, Some(70), None]);
        assert!(reader.texts(0, "trial").is_err());
        assert!(reader.integers(0, "nothing").is_err());
    }
}
