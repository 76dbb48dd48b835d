//! `[perception]`: what the operator adds to the reading of pictures.
//!
//! Knows the section's keys, and that the files they name are there and not absurdly large. Does not know what is in them:
//! most commands read no picture, and a model is tens of megabytes.

use super::{ConfigError, VisionModel, folders, read::Field, read::Section};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// What the section's table may hold.
const PERCEPTION: [&str; 2] = ["recogniser", "vision"];
/// What one recogniser's table may hold.
pub(super) const RECOGNISER: [&str; 2] = ["model", "dictionary"];
/// The largest model, in MiB: those that read a line on a processor in good time have a tenth of it.
const LARGEST_MODEL: u64 = 256;
/// The largest dictionary, in MiB: all of Unicode, a character a line, has less.
const LARGEST_DICTIONARY: u64 = 8;

/// `[perception]`: what pictures are read with, besides what comes with the program.
#[derive(Clone, Debug, Default)]
pub struct Perception {
    /// Text recognisers for further scripts, in the order of the file.
    pub recognisers: Vec<Recogniser>,
    /// A model that says a sentence about screens.
    pub vision: Option<VisionModel>,
}

/// One `[[perception.recogniser]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Recogniser {
    /// The network. Absolute.
    pub model: PathBuf,
    /// Its characters. Absolute.
    pub dictionary: PathBuf,
    /// The lines of the two keys.
    lines: (usize, usize),
    file: PathBuf,
}

impl Perception {
    pub(super) fn read(
        root: Section<'_>,
        file: &Path,
        base: &Path,
        env: folders::Env<'_>,
    ) -> Result<Self, ConfigError> {
        let Some(section) = root.section("perception", "[perception]", "written [perception] and only once")? else {
            return Ok(Perception::default());
        };
        section.allow(&PERCEPTION, super::home_of)?;
        let advice = "each begun by [[perception.recogniser]] in two brackets";
        let tables = section.sections("recogniser", "[[perception.recogniser]]", advice)?;
        let recogniser = |table: Section<'_>| {
            table.allow(&RECOGNISER, super::home_of)?;
            if !cfg!(feature = "ocr") {
                return Err(table.error(
                    "needs text recognition, which this build is without; build with the feature `ocr`, or leave it out",
                ));
            }
            let (model, dictionary) =
                (needed(&table, "model", "arabic.onnx")?, needed(&table, "dictionary", "arabic.txt")?);
            let written = model.text("arabic.onnx")?;
            if ![".onnx", ".rten"].iter().any(|end| written.to_ascii_lowercase().ends_with(end)) {
                return Err(model.error(format_args!("is {written:?}; a model is a file that ends in .onnx or .rten")));
            }
            Ok(Recogniser {
                model: folders::resolve(written, base, env),
                dictionary: folders::resolve(dictionary.text("arabic.txt")?, base, env),
                lines: (model.line(), dictionary.line()),
                file: file.to_path_buf(),
            })
        };
        Ok(Perception {
            recognisers: tables.into_iter().map(recogniser).collect::<Result<_, _>>()?,
            vision: VisionModel::read(section, env)?,
        })
    }

    /// Looks that the files are there.
    ///
    /// # Errors
    /// The first that is not, or cannot be what it is named as.
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        for recogniser in &self.recognisers {
            let Recogniser { model, dictionary, lines, file } = recogniser;
            for (key, path, line, most) in
                [("model", model, lines.0, LARGEST_MODEL), ("dictionary", dictionary, lines.1, LARGEST_DICTIONARY)]
            {
                size(path, most).map_err(|wrong| {
                    let message = format!("`{key}` in [[perception.recogniser]] names {}, {wrong}", path.display());
                    ConfigError::new(Some(file), Some(line), message)
                })?;
            }
        }
        Ok(())
    }
}

impl Recogniser {
    /// The model's bytes and the dictionary's text.
    ///
    /// # Errors
    /// A sentence about the file that cannot be read.
    pub fn files(&self) -> Result<(Vec<u8>, String), String> {
        let within = |path: &Path, most| size(path, most).map_err(|wrong| format!("{}, {wrong}", path.display()));
        within(&self.model, LARGEST_MODEL)?;
        within(&self.dictionary, LARGEST_DICTIONARY)?;
        let unreadable = |path: &Path, error: &io::Error| format!("{} cannot be read ({error})", path.display());
        let model = fs::read(&self.model).map_err(|error| unreadable(&self.model, &error))?;
        let dictionary = fs::read(&self.dictionary).map_err(|error| unreadable(&self.dictionary, &error))?;
        let dictionary = String::from_utf8(dictionary)
            .map_err(|_| format!("{} is not UTF-8; save it as that", self.dictionary.display()))?;
        Ok((model, dictionary))
    }
}

fn needed<'a>(table: &Section<'a>, key: &'static str, example: &str) -> Result<Field<'a>, ConfigError> {
    let missing = || table.error(format!("has no `{key}`; give its file, such as {key} = \"{example}\""));
    table.get(key).ok_or_else(missing)
}

/// What is wrong with a file of at most so many MiB, as the rest of a sentence about it.
fn size(path: &Path, most: u64) -> Result<(), String> {
    let found = fs::metadata(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => "which is not there; correct the path".to_owned(),
        _ => format!("which cannot be looked at ({error})"),
    })?;
    match found.len() {
        _ if !found.is_file() => Err("which is not a file; name the file itself".to_owned()),
        0 => Err("which is empty; put the file there once more".to_owned()),
        bytes if bytes > most << 20 => Err(format!("which has more than {most} MiB; name another file")),
        _ => Ok(()),
    }
}
