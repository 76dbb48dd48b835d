//! What a caller of the REST door wants to get for a picture: JSON around it, or the picture itself.
//!
//! It knows the Accept header and the two kinds of picture; nothing else.

use axum::http::{HeaderMap, header};

/// What the Accept header names, with its weights.
#[derive(Debug, Default, PartialEq)]
pub struct Accept {
    json: f32,
    jpeg: f32,
    png: f32,
    any_image: f32,
}

/// How a picture is to travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Inside JSON.
    Json,
    /// As the body, of any kind.
    Image,
    /// As the body, and only this format can be read.
    Only(&'static str),
}

impl Wanted {
    /// The one format that can be read, if it is one.
    pub fn only_format(self) -> Option<&'static str> {
        match self {
            Wanted::Only(format) => Some(format),
            Wanted::Json | Wanted::Image => None,
        }
    }
}

impl Accept {
    /// Reads the header.
    pub fn of(headers: &HeaderMap) -> Self {
        let mut accept = Accept::default();
        let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
        for entry in values.flat_map(|value| value.split(',')) {
            let mut parts = entry.split(';').map(str::trim);
            let kind = parts.next().unwrap_or_default().to_ascii_lowercase();
            let weight = parts
                .find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")))
                .map_or(1.0, |weight| weight.parse().unwrap_or(1.0));
            match kind.as_str() {
                "application/json" => accept.json = weight,
                "image/jpeg" | "image/jpg" => accept.jpeg = weight,
                "image/png" => accept.png = weight,
                "image/*" => accept.any_image = weight,
                _ => {}
            }
        }
        accept
    }

    /// A picture is sent as itself where the header names one, unless JSON is liked better.
    pub fn wanted(&self) -> Wanted {
        let best = self.jpeg.max(self.png).max(self.any_image);
        if best <= 0.0 || self.json > best {
            return Wanted::Json;
        }
        match (self.jpeg > 0.0, self.png > 0.0, self.any_image > 0.0) {
            (true, false, false) => Wanted::Only("jpeg"),
            (false, true, false) => Wanted::Only("png"),
            _ => Wanted::Image,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wanted() {
        let wanted = |accept: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, accept.parse().unwrap());
            Accept::of(&headers).wanted()
        };
        assert_eq!(Accept::of(&HeaderMap::new()).wanted(), Wanted::Json);
        for json in [
            "*/*",
            "application/json",
            "text/html,*/*;q=0.8",
            "image/webp",
            "image/png;q=0",
            "application/json, image/png;q=0.5",
        ] {
            assert_eq!(wanted(json), Wanted::Json, "{json}");
        }
        assert_eq!(wanted("image/png"), Wanted::Only("png"));
        assert_eq!(wanted("image/jpeg, */*;q=0.1"), Wanted::Only("jpeg"));
        for any in ["image/*", "image/png, image/jpeg", "image/avif,image/webp,image/apng,image/*,*/*;q=0.8"] {
            assert_eq!(wanted(any), Wanted::Image, "{any}");
        }
    }
}
