// SPDX-License-Identifier: MIT

//! The chapter's workloads.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use tokio::sync::mpsc::{unbounded_channel, UnboundedReceiver, UnboundedSender};

use crate::ending::Ending;
use crate::settings::{refuse, Result, Settings};
use crate::workload::Workload;

/// One actor sends to itself.
pub struct SendStatic {
    sends: u64,
}

impl SendStatic {
    pub fn new(settings: &mut Settings) -> Result<Box<dyn Workload>> {
        Ok(Box::new(SendStatic { sends: settings.number("sends")? }))
    }
}

impl Workload for SendStatic {
    fn actors(&self) -> u64 {
        1
    }

    fn messages(&self) -> u64 {
        self.sends
    }

    fn start(&self, ending: Arc<Ending>) {
        let sends = self.sends;
        let (to, mut mailbox) = unbounded_channel::<()>();
        to.send(()).unwrap();
        tokio::spawn(async move {
            let mut received = 0;
            while let Some(message) = mailbox.recv().await {
                received += 1;
                if received == sends {
                    break;
                }
                to.send(message).unwrap();
            }
            ending.expect("messages received", received, sends);
            ending.ended();
        });
    }
}

/// An actor that receives a message creates a new actor and a new message.
pub struct SendDynamic {
    sends: u64,
}

struct Dynamic {
    sends: u64,
    received: AtomicU64,
    ending: Arc<Ending>,
}

struct Ping {
    all: Arc<Dynamic>,
}

fn create(all: Arc<Dynamic>) {
    let (to, mut mailbox) = unbounded_channel::<Box<Ping>>();
    tokio::spawn(async move {
        let ping = mailbox.recv().await.unwrap();
        // relaxed: only the actor that has the message counts
        let received = ping.all.received.load(Ordering::Relaxed) + 1;
        ping.all.received.store(received, Ordering::Relaxed);
        if received < ping.all.sends {
            create(ping.all.clone());
        } else {
            ping.all.ending.ended();
        }
    });
    let _ = to.send(Box::new(Ping { all }));
}

impl SendDynamic {
    pub fn new(settings: &mut Settings) -> Result<Box<dyn Workload>> {
        settings.memory()?;
        Ok(Box::new(SendDynamic { sends: settings.number("sends")? }))
    }
}

impl Workload for SendDynamic {
    fn actors(&self) -> u64 {
        1 // the last one
    }

    fn messages(&self) -> u64 {
        self.sends
    }

    fn start(&self, ending: Arc<Ending>) {
        create(Arc::new(Dynamic { sends: self.sends, received: AtomicU64::new(0), ending }));
    }
}

/// Groups of actors flood one another.
pub struct Executor {
    actors: u64,
    group: u64,
    total: u64,
    batch: u64,
    by_groups: bool,
}

#[derive(Clone, Copy, Debug)]
enum Order {
    Go,
    Wake, // to one member of a group
}

impl Executor {
    pub fn new(settings: &mut Settings) -> Result<Box<dyn Workload>> {
        let (actors, group) = (settings.number("actors")?, settings.number("group")?);
        let (rounds, batch) = (settings.number("rounds")?, settings.number("batch")?);
        let by_groups = settings.choice("start", &["all", "groups"])? == 1;
        let total = group * rounds;
        if group == 0 || actors % group != 0 || batch == 0 || total % batch != 0 {
            return refuse("group must divide actors, and batch group x rounds".to_string());
        }
        Ok(Box::new(Executor { actors, group, total, batch, by_groups }))
    }

    fn spawn(
        &self,
        mut mailbox: UnboundedReceiver<Order>,
        all: Arc<[UnboundedSender<Order>]>,
        group: Range<usize>, // of all
        ending: Arc<Ending>,
    ) {
        let (total, batch) = (self.total, self.batch);
        tokio::spawn(async move {
            // countdown: messages to receive before the next batch is sent
            let group = &all[group];
            let (mut received, mut countdown, mut next) = (0, 0, 0);
            while let Some(order) = mailbox.recv().await {
                if let Order::Wake = order {
                    for to in group {
                        to.send(Order::Go).unwrap();
                    }
                    continue;
                }
                received += 1;
                if received > total {
                    break;
                }
                if countdown > 0 {
                    countdown -= 1;
                    continue;
                }
                countdown = batch - 1;
                for _ in 0..batch {
                    group[next].send(Order::Go).unwrap();
                    next = if next + 1 < group.len() { next + 1 } else { 0 };
                }
            }
            ending.expect("messages received by an actor", received, total + 1);
            ending.ended();
        });
    }
}

impl Workload for Executor {
    fn actors(&self) -> u64 {
        self.actors
    }

    fn messages(&self) -> u64 {
        let woken = if self.by_groups { self.actors / self.group } else { 0 };
        self.actors * (self.total + 1) + woken
    }

    fn start(&self, ending: Arc<Ending>) {
        let (all, mailboxes): (Vec<_>, Vec<_>) =
            (0..self.actors).map(|_| unbounded_channel()).unzip();
        let size = self.group as usize;
        let all: Arc<[_]> = all.into();
        for (i, mailbox) in mailboxes.into_iter().enumerate() {
            let first = i / size * size;
            self.spawn(mailbox, all.clone(), first..first + size, ending.clone());
        }
        for (i, to) in all.iter().enumerate() {
            if !self.by_groups {
                to.send(Order::Go).unwrap();
            } else if i % size == i / size % size {
                to.send(Order::Wake).unwrap();
            }
        }
    }
}

/// One client asks many servers, again and again. A message carries the number of its trips.
pub struct Repeat {
    servers: u64,
    rounds: u64,
}

#[derive(Clone, Copy, Debug)]
enum Question {
    Trips(u64),
    Pill,
}

impl Repeat {
    pub fn new(settings: &mut Settings) -> Result<Box<dyn Workload>> {
        let (servers, rounds) = (settings.number("servers")?, settings.number("rounds")?);
        Ok(Box::new(Repeat { servers, rounds }))
    }

    fn spawn_server(
        &self,
        client: UnboundedSender<Option<u64>>,
        ending: Arc<Ending>,
    ) -> UnboundedSender<Question> {
        let rounds = self.rounds;
        let (to, mut mailbox) = unbounded_channel();
        tokio::spawn(async move {
            let mut answers = 0;
            while let Some(Question::Trips(trips)) = mailbox.recv().await {
                answers += 1;
                client.send(Some(trips + 1)).unwrap();
            }
            ending.expect("answers of a server", answers, rounds);
            ending.ended();
        });
        to
    }
}

impl Workload for Repeat {
    fn actors(&self) -> u64 {
        self.servers + 1
    }

    /// Questions and answers, the first message to the client, and a pill for each server.
    fn messages(&self) -> u64 {
        2 * self.servers * self.rounds + 1 + self.servers
    }

    fn start(&self, ending: Arc<Ending>) {
        let (n, rounds) = (self.servers, self.rounds);
        let (client, mut mailbox) = unbounded_channel::<Option<u64>>();
        let servers: Vec<_> =
            (0..n).map(|_| self.spawn_server(client.clone(), ending.clone())).collect();
        tokio::spawn(async move {
            let (mut done, mut answers, mut sum) = (0, 0, 0);
            while let Some(message) = mailbox.recv().await {
                if let Some(trips) = message {
                    sum += trips;
                    answers += 1;
                    if answers < n {
                        continue;
                    }
                    answers = 0;
                    done += 1;
                    if done == rounds {
                        break;
                    }
                }
                for server in &servers {
                    server.send(Question::Trips(done)).unwrap();
                }
            }
            for server in &servers {
                server.send(Question::Pill).unwrap();
            }
            ending.expect("is the sum that the client got", sum, n * (rounds * (rounds + 1) / 2));
            ending.ended();
        });
        client.send(None).unwrap();
    }
}
