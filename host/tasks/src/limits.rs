//! How much is kept, and for how long.
//!
//! Knows the numbers alone; each is enforced where what it bounds is written or tidied away.

/// Bounds of a memory. All that grows has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a goal.
    pub goal_bytes: usize,
    /// Bytes of one event's data as JSON; at least 8 KB. Longer ones are cut, and say so.
    pub data_bytes: usize,
    /// Events of one task. Beyond them it can only end.
    pub events: u32,
    /// Tasks that have not ended.
    pub unfinished: u32,
    /// Tasks that have ended; the oldest go first.
    pub finished: u32,
    /// Days for which a task is kept after it ended.
    pub task_days: u32,
    /// Bytes of the database, for which tasks that ended make room.
    pub database_bytes: u64,
    /// Days for which the pictures of a task that ended are kept.
    pub picture_days: u32,
    /// Bytes of all pictures.
    pub pictures_bytes: u64,
    /// Bytes of one picture.
    pub picture_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            goal_bytes: 64 << 10,
            data_bytes: 256 << 10,
            events: 20_000,
            unfinished: 1_000,
            finished: 10_000,
            task_days: 30,
            database_bytes: 1 << 30,
            picture_days: 7,
            pictures_bytes: 2 << 30,
            picture_bytes: 32 << 20,
        }
    }
}
