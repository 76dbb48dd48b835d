//! The sessions of the older era: bounded in number, and their end is told to whoever keeps leases.
//!
//! It knows the SDK's session manager; it does not know leases.

use rmcp::{
    model::{ClientJsonRpcMessage, ServerJsonRpcMessage},
    transport::streamable_http_server::session::{
        RestoreOutcome, ServerSseMessage, SessionId, SessionManager,
        local::{LocalSessionManager, LocalSessionManagerError},
    },
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

/// What stands before the protocol's session id in a caller's session.
pub const PREFIX: &str = "mcp:";

/// Sessions beyond this number end the one that was silent longest.
const MOST: usize = 256;

/// A session may be silent for a working day: many clients do not notice its end and fail from then on. A device is not held
/// that long; its lease has an end of its own.
const IDLE: Duration = Duration::from_secs(12 * 3600);

/// The SDK's manager, with a bound and with news of each end.
pub struct Sessions {
    inner: LocalSessionManager,
    last_use: Mutex<HashMap<SessionId, Instant>>,
    most: usize,
    on_end: Arc<dyn Fn(&str) + Send + Sync>,
}

impl Sessions {
    /// No sessions yet.
    pub fn new(on_end: Arc<dyn Fn(&str) + Send + Sync>) -> Self {
        let mut inner = LocalSessionManager::default();
        inner.session_config.keep_alive = Some(IDLE);
        Sessions { inner, last_use: Mutex::default(), most: MOST, on_end }
    }

    fn used(&self, id: &SessionId) {
        if let Some(at) = self.last_use.lock().unwrap_or_else(PoisonError::into_inner).get_mut(id) {
            *at = Instant::now();
        }
    }

    /// Notes a new session; the one that has to go for it, if any.
    fn begun(&self, id: &SessionId) -> Option<SessionId> {
        let mut last_use = self.last_use.lock().unwrap_or_else(PoisonError::into_inner);
        let oldest = if last_use.len() >= self.most {
            last_use.iter().min_by_key(|(_, at)| **at).map(|(id, _)| id.clone())
        } else {
            None
        };
        last_use.insert(id.clone(), Instant::now());
        oldest
    }
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let (id, transport) = self.inner.create_session().await?;
        if let Some(oldest) = self.begun(&id) {
            tracing::warn!("too many sessions; the one that was silent longest ends");
            self.close_session(&oldest).await?;
        }
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.inner.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.used(id);
        self.inner.has_session(id).await
    }

    /// Called when the client ends the session, and by the SDK when a session has ended by itself.
    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        let known = self.last_use.lock().unwrap_or_else(PoisonError::into_inner).remove(id).is_some();
        let closed = self.inner.close_session(id).await;
        if known {
            (self.on_end)(&format!("{PREFIX}{id}"));
        }
        closed
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl futures_util::Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.inner.create_stream(id, message).await
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Self::Error> {
        self.inner.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl futures_util::Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.inner.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl futures_util::Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.inner.resume(id, last_event_id).await
    }

    async fn restore_session(&self, id: SessionId) -> Result<RestoreOutcome<Self::Transport>, Self::Error> {
        self.inner.restore_session(id).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_session_that_was_silent_longest_makes_room() {
        let ended = Arc::new(Mutex::new(Vec::new()));
        let ends = ended.clone();
        let mut sessions = Sessions::new(Arc::new(move |session: &str| ends.lock().unwrap().push(session.to_owned())));
        sessions.most = 2;
        let (first, _one) = sessions.create_session().await.unwrap();
        let (second, _two) = sessions.create_session().await.unwrap();
        assert!(sessions.has_session(&first).await.unwrap());
        let (third, _three) = sessions.create_session().await.unwrap();
        assert_eq!(*ended.lock().unwrap(), [format!("mcp:{second}")]);
        for (session, there) in [(&first, true), (&second, false), (&third, true)] {
            assert_eq!(sessions.has_session(session).await.unwrap(), there);
        }
        sessions.close_session(&second).await.unwrap();
        assert_eq!(ended.lock().unwrap().len(), 1, "told once");
    }
}
