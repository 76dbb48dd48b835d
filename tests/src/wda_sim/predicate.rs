//! The part of NSPredicate that clients send in searches: comparisons of an element's attributes, joined by AND, OR and NOT.
//! It reads and judges; which elements are asked is the caller's.

use super::source::{Element, PREFIX};
use regex_lite::Regex;

/// A condition on one element.
#[derive(Clone, Debug)]
pub(crate) enum Predicate {
    Always(bool),
    Not(Box<Predicate>),
    All(Vec<Predicate>),
    Any(Vec<Predicate>),
    Compare { left: Term, test: Test, right: Term, fold: bool },
}

#[derive(Clone, Debug)]
pub(crate) enum Term {
    Attribute(String),
    Text(String),
    Number(f64),
    Flag(bool),
    Nil,
    List(Vec<Term>),
    Pattern(Regex),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    Equal,
    Unequal,
    Less,
    Greater,
    AtMost,
    AtLeast,
    BeginsWith,
    EndsWith,
    Contains,
    Like,
    Matches,
    In,
    Between,
}

/// What an attribute is, or a literal says.
#[derive(Clone, Debug, PartialEq)]
enum Datum {
    Text(String),
    Number(f64),
    Flag(bool),
    Nil,
}

impl Predicate {
    /// Reads one; the error says what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Predicate, String> {
        let tokens = tokens(text)?;
        let mut parser = Parser { tokens, at: 0 };
        let predicate = parser.any()?;
        match parser.peek() {
            None => Ok(predicate),
            Some(token) => Err(format!("Unable to parse the format string \"{text}\" at {token:?}")),
        }
    }

    /// Whether it is true of this element.
    pub(crate) fn holds(&self, element: &Element) -> bool {
        match self {
            Predicate::Always(truth) => *truth,
            Predicate::Not(inner) => !inner.holds(element),
            Predicate::All(parts) => parts.iter().all(|part| part.holds(element)),
            Predicate::Any(parts) => parts.iter().any(|part| part.holds(element)),
            Predicate::Compare { left, test, right, fold } => compare(element, left, *test, right, *fold),
        }
    }
}

fn compare(element: &Element, left: &Term, test: Test, right: &Term, fold: bool) -> bool {
    let folded = |text: String| if fold { text.to_lowercase() } else { text };
    let text = |datum: Datum| match datum {
        Datum::Text(text) => Some(folded(text)),
        Datum::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let left_value = value(element, left);
    match (test, right) {
        (Test::In, Term::List(list)) => {
            return list.iter().any(|item| same(&left_value, &value(element, item), fold));
        }
        (Test::Between, Term::List(list)) => {
            let ends: Vec<f64> = list.iter().filter_map(|item| number(&value(element, item))).collect();
            return match (number(&left_value), ends.as_slice()) {
                (Some(number), [low, high]) => number >= *low && number <= *high,
                _ => false,
            };
        }
        (Test::Matches, Term::Pattern(pattern)) => return text(left_value).is_some_and(|text| pattern.is_match(&text)),
        _ => {}
    }
    let right_value = value(element, right);
    match test {
        Test::Equal => same(&left_value, &right_value, fold),
        Test::Unequal => !same(&left_value, &right_value, fold),
        Test::Less | Test::Greater | Test::AtMost | Test::AtLeast => {
            let (Some(left), Some(right)) = (number(&left_value), number(&right_value)) else { return false };
            match test {
                Test::Less => left < right,
                Test::Greater => left > right,
                Test::AtMost => left <= right,
                _ => left >= right,
            }
        }
        _ => {
            let (Some(left), Some(right)) = (text(left_value), text(right_value)) else { return false };
            match test {
                Test::BeginsWith => left.starts_with(&right),
                Test::EndsWith => left.ends_with(&right),
                Test::Contains => left.contains(&right),
                Test::In => right.contains(&left),
                Test::Like => pattern_of_like(&right).is_some_and(|pattern| pattern.is_match(&left)),
                _ => false,
            }
        }
    }
}

fn same(left: &Datum, right: &Datum, fold: bool) -> bool {
    match (left, right) {
        (Datum::Text(left), Datum::Text(right)) if fold => left.to_lowercase() == right.to_lowercase(),
        (Datum::Flag(flag), other) | (other, Datum::Flag(flag)) => match other {
            Datum::Flag(other) => flag == other,
            Datum::Number(number) => *flag == (*number != 0.0),
            Datum::Text(text) => *flag == matches!(text.to_lowercase().as_str(), "1" | "true" | "yes"),
            Datum::Nil => false,
        },
        (Datum::Number(number), Datum::Text(text)) | (Datum::Text(text), Datum::Number(number)) => {
            text.parse() == Ok(*number)
        }
        _ => left == right,
    }
}

fn number(datum: &Datum) -> Option<f64> {
    match datum {
        Datum::Number(number) => Some(*number),
        Datum::Text(text) => text.parse().ok(),
        Datum::Flag(flag) => Some(f64::from(u8::from(*flag))),
        Datum::Nil => None,
    }
}

fn value(element: &Element, term: &Term) -> Datum {
    match term {
        Term::Attribute(name) => attribute(element, name),
        Term::Text(text) => Datum::Text(text.clone()),
        Term::Number(number) => Datum::Number(*number),
        Term::Flag(flag) => Datum::Flag(*flag),
        Term::Nil | Term::List(_) | Term::Pattern(_) => Datum::Nil,
    }
}

fn attribute(element: &Element, name: &str) -> Datum {
    let text = |text: Option<&str>| text.map_or(Datum::Nil, |text| Datum::Text(text.to_owned()));
    let [x, y, width, height] = element.rect();
    match bare(name).as_str() {
        "name" => text(element.name()),
        "label" => text(element.label.as_deref()),
        "value" => text(element.value.as_deref()),
        "identifier" | "rawidentifier" => text(element.identifier.as_deref()),
        "placeholdervalue" => text(element.placeholder.as_deref()),
        "type" => Datum::Text(format!("{PREFIX}{}", element.kind)),
        "traits" => Datum::Text(element.traits()),
        "enabled" => Datum::Flag(element.enabled),
        "visible" | "hittable" => Datum::Flag(element.visible),
        "accessible" => Datum::Flag(element.accessible),
        "selected" => Datum::Flag(element.selected),
        "focused" | "hasfocus" | "haskeyboardfocus" => Datum::Flag(element.focused),
        "index" => Datum::Number(element.index as f64),
        "rect.x" => Datum::Number(x as f64),
        "rect.y" => Datum::Number(y as f64),
        "rect.width" => Datum::Number(width as f64),
        "rect.height" => Datum::Number(height as f64),
        "frame" => Datum::Text(element.frame_text()),
        _ => Datum::Nil,
    }
}

/// `wdLabel` and `label` are the same.
fn bare(name: &str) -> String {
    let rest = name.strip_prefix("wd").filter(|rest| rest.starts_with(|letter: char| letter.is_ascii_uppercase()));
    rest.unwrap_or(name).to_lowercase()
}

fn is_attribute(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "name",
        "label",
        "value",
        "identifier",
        "rawidentifier",
        "placeholdervalue",
        "type",
        "traits",
        "enabled",
        "visible",
        "hittable",
        "accessible",
        "selected",
        "focused",
        "hasfocus",
        "haskeyboardfocus",
        "index",
        "rect",
        "rect.x",
        "rect.y",
        "rect.width",
        "rect.height",
        "frame",
        "uid",
        "accessibilitycontainer",
        "elementtype",
        "customactions",
        "nativeframe",
        "minvalue",
        "maxvalue",
    ];
    NAMES.contains(&bare(name).as_str())
}

fn pattern_of_like(like: &str) -> Option<Regex> {
    let mut pattern = String::from("^(?s:");
    for letter in like.chars() {
        match letter {
            '*' => pattern.push_str(".*"),
            '?' => pattern.push('.'),
            letter => pattern.push_str(&regex_lite::escape(&letter.to_string())),
        }
    }
    pattern.push_str(")$");
    Regex::new(&pattern).ok()
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Text(String),
    Number(f64),
    Sign(&'static str),
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    const SIGNS: [&str; 19] =
        ["==", "!=", "<>", "<=", ">=", "=<", "=>", "&&", "||", "=", "<", ">", "!", "(", ")", "{", "}", ",", "["];
    let letters: Vec<char> = text.chars().collect();
    let mut list = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        let letter = letters[at];
        if letter.is_whitespace() {
            at += 1;
        } else if letter == '\'' || letter == '"' {
            let mut word = String::new();
            at += 1;
            loop {
                match letters.get(at) {
                    None => return Err(format!("Unable to parse the format string \"{text}\": the text has no end")),
                    Some('\\') => {
                        let escaped = letters.get(at + 1).copied().unwrap_or('\\');
                        match escaped {
                            'n' => word.push('\n'),
                            't' => word.push('\t'),
                            'r' => word.push('\r'),
                            '\'' | '"' | '\\' => word.push(escaped),
                            // Patterns keep theirs.
                            other => word.extend(['\\', other]),
                        }
                        at += 2;
                    }
                    Some(end) if *end == letter => break,
                    Some(other) => {
                        word.push(*other);
                        at += 1;
                    }
                }
            }
            at += 1;
            list.push(Token::Text(word));
        } else if letter.is_ascii_digit() || (letter == '-' && letters.get(at + 1).is_some_and(char::is_ascii_digit)) {
            let start = at;
            at += 1;
            while letters.get(at).is_some_and(|letter| letter.is_ascii_digit() || *letter == '.') {
                at += 1;
            }
            let word: String = letters[start..at].iter().collect();
            list.push(Token::Number(word.parse().map_err(|_| format!("Unable to parse the number {word}"))?));
        } else if letter.is_alphabetic() || letter == '_' {
            let start = at;
            while letters.get(at).is_some_and(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '.')) {
                at += 1;
            }
            list.push(Token::Word(letters[start..at].iter().collect()));
        } else {
            let rest: String = letters[at..letters.len().min(at + 2)].iter().collect();
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
            let sign = sign.ok_or_else(|| format!("Unable to parse the format string \"{text}\" at '{rest}'"))?;
            if *sign == "[" {
                // The options of a text comparison, such as [cd].
                let end = letters[at..].iter().position(|letter| *letter == ']').ok_or("an option without its end")?;
                list.push(Token::Word(letters[at..=at + end].iter().collect()));
                at += end + 1;
            } else {
                at += sign.len();
                list.push(Token::Sign(sign));
            }
        }
    }
    Ok(list)
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn word(&mut self, words: &[&str]) -> bool {
        let found = match self.peek() {
            Some(Token::Word(word)) => words.iter().any(|other| word.eq_ignore_ascii_case(other)),
            Some(Token::Sign(sign)) => words.contains(sign),
            _ => false,
        };
        self.at += usize::from(found);
        found
    }

    fn any(&mut self) -> Result<Predicate, String> {
        let mut parts = vec![self.all()?];
        while self.word(&["OR", "||"]) {
            parts.push(self.all()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Predicate::Any(parts) })
    }

    fn all(&mut self) -> Result<Predicate, String> {
        let mut parts = vec![self.one()?];
        while self.word(&["AND", "&&"]) {
            parts.push(self.one()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Predicate::All(parts) })
    }

    fn one(&mut self) -> Result<Predicate, String> {
        if self.word(&["NOT", "!"]) {
            return Ok(Predicate::Not(Box::new(self.one()?)));
        }
        if self.word(&["TRUEPREDICATE"]) {
            return Ok(Predicate::Always(true));
        }
        if self.word(&["FALSEPREDICATE"]) {
            return Ok(Predicate::Always(false));
        }
        if self.word(&["("]) {
            let inner = self.any()?;
            return if self.word(&[")"]) { Ok(inner) } else { Err("a bracket without its end".to_owned()) };
        }
        let left = self.term()?;
        let (test, fold) = self.test()?;
        let mut right = self.term()?;
        if test == Test::Matches {
            let Term::Text(pattern) = &right else { return Err("MATCHES needs a text".to_owned()) };
            let options = if fold { "(?i)" } else { "" };
            let pattern = Regex::new(&format!("{options}^(?:{pattern})$"))
                .map_err(|error| format!("Can't do regex matching, reason: {error}"))?;
            right = Term::Pattern(pattern);
        }
        Ok(Predicate::Compare { left, test, right, fold })
    }

    fn test(&mut self) -> Result<(Test, bool), String> {
        let test = match self.peek() {
            Some(Token::Sign("==" | "=")) => Test::Equal,
            Some(Token::Sign("!=" | "<>")) => Test::Unequal,
            Some(Token::Sign("<=" | "=<")) => Test::AtMost,
            Some(Token::Sign(">=" | "=>")) => Test::AtLeast,
            Some(Token::Sign("<")) => Test::Less,
            Some(Token::Sign(">")) => Test::Greater,
            Some(Token::Word(word)) => match word.to_uppercase().as_str() {
                "BEGINSWITH" => Test::BeginsWith,
                "ENDSWITH" => Test::EndsWith,
                "CONTAINS" => Test::Contains,
                "LIKE" => Test::Like,
                "MATCHES" => Test::Matches,
                "IN" => Test::In,
                "BETWEEN" => Test::Between,
                _ => return Err(format!("Unable to parse the format string: {word} is no comparison")),
            },
            other => {
                return Err(format!("Unable to parse the format string: a comparison was expected, not {other:?}"));
            }
        };
        self.at += 1;
        let mut fold = false;
        if let Some(Token::Word(options)) = self.peek()
            && options.starts_with('[')
        {
            fold = options.contains('c');
            self.at += 1;
        }
        Ok((test, fold))
    }

    fn term(&mut self) -> Result<Term, String> {
        let token = self.peek().cloned().ok_or("Unable to parse the format string: it ends too early")?;
        self.at += 1;
        match token {
            Token::Text(text) => Ok(Term::Text(text)),
            Token::Number(number) => Ok(Term::Number(number)),
            Token::Sign("{") => {
                let mut list = Vec::new();
                while !self.word(&["}"]) {
                    list.push(self.term()?);
                    self.word(&[","]);
                }
                Ok(Term::List(list))
            }
            Token::Word(word) => match word.to_lowercase().as_str() {
                "true" | "yes" => Ok(Term::Flag(true)),
                "false" | "no" => Ok(Term::Flag(false)),
                "nil" | "null" => Ok(Term::Nil),
                _ if is_attribute(&word) => Ok(Term::Attribute(word)),
                _ => Err(format!(
                    "[<XCElementSnapshot> valueForUndefinedKey:]: this class is not key value coding-compliant for the key {word}."
                )),
            },
            Token::Sign(sign) => Err(format!("Unable to parse the format string at '{sign}'")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wda_sim::source::Snapshot;
    use driver_api::{App, Node, Rect, Role, Tree};

    fn element() -> Element {
        let mut node = Node::new(Role::Button);
        node.label = Some("Don't Save".into());
        node.identifier = Some("save.no".into());
        node.bounds = Some(Rect::new(10.0, 20.0, 100.0, 44.0));
        node.enabled = false;
        let app = App { id: "x".into(), name: None };
        let tree = Tree { nodes: vec![node], ..Tree::default() };
        Snapshot::new(&tree, &app, Rect::new(0.0, 0.0, 390.0, 844.0), 50, 1, String::new()).elements.remove(1)
    }

    #[test]
    fn conditions_that_clients_send() {
        let element = element();
        for (text, truth) in [
            ("label == \"Don't Save\"", true),
            ("label == 'Don\\'t Save'", true),
            ("label = 'don\\'t save'", false),
            ("label ==[c] 'don\\'t save'", true),
            ("name CONTAINS 'save' AND type == 'XCUIElementTypeButton'", true),
            ("wdName contains[cd] 'SAVE' && wdEnabled == false", true),
            ("enabled == 0 AND visible == 1", true),
            ("enabled == true OR visible == YES", true),
            ("NOT (enabled == true) AND label BEGINSWITH 'Don'", true),
            ("label ENDSWITH 'Save' and label MATCHES '.*n.t.*'", true),
            ("label MATCHES 'n.t'", false),
            ("label LIKE 'Don*Sa?e'", true),
            ("label IN {'No', \"Don't Save\"}", true),
            ("rect.x BETWEEN {5, 10} AND rect.width >= 100", true),
            ("value == nil", true),
            ("label != nil", true),
            ("label MATCHES '\\\\w+.t Save'", true),
            ("TRUEPREDICATE", true),
        ] {
            let predicate = Predicate::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(predicate.holds(&element), truth, "{text}");
        }
    }

    #[test]
    fn what_is_no_condition_is_refused() {
        for text in
            ["", "label ==", "label == 'x", "label ~ 'x'", "nonsense == 'x'", "(label == 'x'", "label == 'x' extra"]
        {
            assert!(Predicate::parse(text).is_err(), "{text}");
        }
    }
}
