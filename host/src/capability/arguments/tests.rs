//! What callers get wrong, and what they are told.

use super::*;
use proptest::prelude::*;
use schemars::JsonSchema;
use serde_json::json;

/// How the result looks.
#[derive(serde::Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(dead_code)]
enum Observe {
    /// Nothing.
    None,
    /// The tree.
    Tree,
}

#[derive(JsonSchema)]
#[allow(dead_code)]
struct Act {
    /// What to look at afterwards.
    observe: Option<Observe>,
    #[serde(default)]
    verify: bool,
}

#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct Step {
    tool: String,
    arguments: Map<String, Value>,
}

#[derive(JsonSchema)]
#[allow(dead_code)]
struct Tap {
    device_id: Option<String>,
    /// Across.
    #[schemars(range(min = 0, max = 100000))]
    x: Option<f64>,
    #[schemars(range(min = 1, max = 2))]
    count: Option<u32>,
    #[schemars(length(max = 5))]
    text: Option<String>,
    #[schemars(length(max = 2))]
    steps: Option<Vec<Step>>,
    inner: Option<Inner>,
    #[serde(flatten)]
    act: Act,
}

#[derive(serde::Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Inner {
    seconds: u64,
}

fn tap() -> Map<String, Value> {
    input_schema_for::<Tap>()
}

fn told(arguments: Value) -> String {
    let Value::Object(arguments) = arguments else { panic!("not an object") };
    match check(&tap(), &arguments) {
        Ok(()) => "ok".into(),
        Err(error) => {
            assert_eq!(error.code, crate::capability::Code::InvalidArguments);
            format!("{} | {}", error.message, error.hint)
        }
    }
}

#[test]
fn schemas_are_plain_and_short() {
    insta::assert_json_snapshot!("input_schema", tap());
    insta::assert_json_snapshot!("inner_schema", schema_for::<Inner>());
    assert_eq!(serde_json::to_string(&tap()).unwrap(), serde_json::to_string(&tap()).unwrap());
}

#[derive(serde::Serialize, JsonSchema)]
struct Status {
    /// Null if unknown.
    battery: Option<f64>,
    inner: Option<Inner>,
    observe: Option<Observe>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    state: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<String>,
}

/// A strict client holds every answer against the schema, so the schema must admit what is really written.
#[test]
fn results_fit_their_schemas() {
    let schema = output_schema_for::<Status>();
    insta::assert_json_snapshot!("output_schema", schema);
    let (observe, inner) = (Some(Observe::Tree), Some(Inner { seconds: 1 }));
    let full = Status { battery: Some(1.0), inner, observe, state: vec!["a".into()], left_out: Some("b".into()) };
    let bare = Status { battery: None, inner: None, observe: None, state: Vec::new(), left_out: None };
    for status in [full, bare] {
        let written = serde_json::to_value(status).unwrap();
        assert_eq!(check(&schema, written.as_object().unwrap()), Ok(()), "{written}");
    }
}

#[test]
fn what_is_told() {
    let said: Vec<(Value, String)> = [
        json!({}),
        json!({"x": 1}),
        json!({"x": 1.5, "count": 2.0, "observe": null, "text": null}),
        json!({"x": "abc"}),
        json!({"x": "a".repeat(100)}),
        json!({"x": -1}),
        json!({"x": 1e300}),
        json!({"count": 1.5}),
        json!({"count": 3}),
        json!({"deviceId": "a"}),
        json!({"X": 1}),
        json!({"zzz": 1}),
        json!({"observe": "tre"}),
        json!({"observe": 3}),
        json!({"verify": "yes"}),
        json!({"text": "hunter2 is secret"}),
        json!({"text": {"a": 1}}),
        json!({"steps": [{"tool": "tap", "arguments": {"any": 1}}]}),
        json!({"steps": [{"tool": "tap", "arguments": {}, "expekt": 1}]}),
        json!({"steps": [{"tool": 3, "arguments": {}}]}),
        json!({"steps": [{"tool": "tap"}]}),
        json!({"steps": [1, 2, 3]}),
        json!({"inner": {}}),
        json!({"inner": {"seconds": null}}),
        json!({"inner": {"seconds": -1}}),
        json!({"inner": {"seconds": 1, "second": 1}}),
    ]
    .into_iter()
    .map(|arguments| (arguments.clone(), told(arguments)))
    .collect();
    insta::assert_json_snapshot!(said);
}

#[test]
fn secrets_are_not_repeated() {
    let mut schema = tap();
    schema["properties"]["text"] = json!({"type": "integer"});
    let error = check(&schema, json!({"text": "hunter2"}).as_object().unwrap()).unwrap_err();
    assert!(!format!("{error:?}").contains("hunter2"));
    let error = from_text(&schema, "text", "hunter2").unwrap_err();
    assert!(!format!("{error:?}").contains("hunter2"));
}

#[test]
fn the_root_is_closed_even_if_the_schema_forgot() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    assert!(check(schema.as_object().unwrap(), json!({"b": 1}).as_object().unwrap()).is_err());
    assert!(check(&Map::new(), json!({"b": 1}).as_object().unwrap()).is_err());
}

#[test]
fn accepted_arguments_are_tidy() {
    let accepted = accept(&tap(), json!({"count": 2.0, "text": null, "x": 3.0}).as_object().unwrap().clone()).unwrap();
    assert_eq!(Value::Object(accepted), json!({"count": 2, "x": 3.0}));
}

#[test]
fn texts_are_read_by_the_schema() {
    let schema = tap();
    assert_eq!(from_text(&schema, "x", "1.5"), Ok(json!(1.5)));
    assert_eq!(from_text(&schema, "x", "-7"), Ok(json!(-7)));
    assert_eq!(from_text(&schema, "verify", "true"), Ok(json!(true)));
    assert_eq!(from_text(&schema, "device_id", "1.5"), Ok(json!("1.5")));
    for bad in ["NaN", "inf", "Infinity", "0x10", "1e999", "+1", "", " 1", "1,5", "١"] {
        assert!(from_text(&schema, "x", bad).is_err(), "{bad}");
    }
    assert!(from_text(&schema, "verify", "1").is_err());
    assert!(from_text(&schema, "steps", "[]").is_err());
    assert!(from_text(&schema, "nope", "1").unwrap_err().message.contains("nope"));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| Number::from_f64(number).map_or(Value::Null, Value::Number)),
        ".{0,60}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[a-z_]{1,8}|x|count|text|steps|tool|arguments|inner|seconds", inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn anything_is_answered(arguments in any_json(), schema in any_json()) {
        if let Value::Object(arguments) = arguments {
            if let Err(error) = check(&tap(), &arguments) {
                prop_assert!(error.message.chars().count() < 300, "{}", error.message);
            }
            if let Value::Object(schema) = schema {
                let _ = accept(&schema, arguments);
            }
        }
    }

    #[test]
    fn what_was_accepted_is_accepted_again(arguments in any_json()) {
        if let Value::Object(arguments) = arguments
            && let Ok(tidy) = accept(&tap(), arguments)
        {
            prop_assert_eq!(accept(&tap(), tidy.clone()), Ok(tidy));
        }
    }

    #[test]
    fn numbers_in_text_are_the_numbers(number in any::<f64>().prop_filter("finite", |n| n.is_finite())) {
        let text = serde_json::to_string(&number).unwrap();
        prop_assert_eq!(from_text(&tap(), "x", &text).unwrap().as_f64(), Some(number));
    }

    #[test]
    fn any_text_is_answered(text in ".{0,80}") {
        for name in ["x", "count", "verify", "device_id", "steps"] {
            let _ = from_text(&tap(), name, &text);
        }
    }
}
