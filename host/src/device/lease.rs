//! The exclusive right to act on one device.
//!
//! A lease is explicit (connect), or implicit (whoever acts gets one). It ends when its holder says so or by time; nobody
//! needs to be told, since its end is looked at whenever the lease is. Pure: the time is handed in.

use std::time::{Duration, SystemTime};

/// How long an implicit lease stands after the last act.
pub const IMPLICIT: Duration = Duration::from_secs(60);
/// How long an explicit lease stands unless the caller says.
pub const EXPLICIT: Duration = Duration::from_secs(300);
/// The longest that a caller may ask for.
pub const LONGEST: Duration = Duration::from_secs(3600);

/// Who holds a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Tells holders apart; never shown.
    pub key: String,
    /// What others are told.
    pub name: String,
}

/// A lease that stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The secret by which a caller proves that it holds the lease.
    pub id: String,
    /// Rises with every lease, across restarts.
    pub fence: u64,
    /// Who holds it.
    pub holder: Holder,
    /// Made by connect.
    pub explicit: bool,
    /// How long it stands after it was made or renewed.
    pub ttl: Duration,
    /// When it ends unless it is renewed.
    pub expires_at: SystemTime,
}

/// Why a lease was not given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Denied {
    /// Another caller holds one.
    Busy {
        /// What others are told of the holder.
        holder: String,
        /// When it ends unless it is renewed.
        expires_at: SystemTime,
    },
    /// The lease that the caller named has ended.
    Lost,
}

/// The lease of one device, if one stands.
#[derive(Debug, Default)]
pub struct Leases {
    current: Option<Lease>,
    /// When the last implicit lease ended, until somebody takes notice.
    ended_at: Option<SystemTime>,
}

impl Leases {
    /// The lease that stands at `now`.
    pub fn current(&mut self, now: SystemTime) -> Option<&Lease> {
        if let Some(ended) = self.current.take_if(|lease| lease.expires_at <= now) {
            self.ended_at = Some(ended.expires_at);
        }
        self.current.as_ref()
    }

    /// When the last lease ended without being given back; told once.
    pub fn take_ended(&mut self) -> Option<SystemTime> {
        self.ended_at.take()
    }

    /// The right to act for `holder`: the lease that it holds is renewed, or a new implicit one is made.
    ///
    /// # Errors
    /// [`Denied`].
    pub fn act(
        &mut self,
        holder: &Holder,
        id: Option<&str>,
        now: SystemTime,
        fresh: impl FnOnce() -> (String, u64),
    ) -> Result<&Lease, Denied> {
        self.take(holder, id, None, now, fresh)
    }

    /// An explicit lease for `holder`, for `ttl`; renews the one that it holds.
    ///
    /// # Errors
    /// [`Denied::Busy`].
    pub fn connect(
        &mut self,
        holder: &Holder,
        ttl: Duration,
        now: SystemTime,
        fresh: impl FnOnce() -> (String, u64),
    ) -> Result<&Lease, Denied> {
        self.take(holder, None, Some(ttl), now, fresh)
    }

    fn take(
        &mut self,
        holder: &Holder,
        id: Option<&str>,
        explicit: Option<Duration>,
        now: SystemTime,
        fresh: impl FnOnce() -> (String, u64),
    ) -> Result<&Lease, Denied> {
        self.check(holder, id, now)?;
        self.ended_at = None;
        let lease = match self.current.take() {
            Some(mut lease) => {
                if let Some(ttl) = explicit {
                    lease.explicit = true;
                    lease.ttl = ttl;
                }
                lease.expires_at = now + lease.ttl;
                lease
            }
            None => {
                let (id, fence) = fresh();
                let ttl = explicit.unwrap_or(IMPLICIT);
                Lease { id, fence, holder: holder.clone(), explicit: explicit.is_some(), ttl, expires_at: now + ttl }
            }
        };
        Ok(self.current.insert(lease))
    }

    /// Renews the lease that `holder` holds; one that has ended stays ended.
    ///
    /// # Errors
    /// [`Denied`].
    pub fn keep(&mut self, holder: &Holder, id: Option<&str>, now: SystemTime) -> Result<(), Denied> {
        self.check(holder, id, now)?;
        let lease = self.current.as_mut().ok_or(Denied::Lost)?;
        lease.expires_at = now + lease.ttl;
        Ok(())
    }

    /// Whether `holder` may act at `now`, without giving it a lease.
    ///
    /// # Errors
    /// [`Denied`].
    pub fn check(&mut self, holder: &Holder, id: Option<&str>, now: SystemTime) -> Result<(), Denied> {
        match (self.current(now), id) {
            (Some(lease), Some(id)) if lease.id == id => Ok(()),
            (_, Some(_)) => Err(Denied::Lost),
            (Some(lease), None) if lease.holder.key != holder.key => {
                Err(Denied::Busy { holder: lease.holder.name.clone(), expires_at: lease.expires_at })
            }
            _ => Ok(()),
        }
    }

    /// Ends the lease that `holder` holds; `true` if there was one.
    ///
    /// # Errors
    /// [`Denied`] when another holds it.
    pub fn release(&mut self, holder: &Holder, id: Option<&str>, now: SystemTime) -> Result<bool, Denied> {
        self.check(holder, id, now)?;
        self.ended_at = None;
        Ok(self.current.take().is_some())
    }

    /// Ends the lease of a holder that is gone for good; `true` if it held one.
    pub fn forget(&mut self, key: &str, now: SystemTime) -> bool {
        let gone = self.current.take_if(|lease| lease.holder.key == key).is_some();
        if gone {
            self.ended_at = Some(now);
        }
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holder(name: &str) -> Holder {
        Holder { key: format!("key of {name}"), name: name.to_owned() }
    }

    fn at(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn whoever_acts_holds_the_device_for_a_minute_from_the_last_act() {
        let mut leases = Leases::default();
        let ann = holder("ann");
        leases.act(&ann, None, at(0), || ("a".into(), 1)).expect("free");
        leases.act(&ann, None, at(50), || unreachable!("it holds one")).expect("its own");
        assert_eq!(leases.current(at(109)).map(|lease| lease.fence), Some(1));
        assert_eq!(leases.current(at(110)), None);
        assert_eq!(leases.take_ended(), Some(at(110)));
        assert_eq!(leases.take_ended(), None);
    }

    #[test]
    fn another_caller_is_told_who_holds_it_and_until_when() {
        let mut leases = Leases::default();
        leases.act(&holder("ann"), None, at(0), || ("a".into(), 1)).expect("free");
        let denied = leases.act(&holder("bob"), None, at(1), || ("b".into(), 2)).expect_err("busy").clone();
        assert_eq!(denied, Denied::Busy { holder: "ann".into(), expires_at: at(60) });
        leases.act(&holder("bob"), None, at(60), || ("b".into(), 2)).expect("free again");
    }

    #[test]
    fn the_lease_id_speaks_for_its_holder_whoever_sends_it() {
        let mut leases = Leases::default();
        leases.connect(&holder("ann"), EXPLICIT, at(0), || ("a".into(), 1)).expect("free");
        leases.act(&holder("bob"), Some("a"), at(1), || unreachable!()).expect("the id is right");
        assert_eq!(
            leases.act(&holder("ann"), Some("old"), at(1), || unreachable!()).expect_err("no such"),
            Denied::Lost
        );
    }

    #[test]
    fn an_ended_lease_is_lost_even_when_the_device_is_free() {
        let mut leases = Leases::default();
        leases.connect(&holder("ann"), Duration::from_secs(10), at(0), || ("a".into(), 1)).expect("free");
        assert_eq!(leases.act(&holder("ann"), Some("a"), at(10), || ("b".into(), 2)).expect_err("ended"), Denied::Lost);
    }

    #[test]
    fn connecting_turns_an_implicit_lease_into_an_explicit_one_with_the_same_fence() {
        let mut leases = Leases::default();
        let ann = holder("ann");
        leases.act(&ann, None, at(0), || ("a".into(), 7)).expect("free");
        let lease = leases.connect(&ann, EXPLICIT, at(5), || unreachable!()).expect("its own");
        assert_eq!((lease.fence, lease.explicit, lease.expires_at), (7, true, at(305)));
    }

    #[test]
    fn a_lease_that_is_kept_stands_and_one_that_has_ended_does_not_come_back() {
        let mut leases = Leases::default();
        let ann = holder("ann");
        assert_eq!(leases.keep(&ann, None, at(0)), Err(Denied::Lost));
        leases.act(&ann, None, at(0), || ("a".into(), 1)).expect("free");
        assert_eq!(leases.keep(&ann, None, at(50)), Ok(()));
        assert_eq!(leases.current(at(109)).map(|lease| lease.fence), Some(1));
        assert!(matches!(leases.keep(&holder("bob"), None, at(60)), Err(Denied::Busy { .. })));
        assert_eq!(leases.keep(&ann, None, at(110)), Err(Denied::Lost));
        leases.connect(&ann, Duration::from_secs(10), at(200), || ("b".into(), 2)).expect("free");
        assert_eq!(leases.keep(&holder("bob"), Some("b"), at(205)), Ok(()));
        assert_eq!(leases.current(at(214)).map(|lease| lease.fence), Some(2));
    }

    #[test]
    fn only_the_holder_releases_and_releasing_twice_is_no_error() {
        let mut leases = Leases::default();
        let ann = holder("ann");
        leases.connect(&ann, EXPLICIT, at(0), || ("a".into(), 1)).expect("free");
        assert!(matches!(leases.release(&holder("bob"), None, at(1)), Err(Denied::Busy { .. })));
        assert_eq!(leases.release(&ann, None, at(1)), Ok(true));
        assert_eq!(leases.release(&ann, None, at(1)), Ok(false));
    }
}
