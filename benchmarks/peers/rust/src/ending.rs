// SPDX-License-Identifier: MIT

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;

use tokio::sync::Notify;

/// What the actors of an iteration tell: that they have ended, and what was wrong.
pub struct Ending {
    left: AtomicU64,
    over: Notify,
    wrong: Mutex<String>,
}

impl Ending {
    pub fn new(actors: u64) -> Ending {
        Ending {
            left: AtomicU64::new(actors),
            over: Notify::new(),
            wrong: Mutex::new(String::new()),
        }
    }

    pub fn ended(&self) {
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.over.notify_one();
        }
    }

    pub async fn wait(&self) {
        self.over.notified().await;
    }

    /// Note a mistake, unless one has been noted.
    pub fn expect(&self, what: &str, got: u64, right: u64) {
        let mut wrong = self.wrong.lock().unwrap();
        if got != right && wrong.is_empty() {
            *wrong = format!("{got} {what} instead of {right}");
        }
    }

    pub fn wrong(&self) -> String {
        self.wrong.lock().unwrap().clone()
    }
}
