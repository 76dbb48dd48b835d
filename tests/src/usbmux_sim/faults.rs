//! The knobs with which a test makes the simulated muxer, and the services behind it, misbehave. They decide what goes wrong
//! and when; whoever answers carries it out.

use super::wire::{HEAD, PLIST, framed};
use std::sync::{Mutex, PoisonError};

/// What comes instead of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing at all; the connection stays open.
    Hang,
    /// The connection is closed.
    Close,
    /// A good header and a body that is no property list. The connection goes on.
    Garbage,
    /// A header with a length below that of the header itself, and then nothing.
    ShortLength,
    /// A header with a length of 2^31, and then nothing.
    HugeLength,
    /// Half a packet, and the connection is closed.
    Half,
    /// Half a packet, and then nothing.
    Stall,
    /// The muxer's `Result` with this number. A service closes its connection instead.
    Result(u32),
    /// These bytes, and then nothing.
    Raw(Vec<u8>),
}

/// What to do with a connection after a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    Continue,
    Hold,
    Close,
}

/// How packets look on the connection.
#[derive(Clone, Copy, Debug)]
pub(super) enum Framing {
    /// The muxer's, with the request's tag.
    Muxer(u32),
    /// That of the services on the phone.
    Service,
}

#[derive(Clone, Debug)]
struct Rule {
    request: String,
    fault: Fault,
    once: bool,
}

/// The knobs. They may be turned from any thread while the simulator serves.
///
/// A request goes by its name on the wire, whether the muxer's (`ListDevices`, `Listen`, `Connect`, `ReadBUID`,
/// `ReadPairRecord`), lockdownd's (`QueryType`, `GetValue`, `StartSession`, `StopSession`, `StartService`) or that of the list
/// of apps (`Browse`, `Lookup`); `*` is any.
#[derive(Debug, Default)]
pub struct Faults {
    rules: Mutex<Vec<Rule>>,
}

impl Faults {
    fn add(&self, request: &str, fault: Fault, once: bool) {
        let rule = Rule { request: request.to_owned(), fault, once };
        self.rules.lock().unwrap_or_else(PoisonError::into_inner).push(rule);
    }

    /// The next such request is answered so.
    pub fn next(&self, request: &str, fault: Fault) {
        self.add(request, fault, true);
    }

    /// Every such request is answered so.
    pub fn always(&self, request: &str, fault: Fault) {
        self.add(request, fault, false);
    }

    /// Takes everything back. What hangs goes on hanging, as an answer that was lost does.
    pub fn clear(&self) {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// What goes wrong with a request that just came in. A fault for one request is used up by this.
    pub(super) fn take(&self, request: &str) -> Option<Fault> {
        let mut rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        let at = rules.iter().position(|rule| rule.request == request || rule.request == "*")?;
        if rules[at].once {
            return Some(rules.remove(at).fault);
        }
        Some(rules[at].fault.clone())
    }
}

impl Fault {
    /// What is sent instead of a good answer, and what then happens to the connection.
    pub(super) fn instead(self, good: &[u8], framing: Framing) -> (Vec<u8>, After) {
        let head = |length: u32| match framing {
            Framing::Muxer(tag) => [length, 1, PLIST, tag].iter().flat_map(|field| field.to_le_bytes()).collect(),
            Framing::Service => length.to_be_bytes().to_vec(),
        };
        match self {
            Fault::Hang => (Vec::new(), After::Hold),
            Fault::Close => (Vec::new(), After::Close),
            Fault::Garbage => {
                let body = b"this is no property list";
                let bytes = match framing {
                    Framing::Muxer(tag) => framed(tag, body),
                    Framing::Service => [head(body.len() as u32).as_slice(), body].concat(),
                };
                (bytes, After::Continue)
            }
            Fault::ShortLength => match framing {
                Framing::Muxer(_) => (head(HEAD as u32 - 1), After::Hold),
                Framing::Service => (head(0), After::Hold),
            },
            Fault::HugeLength => (head(1 << 31), After::Hold),
            Fault::Half => (good[..good.len() / 2].to_vec(), After::Close),
            Fault::Stall => (good[..good.len() / 2].to_vec(), After::Hold),
            Fault::Result(number) => match framing {
                Framing::Muxer(tag) => (super::muxer::result(tag, number), After::Continue),
                Framing::Service => (Vec::new(), After::Close),
            },
            Fault::Raw(bytes) => (bytes, After::Hold),
        }
    }
}
