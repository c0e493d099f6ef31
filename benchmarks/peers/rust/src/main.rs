// SPDX-License-Identifier: MIT

//! peer-tokio: actorlab's workloads on Tokio, with the protocol of docs/reference/peers.md. An actor
//! is a task with an unbounded channel.

mod chapter;
mod ending;
mod las;
mod random;
mod settings;
mod workload;

use std::sync::Arc;
use std::time::{Duration, Instant};

use ending::Ending;
use settings::{refuse, Result, Settings};
use workload::Workload;

fn make(settings: &mut Settings) -> Result<Box<dyn Workload>> {
    match settings.benchmark.as_str() {
        "send-static" => chapter::SendStatic::new(settings),
        "send-dynamic" => chapter::SendDynamic::new(settings),
        "executor" => chapter::Executor::new(settings),
        "repeat" => chapter::Repeat::new(settings),
        "big" => las::Big::new(settings),
        "bang" => las::Bang::new(settings),
        name => refuse(format!("no workload '{name}' here")),
    }
}

fn peak_rss_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let words = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kibibytes = words.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
    1024 * kibibytes.unwrap_or(0u64)
}

/// Starting and ending the runtime is not timed. The workload starts on one of its threads.
fn iterate(settings: &Settings, workload: Box<dyn Workload>) -> (Duration, String) {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(settings.workers as usize).build().unwrap();
    let ending = Arc::new(Ending::new(workload.actors()));
    let its = ending.clone();
    let took = runtime.block_on(async move {
        let run = async move {
            let began = Instant::now();
            workload.start(its.clone());
            its.wait().await;
            began.elapsed()
        };
        tokio::spawn(run).await.unwrap()
    });
    drop(runtime);
    (took, ending.wrong())
}

/// Prints the record; returns the exit code.
fn measure(mut settings: Settings) -> Result<i32> {
    let (mut times, mut wrong, mut messages) = (Vec::new(), String::new(), 0);
    for i in 0..settings.warmup + settings.iterations {
        let workload = make(&mut settings)?;
        settings.refuse_unused()?;
        messages = workload.messages();
        let (took, found) = iterate(&settings, workload);
        wrong = found;
        if !wrong.is_empty() {
            break;
        }
        if i >= settings.warmup {
            times.push(took.as_nanos().to_string());
        }
    }
    let outcome = if wrong.is_empty() {
        "\"ok\"".to_string()
    } else {
        format!("\"wrong\", \"error\": \"{wrong}\"")
    };
    println!(
        "{{\"benchmark\": \"{}\", \"parameters\": {}, \"workers\": {}, \"time_ns\": [{}], \
         \"messages\": {}, \"peak_rss_bytes\": {}, \"version\": \"Tokio {}\", \"outcome\": {}}}",
        settings.benchmark,
        settings.json(),
        settings.workers,
        times.join(", "),
        messages,
        peak_rss_bytes(),
        env!("PEER_TOKIO_VERSION"),
        outcome
    );
    Ok(i32::from(!wrong.is_empty()))
}

fn main() {
    let code = match Settings::parse(std::env::args().skip(1)).and_then(measure) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("peer-tokio: {}", error.0);
            2
        }
    };
    std::process::exit(code);
}
