// SPDX-License-Identifier: MIT

use std::sync::Arc;

use crate::ending::Ending;

/// One iteration. `start` is called on a thread of the runtime: it spawns the actors, each a task
/// with an unbounded channel, and sends the first messages. Each actor checks what it got before it
/// ends.
pub trait Workload: Send {
    fn actors(&self) -> u64; // that end
    fn messages(&self) -> u64; // as actorlab counts them
    fn start(&self, ending: Arc<Ending>);
}
