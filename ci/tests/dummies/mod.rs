//! Checkers that are none.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs a dummy on a checker's arguments.
pub fn run(kind: &str, arguments: &[String]) -> ExitCode {
    match kind {
        "always-accept" => accept(arguments),
        "always-reject" => {
            println!("statement whatever you say\nfailure not-proved nothing");
            ExitCode::from(1)
        }
        "parse-only" => match parse(arguments) {
            Ok(()) => accept(arguments),
            Err(what) => {
                println!("statement none\nfailure malformed {what}");
                ExitCode::from(1)
            }
        },
        "crash" => std::process::abort(),
        "mute" => ExitCode::SUCCESS,
        // Every verdict there is, in bytes that no terminal should see, and an exit code of its own.
        "hostile" => {
            let mut out = std::io::stdout();
            let _ =
                out.write_all(b"\x1b[2Jstatement\xff\0\nexact_value 1\r\nconditional_value 1\nfailure\n\n");
            ExitCode::from(99)
        }
        other => panic!("no dummy is called {other}"),
    }
}

/// The last argument that is a folder.
fn folder(arguments: &[String]) -> Option<PathBuf> {
    arguments.iter().rev().map(PathBuf::from).find(|path| path.is_dir())
}

fn value_of(text: &str, key: &str) -> Option<String> {
    text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' ')).map(str::to_owned)
}

/// Repeats the claim as a verdict, as well as it understands it.
fn accept(arguments: &[String]) -> ExitCode {
    let read = |name: &str| folder(arguments).and_then(|folder| fs::read(folder.join(name)).ok());
    let text = read("set.txt").or_else(|| read("claim.txt")).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    println!("statement {}", sentence(&text));
    let verdict = if let Some(value) = value_of(&text, "value") {
        format!("exact_value {value}")
    } else if let (Some(lower), Some(upper)) = (value_of(&text, "lower"), value_of(&text, "upper")) {
        format!("proved_bounds {lower} {upper}")
    } else if let Some(members) = value_of(&text, "members") {
        format!("verified_set {members} of {members}")
    } else {
        format!("exact_value root {}", value_of(&text, "root").unwrap_or_default())
    };
    println!("{verdict}");
    ExitCode::SUCCESS
}

/// The statement and, for the cases that ask for them, no counters: a dummy has counted nothing.
fn sentence(claim: &str) -> String {
    value_of(claim, "game").unwrap_or_default()
}

/// Reads every file of a claim as text of the right shape: its bytes, its first and last line, the spelling of numbers,
/// and the counts of policies, decisions and steps. What the lines mean it does not ask.
fn parse(arguments: &[String]) -> Result<(), String> {
    let Some(folder) = folder(arguments) else { return Ok(()) };
    let mut folders = vec![folder.clone()];
    folders.extend(
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()),
    );
    for folder in folders {
        for name in ["set.txt", "claim.txt"] {
            let Ok(bytes) = fs::read(folder.join(name)) else { continue };
            let text = plain(name, bytes)?;
            if name == "claim.txt" {
                let last = ["rotate", "proofset", "line-file", "values", "moves", "other", "leaves"];
                let key = text.lines().last().unwrap_or_default().split(' ').next().unwrap_or_default();
                if !last.contains(&key) && !text.contains(&format!("rotate no\n{key}")) && !known_key(key) {
                    return Err(format!("claim.txt ends in {key}"));
                }
            }
            for key in ["black", "white", "leaves", "proofset", "line-file", "values"] {
                let Some(file) = value_of(&text, key).filter(|file| file != "none") else { continue };
                let beside = folder.join(&file);
                let path = if beside.exists() { beside } else { folder.join("../..").join(&file) };
                let path = if path.exists() { path } else { folder.join("../../proofsets").join(&file) };
                if let Ok(bytes) = fs::read(&path) {
                    shape(&file, unpacked(&path, bytes)?)?;
                }
            }
        }
    }
    Ok(())
}

fn known_key(key: &str) -> bool {
    ["value", "root", "upper"].contains(&key)
}

fn unpacked(path: &Path, bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    if path.extension().is_none_or(|extension| extension != "xz") {
        return Ok(bytes);
    }
    let mut plain = Vec::new();
    let mut limited = liblzma::read::XzDecoder::new(bytes.as_slice()).take(65 << 20);
    limited.read_to_end(&mut plain).map_err(|error| error.to_string())?;
    if plain.len() >= 64 << 20 || limited.into_inner().total_in() != bytes.len() as u64 {
        return Err("too much".to_owned());
    }
    Ok(plain)
}

/// Printable ASCII in lines, single spaces, numbers in one spelling.
fn plain(name: &str, bytes: Vec<u8>) -> Result<String, String> {
    let text = String::from_utf8(bytes).map_err(|error| error.to_string())?;
    if !text.bytes().all(|byte| byte == b'\n' || (b' '..=b'~').contains(&byte)) || !text.ends_with('\n') {
        return Err(format!("{name}: bytes"));
    }
    for token in text.lines().flat_map(|line| line.split(' ')) {
        let digits = token.strip_prefix('-').unwrap_or(token);
        let number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        // A mask has sixteen digits, leading zeros and all.
        let padded = digits.len() > 1 && digits.len() != 16 && digits.starts_with('0');
        if token.is_empty()
            || token.starts_with('+')
            || number && (padded || token == "-0" || digits.len() > 1000)
        {
            return Err(format!("{name}: {token}"));
        }
    }
    Ok(text)
}

/// First and last line, and as many lines as are announced.
fn shape(name: &str, bytes: Vec<u8>) -> Result<(), String> {
    let text = plain(name, bytes)?;
    let lines: Vec<&str> = text.lines().collect();
    let first = lines.first().copied().unwrap_or_default();
    let last = match first.split(' ').next().unwrap_or_default() {
        "DARKHEX_MIXTURE" | "DARKHEX_OPENING_MIXTURE" | "DARKHEX_PUBLIC_MIXTURE" | "DARKHEX_REALIZATION" => {
            "DONE"
        }
        "honey-proofset" | "honey-depth3" | "honey-line" => "end",
        "leaves" | "proofset" => return Ok(()),
        other => return Err(format!("{name}: {other}")),
    };
    if lines.last() != Some(&last) {
        return Err(format!("{name}: expected {last}"));
    }
    let announced = |key: &str| -> usize {
        let count = |line: &&str| line.strip_prefix(key)?.strip_prefix(' ')?.parse::<usize>().ok();
        lines.iter().filter_map(count).sum()
    };
    let starting = |key: &str| lines.iter().filter(|line| line.split(' ').next() == Some(key)).count();
    let plain_lines =
        lines.iter().filter(|line| line.starts_with(|first: char| first.is_ascii_digit())).count();
    let counts = [
        (announced("POLICIES"), starting("POLICY")),
        (announced("PLANS"), starting("PLAN")),
        (announced("HISTORIES"), starting("HISTORY")),
        (announced("DECISIONS"), if first.ends_with("MIXTURE") { plain_lines } else { 0 }),
    ];
    if counts.iter().any(|(announced, found)| announced != found) {
        return Err(format!("{name}: counts"));
    }
    Ok(())
}
