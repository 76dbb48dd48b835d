//! Data that are too large for one event, made smaller.
//!
//! Knows JSON and bytes, and by which names others go on. Long strings are cut first, since what is long is a text or a picture;
//! then what is large otherwise, so that what is small stays whole.

use serde_json::{Value, json};
use std::collections::HashSet;

/// How deep data may be nested. What is deeper could be written, and not be read again.
pub(crate) const DEEPEST: usize = 100;
/// To how many bytes strings are cut, until the whole fits.
const LENGTHS: [usize; 5] = [64 << 10, 16 << 10, 4 << 10, 1 << 10, 256];
/// How many bytes remain of what is long without long strings.
const START: usize = 1 << 10;
/// What is let go last where there are too many fields: by these it is told what happened, and work goes on.
const KEPT: [&str; 20] = [
    "status",
    "outcome",
    "intent",
    "asked",
    "ok",
    "tokens",
    "usd",
    "what",
    "device_id",
    "cut",
    "error",
    "code",
    "reason",
    "message",
    "hint",
    "question",
    "answer",
    "tool",
    "key",
    "screen",
];

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
    if !data.is_object() {
        data = json!({ "cut": { "bytes": whole, "start": beginning(&text) } });
    }
    shrink(&mut data, most);
    text = data.to_string();
    (data, text)
}

/// Makes it at most this long, if an object of some short fields can be: of large fields a beginning remains, and where there
/// are too many of them, the largest go.
fn shrink(value: &mut Value, room: usize) {
    let text = value.to_string();
    if text.len() <= room {
        return;
    }
    let Value::Object(map) = value else {
        *value = beginning(&text).into();
        return;
    };
    map.values_mut().for_each(|item| shrink(item, START));
    let bytes = |(name, item): (&String, &Value)| json!(name).to_string().len() + item.to_string().len() + 2;
    let mut fields: Vec<_> =
        map.iter().map(|field| (!KEPT.contains(&field.0.as_str()), bytes(field), field.0.clone())).collect();
    fields.sort_unstable();
    let mut length = 1 + fields.iter().map(|(_, bytes, _)| bytes).sum::<usize>();
    let mut gone = HashSet::new();
    while length > room
        && let Some((_, bytes, name)) = fields.pop()
    {
        length -= bytes;
        gone.insert(name);
    }
    map.retain(|name, _| !gone.contains(name));
}

fn beginning(text: &str) -> String {
    let end = text.floor_char_boundary(START / 2);
    format!("{}… ({} bytes cut)", &text[..end], text.len() - end)
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
        assert!(data["list"].as_str().unwrap().starts_with("[7,7,7"), "{data}");
        let (data, _) = fit(json!(vec![7; 100_000]), 10_000);
        assert!(data["cut"]["start"].as_str().unwrap().starts_with("[7,7,7"), "{data}");
    }

    #[test]
    fn what_is_small_stays_beside_what_is_large() {
        let elements: Vec<Value> = (0..10_000).map(|number| json!({ "ref": number, "label": "Row" })).collect();
        let result = json!({ "steps": 3, "last": { "frame": "f1", "elements": elements } });
        let (data, text) = fit(json!({ "result": result, "status": "succeeded" }), 20_000);
        assert!(text.len() <= 20_000);
        assert_eq!((&data["status"], &data["result"]["steps"]), (&json!("succeeded"), &json!(3)), "{data}");
        let details: Vec<u32> = (0..100_000).collect();
        let error = json!({ "code": "internal", "message": "it broke", "hint": "Mend it.", "details": details });
        let (data, text) = fit(json!({ "status": "failed", "error": error }), 20_000);
        assert!(text.len() <= 20_000);
        let error = &data["error"];
        assert_eq!(
            (&data["status"], &error["code"], &error["message"], &error["hint"]),
            (&json!("failed"), &json!("internal"), &json!("it broke"), &json!("Mend it."))
        );
        assert!(error["details"].as_str().unwrap().ends_with("bytes cut)"), "{data}");
    }

    #[test]
    fn what_is_too_deep_can_be_read_again() {
        let deep = (0..300).fold(json!(1), |inner, _| json!({ "in": inner }));
        let (data, text) = fit(deep, 10_000);
        assert!(text.contains("nested too deeply") && text.contains("cut"), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), data);
    }

    #[test]
    fn many_small_fields_do_not_push_the_status_out() {
        for count in [100, 1000, 5000] {
            let fields = (0..count).map(|number| (format!("f{number}"), json!(number)));
            let mut data = Value::Object(fields.collect());
            data["status"] = "cancelled".into();
            let (data, text) = fit(data, 8 << 10);
            assert!(text.len() <= 8 << 10 && data["status"] == "cancelled", "{} bytes", text.len());
        }
    }

    /// Any data, some of them far too large.
    fn any_data() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            (0..900_usize).prop_map(|times| Value::from("ä\"".repeat(times))),
            (0..2000_usize).prop_map(|count| json!(vec![7; count])),
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::btree_map("[a-z\"]{1,9}|error|intent", inner, 0..4).prop_map(|map| json!(map)),
            ]
        })
    }

    proptest! {
        #[test]
        fn whatever_it_is_its_status_stays(
            fields in proptest::collection::btree_map("[a-z]{1,9}|error|message", any_data(), 0..12),
            status in "succeeded|failed|cancelled",
        ) {
            let mut data = json!(fields);
            data["status"] = status.as_str().into();
            let (data, text) = fit(data, 8 << 10);
            prop_assert!(text.len() <= 8 << 10, "{} bytes", text.len());
            prop_assert_eq!(data["status"].as_str(), Some(status.as_str()));
            prop_assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), data);
        }

        #[test]
        fn whatever_it_is_it_fits(items in proptest::collection::vec(("\\PC{1,9}|[\\x00-\\x1f]", 0..3000_usize), 0..20)) {
            let items: Vec<String> = items.iter().map(|(text, times)| text.repeat(*times)).collect();
            let (data, text) = fit(json!({ "items": items }), 8 << 10);
            prop_assert!(text.len() <= 8 << 10);
            prop_assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), data);
        }
    }
}
