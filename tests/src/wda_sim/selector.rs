//! The server's ways to look for elements: by name, class, class chain, predicate, link text and the common part of XPath.
//! It works on a snapshot and knows no ids.

use super::errors::{Failure, Result};
use super::predicate::Predicate;
use super::source::{Element, PREFIX, Snapshot, is_kind};

/// The places below `root` that match, in document order.
pub(crate) fn select(snapshot: &Snapshot, using: &str, value: &str, root: usize) -> Result<Vec<usize>> {
    let among = |test: &dyn Fn(&Element) -> bool| {
        snapshot.below(root).filter(|at| test(&snapshot.elements[*at])).collect::<Vec<usize>>()
    };
    match using {
        "name" | "id" | "accessibility id" => Ok(among(&|element| element.name() == Some(value))),
        "class name" => {
            if !is_kind(value) {
                return Err(Failure::invalid_argument(format!("Invalid argument for class used '{value}'")));
            }
            Ok(among(&|element| is_of(element, value)))
        }
        "predicate string" => {
            let predicate = Predicate::parse(value).map_err(Failure::unknown)?;
            Ok(among(&|element| predicate.holds(element)))
        }
        "class chain" => chain(snapshot, value, root),
        "xpath" => xpath(snapshot, value, root),
        "link text" | "partial link text" => {
            let (attribute, wanted) = value
                .split_once('=')
                .ok_or_else(|| Failure::invalid_argument(format!("'{value}' is not of the form attribute=value")))?;
            let test = if using == "link text" { "==" } else { "CONTAINS" };
            let wanted = wanted.replace('\\', "\\\\").replace('\'', "\\'");
            let predicate = Predicate::parse(&format!("{attribute} {test} '{wanted}'")).map_err(Failure::unknown)?;
            Ok(among(&|element| predicate.holds(element)))
        }
        _ => Err(Failure::invalid_argument(format!("Locator strategy '{using}' is not supported"))),
    }
}

/// Whether the element is of a class, given with the prefix or as `*`.
fn is_of(element: &Element, class: &str) -> bool {
    class == "*" || class.strip_prefix(PREFIX).is_some_and(|kind| kind == "Any" || kind == element.kind)
}

fn places_below(snapshot: &Snapshot, root: usize, deep: bool) -> Vec<usize> {
    snapshot.below(root).filter(|at| deep || snapshot.elements[*at].parent == Some(root)).collect()
}

// Class chains.

enum Filter {
    /// In backticks: a condition on the element.
    Own(Predicate),
    /// In dollar signs: a condition on something below it.
    Below(Predicate),
    /// Counted from 1, or from the end with -1.
    Number(i64),
}

struct Link {
    deep: bool,
    class: String,
    filters: Vec<Filter>,
}

fn chain(snapshot: &Snapshot, text: &str, root: usize) -> Result<Vec<usize>> {
    let links = parse_chain(text)?;
    let mut found = vec![root];
    for link in links {
        let mut next = Vec::new();
        for at in found {
            let mut group = places_below(snapshot, at, link.deep);
            group.retain(|at| is_of(&snapshot.elements[*at], &link.class));
            for filter in &link.filters {
                match filter {
                    Filter::Own(predicate) => group.retain(|at| predicate.holds(&snapshot.elements[*at])),
                    Filter::Below(predicate) => {
                        group.retain(|at| snapshot.below(*at).any(|at| predicate.holds(&snapshot.elements[at])));
                    }
                    Filter::Number(number) => group = numbered(&group, *number),
                }
            }
            next.extend(group);
        }
        next.sort_unstable();
        next.dedup();
        found = next;
    }
    Ok(found)
}

fn numbered(group: &[usize], number: i64) -> Vec<usize> {
    let at =
        if number > 0 { Some(number as usize - 1) } else { group.len().checked_sub(number.unsigned_abs() as usize) };
    at.and_then(|at| group.get(at)).copied().into_iter().collect()
}

fn parse_chain(text: &str) -> Result<Vec<Link>> {
    let letters: Vec<char> = text.chars().collect();
    let fail = |at: usize| {
        let shown: String = letters[..letters.len().min(at + 1)].iter().collect();
        Failure::invalid_selector(format!(
            "Cannot parse class chain query '{text}'. Unexpected character detected at position {}:\n{shown} <----",
            at + 1
        ))
    };
    let mut links = Vec::new();
    let mut at = 0;
    let mut deep = false;
    while at < letters.len() {
        if letters[at] == '/' {
            at += 1;
            continue;
        }
        if letters[at] == '*' && letters.get(at + 1) == Some(&'*') {
            deep = true;
            at += 2;
            if letters.get(at) != Some(&'/') {
                return Err(fail(at.min(letters.len() - 1)));
            }
            continue;
        }
        let start = at;
        while letters.get(at).is_some_and(|letter| letter.is_ascii_alphanumeric() || *letter == '*') {
            at += 1;
        }
        let class: String = letters[start..at].iter().collect();
        if class != "*" && !is_kind(&class) {
            return Err(fail(at.min(letters.len() - 1)));
        }
        let mut filters = Vec::new();
        while letters.get(at) == Some(&'[') {
            at += 1;
            match letters.get(at) {
                Some(quote @ ('`' | '$')) => {
                    let mut condition = String::new();
                    at += 1;
                    loop {
                        match letters.get(at) {
                            Some(letter) if letter == quote && letters.get(at + 1) == Some(quote) => {
                                condition.push(*quote);
                                at += 2;
                            }
                            Some(letter) if letter == quote => break,
                            Some(letter) => {
                                condition.push(*letter);
                                at += 1;
                            }
                            None => return Err(fail(letters.len() - 1)),
                        }
                    }
                    at += 1;
                    let predicate = Predicate::parse(&condition).map_err(Failure::invalid_selector)?;
                    filters.push(if *quote == '`' { Filter::Own(predicate) } else { Filter::Below(predicate) });
                }
                _ => {
                    let start = at;
                    while letters.get(at).is_some_and(|letter| letter.is_ascii_digit() || *letter == '-') {
                        at += 1;
                    }
                    let number: String = letters[start..at].iter().collect();
                    let number = number.parse().map_err(|_| fail(start.min(letters.len() - 1)))?;
                    if number == 0 {
                        return Err(fail(start));
                    }
                    filters.push(Filter::Number(number));
                }
            }
            if letters.get(at) != Some(&']') {
                return Err(fail(at.min(letters.len() - 1)));
            }
            at += 1;
        }
        if at < letters.len() && letters[at] != '/' {
            return Err(fail(at));
        }
        links.push(Link { deep, class, filters });
        deep = false;
    }
    if links.is_empty() || deep {
        return Err(Failure::invalid_selector(format!("Cannot parse class chain query '{text}'. It is empty")));
    }
    Ok(links)
}

// XPath: steps with classes or `*`, positions, and conditions on attributes joined by `and` and `or`.

enum Condition {
    Number(i64),
    Last,
    Holds(Predicate),
}

fn xpath(snapshot: &Snapshot, text: &str, root: usize) -> Result<Vec<usize>> {
    let steps = parse_xpath(text)
        .ok_or_else(|| Failure::invalid_selector(format!("Cannot evaluate results for XPath expression \"{text}\"")))?;
    // Before the first step stands the document, whose only child is the application.
    let mut found: Vec<Option<usize>> = vec![if root == 0 { None } else { Some(root) }];
    for (deep, class, conditions) in steps {
        let mut next = Vec::new();
        for at in found {
            let mut group = match (at, deep) {
                (None, false) => vec![0],
                (None, true) => (0..snapshot.elements.len()).collect(),
                (Some(at), deep) => places_below(snapshot, at, deep),
            };
            group.retain(|at| is_of(&snapshot.elements[*at], &class));
            for condition in &conditions {
                match condition {
                    Condition::Holds(predicate) => group.retain(|at| predicate.holds(&snapshot.elements[*at])),
                    // A position counts among the siblings, also after `//`.
                    Condition::Number(_) | Condition::Last => {
                        let all = group.clone();
                        group.retain(|at| {
                            let parent = snapshot.elements[*at].parent;
                            let alike: Vec<usize> =
                                all.iter().copied().filter(|at| snapshot.elements[*at].parent == parent).collect();
                            let number = if let Condition::Number(number) = condition { *number } else { -1 };
                            numbered(&alike, number) == [*at]
                        });
                    }
                }
            }
            next.extend(group);
        }
        next.sort_unstable();
        next.dedup();
        found = next.into_iter().map(Some).collect();
    }
    Ok(found.into_iter().flatten().collect())
}

type Step = (bool, String, Vec<Condition>);

fn parse_xpath(text: &str) -> Option<Vec<Step>> {
    let mut rest = text.trim();
    rest = rest.strip_prefix('.').unwrap_or(rest);
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let deep = rest.starts_with("//");
        rest = rest.strip_prefix("//").or_else(|| rest.strip_prefix('/')).or((steps.is_empty()).then_some(rest))?;
        let end = rest.find(['/', '[']).unwrap_or(rest.len());
        let class = &rest[..end];
        if class != "*" && !is_kind(class) {
            return None;
        }
        rest = &rest[end..];
        let mut conditions = Vec::new();
        while let Some(inner) = rest.strip_prefix('[') {
            let end = closing(inner)?;
            conditions.push(condition(inner[..end].trim())?);
            rest = &inner[end + 1..];
        }
        steps.push((deep, class.to_owned(), conditions));
    }
    (!steps.is_empty()).then_some(steps)
}

/// Where the bracket ends that was opened before `text`; brackets in quotes do not count.
fn closing(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (None, '\'' | '"') => quote = Some(letter),
            (Some(open), letter) if open == letter => quote = None,
            (None, ']') => return Some(at),
            _ => {}
        }
    }
    None
}

fn condition(text: &str) -> Option<Condition> {
    if text == "last()" {
        return Some(Condition::Last);
    }
    if let Ok(number) = text.parse::<i64>() {
        return (number > 0).then_some(Condition::Number(number));
    }
    // The rest is rewritten as a predicate: `contains(@label, 'x')` is `label CONTAINS 'x'`.
    let mut predicate = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(quote) = rest.chars().next().filter(|letter| matches!(letter, '\'' | '"')) {
            let end = rest[1..].find(quote)?;
            let word = rest[1..=end].replace('\\', "\\\\");
            predicate.push_str(&format!("{quote}{word}{quote}"));
            rest = &rest[end + 2..];
        } else if let Some((function, test)) = [
            ("contains(", "CONTAINS"),
            ("starts-with(", "BEGINSWITH"),
            ("ends-with(", "ENDSWITH"),
            ("matches(", "MATCHES"),
        ]
        .into_iter()
        .find(|(function, _)| rest.starts_with(function))
        {
            let (attribute, after) = rest[function.len()..].split_once(',')?;
            let attribute = attribute.trim().strip_prefix('@')?;
            predicate.push_str(&format!("({attribute} {test} "));
            rest = after;
        } else if let Some(after) = rest.strip_prefix("not(") {
            predicate.push_str("NOT (");
            rest = after;
        } else {
            let letter = rest.chars().next()?;
            if letter != '@' {
                predicate.push(letter);
            }
            rest = &rest[letter.len_utf8()..];
        }
    }
    Predicate::parse(&predicate).ok().map(Condition::Holds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use driver_api::{App, Node, Rect, Role, Tree};

    fn snapshot() -> Snapshot {
        let mut nodes = vec![Node::new(Role::Window)];
        let mut add = |parent: u32, role: Role, label: &str| {
            let mut node = Node::new(role);
            node.parent = Some(parent);
            node.label = Some(label.to_owned());
            node.bounds = Some(Rect::new(0.0, 0.0, 10.0, 10.0));
            nodes.push(node);
        };
        add(0, Role::List, "list");
        for row in 0..3 {
            add(1, Role::Cell, &format!("row {row}"));
            add(2 + row * 3, Role::Text, &format!("Row {row}"));
            add(2 + row * 3, Role::Button, "Delete");
        }
        let tree = Tree { nodes, ..Tree::default() };
        let app = App { id: "x".into(), name: None };
        Snapshot::new(&tree, &app, Rect::new(0.0, 0.0, 390.0, 844.0), 50, 1, String::new())
    }

    fn names(using: &str, value: &str) -> Vec<String> {
        let snapshot = snapshot();
        let found = select(&snapshot, using, value, 0).unwrap_or_else(|failure| panic!("{value}: {failure:?}"));
        found.into_iter().map(|at| snapshot.elements[at].name().unwrap_or_default().to_owned()).collect()
    }

    #[test]
    fn class_chains() {
        for (chain, found) in [
            ("**/XCUIElementTypeAny[`label == 'Delete'`]", vec!["Delete", "Delete", "Delete"]),
            ("**/XCUIElementTypeCell[2]", vec!["row 1"]),
            ("**/XCUIElementTypeCell[-1]", vec!["row 2"]),
            ("**/XCUIElementTypeCell[`label == 'row 1'`]/XCUIElementTypeStaticText", vec!["Row 1"]),
            ("**/XCUIElementTypeCell[$label == 'Row 2'$]", vec!["row 2"]),
            ("XCUIElementTypeWindow/*/XCUIElementTypeCell[1]", vec!["row 0"]),
            ("XCUIElementTypeCell", vec![]),
            ("**/XCUIElementTypeButton[`label BEGINSWITH \"Del\"`][3]", vec!["Delete"]),
        ] {
            assert_eq!(names("class chain", chain), found, "{chain}");
        }
    }

    #[test]
    fn xpaths() {
        for (path, found) in [
            ("//XCUIElementTypeCell[@label='row 1']", vec!["row 1"]),
            ("//XCUIElementTypeCell[2]/XCUIElementTypeStaticText", vec!["Row 1"]),
            ("//*[contains(@label,'Row') and @type=\"XCUIElementTypeStaticText\"]", vec!["Row 0", "Row 1", "Row 2"]),
            ("/XCUIElementTypeApplication/XCUIElementTypeWindow/*", vec!["list"]),
            ("//XCUIElementTypeButton[1]", vec!["Delete", "Delete", "Delete"]),
            ("//XCUIElementTypeCell[last()]", vec!["row 2"]),
            ("//XCUIElementTypeCell[not(@label='row 1')]", vec!["row 0", "row 2"]),
        ] {
            assert_eq!(names("xpath", path), found, "{path}");
        }
    }

    #[test]
    fn the_other_ways() {
        assert_eq!(names("name", "Row 1"), ["Row 1"]);
        assert_eq!(names("accessibility id", "row 1"), ["row 1"]);
        assert_eq!(names("class name", "XCUIElementTypeCell").len(), 3);
        assert_eq!(names("link text", "label=Row 0"), ["Row 0"]);
        assert_eq!(names("partial link text", "label=Row").len(), 3);
        assert_eq!(names("predicate string", "label == 'Row 0' OR label == 'row 2'"), ["Row 0", "row 2"]);
    }

    #[test]
    fn each_mistake_has_its_own_error() {
        let snapshot = snapshot();
        let error = |using: &str, value: &str| match select(&snapshot, using, value, 0) {
            Ok(found) => panic!("{using} {value}: {found:?}"),
            Err(failure) => (failure.status, failure.error),
        };
        assert_eq!(error("css selector", "a"), (400, "invalid argument"));
        assert_eq!(error("-ios class chain", "**/XCUIElementTypeCell"), (400, "invalid argument"));
        assert_eq!(error("class name", "Button"), (400, "invalid argument"));
        assert_eq!(error("class chain", "**/XCUIElementTypeIon-tab-bar"), (400, "invalid selector"));
        assert_eq!(error("class chain", "**/XCUIElementTypeCell[0]"), (400, "invalid selector"));
        assert_eq!(error("class chain", "**/XCUIElementTypeCell[`label == 'x`]"), (400, "invalid selector"));
        assert_eq!(error("class chain", ""), (400, "invalid selector"));
        assert_eq!(error("xpath", "//XCUIElementTypeCell["), (400, "invalid selector"));
        assert_eq!(error("predicate string", "label =="), (500, "unknown error"));
    }
}
