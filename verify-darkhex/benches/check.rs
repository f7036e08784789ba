//! Time of the check of one certificate: both files read, both best responses found and replayed by the referee.

#![allow(missing_docs, clippy::expect_used, reason = "a bench may stop at the first surprise")]

mod pairs;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;
use verify_darkhex::board::Board;
use verify_darkhex::check::examine;
use verify_darkhex::response::{Shortcuts, best_response};

fn certificates(criterion: &mut Criterion) {
    for pair in pairs::present() {
        let mut group = criterion.benchmark_group(pair.name);
        group.sample_size(10).measurement_time(Duration::from_secs(5));
        group.bench_function("read", |bencher| {
            bencher.iter(|| pair.files.map(|file| black_box(pair.read(file)).histories()));
        });
        group.bench_function("best-responses", |bencher| {
            bencher.iter_batched(
                || pair.files.map(|file| pair.read(file)),
                |strategies| {
                    strategies.map(|strategy| {
                        let board = Board::new(&strategy.game);
                        best_response(&strategy, &board, Shortcuts::default())
                            .expect("no limit is met")
                            .counters
                    })
                },
                BatchSize::PerIteration,
            );
        });
        group.bench_function("check", |bencher| {
            bencher.iter(|| {
                pair.files.map(|file| {
                    let strategy = pair.read(file);
                    examine(&strategy, &Board::new(&strategy.game), false).expect("the check succeeds").bound
                })
            });
        });
        group.finish();
    }
}

criterion_group!(benches, certificates);
criterion_main!(benches);
