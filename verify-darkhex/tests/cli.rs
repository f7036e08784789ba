//! The program as it is called: exit codes, output, written files, packed input, hostile packed input.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "test code fails by panicking"
)]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use verify_darkhex::error::{Error, Fault};
use verify_darkhex::{sources, xz};

const GOOD_BLACK: &str = "DARKHEX_MIXTURE\nROWS 2\nCOLUMNS 2\nMODE STANDARD\nOWNER BLACK\nPOLICIES 1\nPOLICY 1\nPRIORITY 1 2 3 0\nDECISIONS 0\nEND\nDONE\n";

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_verify-darkhex"))
}

fn certificates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../certificates")
}

fn ends(output: &Output, code: i32, last: &str) {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert_eq!((text.lines().last().unwrap_or_default(), output.status.code()), (last, Some(code)));
}

#[test]
fn a_proved_claim_exits_with_0_and_prints_the_verdict_last() {
    let json = tempfile::tempdir().unwrap();
    let path = json.path().join("report.json");
    let output = program().arg("--json").arg(&path).arg(certificates().join("abrupt-3x3")).output().unwrap();
    ends(&output, 0, "exact_value 207579464761/299876201866");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.starts_with("statement Abrupt Dark Hex on 3 rows x 3 columns from the empty board: the value")
    );
    assert!(text.lines().filter(|line| line.starts_with("exact_value")).count() == 1);
    assert!(output.stderr.is_empty());
    let json = fs::read_to_string(path).unwrap();
    assert!(
        json.contains("\"verdict\": \"exact_value 207579464761/299876201866\"")
            && json.contains("\"exit_code\": 0")
    );
}

#[test]
fn a_bound_needs_no_claim_and_its_response_can_be_examined_in_turn() {
    let home = tempfile::tempdir().unwrap();
    let response = home.path().join("response.mix");
    let file = certificates().join("classic-3x4/black-lower.mix");
    let output = program()
        .args(["bound", "--owner", "black", "--response"])
        .arg(&response)
        .arg(&file)
        .output()
        .unwrap();
    ends(&output, 0, "exact_bound lower 14279/67484");
    let output = program().args(["bound", "--owner", "white"]).arg(&response).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let output = program().args(["bound", "--owner", "white"]).arg(&file).output().unwrap();
    ends(&output, 1, "failure malformed black-lower.mix: owner: the claim says white, the file black");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.starts_with("statement none: no strategy of white's could be read\n"), "{said}");
}

#[test]
fn wrong_usage_exits_with_64() {
    for arguments in [
        vec![],
        vec!["--nonsense", "x"],
        vec!["a", "b"],
        vec!["--json"],
        vec!["bound", "x.mix"],
        vec!["bound", "--owner", "red", "x.mix"],
        vec!["bound", "--owner", "black", "x.txt"],
        vec!["--owner", "black", "x"],
        vec!["--twice", "--twice", "x"],
        vec!["--response", "r", "x"],
    ] {
        assert_eq!(program().args(&arguments).output().unwrap().status.code(), Some(64), "{arguments:?}");
    }
}

#[test]
fn help_states_exit_codes_and_limits_and_version_names_the_sources() {
    let help = String::from_utf8(program().arg("--help").output().unwrap().stdout).unwrap();
    for word in ["exit code 0", "exit code 1", "exit code 3", "64", "70", "74", "16 cells"] {
        assert!(help.contains(word), "{word}");
    }
    let version = String::from_utf8(program().arg("--version").output().unwrap().stdout).unwrap();
    assert!(version.contains(&sources::sha256()));
}

#[test]
fn the_list_of_sources_is_complete() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    let listed: Vec<&str> = sources::SOURCES.iter().map(|(name, _)| *name).collect();
    assert_eq!(files, listed);
    for (name, text) in sources::SOURCES {
        assert_eq!(fs::read_to_string(folder.join(name)).unwrap(), text);
    }
}

#[test]
fn a_verdict_that_cannot_be_written_is_no_success() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let status = program().arg(certificates().join("abrupt-3x3")).stdout(Stdio::from(full)).status().unwrap();
    assert_eq!(status.code(), Some(74));
    let output =
        program().args(["--json", "/dev/full"]).arg(certificates().join("abrupt-3x3")).output().unwrap();
    assert_eq!(output.status.code(), Some(74));
    let output = program().arg("/nonexistent").output().unwrap();
    assert_eq!(output.status.code(), Some(74));
}

/// Packs with `xz`, as an auditor would.
fn packed(bytes: &[u8], arguments: &[&str]) -> Vec<u8> {
    let mut child = Command::new("xz")
        .args(["-c", "-q"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let bytes = bytes.to_vec();
    let writer = std::thread::spawn(move || input.write_all(&bytes));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    output.stdout
}

fn reason(bytes: &[u8], most: usize) -> Fault {
    match xz::unpack("f", bytes, most) {
        Err(Error::Malformed { fault, .. }) => fault,
        other => unreachable_result(&other),
    }
}

#[allow(clippy::panic)]
fn unreachable_result(result: &Result<Vec<u8>, Error>) -> Fault {
    panic!("expected a malformed stream, got {result:?}")
}

#[test]
fn one_stream_of_one_block_is_unpacked_and_nothing_else() {
    let text = GOOD_BLACK.repeat(1000);
    for arguments in [&[][..], &["--check=none"], &["--check=crc32"], &["--check=crc64", "-9e"], &["-0"]] {
        assert_eq!(xz::unpack("f", &packed(text.as_bytes(), arguments), 1 << 20).unwrap(), text.as_bytes());
    }
    // Incompressible data goes into uncompressed chunks.
    let noise: Vec<u8> = (0..200_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    assert_eq!(xz::unpack("f", &packed(&noise, &[]), 1 << 20).unwrap(), noise);
    let one = packed(text.as_bytes(), &[]);
    assert_eq!(
        reason(&packed(text.as_bytes(), &["--check=sha256"]), 1 << 20),
        Fault::Xz("expected the check none, CRC32 or CRC64")
    );
    assert_eq!(
        reason(&packed(text.as_bytes(), &["--block-size=10000"]), 1 << 20),
        Fault::Xz("expected a single block")
    );
    assert_eq!(
        reason(&packed(text.as_bytes(), &["--x86", "--lzma2"]), 1 << 20),
        Fault::Xz("expected a single filter")
    );
    assert_eq!(reason(&packed(b"", &[]), 1 << 20), Fault::Xz("expected a block"));
    assert_eq!(reason(text.as_bytes(), 1 << 20), Fault::Xz("expected the magic bytes of an xz stream"));
    assert_eq!(reason(&one, text.len() - 1), Fault::TooLarge { limit: text.len() - 1 });
    assert!(xz::unpack("f", &one, text.len()).is_ok());
    for end in [&one[..], b"\0\0\0\0", b"x"] {
        let longer = [&one[..], end].concat();
        assert_eq!(reason(&longer, 1 << 20), Fault::Xz("bytes after the end of the stream"));
    }
    // Found by fuzzing: the library adds one to the footer's size field before it checks it.
    let mut footer = one.clone();
    let size = footer.len() - 8;
    footer[size..size + 4].fill(0xFF);
    assert_eq!(reason(&footer, 1 << 20), Fault::Xz("expected the index's size in the footer"));
}

#[test]
fn chunks_hidden_in_the_packed_bytes_of_a_chunk_are_not_unpacked() {
    // Found by fuzzing: the headers that can be walked say 31 bytes, and without a guard 2 MiB more are unpacked.
    let hex = "fd377a585a000000ff12d9410200210116000000742fe5a3e0001e01885d00309888aafc06b98fc000ffff11016c5d00\
        006ffdffffa3b7ff473e481572396151b89228e6a38607f9eee41e82d32fc53a3c014bb17ec98a8a4d2fa30dd97fa6e3\
        8c231153e05918c5758ae277f8b6947f0c6ac0de744964e2e95c53b204d8f7440cab5f0d6d46e9e5c37688b79657acb6\
        4de1691d6ffb4b88106c42cb883f5c008fd04eaf262894711f3d8f24e1709ea7235fec28cb85d195988a7e2a91f22775\
        f719c006984d98fdd8afd5900fc42553f8f591363105a5b0ee6fc1704d470cd19111aaad601dbaceb127185c5986e966\
        5258bee976ac59e4e55b0508f9c7daadfcfb522b74cd1e5b2042f9dd533df82964093b80cb2a6cdfb53bf0c4bd2e5faa\
        0f3e4b664290130eff1093f8717859f80bcdff9528460fa9fc7cdefb9a302e56c08f85f38381c065c42553f8f5913631\
        05a5b0ee6fc1704d470cd19111aaad601dbaceb127185c5986e9665258bee976ac59e4e55b0508f9c7daadfcfb522b74\
        cd1e5b2042f9dd533df82964093b80cb2a6cdfb53bf0c4bc4827e6588000ed0005001ca624f1000000019c031f000000\
        fc3f2be6a8000afc020000000000595a";
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    let packed: Vec<u8> = hex.as_bytes().chunks(2).map(byte).collect();
    assert_eq!(reason(&packed, 1 << 20), Fault::Xz("damaged stream"));
}

#[test]
fn every_truncation_and_byte_change_of_a_packed_file_is_refused_or_changes_nothing() {
    let one = packed(GOOD_BLACK.as_bytes(), &["--check=crc32"]);
    for length in 0..one.len() {
        assert!(matches!(reason(&one[..length], 1 << 20), Fault::Xz(_)));
    }
    for at in 0..one.len() {
        for bit in 0..8 {
            let mut changed = one.clone();
            changed[at] ^= 1 << bit;
            if let Ok(bytes) = xz::unpack("f", &changed, 1 << 20) {
                assert_eq!(bytes, GOOD_BLACK.as_bytes(), "byte {at} bit {bit}");
            }
        }
    }
}

#[test]
fn a_bomb_is_refused_before_it_fills_the_memory() {
    let home = tempfile::tempdir().unwrap();
    let bomb = home.path().join("bomb.mix.xz");
    fs::write(&bomb, packed(&vec![b'0'; 1 << 30], &["-1"])).unwrap();
    assert!(fs::metadata(&bomb).unwrap().len() < 1 << 20);
    // 256 MiB of address space: enough for the program, a quarter of the unpacked bomb.
    let limited = format!(
        "ulimit -v 262144; exec '{}' bound --owner black '{}'",
        env!("CARGO_BIN_EXE_verify-darkhex"),
        bomb.display()
    );
    let output = Command::new("sh").args(["-c", &limited]).output().unwrap();
    ends(&output, 1, "failure malformed bomb.mix.xz: expected at most 67108864 bytes");
}
