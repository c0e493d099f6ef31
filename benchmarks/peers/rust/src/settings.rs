// SPDX-License-Identifier: MIT

use std::collections::BTreeMap;

/// A user's mistake: one line, exit code 2.
pub struct UsageError(pub String);

pub type Result<T> = std::result::Result<T, UsageError>;

pub fn refuse<T>(text: String) -> Result<T> {
    Err(UsageError(text))
}

/// The command line: the workload, the protocol's numbers, and the parameters of --set.
pub struct Settings {
    pub benchmark: String,
    pub workers: u64,
    pub iterations: u64,
    pub warmup: u64,
    pub seed: u64,
    given: BTreeMap<String, String>,
    used: BTreeMap<String, String>, // as JSON
}

fn number(key: &str, text: &str) -> Result<u64> {
    match text.parse() {
        Ok(value) => Ok(value),
        Err(_) => refuse(format!("{key}={text} is not a number of its kind")),
    }
}

impl Settings {
    pub fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Settings> {
        let mut s = Settings {
            benchmark: String::new(),
            workers: 1,
            iterations: 5,
            warmup: 1,
            seed: 1,
            given: BTreeMap::new(),
            used: BTreeMap::new(),
        };
        while let Some(word) = arguments.next() {
            if !word.starts_with('-') {
                s.benchmark = word;
                continue;
            }
            let value = match arguments.next() {
                Some(value) => value,
                None => return refuse(format!("{word} needs a value")),
            };
            match (word.as_str(), value.split_once('=')) {
                ("--workers", _) => s.workers = number(&word, &value)?,
                ("--iterations", _) => s.iterations = number(&word, &value)?,
                ("--warmup", _) => s.warmup = number(&word, &value)?,
                ("--seed", _) => s.seed = number(&word, &value)?,
                ("--set", Some((key, of))) => {
                    s.given.insert(key.to_string(), of.to_string());
                }
                _ => return refuse(format!("{word} {value} is not understood")),
            }
        }
        Ok(s)
    }

    fn text(&self, key: &str) -> Result<String> {
        match self.given.get(key) {
            Some(value) => Ok(value.clone()),
            None => refuse(format!("--set {key}=... is needed")),
        }
    }

    pub fn number(&mut self, key: &str) -> Result<u64> {
        let value = number(key, &self.text(key)?)?;
        self.used.insert(key.to_string(), value.to_string());
        Ok(value)
    }

    /// The index of the value among the choices.
    pub fn choice(&mut self, key: &str, choices: &[&str]) -> Result<usize> {
        let value = self.text(key)?;
        match choices.iter().position(|&choice| choice == value) {
            Some(index) => {
                self.used.insert(key.to_string(), format!("\"{value}\""));
                Ok(index)
            }
            None => refuse(format!("no {key}={value} here")),
        }
    }

    /// Rust allocates with malloc; another value cannot be compared with it.
    pub fn memory(&mut self) -> Result<()> {
        self.choice("memory", &["malloc"]).map(|_| ())
    }

    pub fn refuse_unused(&self) -> Result<()> {
        match self.given.keys().find(|&key| !self.used.contains_key(key)) {
            Some(key) => refuse(format!("no parameter {key} here")),
            None => Ok(()),
        }
    }

    pub fn json(&self) -> String {
        let parts: Vec<String> =
            self.used.iter().map(|(key, value)| format!("\"{key}\": {value}")).collect();
        format!("{{{}}}", parts.join(", "))
    }
}
