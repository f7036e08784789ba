//! Log lines: refused, or the one spelling of what was read. So that inputs come past the check sum, a second text is
//! tried in which every check sum is made right.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sha2::{Digest, Sha256};
use verify_dosello::text::{Text, hex};
use verify_dosello::units::{Logged, Verdict};
use verify_dosello_fuzz::refusal;

fuzz_target!(|data: &[u8]| {
    reads(data);
    reads(&mended(data));
});

fn reads(data: &[u8]) {
    match Logged::parse_all(&Text::new("f", data.to_vec())) {
        Ok(lines) => {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            assert_eq!(text.as_bytes(), data);
            for line in lines {
                assert_eq!(line.bound().is_none(), line.verdict == Verdict::Undecided);
            }
        }
        Err(error) => refusal(&error),
    }
}

/// Each line with the check sum of what stands before ` check `.
fn mended(data: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    for line in data.split_inclusive(|&byte| byte == b'\n') {
        match line.windows(7).position(|window| window == b" check ") {
            Some(at) if line.len() >= at + 7 + 16 => {
                text.extend_from_slice(&line[..at + 7]);
                text.extend_from_slice(&hex(&Sha256::digest(&line[..at])).as_bytes()[..16]);
                text.extend_from_slice(&line[at + 7 + 16..]);
            }
            _ => text.extend_from_slice(line),
        }
    }
    text
}
