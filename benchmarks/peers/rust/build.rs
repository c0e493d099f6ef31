// SPDX-License-Identifier: MIT

//! Tells the program which version of Tokio it is built with.

fn main() {
    let lock = std::fs::read_to_string("Cargo.lock").unwrap_or_default();
    let mut lines = lock.lines().skip_while(|line| *line != "name = \"tokio\"").skip(1);
    let version = lines.next().and_then(|line| line.split('"').nth(1)).unwrap_or("unknown");
    println!("cargo:rustc-env=PEER_TOKIO_VERSION={version}");
    println!("cargo:rerun-if-changed=Cargo.lock");
}
