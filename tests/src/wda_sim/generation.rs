//! Which release of the server is imitated, and what follows from that. Nothing here serves a request.

/// A release of WebDriverAgent, as far as clients can tell releases apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Generation {
    /// 4.x: `/wda/tap/0`, no version in `/status`, trailing slashes stripped, one queue for everything, a keyboard is
    /// demanded before typing, short trees.
    V4,
    /// 9.14: `/wda/tap`, otherwise still the old server.
    V9,
    /// 16.7.0: the new server. Trailing slashes count, chunked bodies are lost, everything still waits in one queue.
    V16Early,
    /// 16.12: status and screenshots do not wait for the queue, chunked bodies are refused.
    #[default]
    V16,
}

impl Generation {
    /// Major, minor and patch.
    pub fn version(self) -> (u32, u32, u32) {
        match self {
            Generation::V4 => (4, 10, 0),
            Generation::V9 => (9, 14, 2),
            Generation::V16Early => (16, 7, 0),
            Generation::V16 => (16, 12, 9),
        }
    }

    /// Whether something that came with this version is there.
    pub(crate) fn has(self, major: u32, minor: u32, patch: u32) -> bool {
        self.version() >= (major, minor, patch)
    }

    /// `/source/` is `/source`.
    pub(crate) fn strips_slash(self) -> bool {
        !self.has(16, 7, 0)
    }

    /// Status, screenshots and the end of a session do not wait for the running command.
    pub(crate) fn bypasses_queue(self) -> bool {
        self.has(16, 7, 3)
    }

    /// A body without `Content-Length` is refused rather than lost.
    pub(crate) fn refuses_chunked(self) -> bool {
        self.has(16, 7, 2)
    }

    /// Text for `/status`, where it says so at all.
    pub(crate) fn build_version(self) -> Option<String> {
        let (major, minor, patch) = self.version();
        self.has(8, 3, 0).then(|| format!("{major}.{minor}.{patch}"))
    }
}
