//! Data that are too large for one event, made smaller.
//!
//! Knows JSON and bytes. Does not know what the data mean: long strings are cut, since what is long is a text or a picture.

use serde_json::{Value, json};

/// How deep data may be nested. What is deeper could be written, and not be read again.
pub(crate) const DEEPEST: usize = 100;
/// To how many bytes strings are cut, until the whole fits.
const LENGTHS: [usize; 6] = [64 << 10, 16 << 10, 4 << 10, 1 << 10, 256, 64];
/// How many bytes remain of data that are long without long strings.
const START: usize = 1 << 10;

/// The data with its JSON text, of at most `most` bytes. Where something was cut, the string ends with a mark, and the data
/// say under `cut` how many bytes the whole had.
pub(crate) fn fit(mut data: Value, most: usize) -> (Value, String) {
    let deep = cut_below(&mut data, DEEPEST);
    let mut text = data.to_string();
    if text.len() <= most && !deep {
        return (data, text);
    }
    let whole = text.len();
    for length in LENGTHS {
        if whole > most {
            cut_strings(&mut data, length);
        }
        if let Value::Object(map) = &mut data {
            map.insert("cut".into(), json!({ "bytes": whole }));
        }
        text = data.to_string();
        if text.len() <= most {
            return (data, text);
        }
    }
    let start = &text[..text.floor_char_boundary(START)];
    data = json!({ "cut": { "bytes": whole, "start": start } });
    text = data.to_string();
    (data, text)
}

/// Replaces what is nested deeper. Tells whether anything was.
fn cut_below(value: &mut Value, depth: usize) -> bool {
    match value {
        Value::Array(_) | Value::Object(_) if depth == 0 => {
            *value = json!("… (nested too deeply)");
            true
        }
        Value::Array(items) => items.iter_mut().fold(false, |cut, item| cut_below(item, depth - 1) | cut),
        Value::Object(map) => map.values_mut().fold(false, |cut, item| cut_below(item, depth - 1) | cut),
        _ => false,
    }
}

fn cut_strings(value: &mut Value, length: usize) {
    match value {
        Value::String(text) if text.len() > length => {
            let end = text.floor_char_boundary(length);
            let cut = text.len() - end;
            text.truncate(end);
            text.push_str(&format!("… ({cut} bytes cut)"));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| cut_strings(item, length)),
        Value::Object(map) => map.values_mut().for_each(|item| cut_strings(item, length)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_fits_stays_as_it_is() {
        let data = json!({"a": "x".repeat(100), "b": [1.5, null]});
        assert_eq!(fit(data.clone(), 200), (data.clone(), data.to_string()));
    }

    #[test]
    fn the_longest_strings_are_cut_and_say_so() {
        let long = "ä".repeat(100_000);
        let (data, text) = fit(json!({"tool": "type_text", "arguments": {"text": long}}), 100_000);
        assert!(text.len() <= 100_000);
        assert_eq!(data["tool"], "type_text");
        let kept = data["arguments"]["text"].as_str().unwrap();
        assert!(kept.starts_with("ää") && kept.ends_with("… (134464 bytes cut)"), "{}", &kept[kept.len() - 40..]);
        assert_eq!(data["cut"]["bytes"].as_u64(), Some(200_044));
    }

    #[test]
    fn what_has_no_long_strings_is_replaced_by_its_beginning() {
        let (data, text) = fit(json!({"list": vec![7; 100_000]}), 10_000);
        assert!(text.len() <= 10_000);
        assert!(data["cut"]["start"].as_str().unwrap().contains("7,7,7"), "{data}");
    }

    #[test]
    fn what_is_too_deep_can_be_read_again() {
        let deep = (0..300).fold(json!(1), |inner, _| json!({ "in": inner }));
        let (data, text) = fit(deep, 10_000);
        assert!(text.contains("nested too deeply") && text.contains("cut"), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), data);
    }

    proptest! {
        #[test]
        fn whatever_it_is_it_fits(items in proptest::collection::vec(("\\PC{1,9}|[\\x00-\\x1f]", 0..3000_usize), 0..20)) {
            let items: Vec<String> = items.iter().map(|(text, times)| text.repeat(*times)).collect();
            let (data, text) = fit(json!({ "items": items }), 8 << 10);
            prop_assert!(text.len() <= 8 << 10);
            prop_assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), data);
        }
    }
}
