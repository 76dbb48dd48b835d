//! Before what a model's task asks a human: actions that cost money, lose something, or are a person's to do.
//!
//! Knows words on screens and nothing of phones. It goes by what the element that is acted on says, not by what the model says of
//! it, and holds whatever the model was told by a screen. It is not complete: what a button does need not be written on it, and
//! swiping a row may delete it in some apps.

use super::target::Target;
use crate::{capability::says_no, config::AskBefore};
use serde_json::{Map, Value};

/// Words that a button has which loses something.
const DELETION: &[&str] = &[
    "delete",
    "remove",
    "erase",
    "clear all",
    "clear history",
    "discard",
    "trash",
    "uninstall",
    "factory reset",
    "reset all",
    "deactivate",
    "close account",
    "löschen",
    "entfernen",
    "zurücksetzen",
    "supprimer",
    "effacer",
    "retirer",
    "eliminar",
    "borrar",
    "quitar",
    "elimina",
    "cancella",
    "rimuovi",
    "apagar",
    "excluir",
    "remover",
    "verwijderen",
    "wissen",
    "usuń",
    "удалить",
    "стереть",
    "删除",
    "刪除",
    "移除",
    "清除",
    "削除",
    "消去",
    "삭제",
    "حذف",
    "מחק",
    "ลบ",
    "हटाएं",
];
/// Words that a button has which costs something.
const PAYMENT: &[&str] = &[
    "pay",
    "pay now",
    "buy",
    "buy now",
    "purchase",
    "place order",
    "order now",
    "complete order",
    "submit order",
    "subscribe",
    "start trial",
    "donate",
    "send money",
    "transfer money",
    "top up",
    "bezahlen",
    "zahlen",
    "kaufen",
    "jetzt kaufen",
    "zahlungspflichtig bestellen",
    "abonnieren",
    "payer",
    "acheter",
    "commander",
    "s'abonner",
    "pagar",
    "comprar",
    "suscribirse",
    "paga",
    "acquista",
    "compra",
    "assinar",
    "betalen",
    "kopen",
    "zapłać",
    "kup",
    "оплатить",
    "купить",
    "支付",
    "付款",
    "购买",
    "購買",
    "購入",
    "支払う",
    "결제",
    "구매",
    "شراء",
    "ادفع",
    "שלם",
    "ซื้อ",
    "खरीदें",
];
/// What stands on a screen on which money is about to change hands.
const CHECKOUT: &[&str] =
    &["apple pay", "google pay", "paypal", "credit card", "card number", "total to pay", "order total"];
/// What then sends it off.
const CONFIRM: &[&str] =
    &["confirm", "continue", "submit", "ok", "done", "agree", "bestätigen", "confirmer", "confirmar", "確認", "确认"];
/// What stands on a screen that wants a one-time code.
const CODE: &[&str] = &[
    "verification code",
    "one-time code",
    "one-time password",
    "one time password",
    "security code",
    "authentication code",
    "6-digit code",
    "six-digit code",
    "4-digit code",
    "code we sent",
    "two-factor",
    "2-step verification",
    "otp",
    "sms code",
    "bestätigungscode",
    "sicherheitscode",
    "einmalcode",
    "code de vérification",
    "código de verificación",
    "codice di verifica",
    "código de verificação",
    "verificatiecode",
    "код подтверждения",
    "验证码",
    "驗證碼",
    "認証コード",
    "確認コード",
    "인증번호",
    "인증 코드",
    "رمز التحقق",
    "קוד אימות",
];
/// What stands on a screen that wants to know whether a human is there.
const CAPTCHA: &[&str] = &[
    "captcha",
    "i'm not a robot",
    "i’m not a robot",
    "not a robot",
    "verify you are human",
    "verify that you are human",
    "prove you are human",
    "human verification",
    "ich bin kein roboter",
    "je ne suis pas un robot",
    "no soy un robot",
    "人机验证",
    "我不是机器人",
    "私はロボットではありません",
];

/// An action that is about to be done.
pub(super) struct Action<'a> {
    pub(super) tool: &'a str,
    pub(super) arguments: &'a Map<String, Value>,
    pub(super) target: &'a Target,
    /// What the whole screen says.
    pub(super) screen: &'a str,
    /// Whether what is typed is the operator's own: an input, or a human's answer.
    pub(super) own_text: bool,
}

/// For what reason a human is to be asked before this is done.
pub(super) fn occasion(action: &Action<'_>, ask: &AskBefore) -> Option<String> {
    let asks = |occasion: &str| ask.occasions.iter().any(|asked| asked == occasion);
    let target = fold(&action.target.says);
    let screen = fold(action.screen);
    let on = |text: &str, words: &[&str]| words.iter().any(|word| holds(text, word));
    // Whoever says no to a question does not do what it asks about.
    let asked = action.target.asked.as_ref().filter(|_| !says_no(&action.target.label));
    let meant = asked.map_or_else(|| target.clone(), |asked| fold(&format!("{}\n{asked}", action.target.says)));
    let meant = meant.as_str();
    // Some buttons are pushed aside rather than pressed: slide to pay.
    let presses = matches!(action.tool, "tap" | "answer_alert" | "swipe");
    let listed = ask.words.iter().find(|word| holds(meant, &fold(word)));
    if let Some(word) = listed {
        return Some(format!("listed: {word}"));
    }
    let argument = |name: &str| action.arguments.get(name);
    let ends_line = argument("text").and_then(Value::as_str).is_some_and(|text| text.contains(['\n', '\r']));
    let sends = action.tool == "input_text" && (argument("submit") == Some(&Value::Bool(true)) || ends_line)
        || action.tool == "press_button" && argument("button").and_then(Value::as_str) == Some("enter");
    if asks("captcha") && (presses || action.tool == "input_text") && on(&screen, CAPTCHA) {
        return Some("captcha".to_owned());
    }
    if asks("deletion") && presses && on(meant, DELETION) {
        return Some("deletion".to_owned());
    }
    let pays = on(meant, PAYMENT) || on(&screen, CHECKOUT) && on(&target, CONFIRM);
    if asks("payment") && (presses && pays || sends && on(&screen, CHECKOUT)) {
        return Some("payment".to_owned());
    }
    if asks("one_time_code") && action.tool == "input_text" && !action.own_text && on(&screen, CODE) {
        return Some("one_time_code".to_owned());
    }
    None
}

fn fold(text: &str) -> String {
    text.to_lowercase()
}

/// Whether words stand in a text: as whole words where they are written with letters that are set apart by blanks.
fn holds(text: &str, words: &str) -> bool {
    let spaced = words.chars().all(|sign| (sign as u32) < 0x0e00);
    let mut from = 0;
    while let Some(at) = text[from..].find(words) {
        let (start, end) = (from + at, from + at + words.len());
        let before = text[..start].chars().next_back().is_some_and(char::is_alphanumeric);
        let after = text[end..].chars().next().is_some_and(char::is_alphanumeric);
        if !spaced || !before && !after {
            return true;
        }
        from = start + words.chars().next().map_or(1, char::len_utf8);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Here a screen that begins with `alert` is one with an alert in front, which the target answers.
    fn asked(tool: &str, arguments: Value, target: &str, screen: &str) -> Option<String> {
        let arguments = arguments.as_object().unwrap();
        let label = crate::agent::screen::label(target).unwrap_or_else(|| target.to_owned());
        let asked = screen.starts_with("alert").then(|| screen.to_owned());
        let target = Target { says: target.to_owned(), label, asked, ..Target::default() };
        let action = Action { tool, arguments, target: &target, screen, own_text: false };
        let ask = AskBefore { words: vec!["Überweisen".to_owned()], ..AskBefore::default() };
        occasion(&action, &ask)
    }

    #[test]
    fn what_is_a_persons_to_do_is_asked_for() {
        for (tool, arguments, target, screen, reason) in [
            ("tap", json!({}), "button \"Delete note\"", "", Some("deletion")),
            ("tap", json!({}), "button \"删除\"", "", Some("deletion")),
            ("tap", json!({}), "button \"Undeleted items\"", "", None),
            ("tap", json!({}), "button \"Buy now\"", "", Some("payment")),
            ("tap", json!({}), "button \"PayPal settings\"", "", None),
            ("tap", json!({}), "button \"Confirm\"", "Order total 12 €", Some("payment")),
            ("tap", json!({}), "button \"Confirm\"", "Your name", None),
            ("tap", json!({}), "button \"Jetzt überweisen\"", "", Some("listed: Überweisen")),
            ("tap", json!({}), "button \"Next\"", "I’m not a robot", Some("captcha")),
            ("find_text", json!({ "text": "Next" }), "", "I’m not a robot", None),
            ("open_url", json!({}), "bank:überweisen", "", Some("listed: Überweisen")),
            ("input_text", json!({}), "text_field \"Code\"", "Enter the verification code", Some("one_time_code")),
            ("input_text", json!({}), "text_field \"Delete reason\"", "", None),
            ("answer_alert", json!({}), "OK", "alert Delete this note?", Some("deletion")),
            ("answer_alert", json!({}), "Cancel", "alert Delete this note?", None),
            ("answer_alert", json!({}), "Yes, no going back", "alert Delete this note?", Some("deletion")),
            ("answer_alert", json!({}), "Don't keep", "alert Delete this note?", Some("deletion")),
            ("answer_alert", json!({}), "Delete", "alert What now?", Some("deletion")),
            ("tap", json!({}), "button \"OK\"", "alert \"Delete this note?\"", Some("deletion")),
            ("tap", json!({}), "button \"Cancel\"", "alert \"Delete this note?\"", None),
            ("swipe", json!({}), "slider \"Slide to pay\"", "", Some("payment")),
            ("swipe", json!({}), "cell \"Inbox\"", "Delete", None),
            ("input_text", json!({ "submit": true }), "", "Card number", Some("payment")),
            ("input_text", json!({ "text": "12\n" }), "", "Card number", Some("payment")),
            ("input_text", json!({ "text": "12" }), "", "Card number", None),
            ("press_button", json!({ "button": "enter" }), "", "Order total 3 €", Some("payment")),
            ("answer_alert", json!({}), "OK", "alert Überweisen 500 €?", Some("listed: Überweisen")),
        ] {
            assert_eq!(asked(tool, arguments, target, screen).as_deref(), reason, "{tool} {target} {screen}");
        }
    }

    #[test]
    fn what_the_operator_takes_off_the_list_is_done() {
        let (arguments, ask) = (Map::new(), AskBefore { occasions: Vec::new(), words: Vec::new() });
        let target = Target { says: "Delete".to_owned(), ..Target::default() };
        let action = Action { tool: "tap", arguments: &arguments, target: &target, screen: "captcha", own_text: false };
        assert_eq!(occasion(&action, &ask), None);
    }
}
