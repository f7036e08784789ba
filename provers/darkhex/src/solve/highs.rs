//! Linear programmes by the `HiGHS` library, which is loaded when a solve starts.
//!
//! Nothing is linked, so the workspace builds without it. `pip install highsbox` brings the library as
//! `highsbox/highs_dist/lib/libhighs.so`. Nothing here is trusted: what it finds is a proposal.

#![allow(unsafe_code, reason = "the library has a C interface; all calls to it are in this file")]

use super::restricted::Programme;
use libloading::{Library, Symbol};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::{Path, PathBuf};

/// The library, and the symbols that are used of it.
pub struct Highs {
    library: Library,
}

/// Status of a column or row in a basis, as the library numbers it.
pub mod status {
    /// At its lower bound.
    pub const LOWER: i32 = 0;
    /// In the basis.
    pub const BASIC: i32 = 1;
}

/// Statuses of all columns and rows.
#[derive(Clone, Debug)]
pub struct Basis {
    /// Of each column.
    pub columns: Vec<i32>,
    /// Of each row.
    pub rows: Vec<i32>,
}

/// A solution.
pub struct Solution {
    /// The value of the objective.
    pub objective: f64,
    /// The value of each column.
    pub columns: Vec<f64>,
    /// The price of each row.
    pub prices: Vec<f64>,
    /// The basis.
    pub basis: Basis,
    /// Steps of the simplex method.
    pub steps: i32,
}

type Model = *mut c_void;
type Create = unsafe extern "C" fn() -> Model;
type Destroy = unsafe extern "C" fn(Model);
type OfModel = unsafe extern "C" fn(Model) -> c_int;
type GetNumber = unsafe extern "C" fn(Model) -> f64;
type GetInteger = unsafe extern "C" fn(Model, *const c_char, *mut c_int) -> c_int;
type SetText = unsafe extern "C" fn(Model, *const c_char, *const c_char) -> c_int;
type SetNumber = unsafe extern "C" fn(Model, *const c_char, f64) -> c_int;
type SetInteger = unsafe extern "C" fn(Model, *const c_char, c_int) -> c_int;
type SetBasis = unsafe extern "C" fn(Model, *const c_int, *const c_int) -> c_int;
type GetBasis = unsafe extern "C" fn(Model, *mut c_int, *mut c_int) -> c_int;
type GetSolution = unsafe extern "C" fn(Model, *mut f64, *mut f64, *mut f64, *mut f64) -> c_int;
/// Counts of columns, rows and entries; format, sense, offset; costs; bounds of columns and of rows; row starts, column
/// indices and values of the entries.
type PassLp = unsafe extern "C" fn(
    Model,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    f64,
    *const f64,
    *const f64,
    *const f64,
    *const f64,
    *const f64,
    *const c_int,
    *const c_int,
    *const f64,
) -> c_int;

/// `kHighsMatrixFormatRowwise`, `kHighsObjSenseMaximize` and `kHighsModelStatusOptimal` of the C interface.
const BY_ROWS: c_int = 2;
const MAXIMIZE: c_int = -1;
const OPTIMAL: c_int = 7;

impl Highs {
    /// Loads the library from the path, or from where `pip install highsbox` puts it in a virtual environment named
    /// `.venv` of the current folder, or from where the system looks.
    ///
    /// # Errors
    /// That there is none, and how to get it.
    pub fn load(path: Option<&Path>) -> Result<Highs, String> {
        let path = path.map(Path::to_path_buf).or_else(in_environment).unwrap_or("libhighs.so".into());
        // SAFETY: loading runs the library's initialisers. The user names a library that he trusts to run.
        let library = unsafe { Library::new(&path) };
        library.map(|library| Highs { library }).map_err(|error| {
            let advice = "HiGHS is needed: python3 -m venv .venv && .venv/bin/pip install highsbox";
            format!("{}: {error}\n{advice}", path.display())
        })
    }

    fn symbol<T>(&self, name: &CStr) -> Result<Symbol<'_, T>, String> {
        // SAFETY: every caller names the type that the C interface declares for the symbol.
        unsafe { self.library.get(name.to_bytes_with_nul()) }.map_err(|error| error.to_string())
    }

    /// Solves a programme on one thread, by the dual simplex method from the given basis if there is one.
    ///
    /// # Errors
    /// A symbol that the library lacks, or an end of the simplex method that is not optimal.
    pub fn solve(&self, programme: &Programme, start: Option<&Basis>) -> Result<Solution, String> {
        let handle = Handle::new(self)?;
        handle.choose()?;
        handle.pass(programme)?;
        if let Some(start) = start {
            handle.start_from(programme, start)?;
        }
        let run = self.symbol::<OfModel>(c"Highs_run")?;
        let model_status = self.symbol::<OfModel>(c"Highs_getModelStatus")?;
        // SAFETY: the model is alive.
        let status = unsafe {
            run(handle.model);
            model_status(handle.model)
        };
        if status != OPTIMAL {
            return Err(format!("HiGHS ended with model status {status}"));
        }
        handle.solution(programme)
    }
}

/// A model that is destroyed with its owner.
struct Handle<'a> {
    highs: &'a Highs,
    model: Model,
}

impl Drop for Handle<'_> {
    fn drop(&mut self) {
        if let Ok(destroy) = self.highs.symbol::<Destroy>(c"Highs_destroy") {
            // SAFETY: the model came from `Highs_create` and is destroyed once.
            unsafe { destroy(self.model) }
        }
    }
}

impl<'a> Handle<'a> {
    fn new(highs: &'a Highs) -> Result<Handle<'a>, String> {
        let create = highs.symbol::<Create>(c"Highs_create")?;
        // SAFETY: it takes nothing and gives a fresh model.
        Ok(Handle { highs, model: unsafe { create() } })
    }

    fn choose(&self) -> Result<(), String> {
        let text = self.highs.symbol::<SetText>(c"Highs_setStringOptionValue")?;
        let number = self.highs.symbol::<SetNumber>(c"Highs_setDoubleOptionValue")?;
        let integer = self.highs.symbol::<SetInteger>(c"Highs_setIntOptionValue")?;
        let flag = self.highs.symbol::<SetInteger>(c"Highs_setBoolOptionValue")?;
        let model = self.model;
        // SAFETY: the model is alive and the strings end in NUL; the library copies them.
        unsafe {
            flag(model, c"output_flag".as_ptr(), 0);
            integer(model, c"threads".as_ptr(), 1);
            text(model, c"parallel".as_ptr(), c"off".as_ptr());
            text(model, c"solver".as_ptr(), c"simplex".as_ptr());
            number(model, c"primal_feasibility_tolerance".as_ptr(), 1e-9);
            number(model, c"dual_feasibility_tolerance".as_ptr(), 1e-9);
        }
        Ok(())
    }

    fn pass(&self, programme: &Programme) -> Result<(), String> {
        let (columns, rows) = (programme.columns, programme.rows.len());
        let size = |length: usize| c_int::try_from(length).map_err(|error| error.to_string());
        let mut starts = vec![0];
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        for row in &programme.rows {
            for &(column, value) in row {
                indices.push(size(column)?);
                values.push(f64::from(value));
            }
            starts.push(size(indices.len())?);
        }
        let cost: Vec<f64> = programme.cost.iter().copied().map(f64::from).collect();
        let free = f64::INFINITY;
        let mut lower = vec![0.0; programme.sequences];
        lower.resize(columns, -free);
        let mut upper = vec![free; columns];
        (lower[0], upper[0]) = (1.0, 1.0);
        let mut row_lower = vec![0.0; programme.equations];
        row_lower.resize(rows, -free);
        let row_upper = vec![0.0; rows];
        let pass = self.highs.symbol::<PassLp>(c"Highs_passLp")?;
        // SAFETY: every array has the length that the counts before it declare, and the library copies them.
        let status = unsafe {
            pass(
                self.model,
                size(columns)?,
                size(rows)?,
                size(indices.len())?,
                BY_ROWS,
                MAXIMIZE,
                0.0,
                cost.as_ptr(),
                lower.as_ptr(),
                upper.as_ptr(),
                row_lower.as_ptr(),
                row_upper.as_ptr(),
                starts.as_ptr(),
                indices.as_ptr(),
                values.as_ptr(),
            )
        };
        if status < 0 { Err("HiGHS refused the programme".into()) } else { Ok(()) }
    }

    fn start_from(&self, programme: &Programme, basis: &Basis) -> Result<(), String> {
        if (basis.columns.len(), basis.rows.len()) != (programme.columns, programme.rows.len()) {
            return Err("a basis of another size".into());
        }
        let set = self.highs.symbol::<SetBasis>(c"Highs_setBasis")?;
        // SAFETY: one status for each column and row, as was checked. The library mends or refuses a bad basis.
        unsafe { set(self.model, basis.columns.as_ptr(), basis.rows.as_ptr()) };
        Ok(())
    }

    fn solution(&self, programme: &Programme) -> Result<Solution, String> {
        let (columns, rows) = (programme.columns, programme.rows.len());
        let (mut values, mut reduced) = (vec![0.0; columns], vec![0.0; columns]);
        let (mut activity, mut prices) = (vec![0.0; rows], vec![0.0; rows]);
        let mut basis = Basis { columns: vec![0; columns], rows: vec![0; rows] };
        let mut steps = 0;
        let objective = self.highs.symbol::<GetNumber>(c"Highs_getObjectiveValue")?;
        let solution = self.highs.symbol::<GetSolution>(c"Highs_getSolution")?;
        let get_basis = self.highs.symbol::<GetBasis>(c"Highs_getBasis")?;
        let information = self.highs.symbol::<GetInteger>(c"Highs_getIntInfoValue")?;
        // SAFETY: the arrays have one place for each column or row of the programme that was passed.
        let objective = unsafe {
            solution(
                self.model,
                values.as_mut_ptr(),
                reduced.as_mut_ptr(),
                activity.as_mut_ptr(),
                prices.as_mut_ptr(),
            );
            get_basis(self.model, basis.columns.as_mut_ptr(), basis.rows.as_mut_ptr());
            information(self.model, c"simplex_iteration_count".as_ptr(), &raw mut steps);
            objective(self.model)
        };
        Ok(Solution { objective, columns: values, prices, basis, steps })
    }
}

fn in_environment() -> Option<PathBuf> {
    let versions = std::fs::read_dir(".venv/lib").ok()?;
    let inside = "site-packages/highsbox/highs_dist/lib/libhighs.so";
    versions.filter_map(Result::ok).map(|version| version.path().join(inside)).find(|path| path.exists())
}
