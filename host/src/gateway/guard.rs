//! Who may come in: the Host and Origin checks that keep web pages out, the token, and the secret by which a process of the
//! same machine joins. It stands before both doors.
//!
//! It knows headers; it does not know any route or capability.

use super::problem::Problem;
use crate::capability::{Code, Error};
use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, header, uri::Authority},
    middleware::Next,
    response::Response,
};
use sha2::{Digest, Sha256};
use std::{
    hash::{BuildHasher, Hasher, RandomState},
    sync::{
        Arc, LazyLock,
        atomic::{AtomicU64, Ordering},
    },
};

/// The header by which a process of this machine shows that it may join.
pub const JOIN: HeaderName = HeaderName::from_static("x-fingertip-join");
/// The header in which a joined process says for which session it speaks.
pub const SESSION: HeaderName = HeaderName::from_static("x-fingertip-session");
/// The header in which a joined process says how large a picture its own door can pass on.
pub const PICTURE_LIMIT: HeaderName = HeaderName::from_static("x-fingertip-picture-limit");
/// The header by which a caller without a session names itself.
pub const CLIENT: HeaderName = HeaderName::from_static("x-client-id");
/// The header with the id of the request, in and out.
pub const REQUEST: HeaderName = HeaderName::from_static("x-request-id");

/// Who is let in.
#[derive(Default)]
pub struct Options {
    /// The bearer token, if one is needed.
    pub token: Option<String>,
    /// Host names, with or without a port, besides the loopback ones. `*` allows all.
    pub allowed_hosts: Vec<String>,
    /// The secret by which a process of this machine joins, in place of the token.
    pub join_secret: Option<String>,
}

/// The doorkeeper.
pub struct Guard {
    token: Option<Secret>,
    join: Option<Secret>,
    hosts: Vec<Host>,
    any_host: bool,
    on_refusal: Box<dyn Fn(Code) + Send + Sync>,
}

/// A host name in lower case, an address with colons in brackets; and a port, where it matters.
pub type Host = (String, Option<u16>);

/// The loopback names and these; what is not a host is left out.
pub fn hosts(allowed: &[String]) -> Vec<Host> {
    let loopback = ["localhost", "127.0.0.1", "[::1]"];
    loopback
        .into_iter()
        .chain(allowed.iter().map(String::as_str))
        .filter(|host| *host != "*")
        .filter_map(split_host)
        .collect()
}

/// Who came in, for the handlers behind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// The name of the token that was shown.
    pub token: &'static str,
    /// A process of this machine that joined.
    pub joined: bool,
    /// The session that a joined process speaks for.
    pub session: Option<String>,
}

/// The id of a request, made here or taken from the caller.
#[derive(Clone, Debug)]
pub struct RequestId(pub Arc<str>);

impl RequestId {
    /// A new one, unlike all others of this run.
    pub fn new() -> Self {
        static RUN: LazyLock<u32> = LazyLock::new(|| RandomState::new().build_hasher().finish() as u32);
        static NEXT: AtomicU64 = AtomicU64::new(1);
        RequestId(format!("r-{:08x}-{}", *RUN, NEXT.fetch_add(1, Ordering::Relaxed)).into())
    }

    fn of(headers: &HeaderMap) -> Self {
        let given = headers.get(REQUEST).and_then(|value| value.to_str().ok()).filter(|id| is_sane(id, 128));
        given.map_or_else(Self::new, |id| RequestId(id.into()))
    }
}

/// Whether a name from a header is fit to be shown and logged.
pub fn is_sane(name: &str, most: usize) -> bool {
    !name.is_empty()
        && name.len() <= most
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-:/ @+".contains(&byte))
}

impl Guard {
    /// A doorkeeper; `on_refusal` is told of each request that is sent away.
    pub fn new(options: Options, on_refusal: impl Fn(Code) + Send + Sync + 'static) -> Self {
        let any_host = options.allowed_hosts.iter().any(|host| host == "*");
        let hosts = hosts(&options.allowed_hosts);
        Guard {
            token: options.token.as_deref().map(Secret::new),
            join: options.join_secret.as_deref().map(Secret::new),
            hosts,
            any_host,
            on_refusal: Box::new(on_refusal),
        }
    }

    /// The middleware before both doors.
    pub async fn stand(State(guard): State<Arc<Guard>>, mut request: Request<Body>, next: Next) -> Response {
        let id = RequestId::of(request.headers());
        let mut response = match guard.admit(&request) {
            Ok(identity) => {
                request.extensions_mut().insert(identity);
                request.extensions_mut().insert(id.clone());
                next.run(request).await
            }
            Err(error) => {
                (guard.on_refusal)(error.code);
                Problem::new(*error).respond(&id.0)
            }
        };
        if let Ok(value) = HeaderValue::from_str(&id.0) {
            response.headers_mut().insert(REQUEST, value);
        }
        response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        response
    }

    fn admit<B>(&self, request: &Request<B>) -> Result<Identity, Box<Error>> {
        self.check_host(request)?;
        self.check_origin(request.headers())?;
        let probe = matches!(request.uri().path(), "/healthz" | "/readyz");
        self.identify(request.headers(), probe)
    }

    /// A page that makes its own name point here (DNS rebinding) still sends that name as the Host.
    fn check_host<B>(&self, request: &Request<B>) -> Result<(), Box<Error>> {
        let mut hosts = request.headers().get_all(header::HOST).iter().map(HeaderValue::to_str);
        let named = request.uri().authority().map(Authority::as_str);
        let known = |host: &str| split_host(host).is_some_and(|host| self.knows(&host));
        let mut any = named.is_some();
        let good = hosts.all(|host| {
            any = true;
            host.is_ok_and(known)
        });
        if any && good && named.is_none_or(known) {
            return Ok(());
        }
        Err(Box::new(Error::new(
            Code::Forbidden,
            "this server does not answer to that host name",
            "Call it by a loopback address, or have its operator add the host name to the configuration.",
        )))
    }

    /// Only a browser sends an Origin; a foreign one is a web page that reaches for the phones.
    fn check_origin(&self, headers: &HeaderMap) -> Result<(), Box<Error>> {
        let known = |origin: &HeaderValue| {
            let origin = origin.to_str().ok()?;
            let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"))?;
            let (host, port) = split_host(host)?;
            // The port says which page it is, not which server is called: any page of an allowed host may.
            let by_name =
                self.hosts.iter().any(|(known, wanted)| *known == host && (wanted.is_none() || *wanted == port));
            by_name.then_some(())
        };
        if headers.get_all(header::ORIGIN).iter().all(|origin| known(origin).is_some()) {
            return Ok(());
        }
        Err(Box::new(Error::new(
            Code::Forbidden,
            "web pages of another origin may not call this server",
            "Call it from a program, or from a page that is served by this machine.",
        )))
    }

    fn identify(&self, headers: &HeaderMap, probe: bool) -> Result<Identity, Box<Error>> {
        let session = headers.get(SESSION).map(|value| value.to_str().ok().filter(|id| is_sane(id, 128)));
        if let Some(shown) = headers.get(JOIN) {
            if !self.join.as_ref().is_some_and(|secret| secret.is(shown.as_bytes())) {
                return Err(Box::new(Error::new(
                    Code::Unauthorized,
                    "the secret for joining this server is wrong",
                    "Start the command again: the server has been restarted since.",
                )));
            }
            let session = match session {
                None => None,
                Some(Some(session)) => Some(session.to_owned()),
                Some(None) => return Err(Box::new(bad_session())),
            };
            return Ok(Identity { token: "joined", joined: true, session });
        }
        if session.is_some() {
            return Err(Box::new(Error::new(
                Code::Forbidden,
                "only a process of this machine may speak for a session",
                "Leave the session header out; name yourself by X-Client-Id.",
            )));
        }
        let Some(token) = &self.token else {
            return Ok(Identity { token: "local", ..Identity::default() });
        };
        let shown = headers.get(header::AUTHORIZATION).and_then(|value| {
            let (scheme, token) = value.as_bytes().split_at_checked(7)?;
            scheme.eq_ignore_ascii_case(b"bearer ").then_some(token.trim_ascii())
        });
        if probe || shown.is_some_and(|shown| token.is(shown)) {
            return Ok(Identity { token: "token", ..Identity::default() });
        }
        let message = if shown.is_some() { "the token is wrong" } else { "this server needs a token" };
        Err(Box::new(Error::new(
            Code::Unauthorized,
            message,
            "Send the header `Authorization: Bearer TOKEN` with the token of this server.",
        )))
    }

    fn knows(&self, (host, port): &Host) -> bool {
        self.any_host || self.hosts.iter().any(|(known, wanted)| known == host && (wanted.is_none() || wanted == port))
    }
}

fn bad_session() -> Error {
    Error::invalid("the session's name is not usable", "Use letters, digits, `.`, `_`, `-` and `:`.")
}

/// `host[:port]` in lower case; nothing if it is neither.
fn split_host(host: &str) -> Option<Host> {
    // An address with colons may be configured without its brackets.
    let bare_v6 = host.parse::<std::net::Ipv6Addr>().is_ok();
    let bracketed = if bare_v6 { format!("[{host}]") } else { host.to_owned() };
    let authority: Authority = bracketed.parse().ok()?;
    if authority.as_str().contains('@') || authority.host().is_empty() {
        return None;
    }
    let name = authority.host().trim_end_matches('.').to_ascii_lowercase();
    let has_port = authority.as_str().len() > authority.host().len();
    match (has_port, authority.port_u16()) {
        (true, None) => None,
        (_, port) => Some((name, port)),
    }
}

/// A secret that is compared without telling by the time taken how much of it was right.
struct Secret([u8; 32]);

impl Secret {
    fn new(secret: &str) -> Self {
        Secret(Sha256::digest(secret.as_bytes()).into())
    }

    fn is(&self, shown: &[u8]) -> bool {
        let shown: [u8; 32] = Sha256::digest(shown).into();
        let difference = self.0.iter().zip(shown).fold(0, |difference, (ours, theirs)| difference | (ours ^ theirs));
        std::hint::black_box(difference) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard() -> Guard {
        let options = Options {
            token: Some("s3cret".into()),
            allowed_hosts: vec!["phones.example".into(), "lab.example:8443".into(), "fe80::1".into()],
            join_secret: Some("join".into()),
        };
        Guard::new(options, |_| ())
    }

    fn ask(guard: &Guard, headers: &[(&str, &str)]) -> Result<Identity, Code> {
        let mut request = Request::get("/devices");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        guard.admit(&request.body(()).unwrap()).map_err(|error| error.code)
    }

    #[test]
    fn hosts() {
        let open = Guard::new(Options { allowed_hosts: guard_hosts(), ..Options::default() }, |_| ());
        for good in [
            "localhost",
            "LOCALHOST:7311",
            "127.0.0.1:1",
            "[::1]:80",
            "phones.example",
            "phones.example.:99",
            "lab.example:8443",
            "[fe80::1]:7311",
        ] {
            assert!(ask(&open, &[("host", good)]).is_ok(), "{good}");
        }
        for bad in [
            "evil.example",
            "localhost.evil.example",
            "evil@localhost",
            "lab.example",
            "lab.example:1",
            "localhost:x",
            "localhost:",
            "",
            "127.0.0.1.nip.io",
        ] {
            assert_eq!(ask(&open, &[("host", bad)]), Err(Code::Forbidden), "{bad}");
        }
        assert_eq!(ask(&open, &[]), Err(Code::Forbidden));
        assert_eq!(ask(&open, &[("host", "localhost"), ("host", "evil.example")]), Err(Code::Forbidden));
        let absolute = Request::get("http://evil.example/devices").header("host", "localhost").body(()).unwrap();
        assert!(open.admit(&absolute).is_err());
        let any = Guard::new(Options { allowed_hosts: vec!["*".into()], ..Options::default() }, |_| ());
        assert!(ask(&any, &[("host", "anything.example")]).is_ok());
    }

    fn guard_hosts() -> Vec<String> {
        vec!["phones.example".into(), "lab.example:8443".into(), "fe80::1".into()]
    }

    #[test]
    fn origins() {
        let open = Guard::new(Options { allowed_hosts: guard_hosts(), ..Options::default() }, |_| ());
        let from = |origin: &str| ask(&open, &[("host", "localhost"), ("origin", origin)]);
        for good in ["http://localhost:5173", "http://127.0.0.1", "https://[::1]:1", "http://phones.example:7311"] {
            assert!(from(good).is_ok(), "{good}");
        }
        for bad in [
            "null",
            "http://evil.example",
            "https://localhost.evil.example",
            "file://",
            "localhost",
            "",
            "http://a@localhost",
        ] {
            assert_eq!(from(bad), Err(Code::Forbidden), "{bad}");
        }
        // `*` is about the name that a caller uses, not about whose pages may call.
        let any = Guard::new(Options { allowed_hosts: vec!["*".into()], ..Options::default() }, |_| ());
        assert!(ask(&any, &[("host", "a.example"), ("origin", "http://a.example")]).is_err());
    }

    #[test]
    fn tokens_and_joining() {
        let guard = guard();
        let with = |headers: &[(&str, &str)]| {
            let headers: Vec<_> = [("host", "localhost")].iter().chain(headers).copied().collect();
            ask(&guard, &headers)
        };
        assert_eq!(with(&[]), Err(Code::Unauthorized));
        for bad in ["Bearer wrong", "Bearer", "Bearer ", "Basic s3cret", "s3cret", "Bearers3cret"] {
            assert_eq!(with(&[("authorization", bad)]), Err(Code::Unauthorized), "{bad}");
        }
        for good in ["Bearer s3cret", "bearer s3cret", "BEARER  s3cret "] {
            assert_eq!(with(&[("authorization", good)]).map(|who| who.token), Ok("token"), "{good}");
        }
        assert_eq!(with(&[("x-fingertip-join", "wrong")]), Err(Code::Unauthorized));
        assert_eq!(
            with(&[("x-fingertip-join", "join"), ("x-fingertip-session", "stdio:1")]),
            Ok(Identity { token: "joined", joined: true, session: Some("stdio:1".into()) })
        );
        let foreign = [("authorization", "Bearer s3cret"), ("x-fingertip-session", "stdio:1")];
        assert_eq!(with(&foreign), Err(Code::Forbidden));
        assert_eq!(with(&[("x-fingertip-join", "join"), ("x-fingertip-session", "a\"b")]).map_err(|_| ()), Err(()));
        for probe in ["/healthz", "/readyz"] {
            let request = Request::get(probe).header("host", "localhost").body(()).unwrap();
            assert!(guard.admit(&request).is_ok());
        }
        let closed = Guard::new(Options::default(), |_| ());
        assert_eq!(ask(&closed, &[("host", "localhost"), ("x-fingertip-join", "")]), Err(Code::Unauthorized));
    }

    #[test]
    fn request_ids() {
        let of = |id: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(REQUEST, id.parse().unwrap());
            RequestId::of(&headers).0.to_string()
        };
        assert_eq!(of("abc-1"), "abc-1");
        assert!(of("a\"b").starts_with("r-"));
        assert!(of(&"a".repeat(200)).starts_with("r-"));
        assert_ne!(RequestId::new().0, RequestId::new().0);
    }
}
