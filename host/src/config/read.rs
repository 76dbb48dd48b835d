//! Walks a parsed TOML file and says precisely what is wrong with it.
//!
//! Knows lines, keys and types; every refusal is one sentence that says what would be allowed. Does not know which keys
//! there are or what they mean.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeFloat, DeInteger, DeTable, DeValue};

/// What is wrong with the configuration: one sentence with the file, the line and the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The file, or none where the environment is at fault.
    pub file: Option<PathBuf>,
    /// Counted from 1; none where the whole file is at fault.
    pub line: Option<usize>,
    /// The sentence without its place.
    pub message: String,
}

impl ConfigError {
    pub(super) fn new(file: Option<&Path>, line: Option<usize>, message: impl Into<String>) -> Self {
        ConfigError { file: file.map(Path::to_path_buf), line, message: message.into() }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, "{}:{line}: ", file.display())?,
            (Some(file), None) => write!(f, "{}: ", file.display())?,
            (None, _) => {}
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for ConfigError {}

/// The file and its text, to turn places in the text into lines.
pub(super) struct Document<'a> {
    pub(super) file: &'a Path,
    pub(super) text: &'a str,
}

impl Document<'_> {
    fn line(&self, offset: usize) -> usize {
        1 + self.text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
    }

    fn error(&self, place: Range<usize>, message: impl Into<String>) -> ConfigError {
        ConfigError::new(Some(self.file), Some(self.line(place.start)), message)
    }

    /// Parses the text; what TOML itself does not allow is told in the parser's words.
    pub(super) fn parse(&self) -> Result<Spanned<DeTable<'_>>, ConfigError> {
        DeTable::parse(self.text).map_err(|error| {
            let line = error.span().map(|place| self.line(place.start));
            let message = format!("this is not valid TOML: {}", error.message().replace('\n', ", "));
            ConfigError::new(Some(self.file), line, message)
        })
    }
}

/// One table of the file. `name` is how the operator writes its header.
#[derive(Clone, Copy)]
pub(super) struct Section<'a> {
    document: &'a Document<'a>,
    name: &'static str,
    place: usize,
    table: &'a DeTable<'a>,
}

/// One value of the file, with the words to speak of it.
#[derive(Clone)]
pub(super) struct Field<'a> {
    document: &'a Document<'a>,
    /// Such as `` `listen` in [server] ``.
    name: String,
    place: Range<usize>,
    value: &'a DeValue<'a>,
}

impl<'a> Section<'a> {
    /// The whole file.
    pub(super) fn root(document: &'a Document<'a>, table: &'a Spanned<DeTable<'a>>) -> Self {
        Section { document, name: "", place: 0, table: table.get_ref() }
    }

    /// The line of its header.
    pub(super) fn line(&self) -> usize {
        self.document.line(self.place)
    }

    /// An error about the section as a whole.
    pub(super) fn error(&self, message: impl Into<String>) -> ConfigError {
        self.document.error(self.place..self.place, format!("{} {}", self.name, message.into()))
    }

    /// Keys with their places, in the order of the file.
    pub(super) fn keys(&self) -> Vec<(&'a str, Range<usize>)> {
        let mut keys: Vec<_> = self.table.keys().map(|key| (key.get_ref().as_ref(), key.span())).collect();
        keys.sort_by_key(|(_, place)| place.start);
        keys
    }

    /// Refuses the first key that is not allowed. `elsewhere` may know where such a key belongs.
    pub(super) fn allow(
        &self,
        allowed: &[&str],
        elsewhere: impl Fn(&str) -> Option<&'static str>,
    ) -> Result<(), ConfigError> {
        let Some((key, place)) = self.keys().into_iter().find(|(key, _)| !allowed.contains(key)) else { return Ok(()) };
        let help = match (closest(key, allowed), elsewhere(key)) {
            (Some(meant), _) => format!(", did you mean `{meant}`?"),
            (None, Some(section)) => format!(", it belongs in {section}"),
            (None, None) => String::new(),
        };
        let (key, allowed) = (key.escape_debug(), list(allowed));
        Err(self.document.error(place, format!("`{key}` is not a key of {}{help} (allowed: {allowed})", self.name)))
    }

    /// The same for the top level, where the allowed keys are the headers of sections.
    pub(super) fn allow_headers(
        &self,
        allowed: &[&str],
        elsewhere: impl Fn(&str) -> Option<&'static str>,
    ) -> Result<(), ConfigError> {
        let names: Vec<&str> = allowed.iter().map(|header| header.trim_matches(['[', ']'])).collect();
        let Some((key, place)) = self.keys().into_iter().find(|(key, _)| !names.contains(key)) else { return Ok(()) };
        let meant = closest(key, &names).and_then(|meant| names.iter().position(|name| *name == meant));
        let help = match (meant, elsewhere(key)) {
            (Some(index), _) => format!(", did you mean {}?", allowed[index]),
            (None, Some(section)) => format!(", as a key it belongs in {section}"),
            (None, None) => String::new(),
        };
        let (key, allowed) = (key.escape_debug(), allowed.join(", "));
        Err(self.document.error(place, format!("`{key}` is not a section{help} (allowed: {allowed})")))
    }

    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<Field<'a>> {
        let (found, value) = self.table.get_key_value(key)?;
        let name = if self.name.is_empty() { format!("`{key}`") } else { format!("`{key}` in {}", self.name) };
        // The value's line where it has one of its own: an array may go on for many lines.
        let place = if value.span().is_empty() { found.span() } else { value.span() };
        Some(Field { document: self.document, name, place, value: value.get_ref() })
    }

    /// The text of a key; an empty one is refused, since it is never meant.
    pub(super) fn text(&self, key: &str, example: &str) -> Result<Option<&'a str>, ConfigError> {
        self.get(key).map(|field| field.text(example)).transpose()
    }

    /// The table under a key, called `header` by the operator. `advice` says how it is written.
    pub(super) fn section(
        &self,
        key: &str,
        header: &'static str,
        advice: &str,
    ) -> Result<Option<Section<'a>>, ConfigError> {
        let Some((found, value)) = self.table.get_key_value(key) else { return Ok(None) };
        let place = found.span();
        match value.get_ref() {
            DeValue::Table(table) => {
                Ok(Some(Section { document: self.document, name: header, place: place.start, table }))
            }
            _ => Err(self.document.error(place, format!("`{key}` must be a table, {advice}"))),
        }
    }

    /// The list of tables under a key; none if the key is missing.
    pub(super) fn sections(
        &self,
        key: &str,
        header: &'static str,
        advice: &str,
    ) -> Result<Vec<Section<'a>>, ConfigError> {
        let Some((found, value)) = self.table.get_key_value(key) else { return Ok(Vec::new()) };
        let wrong = |place| self.document.error(place, format!("`{key}` must be a list of tables, {advice}"));
        let DeValue::Array(array) = value.get_ref() else { return Err(wrong(found.span())) };
        let tables = array.iter().map(|element| match element.get_ref() {
            DeValue::Table(table) => {
                Ok(Section { document: self.document, name: header, place: element.span().start, table })
            }
            _ => Err(wrong(element.span())),
        });
        tables.collect()
    }

    /// The table under a key as JSON, for those who know its keys.
    pub(super) fn json(
        &self,
        key: &str,
        header: &'static str,
    ) -> Result<serde_json::Map<String, serde_json::Value>, ConfigError> {
        let section = self.section(key, header, &format!("written {header}"))?;
        section.map(|section| section.to_json()).transpose().map(Option::unwrap_or_default)
    }

    fn to_json(self) -> Result<serde_json::Map<String, serde_json::Value>, ConfigError> {
        let fields = self.keys().into_iter().filter_map(|(key, _)| Some((key, self.get(key)?)));
        fields.map(|(key, field)| Ok((key.to_owned(), field.json()?))).collect()
    }
}

impl<'a> Field<'a> {
    /// The line it stands on.
    pub(super) fn line(&self) -> usize {
        self.document.line(self.place.start)
    }

    /// An error about this value: its name, then `message`.
    pub(super) fn error(&self, message: impl fmt::Display) -> ConfigError {
        self.document.error(self.place.clone(), format!("{} {message}", self.name))
    }

    fn wrong_type(&self, wanted: &str) -> ConfigError {
        self.error(format_args!("must be {wanted}, not {}", kind(self.value)))
    }

    /// Its text, not empty.
    pub(super) fn text(&self, example: &str) -> Result<&'a str, ConfigError> {
        match self.value {
            DeValue::String(text) if text.trim().is_empty() => {
                Err(self.error(format_args!("is empty; write something such as \"{example}\", or leave it out")))
            }
            DeValue::String(text) => Ok(text),
            _ => Err(self.wrong_type(&format!("a string such as \"{example}\""))),
        }
    }

    /// `true` or `false`.
    pub(super) fn flag(&self) -> Result<bool, ConfigError> {
        self.value.as_bool().ok_or_else(|| self.wrong_type("true or false"))
    }

    /// A whole number within bounds.
    pub(super) fn number(&self, within: std::ops::RangeInclusive<i64>) -> Result<i64, ConfigError> {
        let wanted = || format!("a whole number from {} to {}", within.start(), within.end());
        let DeValue::Integer(number) = self.value else { return Err(self.wrong_type(&wanted())) };
        let number = integer(number).filter(|number| within.contains(number));
        number.ok_or_else(|| self.error(format_args!("must be {}", wanted())))
    }

    /// A number within bounds, whole or not.
    pub(super) fn amount(&self, within: std::ops::RangeInclusive<f64>) -> Result<f64, ConfigError> {
        let wanted = || format!("a number from {} to {}", within.start(), within.end());
        let number = match self.value {
            DeValue::Integer(number) => integer(number).map(|number| number as f64),
            DeValue::Float(number) => float(number),
            _ => return Err(self.wrong_type(&wanted())),
        };
        number.filter(|number| within.contains(number)).ok_or_else(|| self.error(format_args!("must be {}", wanted())))
    }

    /// One of these words.
    pub(super) fn one_of(&self, allowed: &[&'static str]) -> Result<&'static str, ConfigError> {
        let text = self.text(allowed[0])?;
        allowed.iter().copied().find(|word| *word == text).ok_or_else(|| {
            let help = closest(text, allowed).map_or_else(String::new, |meant| format!(", did you mean \"{meant}\"?"));
            self.error(format_args!("is {text:?}{help} (allowed: {})", list(allowed)))
        })
    }

    /// Its elements.
    pub(super) fn elements(&self, example: &str) -> Result<Vec<Field<'a>>, ConfigError> {
        let DeValue::Array(array) = self.value else {
            return Err(self.wrong_type(&format!("a list such as {example}")));
        };
        let field = |element: &'a Spanned<DeValue<'a>>| Field {
            document: self.document,
            name: format!("an element of {}", self.name),
            place: element.span(),
            value: element.get_ref(),
        };
        Ok(array.iter().map(field).collect())
    }

    fn json(&self) -> Result<serde_json::Value, ConfigError> {
        Ok(match self.value {
            DeValue::String(text) => text.as_ref().into(),
            DeValue::Boolean(flag) => (*flag).into(),
            DeValue::Datetime(time) => time.to_string().into(),
            DeValue::Integer(number) => match integer(number) {
                Some(number) => number.into(),
                None => return Err(self.error("is outside the range of 64-bit integers")),
            },
            DeValue::Float(number) => match float(number) {
                Some(number) => number.into(),
                None => return Err(self.error("must be a finite number")),
            },
            DeValue::Array(_) => {
                serde_json::Value::Array(self.elements("")?.iter().map(Field::json).collect::<Result<_, _>>()?)
            }
            DeValue::Table(table) => {
                let name = "a table of options";
                let section = Section { document: self.document, name, place: self.place.start, table };
                serde_json::Value::Object(section.to_json()?)
            }
        })
    }
}

// What the parser hands out is without the underscores and with the radix apart.
fn integer(number: &DeInteger<'_>) -> Option<i64> {
    i64::from_str_radix(number.as_str(), number.radix()).ok()
}

fn float(number: &DeFloat<'_>) -> Option<f64> {
    number.as_str().parse().ok().filter(|number: &f64| number.is_finite())
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date or time",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

fn list(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The candidate that was most likely meant: a few letters away, or the same word longer or shorter.
pub(super) fn closest<'c>(written: &str, candidates: &[&'c str]) -> Option<&'c str> {
    let written = written.to_lowercase();
    let near = candidates.iter().map(|candidate| (strsim::osa_distance(&written, candidate), *candidate));
    let nearest = near.min_by_key(|(distance, _)| *distance)?;
    if nearest.0 <= written.chars().count().max(3) / 3 {
        return Some(nearest.1);
    }
    let extends = |candidate: &&&str| {
        written.len() >= 3 && (candidate.starts_with(written.as_str()) || written.starts_with(**candidate))
    };
    candidates.iter().find(extends).copied()
}
