//! What a person types: read line by line beside everything else, and without being shown where it is secret.
//!
//! It knows the terminal; it does not know what is asked.

use crate::cli::stop;
use std::io::{BufRead, IsTerminal};
use tokio::sync::mpsc;

/// The person at the terminal.
#[derive(Default)]
pub(super) struct Terminal {
    /// Lines, once somebody waits for one.
    lines: Option<mpsc::UnboundedReceiver<String>>,
}

impl Terminal {
    /// Whether somebody is there to be asked.
    pub(super) fn is_there() -> bool {
        std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
    }

    /// The next line; none when there will be no more.
    pub(super) async fn line(&mut self) -> Option<String> {
        self.lines.get_or_insert_with(read).recv().await
    }

    /// Forgets what was typed when nobody had asked.
    pub(super) fn forget(&mut self) {
        if let Some(lines) = &mut self.lines {
            while lines.try_recv().is_ok() {}
        }
    }

    /// Asks for one line.
    pub(super) async fn ask(&mut self, what: &str, secret: bool) -> Result<String, String> {
        let _silence = secret.then(Silence::begin);
        eprint!("{what}: ");
        let line = tokio::select! {
            line = self.line() => line,
            () = stop::told() => None,
        };
        if line.is_none() {
            eprintln!();
        }
        line.ok_or_else(|| format!("{what} was not given; nothing was done"))
    }
}

/// A thread that reads: nothing else can wait for standard input and be given up.
fn read() -> mpsc::UnboundedReceiver<String> {
    let (sender, lines) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// For as long as it lives the terminal does not show what is typed.
#[must_use]
pub(super) struct Silence {
    #[cfg(unix)]
    before: Option<rustix::termios::Termios>,
}

#[cfg(unix)]
impl Silence {
    pub(super) fn begin() -> Silence {
        use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
        let before = tcgetattr(std::io::stdin()).ok();
        if let Some(mut modes) = before.clone() {
            modes.local_modes.remove(LocalModes::ECHO);
            modes.local_modes.insert(LocalModes::ECHONL);
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &modes);
        }
        Silence { before }
    }
}

#[cfg(unix)]
impl Drop for Silence {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = rustix::termios::tcsetattr(std::io::stdin(), rustix::termios::OptionalActions::Now, before);
        }
    }
}

#[cfg(not(unix))]
impl Silence {
    pub(super) fn begin() -> Silence {
        eprint!("(what you type is shown) ");
        Silence {}
    }
}
