//! Speed of the expansion and of small searches.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, reason = "a bench may fail by panicking")]

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use verify_dosello::expand::{Children, View};
use verify_dosello::rules::{Move, Position};
use verify_dosello::search::{Bound, Solver};
use verify_dosello::table::Table;

fn after(line: &str) -> Position {
    line.split(' ').fold(Position::initial(), |position, step| {
        position.play(Move::parse(step).expect("a move")).expect("a legal move")
    })
}

fn expansion(criterion: &mut Criterion) {
    let view = View::of(&after("f3-f4 e6-f6 d7-e7 g4-g5 b6-c6 c8-d8"));
    let mut children = Children::default();
    criterion.bench_function("expand all children", |bench| {
        bench.iter(|| {
            children.expand::<true>(black_box(&view));
            children.count()
        });
    });
}

fn search(criterion: &mut Criterion) {
    let line = "f3-f4 e6-f6 d7-e7 g4-g5 b6-c6 c8-d8 g6-h6 f7-f8 c3-d3 e1-e2 c1-c2 a3-b3 h3-h4 a5-b5 b7-c7";
    let position = after(line);
    let mut table = Table::new(16);
    criterion.bench_function("bound of a position with 26 empty squares", |bench| {
        bench.iter(|| {
            table.clear();
            let mut solver = Solver::new(&mut table, None);
            solver.decide(black_box(&position), Bound::AtLeast(-2), u64::MAX).is_ok()
        });
    });
}

criterion_group! { name = benches; config = Criterion::default().sample_size(20); targets = expansion, search }
criterion_main!(benches);
