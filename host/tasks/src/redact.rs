//! Taking secret texts out of what is about to be stored.
//!
//! Knows texts and JSON. Which texts are secret, and that this is called, is for those who write events.

use serde_json::Value;

/// What stands for a secret. Its length tells nothing about the secret's.
pub const BULLETS: &str = "•••";

/// Replaces each of the secret texts by bullets, wherever it stands in the value: within strings and keys, at any depth, whole
/// or as a part. Numbers stay, since they are reckoned with, and a short secret is a part of many. Where secrets overlap, all that they cover goes. Letters count as they are written, and other
/// writings of a secret (as base64, or percent-encoded) are not known; give them too where they may occur. Of two keys that
/// become the same, one entry remains.
pub fn redact(value: &mut Value, secrets: &[&str]) {
    match value {
        Value::String(text) => {
            if let Some(clean) = without(text, secrets) {
                *text = clean;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| redact(item, secrets)),
        Value::Object(map) => {
            map.values_mut().for_each(|item| redact(item, secrets));
            let keys: Vec<_> = map.keys().filter_map(|key| Some((key.clone(), without(key, secrets)?))).collect();
            for (key, clean) in keys {
                if let Some(item) = map.remove(&key) {
                    map.insert(clean, item);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The text without the secrets, if any is in it.
fn without(text: &str, secrets: &[&str]) -> Option<String> {
    let mut covered: Vec<(usize, usize)> = Vec::new();
    for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
        // A secret may overlap with itself, so that the search goes on one character further and not behind the whole.
        let first = secret.chars().next().map_or(1, char::len_utf8);
        let mut from = 0;
        while let Some(at) = text[from..].find(secret) {
            covered.push((from + at, from + at + secret.len()));
            from += at + first;
        }
    }
    covered.sort_unstable();
    let (mut clean, mut done) = (String::with_capacity(text.len()), None);
    for (start, end) in covered {
        // A secret that begins where another goes on belongs to the same bullets.
        if done.is_none_or(|done| start >= done) {
            clean.push_str(&text[done.unwrap_or(0)..start]);
            clean.push_str(BULLETS);
        }
        done = Some(done.unwrap_or(0).max(end));
    }
    clean.push_str(&text[done?..]);
    Some(clean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn secrets_go_wherever_they_stand() {
        let mut value = json!({
            "text": "type hunter2, then hunter2 again",
            "deep": [{"hunter2": [null, true, "hunter2"]}],
            "code": "123456",
            "tokens": 123456,
        });
        redact(&mut value, &["hunter2", "123456", ""]);
        assert_eq!(
            value,
            json!({
                "text": "type •••, then ••• again",
                "deep": [{"•••": [null, true, "•••"]}],
                "code": "•••",
                "tokens": 123456,
            })
        );
    }

    #[test]
    fn overlapping_secrets_leave_no_rest() {
        for (text, secrets, clean) in [
            ("abcdef", ["abcd", "cdef"], "•••"),
            ("xaaay", ["aa", "q"], "x•••y"),
            ("pass password", ["pass", "password"], "••• •••"),
            ("größe", ["ö", "ß"], "gr••••••e"),
        ] {
            let mut value = json!(text);
            redact(&mut value, &secrets);
            assert_eq!(value, json!(clean));
        }
    }

    proptest! {
        #[test]
        fn no_secret_remains(text in "[abcö]{0,30}", secrets in proptest::collection::vec("[abcö]{1,3}", 0..4)) {
            let secrets: Vec<&str> = secrets.iter().map(String::as_str).collect();
            let mut value = json!([{ "k": text.clone() }]);
            redact(&mut value, &secrets);
            let left = value[0]["k"].as_str().unwrap();
            prop_assert!(secrets.iter().all(|secret| !left.contains(secret)), "{left}");
            prop_assert!(secrets.iter().any(|secret| text.contains(secret)) || left == text);
        }
    }
}
