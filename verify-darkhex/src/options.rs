//! The command line's grammar.

use crate::board::Player;
use std::ffi::OsString;

/// What `--help` prints.
pub const HELP: &str = "\
verify-darkhex [--twice] [--json FILE] FOLDER
    Checks the claim (claim.txt) or the set of claims (set.txt) of a folder.
verify-darkhex bound --owner black|white [--response FILE] [--twice] [--json FILE] STRATEGY
    Computes exactly what one strategy file guarantees, without a claim.

  --twice          compute each best response by the second, slower search too and compare
  --response FILE  write the best response as a strategy of one policy
  --json FILE      write the same lines and verdict as JSON
  --help, --version

Lines of `key value` on standard output, the verdict last:
  exact_value V | proved_bounds L U | verified_set N of N | exact_bound lower|upper V    exit code 0
  failure malformed ... | failure not-proved L U | failure refuted L U                   exit code 1
  declined limit ...                                                                     exit code 3
Exit code 64: wrong usage; 70: a guard of this program failed; 74: a file could not be read or the output written.

Limits: boards of at most 16 cells (.mix: 15), 64 MiB a strategy file packed and unpacked, 4000000 histories,
100000 plans, 16000000 worlds and 8000000 beliefs of a search. FORMAT.md lists them all.
";

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Print [`HELP`].
    Help,
    /// Print the version.
    Version,
    /// Check the claim or set of a folder.
    Check(Common),
    /// Compute what one strategy guarantees.
    Bound {
        /// Whose strategy it is.
        owner: Player,
        /// Where the best response goes.
        response: Option<String>,
        /// The rest.
        common: Common,
    },
}

/// What both kinds of check take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Common {
    /// The folder or file.
    pub path: String,
    /// Whether the second search runs too.
    pub twice: bool,
    /// Where the report goes as JSON.
    pub json: Option<String>,
}

/// Reads the arguments after the program's name.
///
/// # Errors
/// What is wrong with them.
pub fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Request, &'static str> {
    let arguments: Vec<String> = arguments
        .map(OsString::into_string)
        .collect::<Result<_, _>>()
        .map_err(|_| "arguments have to be UTF-8")?;
    let (mut bound, mut twice) = (false, false);
    let (mut path, mut json, mut response, mut owner) = (None, None, None, None);
    let mut rest = arguments.into_iter();
    while let Some(argument) = rest.next() {
        let place = match argument.as_str() {
            "--help" => return Ok(Request::Help),
            "--version" => return Ok(Request::Version),
            "--twice" if !twice => {
                twice = true;
                continue;
            }
            "bound" if !bound && path.is_none() => {
                bound = true;
                continue;
            }
            "--json" => &mut json,
            "--response" => &mut response,
            "--owner" => &mut owner,
            other if other.starts_with('-') => return Err("an unknown or repeated option"),
            _ if path.is_some() => return Err("more than one path"),
            _ => {
                path = Some(argument);
                continue;
            }
        };
        match rest.next() {
            Some(value) if place.is_none() => *place = Some(value),
            _ => return Err("an option without its value, or twice"),
        }
    }
    let common = Common { path: path.ok_or("a path is missing")?, twice, json };
    match (bound, owner.as_deref()) {
        (false, None) if response.is_none() => Ok(Request::Check(common)),
        (true, Some("black")) => Ok(Request::Bound { owner: Player::Black, response, common }),
        (true, Some("white")) => Ok(Request::Bound { owner: Player::White, response, common }),
        _ => Err("bound needs --owner black or --owner white; --response goes with bound"),
    }
}
