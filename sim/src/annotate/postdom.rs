//! Control-flow graphs and their immediate post-dominators (petgraph's
//! dominators of the reversed graph, from a virtual exit).
//!
//! Threads that never come back do not matter for reconvergence. So nodes
//! fall into two groups: those from which the function can be left, whose
//! post-dominators look only at paths that leave; and the rest (endless loops,
//! calls that do not return), where a path ends in a dead end or, in a loop
//! without any way out, at the loop's last instruction.

use petgraph::algo::{dominators, tarjan_scc};
use petgraph::graph::{DiGraph, NodeIndex};

/// An instruction of a function, by index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Node {
    pub successors: Vec<usize>,
    /// Leaves the function (return, tail call, falls off the end).
    pub leaves: bool,
}

/// The graph of one function, nodes in address order.
#[derive(Debug, Clone, Default)]
pub struct Cfg {
    pub nodes: Vec<Node>,
}

impl Cfg {
    pub fn predecessors(&self) -> Vec<Vec<usize>> {
        let mut predecessors = vec![Vec::new(); self.nodes.len()];
        for (from, node) in self.nodes.iter().enumerate() {
            for &to in &node.successors {
                predecessors[to].push(from);
            }
        }
        predecessors
    }

    /// Which nodes have a path that leaves the function?
    pub fn can_leave(&self) -> Vec<bool> {
        let predecessors = self.predecessors();
        let mut found = vec![false; self.nodes.len()];
        let mut work: Vec<usize> =
            (0..self.nodes.len()).filter(|&n| self.nodes[n].leaves).collect();
        while let Some(n) = work.pop() {
            if !std::mem::replace(&mut found[n], true) {
                work.extend(&predecessors[n]);
            }
        }
        found
    }

    /// Nodes that control can get to from `start`, itself included.
    pub fn reachable(&self, start: usize) -> Vec<bool> {
        let mut found = vec![false; self.nodes.len()];
        let mut work = vec![start];
        while let Some(n) = work.pop() {
            if n < found.len() && !std::mem::replace(&mut found[n], true) {
                work.extend(&self.nodes[n].successors);
            }
        }
        found
    }

    /// The immediate post-dominator of every node; `None` is the exit.
    pub fn post_dominators(&self) -> Vec<Option<usize>> {
        let live = self.can_leave();
        let mut ends: Vec<bool> = self.nodes.iter().map(|node| node.leaves).collect();
        for end in self.dead_ends(&live) {
            ends[end] = true;
        }
        let exit = NodeIndex::new(self.nodes.len());
        let mut reversed = DiGraph::<(), ()>::new();
        for _ in 0..=self.nodes.len() {
            reversed.add_node(());
        }
        for (from, node) in self.nodes.iter().enumerate() {
            if ends[from] {
                reversed.add_edge(exit, NodeIndex::new(from), ());
            }
            for &to in &node.successors {
                // A live node's way into a dead end is no path that leaves.
                if live[from] == live[to] {
                    reversed.add_edge(NodeIndex::new(to), NodeIndex::new(from), ());
                }
            }
        }
        let dominators = dominators::simple_fast(&reversed, exit);
        (0..self.nodes.len())
            .map(|n| {
                let above = dominators.immediate_dominator(NodeIndex::new(n));
                above.filter(|&d| d != exit).map(NodeIndex::index)
            })
            .collect()
    }

    /// Where paths end that never leave: nodes without a successor, and the
    /// last node of each loop that nothing gets out of.
    pub fn dead_ends(&self, live: &[bool]) -> Vec<usize> {
        let mut graph = DiGraph::<(), ()>::new();
        for _ in &self.nodes {
            graph.add_node(());
        }
        for (from, node) in self.nodes.iter().enumerate() {
            for &to in &node.successors {
                graph.add_edge(NodeIndex::new(from), NodeIndex::new(to), ());
            }
        }
        let mut ends = Vec::new();
        for group in tarjan_scc(&graph) {
            let inside = |to: usize| group.contains(&NodeIndex::new(to));
            let closed = group.iter().all(|n| {
                let node = &self.nodes[n.index()];
                !live[n.index()] && node.successors.iter().all(|&to| inside(to))
            });
            if closed {
                ends.extend(group.iter().map(|n| n.index()).max());
            }
        }
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Marsaglia's xorshift: the graphs are the same in every run.
    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 16) as usize % limit
        }
    }

    fn random_cfg(random: &mut Random) -> Cfg {
        let count = 1 + random.below(14);
        let ends = 1 + random.below(8);
        let nodes = (0..count).map(|at| {
            let edges = random.below(4);
            let mut successors: Vec<usize> = (0..edges).map(|_| random.below(count)).collect();
            // Mostly straight code, as in programs.
            if at + 1 < count && random.below(3) > 0 {
                successors.push(at + 1);
            }
            let leaves = random.below(ends + 1) == 0;
            Node { successors, leaves }
        });
        Cfg { nodes: nodes.collect() }
    }

    /// Nodes on some path from `from`, itself included, that avoids `without`.
    fn walk(cfg: &Cfg, from: usize, without: Option<usize>) -> Vec<bool> {
        let mut seen = vec![false; cfg.nodes.len()];
        let mut grown = Some(from) != without;
        if grown {
            seen[from] = true;
        }
        while grown {
            grown = false;
            for at in 0..cfg.nodes.len() {
                for &to in &cfg.nodes[at].successors {
                    if seen[at] && !seen[to] && Some(to) != without {
                        seen[to] = true;
                        grown = true;
                    }
                }
            }
        }
        seen
    }

    /// Straight from the definition: take a node away, see if an end is left.
    fn by_brute_force(cfg: &Cfg) -> Vec<Option<usize>> {
        let count = cfg.nodes.len();
        let all: Vec<Vec<bool>> = (0..count).map(|n| walk(cfg, n, None)).collect();
        let leaves = |n: usize| cfg.nodes[n].leaves;
        let live: Vec<bool> =
            (0..count).map(|n| (0..count).any(|end| all[n][end] && leaves(end))).collect();
        // In a dead region paths end at the last node of a closed group.
        let ends_dead = |n: usize| {
            let group = || (0..count).filter(|&m| all[n][m]);
            !live[n] && group().all(|m| all[m][n]) && group().max() == Some(n)
        };
        let is_end = |from: usize, n: usize| if live[from] { leaves(n) } else { ends_dead(n) };
        let is_above = |n: usize, d: usize| {
            let rest = walk(cfg, n, Some(d));
            n != d && !(0..count).any(|end| rest[end] && is_end(n, end))
        };
        (0..count)
            .map(|n| {
                let above: Vec<usize> = (0..count).filter(|&d| is_above(n, d)).collect();
                let nearest = |d: usize| above.iter().all(|&e| e == d || is_above(d, e));
                above.iter().copied().find(|&d| nearest(d))
            })
            .collect()
    }

    #[test]
    fn ten_thousand_random_graphs_agree_with_brute_force() {
        let mut random = Random(0x5eed_0fee_d5ee_d001);
        let mut found = 0;
        let mut dead = 0;
        for round in 0..10_000 {
            let cfg = random_cfg(&mut random);
            let expected = by_brute_force(&cfg);
            assert_eq!(cfg.post_dominators(), expected, "graph {round}: {cfg:?}");
            found += expected.iter().flatten().count();
            dead += cfg.can_leave().iter().filter(|live| !**live).count();
        }
        // The graphs are not all trivial.
        assert!(found > 10_000 && dead > 1_000, "{found} {dead}");
    }
}
