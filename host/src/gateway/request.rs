//! Reads what a caller sends on the REST door: path, query and body make one argument object.
//!
//! It knows HTTP and the input schema; it does not know what the arguments mean.

use super::problem::Problem;
use crate::capability::{Capability, Error, Method, arguments};
use axum::{
    RequestExt,
    body::{Body, Bytes},
    extract::{RawPathParams, Request},
    http::{HeaderMap, StatusCode, header, request::Parts},
};
use futures_util::StreamExt;
use percent_encoding::percent_decode_str;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};
use std::{fmt, time::Duration};

/// The largest body that is read.
pub const MOST_BYTES: usize = 4 << 20;

/// How much of a body that is too large is read and thrown away, so that the caller sees the answer and not a broken
/// connection, and for how long.
const DRAIN_BYTES: usize = 64 << 20;
const DRAIN_TIME: Duration = Duration::from_secs(5);

/// Reads the arguments of a call.
///
/// # Errors
/// What is wrong with the request.
pub async fn read(capability: &Capability, mut request: Request) -> Result<Map<String, Value>, Problem> {
    let path = request.extract_parts::<RawPathParams>().await.map_err(|_| not_utf8("path"))?;
    let (parts, body) = request.into_parts();
    let mut gathered = Gathered { schema: &capability.input, arguments: Map::new() };
    for (name, text) in &path {
        gathered.add_text(name, text)?;
    }
    for (name, text) in query(parts.uri.query().unwrap_or_default())? {
        gathered.add_text(&name, &text)?;
    }
    match capability.route.method {
        Method::Get => refuse_body(&parts.headers)?,
        Method::Post => {
            let bytes = json_body(&parts, body).await?;
            for (name, value) in parse(&bytes)? {
                gathered.add(name, value)?;
            }
        }
    }
    Ok(gathered.arguments)
}

/// Arguments that come together from several places and may not contradict each other.
struct Gathered<'a> {
    schema: &'a Map<String, Value>,
    arguments: Map<String, Value>,
}

impl Gathered<'_> {
    fn add_text(&mut self, name: &str, text: &str) -> Result<(), Problem> {
        let value = arguments::from_text(self.schema, name, text)?;
        self.add(name.to_owned(), value)
    }

    fn add(&mut self, name: String, value: Value) -> Result<(), Problem> {
        let same = |known: &Value| *known == value || (value.is_number() && known.as_f64() == value.as_f64());
        if self.arguments.get(&name).is_some_and(|known| !same(known)) {
            return Err(Problem::new(Error::invalid(
                format!("`{name}` is given twice with different values"),
                format!("Give `{name}` once: in the path, the query or the body."),
            )));
        }
        self.arguments.entry(name).or_insert(value);
        Ok(())
    }
}

fn not_utf8(place: &str) -> Problem {
    Problem::new(Error::invalid(format!("the {place} is not valid UTF-8"), "Percent-encode it as UTF-8."))
}

fn query(query: &str) -> Result<Vec<(String, String)>, Problem> {
    let decode = |text: &str| {
        let spaced = text.replace('+', " ");
        percent_decode_str(&spaced).decode_utf8().map(|text| text.into_owned()).map_err(|_| not_utf8("query"))
    };
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((decode(name)?, decode(value)?))
        })
        .collect()
}

/// Refuses a body on a read: it would be ignored, and a caller must learn of that.
pub fn refuse_body(headers: &HeaderMap) -> Result<(), Problem> {
    let length = headers.get(header::CONTENT_LENGTH).is_some_and(|length| length != "0");
    if length || headers.contains_key(header::TRANSFER_ENCODING) {
        return Err(Problem::new(Error::invalid("a GET takes no body", "Put the arguments into the query.")));
    }
    Ok(())
}

/// Reads a JSON body. The media type is asked for always: no web page can send it here without being asked first.
///
/// # Errors
/// Another media type, a body that is too large or that broke off.
pub async fn json_body(parts: &Parts, body: Body) -> Result<Bytes, Problem> {
    if !is_json(&parts.headers) {
        let error = Error::invalid(
            "the body must be JSON, and say so",
            "Send the header `Content-Type: application/json`, with `{}` as the body if there is nothing to say.",
        );
        return Err(Problem::new(error).with_status(StatusCode::UNSUPPORTED_MEDIA_TYPE));
    }
    let expects = parts.headers.contains_key(header::EXPECT);
    limited(&parts.headers, body, expects).await
}

fn is_json(headers: &HeaderMap) -> bool {
    let mut given = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(Ok(kind)), None) = (given.next().map(|kind| kind.to_str()), given.next()) else { return false };
    let essence = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"))
}

async fn limited(headers: &HeaderMap, body: Body, expects: bool) -> Result<Bytes, Problem> {
    let declared = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    let too_large = || {
        let error = Error::invalid(
            format!("the body is larger than {} MiB", MOST_BYTES >> 20),
            "Send less; a picture may be scaled down first.",
        );
        Problem::new(error).with_status(StatusCode::PAYLOAD_TOO_LARGE)
    };
    // A caller that asks first, or that announces far too much, need not send it at all.
    if declared.is_some_and(|length| length > DRAIN_BYTES || (expects && length > MOST_BYTES)) {
        return Err(too_large());
    }
    let broken = |_| Problem::new(Error::invalid("the body broke off", "Send the request again."));
    let mut stream = body.into_data_stream();
    let Some(first) = stream.next().await else { return Ok(Bytes::new()) };
    let first = first.map_err(broken)?;
    if declared == Some(first.len()) && first.len() <= MOST_BYTES {
        return Ok(first); // the usual case: one piece, no copy
    }
    let mut all = first.to_vec();
    while all.len() <= MOST_BYTES {
        match stream.next().await {
            None => return Ok(all.into()),
            Some(piece) => all.extend_from_slice(&piece.map_err(broken)?),
        }
    }
    let mut seen = all.len();
    drop(all);
    let drain = async {
        while let Some(Ok(piece)) = stream.next().await {
            seen += piece.len();
            if seen > DRAIN_BYTES {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(DRAIN_TIME, drain).await;
    Err(too_large())
}

/// The argument object in a body.
///
/// # Errors
/// The body is not a JSON object, or names a field twice with different values.
pub fn object(bytes: &[u8]) -> Result<Map<String, Value>, Problem> {
    let mut gathered = Gathered { schema: &Map::new(), arguments: Map::new() };
    parse(bytes)?.into_iter().try_for_each(|(name, value)| gathered.add(name, value))?;
    Ok(gathered.arguments)
}

/// The fields of a JSON object, with repeated names kept so that they can be refused.
fn parse(bytes: &[u8]) -> Result<Vec<(String, Value)>, Problem> {
    struct Fields;
    impl<'de> Visitor<'de> for Fields {
        type Value = Vec<(String, Value)>;

        fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut fields = Vec::with_capacity(map.size_hint().unwrap_or(8));
            while let Some(field) = map.next_entry()? {
                fields.push(field);
            }
            Ok(fields)
        }
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(Vec::new());
    }
    let unreadable =
        |message: String| Problem::new(Error::invalid(message, "Send one JSON object with the arguments."));
    if std::str::from_utf8(bytes).is_err() {
        return Err(unreadable("the body is not valid UTF-8".into()));
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let fields = reader.deserialize_map(Fields).and_then(|fields| reader.end().map(|()| fields));
    fields.map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        unreadable(match error.classify() {
            serde_json::error::Category::Eof => "the body ends in the middle of a JSON value".to_owned(),
            serde_json::error::Category::Data => "the body must be one JSON object".to_owned(),
            _ if error.to_string().starts_with("number out of range") => {
                format!("the body has a number that is not finite at {place}")
            }
            _ => format!("the body is not valid JSON at {place}"),
        })
    })
}
