//! The same questions in the protocols of Anthropic and Gemini, against a *scripted* server. No provider was asked.

use super::*;

/// The models of a server that speaks each provider's own protocol.
const PROVIDERS: [&str; 2] = ["anthropic::claude-x", "gemini::gemini-x"];

fn of(provider: &str, sim: &ModelSim) -> ModelConfig {
    ModelConfig { model: provider.to_owned(), ..config(sim) }
}

fn is_gemini(provider: &str) -> bool {
    provider.starts_with("gemini")
}

/// What is sent where a provider wants it: Anthropic's place, or Gemini's.
fn sent<'a>(request: &'a Value, provider: &str, anthropic: &str, gemini: &str) -> &'a Value {
    let place = if is_gemini(provider) { gemini } else { anthropic };
    request.pointer(place).unwrap_or_else(|| panic!("nothing at {place}: {request:#}"))
}

#[tokio::test]
async fn a_tool_call_is_asked_for_and_read() {
    for provider in PROVIDERS {
        let sim = ModelSim::start(vec![tap(7)]).await;
        let decision = decided(&model(of(provider, &sim))).await;
        assert_eq!((decision.tool.as_str(), &decision.arguments["x"]), ("tap", &json!(7)), "{provider}");
        same(decision.usage, usage(1));
        let path = if is_gemini(provider) { "/v1/models/gemini-x:generateContent" } else { "/v1/messages" };
        assert_eq!((sim.paths(), sim.keys()), (vec![path.to_owned()], vec![Some(KEY.to_owned())]));
        let request = &sim.requests()[0];
        let tool = sent(request, provider, "/tools/0", "/tools/0/functionDeclarations/0");
        assert_eq!((&tool["name"], &tool["description"]), (&json!("tap"), &json!("To tap.")), "{provider}");
        // As it is: an argument that may be left out stays one.
        let schema = sent(tool, provider, "/input_schema", "/parametersJsonSchema");
        assert_eq!(*schema, question().tools[0].schema, "{provider}");
        let demand = sent(request, provider, "/tool_choice/type", "/toolConfig/functionCallingConfig/mode");
        assert_eq!(demand, if is_gemini(provider) { "ANY" } else { "any" });
        let room = sent(request, provider, "/max_tokens", "/generationConfig/maxOutputTokens");
        assert_eq!(*room, 500, "{provider}");
        assert!(request.to_string().contains("You decide."), "{provider}: {request}");
        if !is_gemini(provider) {
            assert_eq!(request["model"], "claude-x");
        }
    }
}

#[tokio::test]
async fn json_in_the_text_is_a_decision_in_each_form() {
    for provider in PROVIDERS {
        for answers in [Answers::Auto, Answers::Tools, Answers::Schema, Answers::Text] {
            let sim = ModelSim::start(vec![json_tap(true)]).await;
            let decision = decided(&model(ModelConfig { answers, ..of(provider, &sim) })).await;
            assert_eq!((decision.tool.as_str(), decision.said.as_str()), ("tap", "Well."), "{provider} {answers}");
            let request = &sim.requests()[0];
            let schema = request.pointer("/output_config/format/schema");
            let schema = schema.or_else(|| request.pointer("/generationConfig/responseJsonSchema"));
            assert_eq!(schema.is_some(), answers == Answers::Schema, "{provider} {answers}: {request:#}");
        }
    }
}

#[tokio::test]
async fn a_picture_goes_along() {
    for provider in PROVIDERS {
        let sim = ModelSim::start(vec![tap(1)]).await;
        let picture = Picture { media_type: "image/jpeg".to_owned(), bytes: b"picture".as_slice().into() };
        let with = Question { picture: Some(picture), ..question() };
        model(of(provider, &sim)).decide(&with, LONG, &check).await.expect("a decision");
        let request = &sim.requests()[0];
        let parts = sent(request, provider, "/messages/0/content", "/contents/0/parts").as_array().expect("parts");
        let pictures: Vec<&Value> = parts
            .iter()
            .filter_map(|part| part.pointer("/source").or(part.get("inline_data")).or(part.get("inlineData")))
            .collect();
        let [picture] = pictures[..] else { panic!("{provider}: {parts:?}") };
        assert_eq!(picture["data"], "cGljdHVyZQ==", "{provider}");
        let kind = picture.get("media_type").or(picture.get("mime_type")).or(picture.get("mimeType"));
        assert_eq!(kind, Some(&json!("image/jpeg")), "{provider}");
    }
}

#[tokio::test]
async fn a_wrong_answer_is_asked_again_in_turns() {
    for provider in PROVIDERS {
        let sim = ModelSim::start(vec![Turn::act("dance", json!({})), tap(3)]).await;
        let decision = decided(&model(of(provider, &sim))).await;
        assert!(decision.arguments["x"] == 3 && decision.repaired.is_some(), "{provider}: {decision:?}");
        same(decision.usage, usage(2));
        let second = &sim.requests()[1];
        let turns = sent(second, provider, "/messages", "/contents").as_array().expect("turns");
        let roles: Vec<&Value> = turns.iter().map(|turn| &turn["role"]).collect();
        let model = if is_gemini(provider) { "model" } else { "assistant" };
        assert_eq!(roles, ["user", model, "user"], "{provider}");
        assert!(second.to_string().contains("there is no tool"), "{provider}: {second}");
    }
}

#[tokio::test]
async fn failures_are_told_and_tried_again_as_any() {
    for provider in PROVIDERS {
        for turn in [Turn::Status(429, Some(0)), Turn::Status(529, None), Turn::Half, Turn::Junk] {
            let sim = ModelSim::start(vec![turn.clone(), tap(1)]).await;
            assert_eq!(decided(&model(of(provider, &sim))).await.usage.requests, 2, "{provider} {turn:?}");
        }
        for (turn, part) in [(Turn::Status(401, None), "API key"), (Turn::Status(404, None), "no such model")] {
            let sim = ModelSim::start(vec![turn, tap(1)]).await;
            let told = failed(&model(of(provider, &sim))).await.to_string();
            // The server's own words are in it, without the key that it repeats.
            assert!(told.contains(part) && told.contains("for •••") && told.contains(provider), "{told}");
            assert_eq!(sim.requests().len(), 1, "{provider}");
        }
        for body in [json!({ "answer": 42 }), json!({ "error": { "code": 502, "message": "no luck" } })] {
            let sim = ModelSim::start(vec![Turn::Body(body.clone()), tap(1)]).await;
            assert_eq!(decided(&model(of(provider, &sim))).await.usage.requests, 2, "{provider} {body}");
        }
    }
}

#[tokio::test]
async fn what_is_refused_is_told_as_that() {
    let blocked = json!({ "promptFeedback": { "blockReason": "PROHIBITED_CONTENT" }, "usageMetadata": { "promptTokenCount": 9 } });
    let unsafe_answer = json!({ "candidates": [{ "finishReason": "SAFETY", "index": 0 }] });
    let refusal = json!({
        "type": "message", "role": "assistant", "content": [], "stop_reason": "refusal",
        "usage": { "input_tokens": 9, "output_tokens": 1 },
    });
    let [anthropic, gemini] = PROVIDERS;
    for (provider, body, part) in
        [(gemini, blocked, "PROHIBITED_CONTENT"), (gemini, unsafe_answer, "SAFETY"), (anthropic, refusal, "refusal")]
    {
        let sim = ModelSim::start(vec![Turn::Body(body), tap(1)]).await;
        let failed = failed(&model(of(provider, &sim))).await;
        assert!(matches!(failed.error, ModelError::Refused { .. }) && failed.to_string().contains(part), "{failed}");
        assert_eq!(sim.requests().len(), 1, "{provider}");
    }
}

#[tokio::test]
async fn an_answer_that_was_cut_off_needs_more_tokens() {
    let [anthropic, gemini] = PROVIDERS;
    for (provider, body) in [
        (
            anthropic,
            json!({ "content": [], "stop_reason": "max_tokens", "usage": { "input_tokens": 9, "output_tokens": 500 } }),
        ),
        (gemini, json!({ "candidates": [{ "content": { "role": "model" }, "finishReason": "MAX_TOKENS" }] })),
    ] {
        let sim = ModelSim::deciding(move |_, _| Turn::Body(body.clone())).await;
        let told = failed(&model(of(provider, &sim))).await.to_string();
        assert!(told.contains("max_tokens"), "{provider}: {told}");
    }
}

#[tokio::test]
async fn a_server_that_takes_no_tools_or_no_demand_is_asked_otherwise() {
    for provider in PROVIDERS {
        let sim = ModelSim::deciding(|request, _| match request.get("tools") {
            Some(_) => Turn::Refuse(400, "tools are not supported by this model".to_owned()),
            None => tap(1),
        })
        .await;
        let decision = decided(&model(of(provider, &sim))).await;
        assert_eq!((decision.repaired, decision.usage.requests), (None, 2), "{provider}");
        let sim = ModelSim::deciding(|request, _| match (request.get("tool_choice"), request.get("toolConfig")) {
            (Some(_), _) => {
                Turn::Refuse(400, "Thinking may not be enabled when tool_choice forces tool use.".to_owned())
            }
            (_, Some(_)) => {
                Turn::Refuse(400, "The specified schema produces a constraint that has too many states".to_owned())
            }
            (None, None) => tap(2),
        })
        .await;
        let decision = decided(&model(of(provider, &sim))).await;
        assert_eq!((decision.repaired, decision.usage.requests), (None, 2), "{provider}");
        assert!(sim.requests().iter().all(|request| request.get("tools").is_some()), "{provider}");
    }
}

#[tokio::test]
async fn without_a_key_none_is_sent_to_a_server_of_ones_own() {
    for provider in PROVIDERS {
        let sim = ModelSim::start(vec![tap(1)]).await;
        decided(&model(ModelConfig { api_key: None, ..of(provider, &sim) })).await;
        assert_eq!(sim.keys(), [Some(String::new())], "{provider}");
    }
}
