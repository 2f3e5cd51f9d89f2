//! Serves a file of a run, whole or in part, for downloads and for programs that read Parquet by ranges.

use std::io::SeekFrom;
use std::path::Path;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use futures_util::stream;
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncSeekExt};

use crate::error::{ApiError, ApiResult};

/// Bytes that are read and sent at a time.
const PIECE: u64 = 64 * 1024;

/// Answers with a file. The caller has checked that it belongs to a run.
///
/// # Errors
/// When the file can't be read, or has no such range.
pub async fn answer(path: &Path, name: &str, method: &Method, asked: &HeaderMap) -> ApiResult<Response> {
    let mut file = File::open(path).await.map_err(ApiError::internal)?;
    let about = file.metadata().await.map_err(ApiError::internal)?;
    let length = about.len();
    let written = about.modified().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    let tag = format!("\"{length:x}-{:x}\"", written.map_or(0, |at| at.as_nanos()));
    let text = |name| asked.get(name).and_then(|value| value.to_str().ok());
    let mut response = Response::new(Body::empty());
    let headers = response.headers_mut();
    let mut set = |name, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    };
    set(header::ACCEPT_RANGES, "bytes");
    set(header::ETAG, &tag);
    set(header::CACHE_CONTROL, "private, no-cache");
    if text(header::IF_NONE_MATCH).is_some_and(|known| known == tag) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return Ok(response);
    }
    set(header::CONTENT_TYPE, "application/octet-stream");
    let plain: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || ".-_".contains(*c)).collect();
    set(header::CONTENT_DISPOSITION, &format!("attachment; filename=\"{plain}\""));
    // A range of a file that has changed since is useless.
    let same = text(header::IF_RANGE).is_none_or(|known| known == tag);
    let (first, last) = match text(header::RANGE).filter(|_| same).map(|range| part(range, length)) {
        Some(Part::Bytes(first, last)) => {
            set(header::CONTENT_RANGE, &format!("bytes {first}-{last}/{length}"));
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
            (first, last + 1)
        }
        Some(Part::None) => {
            let message = format!("the file has {length} bytes");
            return Err(ApiError::new(StatusCode::RANGE_NOT_SATISFIABLE, "range", message));
        }
        Some(Part::All) | None => (0, length),
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(last - first));
    if *method == Method::HEAD {
        return Ok(response);
    }
    file.seek(SeekFrom::Start(first)).await.map_err(ApiError::internal)?;
    let pieces = stream::try_unfold((file, last - first), async |(mut file, left)| {
        if left == 0 {
            return Ok::<_, std::io::Error>(None);
        }
        let mut piece = vec![0; usize::try_from(left.min(PIECE)).unwrap_or(0)];
        let read = file.read(&mut piece).await?;
        if read == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        piece.truncate(read);
        Ok(Some((piece, (file, left - read as u64))))
    });
    *response.body_mut() = Body::from_stream(pieces);
    Ok(response)
}

#[derive(Debug, PartialEq, Eq)]
enum Part {
    /// From the first to the last byte, inclusive.
    Bytes(u64, u64),
    /// A range outside the file.
    None,
    /// A range that is not understood: the whole file.
    All,
}

/// One range of bytes (RFC 9110, section 14.1.2); several at once get the whole file.
fn part(range: &str, length: u64) -> Part {
    let Some((first, last)) = range.strip_prefix("bytes=").and_then(|range| range.split_once('-')) else {
        return Part::All;
    };
    match (first.trim().parse::<u64>(), last.trim().parse::<u64>()) {
        (Ok(first), _) if first >= length => Part::None,
        (Ok(first), Ok(last)) if first <= last => Part::Bytes(first, last.min(length - 1)),
        (Ok(first), Err(_)) if last.trim().is_empty() => Part::Bytes(first, length - 1),
        (Err(_), Ok(0)) => Part::None,
        (Err(_), Ok(suffix)) if first.trim().is_empty() && length > 0 => {
            Part::Bytes(length.saturating_sub(suffix), length - 1)
        }
        _ => Part::All,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_the_standard_says() {
        for (range, expected) in [
            ("bytes=0-3", Part::Bytes(0, 3)),
            ("bytes=2-", Part::Bytes(2, 9)),
            ("bytes=-4", Part::Bytes(6, 9)),
            ("bytes=-40", Part::Bytes(0, 9)),
            ("bytes=8-400", Part::Bytes(8, 9)),
            ("bytes=10-", Part::None),
            ("bytes=-0", Part::None),
            ("bytes=5-2", Part::All),
            ("bytes=0-1,3-4", Part::All),
            ("lines=0-1", Part::All),
        ] {
            assert_eq!(part(range, 10), expected, "{range}");
        }
        assert_eq!(part("bytes=0-0", 0), Part::None);
        assert_eq!(part("bytes=-1", 0), Part::All);
    }
}
