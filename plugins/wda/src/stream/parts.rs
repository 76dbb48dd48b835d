//! Pictures out of a stream of parts, however the bytes are chunked.
//!
//! It knows how the phone writes its stream: a head, then for each picture a line, its length and its bytes. It reads no
//! socket, and it never keeps more than one picture and a head.

/// No head is longer.
pub(crate) const HEAD: usize = 16 << 10;
/// No picture is larger.
pub(crate) const PART: usize = 16 << 20;

/// What makes the rest of a stream unreadable.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unreadable(pub(crate) &'static str);

/// Collects bytes until a picture is complete.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    buffer: Vec<u8>,
    /// The line between parts without its dashes, once the stream's own head was read.
    boundary: Option<Vec<u8>>,
    /// How far the buffer was searched for the end of a picture without a length.
    searched: usize,
}

impl Parts {
    /// Takes what arrived.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// How many bytes are kept.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn kept(&self) -> usize {
        self.buffer.len()
    }

    /// The next complete picture; `None` until more has arrived.
    pub(crate) fn next(&mut self) -> Result<Option<Vec<u8>>, Unreadable> {
        loop {
            let Some(end) = find(&self.buffer, b"\r\n\r\n") else {
                return if self.buffer.len() > HEAD { Err(Unreadable("a head without an end")) } else { Ok(None) };
            };
            if end > HEAD {
                return Err(Unreadable("a head that is too long"));
            }
            let head = String::from_utf8_lossy(&self.buffer[..end]).into_owned();
            let Some(boundary) = &self.boundary else {
                self.boundary = Some(boundary(&head)?);
                self.buffer.drain(..end + 4);
                continue;
            };
            if !head.to_ascii_lowercase().contains("content-") {
                // The empty lines after a picture.
                self.buffer.drain(..end + 4);
                continue;
            }
            let start = end + 4;
            let stop = match field(&head, "content-length") {
                Some(length) => match length.parse::<usize>() {
                    Ok(length) if length <= PART => start + length,
                    _ => return Err(Unreadable("a picture that is too large")),
                },
                // Without a length the picture ends where the next part begins.
                None => {
                    // What was searched before is not searched again, but for where a boundary may have begun.
                    let from = self.searched.saturating_sub(boundary.len()).max(start);
                    match find(&self.buffer[from..], boundary) {
                        Some(length) => from + length,
                        None if self.buffer.len() > start + PART => return Err(Unreadable("a picture without an end")),
                        None => {
                            self.searched = self.buffer.len();
                            return Ok(None);
                        }
                    }
                }
            };
            if self.buffer.len() < stop {
                return Ok(None);
            }
            let mut part = self.buffer[start..stop].to_vec();
            self.buffer.drain(..stop);
            self.searched = 0;
            if field(&head, "content-length").is_none() {
                while matches!(part.last(), Some(b'-' | b'\r' | b'\n')) {
                    part.pop();
                }
            }
            return Ok(Some(part));
        }
    }
}

fn boundary(head: &str) -> Result<Vec<u8>, Unreadable> {
    let status = head.split_whitespace().nth(1);
    if !head.starts_with("HTTP/") || status != Some("200") {
        return Err(Unreadable("no stream of pictures"));
    }
    let kind = field(head, "content-type").ok_or(Unreadable("no stream of pictures"))?;
    let at = kind.to_ascii_lowercase().find("boundary=").ok_or(Unreadable("no stream of pictures"))?;
    // The phone writes the dashes into the boundary's name; others do not.
    let name = kind[at + 9..].trim_matches(|sign| matches!(sign, '"' | ' ' | ';' | '-'));
    if name.is_empty() { Err(Unreadable("no stream of pictures")) } else { Ok(name.as_bytes().to_vec()) }
}

/// The value of a head's field.
fn field<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| {
        let (field, value) = line.split_once(':')?;
        field.trim().eq_ignore_ascii_case(name).then_some(value.trim())
    })
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HEADER: &str =
        "HTTP/1.0 200 OK\r\nServer: x\r\nContent-Type: multipart/x-mixed-replace; boundary=--BoundaryString\r\n\r\n";

    fn stream(pictures: &[&[u8]], lengths: bool) -> Vec<u8> {
        let mut all = HEADER.as_bytes().to_vec();
        for picture in pictures {
            let length = if lengths { format!("Content-Length: {}\r\n", picture.len()) } else { String::new() };
            all.extend(format!("--BoundaryString\r\nContent-type: image/jpeg\r\n{length}\r\n").as_bytes());
            all.extend_from_slice(picture);
            all.extend(b"\r\n\r\n");
        }
        if !lengths {
            all.extend(b"--BoundaryString");
        }
        all
    }

    proptest! {
        #[test]
        fn row_99_any_chunking_gives_the_same_pictures(size in 1_usize..400, lengths: bool) {
            // A start marker and a boundary inside a picture must not confuse who has lengths.
            let tricky: &[u8] = if lengths { b"\xff\xd8--BoundaryString\r\n\r\n\xff\xd8\xff\xd9" } else { b"\xff\xd8\r\n\r\n\xff\xd8\xff\xd9" };
            let pictures = [tricky, b"\xff\xd8b\xff\xd9", b"\xff\xd8c\xff\xd9"];
            let (mut parts, mut found) = (Parts::default(), Vec::new());
            for chunk in stream(&pictures, lengths).chunks(size) {
                parts.push(chunk);
                while let Some(picture) = parts.next().unwrap() {
                    found.push(picture);
                }
            }
            prop_assert_eq!(found, pictures);
        }

        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..2000), headed: bool) {
            let mut parts = Parts::default();
            if headed {
                parts.push(HEADER.as_bytes());
            }
            parts.push(&bytes);
            while let Ok(Some(_)) = parts.next() {}
        }
    }

    #[test]
    fn a_length_that_cannot_be_is_an_error() {
        for length in ["99999999999", "-1", "x"] {
            let mut parts = Parts::default();
            parts.push(format!("{HEADER}--BoundaryString\r\nContent-Length: {length}\r\n\r\n").as_bytes());
            assert!(parts.next().is_err());
        }
        for head in
            ["HTTP/1.1 404 Not Found\r\n\r\n", "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n", "hello\r\n\r\n"]
        {
            let mut parts = Parts::default();
            parts.push(head.as_bytes());
            assert!(parts.next().is_err(), "{head}");
        }
        let mut parts = Parts::default();
        parts.push(&vec![b'a'; HEAD + 1]);
        assert!(parts.next().is_err());
    }
}
