//! What the operator settled in advance: apps that nobody may use, the kinds of address that may be opened, alerts that are
//! answered without asking.
//!
//! It knows the settings and what is remembered of a device, not where the settings are written or what acts do.

use super::{
    Code, Context, Error, Outcome,
    context::{Target, brief},
    look,
};
use crate::{
    device::{Feature, Operation},
    neutral::{Alert, App},
    perception::text::fold,
};
use serde_json::json;
use std::time::Duration;

const APPS: Operation = Operation { name: "apps", limit: Duration::from_secs(20) };

/// The operator's safety settings. By default no app is denied, and no address allowed.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// Ids or names of apps, in any case; a `*` at the end stands for any rest.
    pub deny_apps: Vec<String>,
    /// Schemes of addresses that may be opened, without the colon.
    pub url_schemes: Vec<String>,
    /// Alerts that are answered without asking: a part of the text, in any case, and the button's label.
    pub answer_alerts: Vec<(String, String)>,
}

impl Policy {
    /// Whether an app's id or name is denied.
    fn denies(&self, app: &str) -> bool {
        let app = app.trim().to_lowercase();
        self.deny_apps.iter().any(|denied| {
            let denied = denied.trim().to_lowercase();
            match denied.strip_suffix('*') {
                Some(start) => app.starts_with(start),
                None => app == denied,
            }
        })
    }

    /// The button that answers this alert without asking, where the operator named one and the alert has it.
    pub(super) fn answer<'a>(&self, alert: &'a Alert) -> Option<&'a str> {
        let text = fold(&alert.text);
        let wanted = self.answer_alerts.iter().filter(|(part, _)| text.contains(&fold(part)));
        let mut buttons = wanted.filter_map(|(_, label)| {
            let label = fold(label);
            alert.buttons.iter().find(|button| fold(button) == label)
        });
        buttons.next().map(String::as_str)
    }

    fn denies_app(&self, app: &App) -> bool {
        self.denies(&app.id) || app.name.as_deref().is_some_and(|name| self.denies(name))
    }
}

impl Context {
    /// Whether an address may be opened, by its scheme.
    ///
    /// # Errors
    /// [`Code::Forbidden`]; [`Code::InvalidArguments`] for an address that has no scheme. Neither repeats the address.
    pub fn permits_url(&self, url: &str) -> Result<(), Error> {
        let Some((scheme, rest)) = scheme(url) else {
            return Err(Error::invalid(
                "`url` does not begin with a scheme",
                "Give the whole address, such as https://example.com.",
            ));
        };
        if rest.is_empty() || rest.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(Error::invalid(
                "`url` is not an address: it ends after its scheme, or holds blanks or control characters",
                "Give the whole address, such as https://example.com; a blank is written %20.",
            ));
        }
        if self.policy.url_schemes.iter().any(|allowed| allowed.eq_ignore_ascii_case(scheme)) {
            return Ok(());
        }
        let hint = match self.policy.url_schemes.as_slice() {
            [] => "None is allowed; the operator sets them with url_schemes under [tools].".to_owned(),
            allowed => {
                format!("Allowed are {}; the operator sets them with url_schemes under [tools].", allowed.join(", "))
            }
        };
        Err(Error::new(Code::Forbidden, format!("addresses of the kind {:?} may not be opened", brief(scheme)), hint))
    }

    /// Whether an app may be started or ended, before that is asked of the device. A name may stand for an app that is denied by
    /// its id, so that the device's own list is held against the settings too, where there are any.
    pub(super) async fn permits_app(&self, target: &Target, app: &str) -> Result<(), Error> {
        if self.policy.deny_apps.is_empty() {
            return Ok(());
        }
        if self.policy.denies(app) {
            return Err(denied(target, format!("the app {:?} may not be used", brief(app))));
        }
        if !target.device.has(Feature::Apps) {
            return Ok(());
        }
        // A device that cannot tell its apps is judged by what it answers in the end.
        let listed = target.look(APPS, |driver, within| async move { driver.apps(within).await }).await;
        let wanted = app.trim().to_lowercase();
        let is_it = |known: &App| {
            known.id.to_lowercase() == wanted || known.name.as_ref().is_some_and(|name| name.to_lowercase() == wanted)
        };
        let known = listed.ok().and_then(|listed| {
            listed.apps.into_iter().map(|entry| entry.app).find(|known| is_it(known) && self.policy.denies_app(known))
        });
        match known {
            Some(known) => {
                let what = format!("the app {:?} ({:?}) may not be used", brief(app), brief(&known.id));
                Err(denied(target, what))
            }
            None => Ok(()),
        }
    }

    /// Whether the app that came to the front is one that may be used.
    pub(super) fn permits_launched(&self, target: &Target, app: &App) -> Result<(), Error> {
        if !self.policy.denies_app(app) {
            return Ok(());
        }
        let what = format!("{:?} came to the front, an app that may not be used", brief(&app.id));
        Err(denied(target, what).outcome(Outcome::Done))
    }

    /// Whether acts are allowed, by the app in front: as it is remembered, else as the phone tells it.
    ///
    /// # Errors
    /// [`Code::Forbidden`].
    pub(super) async fn permits_acts_now(&self, target: &Target) -> Result<(), Error> {
        let unknown = !self.policy.deny_apps.is_empty() && target.device.facts().app.is_none();
        if unknown && target.device.has(Feature::ActiveApp) {
            // A phone that cannot tell now is asked again by the next act.
            let _ = look::active_app(target).await;
        }
        self.permits_acts(target)
    }

    /// Whether acts are allowed, by the app that is remembered to be in front.
    ///
    /// # Errors
    /// [`Code::Forbidden`].
    pub(super) fn permits_acts(&self, target: &Target) -> Result<(), Error> {
        let front = if self.policy.deny_apps.is_empty() { None } else { target.device.facts().app };
        match front {
            Some(app) if self.policy.denies_app(&app) => Err(Error {
                hint: "It is on the operator's list deny_apps under [tools]. Leave it with press_button home or launch_app. Once \
                       somebody has left it by hand, call wait_for with the app that is then in front, and go on."
                    .to_owned(),
                ..denied(target, format!("an app that may not be used is in front: {:?}", brief(&app.id)))
            }
            .details(json!({ "app": app.id }))),
            _ => Ok(()),
        }
    }
}

fn denied(target: &Target, what: String) -> Error {
    Error::new(Code::Forbidden, what, "It is on the operator's list deny_apps under [tools]; use another app.")
        .on_device(target.id())
}

/// What stands before and after the first colon, if the former is a scheme. Blanks and control characters, which some readers of addresses drop,
/// make it none.
fn scheme(url: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = url.split_once(':')?;
    // The form that RFC 3986 gives.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic()) && scheme.bytes().all(plain);
    is_scheme.then_some((scheme, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capability::Settings;
    use crate::device::Manager;
    use std::sync::Arc;

    fn context(policy: Policy) -> Arc<Context> {
        let settings = Settings { policy, ..Settings::default() };
        Context::with(Manager::new(Arc::new(|| (String::new(), 0))), settings)
    }

    fn code(answer: Result<(), Error>) -> Option<Code> {
        answer.err().map(|error| error.code)
    }

    fn only(schemes: &[&str]) -> Arc<Context> {
        let url_schemes = schemes.iter().map(|scheme| (*scheme).to_owned()).collect();
        context(Policy { url_schemes, ..Policy::default() })
    }

    #[test]
    fn an_address_is_opened_by_its_scheme_whatever_its_case() {
        let context = only(&["https", "mailto", "tel", "MyApp"]);
        for url in ["https://example.com", "HTTPS://example.com", "mailto:a@b.c", "tel:112", "myapp://pay"] {
            assert_eq!(context.permits_url(url), Ok(()), "{url}");
        }
        for url in
            ["javascript:alert(1)", "file:///etc/passwd", "itms-services://x", "prefs:root=x", "httpss://x", "data:,x"]
        {
            assert_eq!(code(context.permits_url(url)), Some(Code::Forbidden), "{url}");
        }
    }

    #[test]
    fn what_has_no_scheme_is_no_address() {
        let context = only(&["https", "javascript"]);
        for url in [
            "",
            "example.com",
            "/path",
            ":x",
            " https://x",
            "java\tscript:x",
            "1http://x",
            "https\u{0}://x",
            "https:",
            "https://exa mple.com",
            "https://example.com/\n",
            "https://example.com/?token=s3cret \u{7}",
            "хttp://x",
        ] {
            let error = context.permits_url(url).unwrap_err();
            assert_eq!(error.code, Code::InvalidArguments, "{url:?}");
            assert!(!format!("{error:?}").contains("s3cret"), "{error:?}");
        }
    }

    #[test]
    fn a_refusal_names_the_setting_and_not_the_address() {
        let error = only(&["myapp"]).permits_url("https://example.com/?token=s3cret").unwrap_err();
        assert_eq!(error.code, Code::Forbidden);
        assert!(error.hint.contains("url_schemes") && error.hint.contains("myapp"), "{}", error.hint);
        assert!(!format!("{error:?}").contains("s3cret"), "{error:?}");
        let none = only(&[]).permits_url("https://example.com").unwrap_err();
        assert!(none.hint.contains("url_schemes"), "{}", none.hint);
    }

    #[test]
    fn apps_are_denied_by_id_or_name_in_any_case_and_by_how_they_begin() {
        let deny_apps = ["com.bank.*", "Wallet", "com.exact"].map(str::to_owned).to_vec();
        let policy = Policy { deny_apps, ..Policy::default() };
        for app in ["com.bank.mobile", "COM.BANK.x", "com.bank.", "wallet", " WALLET ", "com.exact"] {
            assert!(policy.denies(app), "{app}");
        }
        for app in ["com.bank", "com.banker", "Wallets", "my wallet", "com.exact.more", ""] {
            assert!(!policy.denies(app), "{app}");
        }
        let app = |id: &str, name: Option<&str>| App { id: id.to_owned(), name: name.map(str::to_owned) };
        assert!(policy.denies_app(&app("com.apple.Passbook", Some("Wallet"))));
        assert!(policy.denies_app(&app("com.bank.a", Some("Harmless"))));
        assert!(!policy.denies_app(&app("com.fine", None)));
        assert!(!Policy::default().denies("com.bank.mobile"));
    }
}
