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
        let mut work: Vec<usize> = (0..self.nodes.len())
            .filter(|&n| self.nodes[n].leaves)
            .collect();
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
