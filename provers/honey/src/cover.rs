//! Picks the positions after three stones whose values prove a claim, and writes the derivation.
//!
//! A won position after two stones needs one lost child, which often serves many parents: a weighted set cover. A lost
//! one needs all its children. The weight of a position is its number of solutions, to which the work of a fresh search
//! is nearly proportional (the work in the log depends on what the table held by then). The cover is greedy (most newly
//! covered parents for the work), then improved by seeded random repair: drop a few members, cover again, keep what is
//! no worse.

use crate::Value;
use crate::game::{Mask, Node};
use crate::list::key;
use crate::log::Entry;
use crate::random::Random;
use crate::solver::Rule;
use anyhow::{Context, bail};
use std::collections::{BTreeMap, BTreeSet};

const REPAIRS: usize = 4_000;
/// Lost positions after two stones are few; their subsets are tried one by one up to this number.
const MAX_SUBSETS_OF: usize = 16;

/// The positions of the first three moves with the values known so far.
pub struct Tree<'t> {
    /// The rule of the values.
    pub rule: Rule,
    /// Positions by number of stones.
    pub levels: &'t [BTreeMap<Mask, Node>; 4],
    /// Values after three stones.
    pub values: &'t BTreeMap<Mask, Entry>,
    /// What one more position weighs besides its solutions: large for a short set, small for a cheap one.
    pub per_position: usize,
}

impl Tree<'_> {
    /// The value of a position after `depth` stones, as far as its children's values decide it.
    #[must_use]
    pub fn value(&self, depth: usize, mask: Mask) -> Option<Value> {
        if depth == 3 {
            return self.values.get(&mask).map(|entry| entry.value);
        }
        let mut all_won = true;
        for &child in self.children(depth, mask) {
            match self.value(depth + 1, child) {
                Some(Value::Loss) => return Some(Value::Win),
                Some(Value::Win) => {}
                None => all_won = false,
            }
        }
        all_won.then_some(Value::Loss)
    }

    /// The children of a position after `depth` stones.
    #[must_use]
    pub fn children(&self, depth: usize, mask: Mask) -> &[Mask] {
        self.levels[depth].get(&mask).map_or(&[], |node| &node.children)
    }

    fn cost(&self, mask: Mask) -> usize {
        self.per_position + self.levels[3].get(&mask).map_or(0, |node| node.n)
    }

    fn cost_of(&self, chosen: &BTreeSet<Mask>) -> usize {
        chosen.iter().map(|&mask| self.cost(mask)).sum()
    }

    /// Lost positions after three stones such that each of `parents` (won, after two stones) has one as a child.
    fn cover(&self, parents: &BTreeSet<Mask>) -> anyhow::Result<BTreeSet<Mask>> {
        let mut covers = BTreeMap::<Mask, BTreeSet<Mask>>::new();
        for &parent in parents {
            for &child in self.children(2, parent) {
                if self.value(3, child) == Some(Value::Loss) {
                    covers.entry(child).or_default().insert(parent);
                }
            }
        }
        let mut random = Random(1);
        let mut best = self.complete(&covers, parents, BTreeSet::new())?;
        for _ in 0..REPAIRS {
            let mut members: Vec<Mask> = best.iter().copied().collect();
            for _ in 0..=random.below(5) {
                if !members.is_empty() {
                    members.swap_remove(random.below(members.len()));
                }
            }
            let mut trial: BTreeSet<Mask> = members.into_iter().collect();
            // A random new member leads away from what the greedy choice would only restore.
            if let Some((&child, _)) = covers.iter().nth(random.below(covers.len())) {
                trial.insert(child);
            }
            let trial = self.complete(&covers, parents, trial)?;
            if self.cost_of(&trial) <= self.cost_of(&best) {
                best = trial;
            }
        }
        Ok(best)
    }

    /// Adds the cheapest members per newly covered parent, then drops those that are not needed, dearest first.
    fn complete(
        &self,
        covers: &BTreeMap<Mask, BTreeSet<Mask>>,
        parents: &BTreeSet<Mask>,
        mut chosen: BTreeSet<Mask>,
    ) -> anyhow::Result<BTreeSet<Mask>> {
        let mut times = BTreeMap::<Mask, usize>::new();
        let mut open = parents.clone();
        for parent in chosen.iter().flat_map(|child| &covers[child]) {
            *times.entry(*parent).or_default() += 1;
            open.remove(parent);
        }
        while !open.is_empty() {
            let (&child, covered) = covers
                .iter()
                .filter(|(_, covered)| !covered.is_disjoint(&open))
                // cost / newly covered, compared without division
                .min_by(|a, b| {
                    let new = |covered: &BTreeSet<Mask>| covered.intersection(&open).count();
                    (self.cost(*a.0) * new(b.1)).cmp(&(self.cost(*b.0) * new(a.1)))
                })
                .context("a won position has no lost child")?;
            chosen.insert(child);
            for parent in covered {
                *times.entry(*parent).or_default() += 1;
                open.remove(parent);
            }
        }
        let mut dearest: Vec<Mask> = chosen.iter().copied().collect();
        dearest.sort_by_key(|&child| std::cmp::Reverse(self.cost(child)));
        for child in dearest {
            if covers[&child].iter().all(|parent| times[parent] > 1) {
                chosen.remove(&child);
                for parent in &covers[&child] {
                    times.entry(*parent).and_modify(|n| *n -= 1);
                }
            }
        }
        Ok(chosen)
    }

    /// The searches that prove the root won by one lost first position, the cheapest.
    ///
    /// # Errors
    /// If no position after one stone is known to be lost.
    pub fn prove_root(&self) -> anyhow::Result<BTreeSet<Mask>> {
        let mut best: Option<BTreeSet<Mask>> = None;
        for &first in self.levels[1].keys().filter(|&&first| self.value(1, first) == Some(Value::Loss)) {
            let chosen = self.cover(&self.children(1, first).iter().copied().collect())?;
            if best.as_ref().is_none_or(|best| self.cost_of(&chosen) < self.cost_of(best)) {
                best = Some(chosen);
            }
        }
        best.context("no lost position after one stone is known")
    }

    /// The searches that prove the value of every position after one stone.
    ///
    /// # Errors
    /// If a value is not known.
    pub fn prove_depth1(&self) -> anyhow::Result<BTreeSet<Mask>> {
        let mut won_parents = BTreeSet::new();
        let mut won_firsts = Vec::new();
        for &first in self.levels[1].keys() {
            match self.value(1, first) {
                Some(Value::Loss) => won_parents.extend(self.children(1, first).iter().copied()),
                Some(Value::Win) => won_firsts.push(first),
                None => bail!("the value of {first:016x} is not known"),
            }
        }
        let lost: Vec<Mask> = self.levels[2]
            .keys()
            .copied()
            .filter(|&mask| self.value(2, mask) == Some(Value::Loss))
            .take(MAX_SUBSETS_OF)
            .collect();
        let below_lost = (0_u32..1 << lost.len())
            .map(|subset| {
                (0..lost.len()).filter(|i| subset >> i & 1 == 1).map(|i| lost[i]).collect::<BTreeSet<_>>()
            })
            .filter(|subset| {
                won_firsts.iter().all(|&first| self.children(1, first).iter().any(|x| subset.contains(x)))
            })
            .map(|subset| subset.iter().flat_map(|&mask| self.children(2, mask)).copied().collect())
            .min_by_key(|leaves| self.cost_of(leaves))
            .context("no lost positions after two stones are known")?;
        Ok(&self.cover(&won_parents)? | &below_lost)
    }

    /// The derivation that the searches of `leaves` allow, nothing in it that the claim does not need.
    #[must_use]
    pub fn derivation(&self, solutions: usize, leaves: &BTreeSet<Mask>) -> String {
        let mut lines = vec![
            "honey-proofset 1".into(),
            format!("rule {}", self.rule.word()),
            format!("solutions {solutions}"),
        ];
        let mut proved = BTreeMap::<Mask, Value>::new();
        for &leaf in leaves {
            if let Some(entry) = self.values.get(&leaf) {
                let (name, value) = (key(self.rule, leaf, entry.hints), entry.value.word());
                lines.push(format!("search {name} {value}"));
                proved.insert(leaf, entry.value);
            }
        }
        for depth in (0..3).rev() {
            let mut above = BTreeMap::new();
            for (&mask, node) in &self.levels[depth] {
                let name = key(self.rule, mask, 0);
                let lost = node.children.iter().find(|child| proved.get(child) == Some(&Value::Loss));
                if let Some(&child) = lost {
                    let hints = self.values.get(&child).map_or(0, |entry| entry.hints);
                    let hints = if depth == 2 { hints } else { 0 };
                    lines.push(format!("won {name} by {}", key(self.rule, child, hints)));
                    above.insert(mask, Value::Win);
                } else if node.children.iter().all(|child| proved.get(child) == Some(&Value::Win)) {
                    lines.push(format!("lost {name}"));
                    above.insert(mask, Value::Loss);
                }
            }
            proved = above;
        }
        lines.push("end\n".into());
        lines.join("\n")
    }
}
