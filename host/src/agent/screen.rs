//! A look at the screen in text form, as a model is shown it.
//!
//! It knows how the text form of a tree is written: one element a line, its ref first, then its words. It does not know trees.

use super::{halt::Halt, hands::Hands, mind::one_line};
use crate::capability::Error;
use serde_json::{Value, json};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The most tokens of a screen that a model is shown.
const MOST_TOKENS: u64 = 2_500;
/// Notes that say that the text is not all of the screen.
const PARTIAL: [&str; 4] = ["tree_sparse", "tree_cut", "tree_damaged", "tree_stale"];

/// What was seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Screen {
    /// The text form, with its boundary.
    pub(super) text: String,
    /// The app in front, as far as it is known.
    pub(super) app: Option<String>,
    /// The frame's name.
    pub(super) frame: String,
    /// An alert that is in front and stands in no tree, as it is shown to the model.
    pub(super) alert: Option<String>,
    /// Whether the text does not tell all that a person sees.
    pub(super) partial: bool,
    /// What is to be known about the look.
    pub(super) notes: Vec<String>,
}

impl Screen {
    /// Looks at the screen now.
    pub(super) async fn look(hands: &Hands) -> Result<Result<Screen, Error>, Halt> {
        let seen = match hands.look("get_ui_tree", json!({ "max_tokens": MOST_TOKENS })).await? {
            Ok(seen) => seen,
            // What has no tree may still be read off its picture.
            Err(_) => match hands.look("describe_screen", json!({ "max_tokens": 800 })).await? {
                Ok(seen) => seen,
                Err(error) => return Ok(Err(error)),
            },
        };
        let body = seen.body;
        let text = |name: &str| body.get(name).and_then(Value::as_str).map(str::to_owned);
        let notes = body.get("notes").and_then(Value::as_array).cloned().unwrap_or_default();
        let told = |name: &'static str| notes.iter().filter_map(move |note| note[name].as_str().map(str::to_owned));
        let mut screen = Screen {
            partial: body.contains_key("description") || told("code").any(|code| PARTIAL.contains(&code.as_str())),
            text: text("text").or_else(|| text("description")).unwrap_or_default(),
            app: body.get("app").and_then(|app| app["name"].as_str().or(app["id"].as_str())).map(str::to_owned),
            frame: text("frame").unwrap_or_default(),
            notes: told("text").collect(),
            alert: None,
        };
        if told("code").any(|code| code == "alert_up") && !screen.is_asking() {
            screen.add_alert(hands).await?;
        }
        Ok(Ok(screen))
    }

    /// Reads the alert that the system shows over the app.
    async fn add_alert(&mut self, hands: &Hands) -> Result<(), Halt> {
        let Ok(described) = hands.look("describe_screen", json!({ "max_tokens": 50 })).await? else { return Ok(()) };
        let Some(alert) = described.body.get("alert") else { return Ok(()) };
        let line = one_line(&format!("alert {} with the buttons {}", alert["text"], alert["buttons"]));
        match self.text.rfind("</screen>") {
            Some(end) => self.text.insert_str(end, &format!("{line}\n")),
            None => self.text.push_str(&format!("\n{line}")),
        }
        self.alert = Some(line);
        Ok(())
    }

    /// The lines of elements: ref and the rest.
    fn lines(&self) -> impl Iterator<Item = (&str, &str)> {
        let parts = |line: &str| line.trim_start().split_once(' ').is_some_and(|(name, _)| is_ref(name));
        self.text.lines().filter(move |line| parts(line)).filter_map(|line| line.trim_start().split_once(' '))
    }

    /// What tells this screen from others: a mark of its texts, without refs and frames.
    pub(super) fn signature(&self) -> String {
        let texts = self.lines().map(|(_, rest)| rest).collect::<Vec<_>>().join("\n");
        let texts = if texts.is_empty() { self.text.replace(&self.frame, "") } else { texts };
        mark(&format!("{texts}{}", self.alert.as_deref().unwrap_or_default()))
    }

    /// The words of the element with this ref, by which it can be named later; which of several alike is said too.
    pub(super) fn words(&self, name: &str) -> Option<String> {
        let (_, rest) = self.lines().find(|(other, _)| *other == name)?;
        let words = head(rest)?;
        let alike: Vec<&str> =
            self.lines().filter(|(_, rest)| head(rest) == Some(words)).map(|(name, _)| name).collect();
        match alike.as_slice() {
            [_] => Some(words.to_owned()),
            several => Some(format!("{words} [{}]", several.iter().position(|other| *other == name)? + 1)),
        }
    }

    /// What the screen is called: the words of what is in front, or else of its first line.
    pub(super) fn title(&self) -> String {
        let line = self.lines().find(is_in_front).or_else(|| self.lines().next());
        let line = self.alert.as_deref().or(line.map(|(_, rest)| rest));
        line.map(|line| line.chars().take(120).collect()).unwrap_or_default()
    }

    /// Whether an alert or a sheet is in front: what its buttons do stands beside them.
    pub(super) fn is_asking(&self) -> bool {
        self.alert.is_some() || self.lines().any(|line| is_in_front(&line))
    }

    /// Whether a ref stands anywhere in the text.
    pub(super) fn shows(&self, name: &str) -> bool {
        self.text.split(|sign: char| !sign.is_ascii_alphanumeric()).any(|word| word == name)
    }

    /// Everything that the line of an element says.
    pub(super) fn line(&self, name: &str) -> Option<&str> {
        self.lines().find(|(other, _)| *other == name).map(|(_, rest)| rest)
    }
}

fn is_in_front((_, rest): &(&str, &str)) -> bool {
    ["alert", "sheet"].iter().any(|role| rest.split(' ').next() == Some(role))
}

/// A mark by which the same text is known again, and which shows nothing of it.
pub(super) fn mark(text: &str) -> String {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Whether a name is a ref.
pub(super) fn is_ref(name: &str) -> bool {
    name.strip_prefix('e')
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()))
}

/// The words at the beginning of a line: a role, and a text in quotes or an identifier; none where nothing names the element.
pub(super) fn head(rest: &str) -> Option<&str> {
    let bytes = rest.as_bytes();
    let start = rest.find(['"', '#'])?;
    // Between the role and what names the element stands one blank, and nothing else does.
    if rest[..start].trim_end().contains(' ') || rest[..start].contains('=') {
        return None;
    }
    if bytes.get(start) == Some(&b'#') && bytes.get(start + 1) != Some(&b'"') {
        let end = rest[start..].find(' ').map_or(rest.len(), |end| start + end);
        return Some(&rest[..end]);
    }
    let open = start + usize::from(bytes.get(start) == Some(&b'#'));
    let mut escaped = false;
    for (at, sign) in rest[open + 1..].char_indices() {
        match sign {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(&rest[..open + 1 + at + 1]),
            _ => {}
        }
    }
    None
}

/// The text in quotes of an element's words, without its escapes.
pub(super) fn label(words: &str) -> Option<String> {
    let (start, end) = (words.find('"')?, words.rfind('"')?);
    let inner = words.get(start + 1..end)?;
    (!words[..start].ends_with('#')).then(|| inner.replace("\\\"", "\"").replace("\\\\", "\\"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screen(lines: &str) -> Screen {
        Screen {
            text: format!("<screen frame=\"f1\">\n{lines}\n</screen>"),
            frame: "f1".to_owned(),
            ..Screen::default()
        }
    }

    #[test]
    fn elements_are_named_by_their_words() {
        let screen = screen(
            "e1 nav_bar \"Notes\"\n e2 button \"New note\"\ne3 cell \"A \\\"b\\\"\" = \"x\"\ne4 text_field #email placeholder \"E-mail\"\n\
             e5 \"Only text\"\ne6 button \"Delete\" \"Row 1\"\ne7 button \"Delete\"\ne8 switch off\ne9 cell = \"v\"\ne10 button #\"two words\" off",
        );
        let words = |name| screen.words(name);
        assert_eq!(words("e2").as_deref(), Some("button \"New note\""));
        assert_eq!(words("e3").as_deref(), Some("cell \"A \\\"b\\\"\""));
        assert_eq!(label(&words("e3").unwrap()).as_deref(), Some("A \"b\""));
        assert_eq!(words("e4").as_deref(), Some("text_field #email"));
        assert_eq!(words("e5").as_deref(), Some("\"Only text\""));
        assert_eq!(words("e6").as_deref(), Some("button \"Delete\" [1]"));
        assert_eq!(words("e7").as_deref(), Some("button \"Delete\" [2]"));
        assert_eq!((words("e8"), words("e9"), words("e11")), (None, None, None));
        assert_eq!(words("e10").as_deref(), Some("button #\"two words\""));
        assert_eq!(label("button #\"two words\""), None);
    }

    #[test]
    fn a_screen_is_known_again_by_its_texts() {
        let one = screen("e1 button \"A\"\ne2 button \"B\"");
        let mut same = screen("e7 button \"A\"\n e9 button \"B\"");
        same.frame = "f2".to_owned();
        assert_eq!(one.signature(), same.signature());
        assert_ne!(one.signature(), screen("e1 button \"A\" disabled\ne2 button \"B\"").signature());
    }
}
