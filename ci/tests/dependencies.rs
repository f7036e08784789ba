//! What the checkers are built from: four crates, what these need, and nothing of this repository.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code fails by panicking"
)]

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

const CHECKERS: [&str; 3] = ["verify-darkhex", "verify-dosello", "verify-honey"];
/// What a checker may ask for.
const DIRECT: [&str; 4] = ["lzma-rs", "num-bigint", "num-rational", "sha2"];
/// Everything that ends up in a checker's binary for that, on Linux with an x86-64 processor. A crate that appears here
/// anew is one more that has to be trusted: read it, or do without.
const ALL: [&str; 16] = [
    "block-buffer",
    "byteorder",
    "cfg-if",
    "cpufeatures",
    "crc",
    "crc-catalog",
    "crypto-common",
    "digest",
    "generic-array",
    "lzma-rs",
    "num-bigint",
    "num-integer",
    "num-rational",
    "num-traits",
    "sha2",
    "typenum",
];
/// Needed to build those: they run on the builder's machine, and what they write is compiled in.
const BUILD: [&str; 2] = ["autocfg", "version_check"];
const SYSTEM: &str = "x86_64-unknown-linux-gnu";

/// A package of the workspace's resolved graph.
struct Package {
    name: String,
    /// Packages needed at run time, and packages needed to build.
    normal: Vec<String>,
    build: Vec<String>,
    from_registry: bool,
}

fn graph() -> BTreeMap<String, Package> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("Cargo.toml");
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--locked", "--offline", "--filter-platform", SYSTEM])
        .arg("--manifest-path")
        .arg(manifest)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let mut packages = BTreeMap::new();
    for node in metadata["resolve"]["nodes"].as_array().unwrap() {
        let id = text(&node["id"]);
        let package =
            metadata["packages"].as_array().unwrap().iter().find(|package| package["id"] == node["id"]);
        let package = package.unwrap();
        let (mut normal, mut build) = (Vec::new(), Vec::new());
        for dependency in node["deps"].as_array().unwrap() {
            for kind in dependency["dep_kinds"].as_array().unwrap() {
                match kind["kind"].as_str() {
                    None => normal.push(text(&dependency["pkg"])),
                    Some("build") => build.push(text(&dependency["pkg"])),
                    Some("dev") => {}
                    Some(other) => panic!("a dependency of kind {other}"),
                }
            }
        }
        let source = package["source"].as_str().unwrap_or_default().to_owned();
        let from_registry = source == "registry+https://github.com/rust-lang/crates.io-index";
        packages.insert(id, Package { name: text(&package["name"]), normal, build, from_registry });
    }
    packages
}

/// All packages that are reached from the named one: at run time, and for building those.
fn needed(graph: &BTreeMap<String, Package>, name: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let (id, _) = graph.iter().find(|(_, package)| package.name == name).unwrap();
    let reach = |start: Vec<String>, build_too: bool| -> BTreeSet<String> {
        let (mut seen, mut open) = (BTreeSet::new(), start);
        while let Some(id) = open.pop() {
            if seen.insert(id.clone()) {
                open.extend(graph[&id].normal.clone());
                if build_too {
                    open.extend(graph[&id].build.clone());
                }
            }
        }
        seen
    };
    let normal = reach(graph[id].normal.clone(), false);
    let mut start = graph[id].build.clone();
    start.extend(normal.iter().flat_map(|id| graph[id].build.clone()));
    (normal, reach(start, true))
}

fn names(graph: &BTreeMap<String, Package>, ids: &BTreeSet<String>) -> BTreeSet<String> {
    ids.iter().map(|id| graph[id].name.clone()).collect()
}

#[test]
fn a_checker_asks_for_at_most_four_crates() {
    let graph = graph();
    for checker in CHECKERS {
        let package = graph.values().find(|package| package.name == checker).unwrap();
        assert!(package.build.is_empty(), "{checker} has a dependency of its build");
        for id in &package.normal {
            assert!(DIRECT.contains(&graph[id].name.as_str()), "{checker} depends on {}", graph[id].name);
        }
        // The graph is read at all: every checker hashes what it reads.
        assert!(package.normal.iter().any(|id| graph[id].name == "sha2"), "{checker}");
    }
}

#[test]
fn what_ends_up_in_a_checker_is_known_crate_by_crate() {
    let graph = graph();
    let mut found = BTreeSet::new();
    for checker in CHECKERS {
        let (normal, build) = needed(&graph, checker);
        let unknown: Vec<String> =
            names(&graph, &normal).into_iter().filter(|name| !ALL.contains(&name.as_str())).collect();
        assert!(unknown.is_empty(), "{checker} contains {unknown:?}");
        let unknown: Vec<String> =
            names(&graph, &build).into_iter().filter(|name| !BUILD.contains(&name.as_str())).collect();
        assert!(unknown.is_empty(), "building {checker} runs {unknown:?}");
        found.extend(names(&graph, &normal));
    }
    let gone: Vec<&str> = ALL.into_iter().filter(|&name| !found.contains(name)).collect();
    assert!(gone.is_empty(), "no checker contains {gone:?} any more: take them off the list");
}

#[test]
fn no_checker_contains_anything_of_this_repository_or_from_elsewhere_than_the_registry() {
    let graph = graph();
    for checker in CHECKERS {
        let (normal, build) = needed(&graph, checker);
        for id in normal.union(&build) {
            assert!(graph[id].from_registry, "{checker} needs {id}");
        }
    }
    assert!(
        graph.values().filter(|package| !package.from_registry).count() >= 4,
        "the workspace's members are there"
    );
}

#[test]
fn a_checker_has_no_build_script_and_no_macros_of_its_own() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for checker in CHECKERS {
        assert!(!root.join(checker).join("build.rs").exists(), "{checker}");
        let manifest: toml::Table =
            std::fs::read_to_string(root.join(checker).join("Cargo.toml")).unwrap().parse().unwrap();
        assert!(manifest["package"].get("build").is_none(), "{checker}");
        assert!(manifest.get("features").is_none(), "{checker} can be built in more than one way");
        assert!(manifest.get("lib").is_none_or(|lib| lib.get("proc-macro").is_none()), "{checker}");
        // Tests and benches are no sources to the gate, so nothing of them may be built in.
        assert!(manifest.get("bin").is_none(), "{checker}");
        assert!(manifest.get("lib").is_none_or(|lib| lib.get("path").is_none()), "{checker}");
    }
}

#[test]
fn a_checkers_sources_take_in_no_file_from_elsewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for checker in CHECKERS {
        let mut read = 0;
        for entry in std::fs::read_dir(root.join(checker).join("src")).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            for word in [
                "include!",
                "include_bytes!",
                "#[path",
                "include_str!(\"../",
                "include_str!(\"/",
                "include_str!(concat!",
            ] {
                assert!(!text.contains(word), "{} has {word}", path.display());
            }
            read += 1;
        }
        assert!(read > 5, "{checker}: there are sources");
    }
}

#[test]
fn cargo_deny_is_told_the_same_lists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("deny-checkers.toml")).unwrap();
    let table: toml::Table = text.parse().unwrap();
    let allowed: BTreeSet<&str> =
        table["bans"]["allow"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    // `libc` is for another processor.
    let lists = [&CHECKERS[..], &ALL, &BUILD, &["libc"]];
    assert_eq!(allowed, lists.concat().into_iter().collect());
}
