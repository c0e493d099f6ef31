// SPDX-License-Identifier: MIT

//! Workloads of the LAS paper.

use std::sync::Arc;

use tokio::sync::mpsc::{unbounded_channel, UnboundedReceiver, UnboundedSender};

use crate::ending::Ending;
use crate::random::Random;
use crate::settings::{refuse, Result, Settings};
use crate::workload::Workload;

/// Every actor pings others in rounds, one drawn at random or all of them.
pub struct Big {
    partners: Arc<Partners>,
    due: Vec<u64>, // pings that each actor is to receive
}

struct Partners {
    actors: u32,
    pings: u64,
    seed: u64,
    all: bool,
}

/// Pings and pongs carry the number of their sender.
#[derive(Clone, Copy, Debug)]
enum Call {
    Go,
    Ping(u32),
    Pong(u32),
    Pill,
}

impl Partners {
    /// The partner of the actor with this number for its n-th ping, from 0.
    fn draw(&self, random: &mut Random, number: u32, n: u64) -> u32 {
        let others = self.actors - 1;
        let other =
            if self.all { (n % u64::from(others)) as u32 } else { random.below(others) };
        other + u32::from(other >= number)
    }

    /// How many an actor sends before it waits for their pongs.
    fn round(&self) -> u64 {
        if self.all {
            u64::from(self.actors - 1)
        } else {
            1
        }
    }
}

/// What an actor knows.
struct Pinger {
    partners: Arc<Partners>,
    all: Arc<Vec<UnboundedSender<Call>>>,
    sink: UnboundedSender<()>,
    number: u32,
    random: Random,
    sent: u64,
    pings: u64,
    pongs: u64,
    strays: u64, // rounds whose pongs came from others than were pinged
    owed: u64,   // sum of the numbers of the actors that owe it a pong, from 1
}

impl Pinger {
    fn send_pings(&mut self) {
        for _ in 0..self.partners.round().min(self.partners.pings - self.sent) {
            let other = self.partners.draw(&mut self.random, self.number, self.sent);
            self.sent += 1;
            self.owed = self.owed.wrapping_add(u64::from(other) + 1);
            self.all[other as usize].send(Call::Ping(self.number)).unwrap();
        }
    }

    fn receive_pong(&mut self, from: u32) {
        self.owed = self.owed.wrapping_sub(u64::from(from) + 1);
        self.pongs += 1;
        if self.pongs < self.sent {
            return;
        }
        self.strays += u64::from(self.owed != 0);
        if self.sent == self.partners.pings {
            self.sink.send(()).unwrap();
        } else {
            self.send_pings();
        }
    }

    async fn run(mut self, mut mailbox: UnboundedReceiver<Call>, due: u64, ending: Arc<Ending>) {
        while let Some(call) = mailbox.recv().await {
            match call {
                Call::Go => self.send_pings(),
                Call::Ping(from) => {
                    self.pings += 1;
                    self.all[from as usize].send(Call::Pong(self.number)).unwrap();
                }
                Call::Pong(from) => self.receive_pong(from),
                Call::Pill => break,
            }
        }
        ending.expect("pongs received by an actor", self.pongs, self.partners.pings);
        ending.expect("rounds with pongs of others than were pinged", self.strays, 0);
        ending.expect("pings received by an actor", self.pings, due);
        ending.ended();
    }
}

impl Big {
    pub fn new(settings: &mut Settings) -> Result<Box<dyn Workload>> {
        let partners = Partners {
            actors: settings.number("actors")? as u32,
            pings: settings.number("pings")?,
            seed: settings.seed,
            all: settings.choice("partners", &["random", "all"])? == 1,
        };
        if partners.actors < 2 {
            return refuse(format!("actors={}: nobody to ping", partners.actors));
        }
        let mut due = vec![0; partners.actors as usize];
        for i in 0..partners.actors {
            let mut random = Random::new(partners.seed, u64::from(i));
            for n in 0..partners.pings {
                due[partners.draw(&mut random, i, n) as usize] += 1;
            }
        }
        Ok(Box::new(Big { partners: Arc::new(partners), due }))
    }
}

impl Workload for Big {
    fn actors(&self) -> u64 {
        u64::from(self.partners.actors) + 1
    }

    /// Pings and pongs; to each actor the first message and the pill; to the sink a report from
    /// each.
    fn messages(&self) -> u64 {
        u64::from(self.partners.actors) * (2 * self.partners.pings + 3)
    }

    fn start(&self, ending: Arc<Ending>) {
        let n = self.partners.actors;
        let (sink, mut reports) = unbounded_channel();
        let (all, mailboxes): (Vec<_>, Vec<_>) = (0..n).map(|_| unbounded_channel()).unzip();
        let all = Arc::new(all);
        for (i, mailbox) in mailboxes.into_iter().enumerate() {
            let pinger = Pinger {
                partners: self.partners.clone(),
                all: all.clone(),
                sink: sink.clone(),
                number: i as u32,
                random: Random::new(self.partners.seed, i as u64),
                sent: 0,
                pings: 0,
                pongs: 0,
                strays: 0,
                owed: 0,
            };
            tokio::spawn(pinger.run(mailbox, self.due[i], ending.clone()));
        }
        let to_all = all.clone();
        tokio::spawn(async move {
            for _ in 0..n {
                reports.recv().await;
            }
            for to in to_all.iter() {
                to.send(Call::Pill).unwrap();
            }
            ending.ended();
        });
        for to in all.iter() {
            to.send(Call::Go).unwrap();
        }
    }
}

/// Many senders flood one receiver.
pub struct Bang {
    senders: u64,
    messages: u64,
}

#[derive(Debug)]
struct Numbered {
    sender: u64,
    sequence: u64,
}

impl Bang {
    pub fn new(settings: &mut Settings) -> Result<Box<dyn Workload>> {
        settings.memory()?;
        let (senders, messages) = (settings.number("senders")?, settings.number("messages")?);
        Ok(Box::new(Bang { senders, messages }))
    }
}

impl Workload for Bang {
    fn actors(&self) -> u64 {
        self.senders + 1
    }

    fn messages(&self) -> u64 {
        self.senders * (self.messages + 1)
    }

    fn start(&self, ending: Arc<Ending>) {
        let (senders, n) = (self.senders, self.messages);
        let (receiver, mut mailbox) = unbounded_channel::<Numbered>();
        let its = ending.clone();
        tokio::spawn(async move {
            let (mut next, mut misplaced) = (vec![0; senders as usize], 0);
            for _ in 0..senders * n {
                let got = mailbox.recv().await.unwrap();
                misplaced += u64::from(got.sequence != next[got.sender as usize]);
                next[got.sender as usize] += 1;
            }
            its.expect("messages out of their sender's order", misplaced, 0);
            for received in next {
                its.expect("messages of a sender", received, n);
            }
            its.ended();
        });
        for sender in 0..senders {
            let (to, mut go) = unbounded_channel::<()>();
            let (receiver, ending) = (receiver.clone(), ending.clone());
            tokio::spawn(async move {
                go.recv().await;
                for sequence in 0..n {
                    let _ = receiver.send(Numbered { sender, sequence });
                }
                ending.ended();
            });
            to.send(()).unwrap();
        }
    }
}
