//! Stage 7, resolve: what became of the threads of the path. The divergence
//! unit has answered who they are; here each lane's outcome is known, and the
//! path splits into at most two (P3).
//!
//! Lanes that the leader decides for (one jump target, one memory block) are found by
//! comparing a key per lane with that of the lowest lane; and apart from that those who trap
//! with the first one that does, of one cause and vector, or return to where it returns. With
//! few lanes all pairs are compared, while it is found out which lanes lead.
//!
//! Long, because a kernel has no functions, and half of it declares the port.

use super::exclusive::Exclusive;
use super::lead::Lead;
use super::shape::CoreShape;
use crate::config::Isa;
use crate::rtl::fresh_vec;
use crate::rtl::prelude::*;

/// Bits of an address that tell blocks of RAM apart.
fn near_bits(t: usize, shape: &CoreShape) -> u64 {
    u64::from(shape.config.ram_size).next_power_of_two().saturating_sub(4 * t as u64)
}

/// Are keys compared by pairs?
fn pairs(t: usize, shape: &CoreShape) -> bool {
    !shape.barrel() && t <= 8 && shape.slow() == 0
}

/// 1 if the lanes that win an AMO or SC are found apart from all else, and in this stage.
fn alone(t: usize, shape: &CoreShape) -> usize {
    usize::from(!pairs(t, shape) && shape.in_line() == 0)
}

block! {
    /// See the module.
    pub struct Resolve [const T: usize] [T] fn new(shape: &CoreShape) {
        input {
            /// Threads that execute (empty if the instruction is dropped).
            pub mask: Vec<Signal<In, U<T>>> = fresh_vec(shape.pipes),
            pub depth: Vec<Signal<In, U<8>>> = fresh_vec(shape.pipes),
            pub pc: Vec<Signal<In, U<30>>> = fresh_vec(shape.pipes),
            pub insn: Vec<Signal<In, U<32>>> = fresh_vec(shape.pipes),
            pub taken: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub poison: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub legal: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            /// It traps as such; this, or it returns from a trap: then all its lanes are `faulty`.
            pub common: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub whole: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub branch: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub jal: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub link: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub auipc: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub jalr: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub memory: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub atomic: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub csr: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub mret: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub wfi: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub fence_i: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub ecall: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub call: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub ret: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub memory_op: Vec<Signal<In, U<4>>> = fresh_vec(shape.pipes),
            pub store: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub divide: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub rd: Vec<Signal<In, U<5>>> = fresh_vec(shape.pipes),
            pub target: Vec<Signal<In, U<32>>> = fresh_vec(shape.pipes),
            /// It is a branch, and its target misaligned.
            pub askew: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub result: [Signal<In, U<32>>; T],
            pub b: [Signal<In, U<32>>; T],
            pub jumps: Signal<In, U<T>>,
            /// Of any lane, but for branches: misaligned; traps, for this or because there is no such
            /// place or all of them do, or returns from a trap; at a device.
            pub wrongs: Signal<In, U<T>>,
            pub faulty: Signal<In, U<T>>,
            pub at_device: Signal<In, U<T>>,
            /// `mtvec`, and of an `mret` `mepc`.
            pub vector: [Signal<In, U<30>>; T],
            /// In beats the leader is found a cycle before, by what these say then.
            pub clock: Vec<Signal<In, Clk>> = fresh_vec(shape.slow()),
            pub reset: Vec<Signal<In, Bit>> = fresh_vec(shape.slow()),
            pub early_mask: Vec<Signal<In, U<T>>> = fresh_vec(shape.slow()),
            /// Still a cycle before that.
            pub soon_mask: Vec<Signal<In, U<T>>> = fresh_vec(shape.slow()),
            pub early_jumps: Vec<Signal<In, U<T>>> = fresh_vec(shape.slow()),
            pub early_wrongs: Vec<Signal<In, U<T>>> = fresh_vec(shape.slow()),
            pub early_faulty: Vec<Signal<In, U<T>>> = fresh_vec(shape.slow()),
            pub early_device: Vec<Signal<In, U<T>>> = fresh_vec(shape.slow()),
            pub early_result: Vec<Signal<In, U<32>>> = fresh_vec(T * shape.slow()),
            pub early_b: Vec<Signal<In, U<32>>> = fresh_vec(T * shape.slow()),
            /// Which lanes win an AMO or SC, if that has been found out.
            pub winners: Vec<Signal<In, U<T>>> = fresh_vec(shape.in_line()),
        }
        output {
            /// Who is done, and who traps, or returns from a trap (`back_8`), which is known last: stage 8
            /// joins them.
            pub done: Vec<Signal<Out, U<T>>> = fresh_vec(shape.pipes),
            pub struck_mask: Vec<Signal<Out, U<T>>> = fresh_vec(shape.pipes),
            pub back_8: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            /// Is anybody done, does anybody trap?
            pub serves: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub faults: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub cause: Vec<Signal<Out, U<4>>> = fresh_vec(shape.pipes),
            /// What mtval shall be, unless it is an address of the lane's own.
            pub fault: Vec<Signal<Out, U<32>>> = fresh_vec(shape.pipes),
            pub is_fault: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub kind: Vec<Signal<Out, U<4>>> = fresh_vec(shape.pipes),
            /// Of those who are done, the ones that go to `go_pc`.
            pub go_mask: Vec<Signal<Out, U<T>>> = fresh_vec(shape.pipes),
            pub go_pc: Vec<Signal<Out, U<30>>> = fresh_vec(shape.pipes),
            pub go_depth: Vec<Signal<Out, U<8>>> = fresh_vec(shape.pipes),
            /// What all lanes write: the PC after what links, the result of `auipc`; 0 of others.
            pub common_pc: Vec<Signal<Out, U<30>>> = fresh_vec(shape.pipes),
            pub other_pc: Vec<Signal<Out, U<30>>> = fresh_vec(shape.pipes),
            pub predicted: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            /// The front-end went on at `other_pc`; otherwise at `go_pc`.
            pub predicted_other: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub ram: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub device: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub block: Vec<Signal<Out, U<30>>> = fresh_vec(shape.pipes),
            pub lead: Vec<Signal<Out, U<T>>> = fresh_vec(shape.pipes),
            /// Of the leader: its number, the word of the device window, and what it stores.
            pub lane: Vec<Signal<Out, U<6>>> = fresh_vec(shape.pipes),
            pub offset: Vec<Signal<Out, U<7>>> = fresh_vec(shape.pipes),
            pub lead_data: Vec<Signal<Out, U<32>>> = fresh_vec(shape.pipes),
            /// Of the leader; and who would be served by it, if nobody traps.
            pub lead_place: Vec<Signal<Out, U<8>>> = fresh_vec(shape.in_line()),
            pub would: Vec<Signal<Out, U<T>>> = fresh_vec(shape.in_line()),
            /// Who is done, or returns from a trap.
            pub ends: Vec<Signal<Out, U<T>>> = fresh_vec(shape.in_line()),
            /// What stage 8 asks for, of which there is only one: the data port (a trap with
            /// A in the ISA, too), and there is a reply; a device, or to park; the divider; the
            /// sequencer of the CSRs, and its value.
            pub asks_memory: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub replies: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub asks_device: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub asks_park: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub asks_divider: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub asks_csr: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub wants_value: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            /// rd comes late, or is written in stage 8.
            pub open: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub writes_rd: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
        }
        local {
            reason: Signal<Local, U<4>>,
            late_load: Signal<Local, Bit>,
            next_word: Signal<Local, U<30>>,
            deeper: Signal<Local, U<8>>,
            shallower: Signal<Local, U<8>>,
            traps: Signal<Local, Bit>,
            chosen: Signal<Local, U<T>>,
            wrong: Signal<Local, U<T>>,
            bad: Signal<Local, U<T>>,
            first: Signal<Local, U<T>>,
            key: [Signal<Local, U<32>>; T],
            /// Address or target of the leader, and its key.
            lead_key: Signal<Local, U<32>>,
            lead_at: Signal<Local, U<32>>,
            first_trap: Signal<Local, U<T>>,
            lead_vector: Signal<Local, U<30>>,
            lead_lane: Signal<Local, U<6>>,
            lead_b: Signal<Local, U<32>>,
            lead_device: Signal<Local, Bit>,
            may_trap: Signal<Local, Bit>,
            /// Who wants to be served, and who is.
            asked: Signal<Local, U<T>>,
            contends: Signal<Local, Bit>,
            /// Lanes at the word of this one; those that a lower lane comes before.
            twins: Signal<Local, U<T>>,
            repeats: Signal<Local, U<T>>,
            served: Signal<Local, U<T>>,
            /// With a serial crossbar: who may be done, and go on where the leader does; those who trap
            /// with the first one's cause, if its vector is theirs. Whether nobody is asked for the
            /// leader's key, and whether not for all of it.
            may_do: Signal<Local, U<T>>,
            may_go: Signal<Local, U<T>>,
            may_agree: Signal<Local, U<T>>,
            any_key: Signal<Local, Bit>,
            near_key: Signal<Local, Bit>,
            /// By pairs: lanes that differ from this one; those that differ from the leader.
            differs: Signal<Local, U<T>>,
            apart: Signal<Local, U<T>>,
            /// Somebody traps or returns.
            struck: Signal<Local, Bit>,
            /// Those who trap now, or return: of the first one's cause and vector.
            agree: Signal<Local, U<T>>,
            same: Signal<Local, Bit>,
            /// Two keys, or vectors, are equal in the bits that tell blocks of RAM apart; in the others.
            near: Signal<Local, Bit>,
            far: Signal<Local, Bit>,
            /// Returns from a trap.
            back: Signal<Local, Bit>,
            keyed: Signal<Local, Bit>,
            lead_wrong: Signal<Local, Bit>,
            plain_pc: Signal<Local, U<30>>,
            onward: Signal<Local, U<30>>,
            jump_pc: Signal<Local, U<30>>,
            away: Signal<Local, U<T>>,
            long: Signal<Local, Bit>,
            to_device: Signal<Local, Bit>,
            serving: Signal<Local, Bit>,
            has_rd: Signal<Local, Bit>,
            on_ram: Signal<Local, Bit>,
            on_device: Signal<Local, Bit>,
            late: Signal<Local, Bit>,
            wants: Signal<Local, Bit>,
        }
        part {
            lead_of: Vec<Lead<T>> = (0..shape.slow()).map(|_| Lead::new()).collect(),
            /// Where keys are not compared by pairs.
            exclusive: Vec<Exclusive<T>> = (0..alone(T, shape) * shape.pipes)
                .map(|_| Exclusive::new())
                .collect(),
            /// Bits of an address that name its block.
            block_bits: Constant<U<32>> = Constant::new((!(4 * T as u64 - 1)).into()),
            near_bits: Constant<U<32>> = Constant::new(near_bits(T, shape).into()),
            far_bits: Constant<U<32>> = Constant::new((!near_bits(T, shape) & 0xffff_fffe).into()),
            /// Bits of an address that tell words of RAM apart.
            word_bits: Constant<U<32>> =
                Constant::new((near_bits(T, shape) | (4 * T as u64 - 4)).into()),
            /// Lanes below each one.
            below: Vec<Constant<U<T>>> =
                (0..T).map(|i| Constant::new(((1u64 << i) - 1).into())).collect(),
            max_depth: Constant<U<8>> = Constant::new(u64::from(shape.config.max_depth()).into()),
            none: Constant<U<T>> = Constant::new(0.into()),
            ones: Constant<U<T>> = Constant::new(u64::MAX.into()),
            pc_ones: Constant<U<30>> = Constant::new(u64::MAX.into()),
            /// Without traps `mtvec` and `mepc` are 0.
            vectors: Constant<Bit> = Constant::new(shape.config.traps),
            atomics: Constant<Bit> = Constant::new(shape.config.isa == Isa::Rv32ima),
            csr_file: Constant<Bit> = Constant::new(shape.has_csr_file()),
            late_devices: Constant<Bit> = Constant::new(shape.late_devices()),
            paired: Constant<Bit> = Constant::new(pairs(T, shape)),
        }
        plain {
            _pipes: usize = shape.pipes,
            _slow: usize = shape.slow(),
            _in_line: usize = shape.in_line(),
            /// Lanes of which the leader is chosen here: all or none.
            _led: usize = if shape.slow() == 1 { 0 } else { T },
            _pairs: usize = if pairs(T, shape) { T } else { 0 },
            _exclusive: usize = alone(T, shape),
        }
    }
}

impl<const T: usize> Logic for Resolve<T> {
    #[hdl_gen]
    fn update(&mut self) {
        for p in 0..self._pipes {
            for i in 0..T {
                for e in 0..self._exclusive {
                    self.exclusive[p + e].word[i].next = self.result[i].val().get_bits::<6>(2);
                }
            }
            self.next_word.next = self.pc[p].val() + 1;
            self.deeper.next = self.depth[p].val();
            if !(self.depth[p].val() == self.max_depth.val()) {
                self.deeper.next = self.depth[p].val() + 1;
            }
            self.shallower.next = self.depth[p].val();
            if !(self.depth[p].val() == 0) {
                self.shallower.next = self.depth[p].val() - 1;
            }

            // Why the instruction as such traps.
            self.reason.next = 2.into();
            if self.poison[p].val() {
                self.reason.next = 1.into();
            } else if self.legal[p].val() {
                self.reason.next = 3.into();
                if self.ecall[p].val() {
                    self.reason.next = 11.into();
                }
            }
            self.is_fault[p].next =
                self.common[p].val() || self.branch[p].val() || self.jal[p].val();
            self.fault[p].next = self.target[p].val();
            if self.common[p].val() {
                self.fault[p].next = self.pc[p].val().to_bits::<32>() << 2;
                if !self.poison[p].val() && !self.legal[p].val() {
                    self.fault[p].next = self.insn[p].val();
                } else if self.ecall[p].val() && self.legal[p].val() {
                    self.fault[p].next = 0.into();
                }
            }
            // Loads and LR have causes 4 and 5, what writes 6 and 7.
            self.late_load.next = (self.memory_op[p].val() == 0) || (self.memory_op[p].val() == 2);

            // Who traps, if anybody does. Those who return are told apart as those who trap.
            self.back.next = self.mret[p].val() && self.vectors.val();
            self.wrong.next = self.wrongs.val();
            self.bad.next = self.faulty.val();
            if self.askew[p].val() {
                self.wrong.next = self.wrongs.val() | self.jumps.val();
                self.bad.next = self.faulty.val() | self.jumps.val();
            }
            self.chosen.next = self.mask[p].val() & self.bad.val();
            self.struck.next = self.chosen.val().any();
            for s in 0..self._slow {
                self.chosen.next = self.lead_of[s].chosen.val();
                self.struck.next = self.lead_of[s].struck.val();
            }
            self.traps.next = self.common[p].val() || (self.struck.val() && !self.back.val());

            // The leader of all threads and who goes with it, and the same of those that
            // trap, at once: that somebody traps is known late.
            self.first.next = self.mask[p].val() & (self.none.val() - self.mask[p].val());
            self.first_trap.next = self.chosen.val() & (self.none.val() - self.chosen.val());
            self.keyed.next = self.memory[p].val() || self.jalr[p].val();
            for s in 0..self._slow {
                self.may_trap.next = self.whole[p].val()
                    || self.memory[p].val()
                    || self.jalr[p].val()
                    || self.target[p].val().get_bit(1);
                self.lead_of[s].clock.next = self.clock[s].val();
                self.lead_of[s].reset.next = self.reset[s].val();
                self.lead_of[s].soon_mask.next = self.soon_mask[s].val();
                self.lead_of[s].mask.next = self.early_mask[s].val();
                self.lead_of[s].bad.next = self.early_faulty[s].val();
                self.lead_of[s].wrong.next = self.early_wrongs[s].val();
                self.lead_of[s].at_device.next = self.early_device[s].val();
                if self.askew[p].val() {
                    self.lead_of[s].bad.next =
                        self.early_faulty[s].val() | self.early_jumps[s].val();
                    self.lead_of[s].wrong.next =
                        self.early_wrongs[s].val() | self.early_jumps[s].val();
                }
                self.lead_of[s].keyed.next = self.keyed.val();
                self.lead_of[s].may_trap.next = self.may_trap.val() && self.vectors.val();
                for i in 0..T {
                    self.lead_of[s].result[i].next = self.early_result[i].val();
                    self.lead_of[s].b[i].next = self.early_b[i].val();
                    self.lead_of[s].vector[i].next = self.vector[i].val();
                }
                self.first.next = self.lead_of[s].first.val();
                self.first_trap.next = self.lead_of[s].first_trap.val();
            }
            for i in 0..self._pairs {
                self.same.next = self.mask[p].val().get_bit(i)
                    && !(self.mask[p].val() & self.below[i].val()).any();
                self.first.next = self.first.val().replace_bit(i, self.same.val());
                self.same.next = self.chosen.val().get_bit(i)
                    && !(self.chosen.val() & self.below[i].val()).any();
                self.first_trap.next = self.first_trap.val().replace_bit(i, self.same.val());
            }
            self.lead_wrong.next = (self.wrong.val() & self.first_trap.val()).any();
            for s in 0..self._slow {
                self.lead_wrong.next = self.lead_of[s].lead_wrong.val();
            }
            for i in 0..T {
                self.key[i].next = self.result[i].val() & !1;
            }
            if self.memory[p].val() {
                for i in 0..T {
                    self.key[i].next = self.result[i].val() & self.block_bits.val();
                }
            }
            self.lead_key.next = 0.into();
            self.lead_at.next = 0.into();
            self.lead_b.next = 0.into();
            self.lead_lane.next = 0.into();
            self.repeats.next = 0.into();
            self.twins.next = 0.into();
            self.asked.next = self.mask[p].val();
            self.apart.next = 0.into();
            self.differs.next = 0.into();
            self.same.next = false;
            self.near.next = false;
            self.far.next = false;
            for s in 0..self._slow {
                self.lead_key.next = self.lead_of[s].key.val();
                self.lead_b.next = self.lead_of[s].data.val();
                self.lead_lane.next = self.lead_of[s].lane.val();
            }
            if self.keyed.val() {
                for i in 0..self._led {
                    if self.first.val().get_bit(i) {
                        self.lead_key.next = self.lead_key.val() | self.result[i].val();
                        self.lead_b.next = self.lead_b.val() | self.b[i].val();
                        self.lead_lane.next = self.lead_lane.val() | i.to_bits::<6>();
                    }
                }
                self.lead_at.next = self.lead_key.val() & !1;
                if self.memory[p].val() {
                    self.lead_at.next = self.lead_key.val() & self.block_bits.val();
                }
                for i in self._pairs..T {
                    self.same.next =
                        self.mask[p].val().get_bit(i) && (self.key[i].val() == self.lead_at.val());
                    self.asked.next = self.asked.val().replace_bit(i, self.same.val());
                }
                // Nobody is below the leader, so whoever differs from it is not asked for.
                for i in 0..self._pairs {
                    self.differs.next = 0.into();
                    for j in 0..self._pairs {
                        // If nobody traps all are in RAM, or else at a device.
                        self.near.next = (self.result[i].val() & self.near_bits.val())
                            == (self.result[j].val() & self.near_bits.val());
                        self.far.next = (self.result[i].val() & self.far_bits.val())
                            == (self.result[j].val() & self.far_bits.val());
                        self.same.next = !self.near.val()
                            || !(self.far.val() || self.memory[p].val())
                            || self.at_device.val().get_bit(i)
                            || self.at_device.val().get_bit(j);
                        self.differs.next = self.differs.val().replace_bit(j, self.same.val());
                    }
                    self.same.next =
                        (self.differs.val() & self.below[i].val() & self.first.val()).any();
                    self.apart.next = self.apart.val().replace_bit(i, self.same.val());
                }
            }
            self.asked.next = self.asked.val() & !self.apart.val();
            self.lead_vector.next = 0.into();
            self.may_trap.next = self.whole[p].val()
                || self.memory[p].val()
                || self.jalr[p].val()
                || self.target[p].val().get_bit(1);
            self.agree.next = self.chosen.val();
            self.apart.next = 0.into();
            for s in 0..self._slow {
                self.lead_vector.next = self.lead_of[s].lead_vector.val();
            }
            if self.may_trap.val() && (self.vectors.val() || self.paired.val()) {
                for i in 0..self._led {
                    if self.first_trap.val().get_bit(i) {
                        self.lead_vector.next = self.lead_vector.val() | self.vector[i].val();
                    }
                }
                for i in self._pairs..T {
                    self.same.next = self.chosen.val().get_bit(i)
                        && (self.vector[i].val() == self.lead_vector.val());
                    self.agree.next = self.agree.val().replace_bit(i, self.same.val());
                }
                for i in 0..self._pairs {
                    self.differs.next = 0.into();
                    for j in 0..self._pairs {
                        self.same.next = !(self.vector[i].val() == self.vector[j].val())
                            || !(self.wrong.val().get_bit(i) == self.wrong.val().get_bit(j));
                        self.differs.next = self.differs.val().replace_bit(j, self.same.val());
                    }
                    self.same.next =
                        (self.differs.val() & self.below[i].val() & self.first_trap.val()).any();
                    self.apart.next = self.apart.val().replace_bit(i, self.same.val());
                }
            }
            self.agree.next = self.agree.val() & !self.apart.val();
            // By pairs it is known already who has the same cause.
            if self.lead_wrong.val() && !self.paired.val() {
                self.agree.next = self.agree.val() & self.wrong.val();
            } else if !self.paired.val() {
                self.agree.next = self.agree.val() & !self.wrong.val();
            }
            self.lead_device.next = (self.at_device.val() & self.first.val()).any();
            for s in 0..self._slow {
                self.lead_device.next = self.lead_of[s].lead_device.val();
            }
            self.on_device.next =
                self.lead_device.val() && self.memory[p].val() && !self.traps.val();
            self.on_ram.next = self.memory[p].val() && !self.lead_device.val() && !self.traps.val();
            self.device[p].next = self.on_device.val();
            self.ram[p].next = self.on_ram.val();
            if self.memory[p].val() && self.lead_device.val() && !self.paired.val() {
                self.asked.next = self.first.val();
            }
            // AMO and SC: of the lanes at one word only the lowest. By pairs that is known
            // of all lanes there are, at once with who is asked for.
            self.contends.next = self.atomic[p].val() && !(self.memory_op[p].val() == 2);
            if self.contends.val() {
                for i in 0..self._pairs {
                    self.twins.next = 0.into();
                    for j in 0..self._pairs {
                        self.same.next = (self.result[i].val() & self.word_bits.val())
                            == (self.result[j].val() & self.word_bits.val());
                        self.twins.next = self.twins.val().replace_bit(j, self.same.val());
                    }
                    self.same.next =
                        (self.twins.val() & self.mask[p].val() & self.below[i].val()).any();
                    self.repeats.next = self.repeats.val().replace_bit(i, self.same.val());
                }
            }
            self.served.next = self.asked.val() & !self.repeats.val();
            for l in 0..self._in_line {
                if self.contends.val() {
                    self.served.next = self.asked.val() & self.winners[l].val();
                }
            }
            // Apart from `asked`: what follows the winners must not be what leads to them.
            for e in 0..self._exclusive {
                self.exclusive[p + e].enable.next = self.contends.val();
                self.exclusive[p + e].served.next = 0.into();
                if self.contends.val() {
                    self.exclusive[p + e].served.next = self.asked.val();
                    self.served.next = self.exclusive[p + e].winners.val();
                }
            }
            // If nobody traps or returns nobody agrees.
            if self.struck.val() {
                self.served.next = 0.into();
            }
            self.lead_at.next = self.lead_key.val() & self.block_bits.val();
            self.block[p].next = self.lead_at.val().get_bits::<30>(2);
            self.offset[p].next = self.lead_key.val().get_bits::<7>(2);
            self.lead[p].next = self.first.val();
            self.lane[p].next = self.lead_lane.val();
            self.lead_data[p].next = self.lead_b.val();
            for l in 0..self._in_line {
                self.lead_place[p + l].next = self.lead_key.val().get_bits::<8>(0);
                // (If nobody traps all others are in RAM.)
                self.would[p + l].next = 0.into();
                for i in 0..T {
                    self.near.next = (self.result[i].val() & self.near_bits.val())
                        == (self.lead_key.val() & self.near_bits.val());
                    self.same.next = self.near.val()
                        && self.mask[p].val().get_bit(i)
                        && !self.at_device.val().get_bit(i);
                    self.would[p + l].next =
                        self.would[p + l].val().replace_bit(i, self.same.val());
                }
            }

            // The leader is always served.
            self.serving.next = self.mask[p].val().any() && !self.traps.val();
            for s in 0..self._slow {
                self.serving.next = self.lead_of[s].some.val() && !self.traps.val();
            }
            self.serves[p].next = self.serving.val();
            self.faults[p].next = self.traps.val();

            // What there is only one of.
            self.has_rd.next = !(self.rd[p].val() == 0);
            self.asks_memory[p].next = (self.on_ram.val() && self.serving.val())
                || (self.traps.val() && self.atomics.val());
            self.replies[p].next = self.on_ram.val() && self.serving.val() && !self.store[p].val();
            self.asks_device[p].next = self.on_device.val() && self.serving.val();
            self.asks_park[p].next = self.wfi[p].val() && self.serving.val();
            self.asks_divider[p].next = self.divide[p].val() && self.serving.val();
            self.asks_csr[p].next =
                (self.csr[p].val() && self.serving.val() && self.csr_file.val())
                    || (self.vectors.val()
                        && (self.traps.val() || (self.mret[p].val() && self.serving.val())));
            self.wants.next =
                self.csr[p].val() && self.serving.val() && self.csr_file.val() && self.has_rd.val();
            self.wants_value[p].next = self.wants.val();
            // That somebody traps comes last.
            self.late.next = (self.memory[p].val()
                && (self.late_devices.val() || !self.lead_device.val())
                && !self.store[p].val())
                || (self.mask[p].val().any()
                    && (self.divide[p].val()
                        || (self.csr[p].val() && self.csr_file.val() && self.has_rd.val())));
            self.late.next = self.late.val() && !self.traps.val();
            self.open[p].next = self.late.val();
            self.writes_rd[p].next = self.has_rd.val() && !self.late.val();
            // A pending rd that no entry of the load table will clear: the
            // redirect that then comes does.
            // (Of what traps nothing is predicted anyhow.)
            self.to_device.next = self.memory[p].val() && self.lead_device.val();
            self.long.next = (self.to_device.val()
                && !self.store[p].val()
                && !self.late_devices.val())
                || ((self.memory[p].val() || self.divide[p].val()) && !self.mask[p].val().any());

            // Successors. What a trap changes is masked, not chosen: registers behind a choice
            // of 0 would get a clear of their own. Without a trap or return there is no vector, and
            // whoever traps or returns has struck.
            self.plain_pc.next = self.pc_ones.val();
            if self.struck.val() || self.mret[p].val() {
                self.plain_pc.next = 0.into();
            }
            self.common_pc[p].next = 0.into();
            if self.link[p].val() {
                self.common_pc[p].next = self.next_word.val();
            } else if self.auipc[p].val() {
                self.common_pc[p].next = self.target[p].val().get_bits::<30>(2);
            }
            // Nor are the key or the rest chosen, of which one is 0.
            self.onward.next = self.next_word.val();
            if self.jal[p].val() {
                self.onward.next = self.target[p].val().get_bits::<30>(2);
            }
            if self.jalr[p].val() {
                self.onward.next = 0.into();
            }
            self.jump_pc.next = 0.into();
            if self.jalr[p].val() {
                self.jump_pc.next = self.plain_pc.val();
            }
            self.go_pc[p].next = (self.onward.val() & self.plain_pc.val())
                | (self.lead_key.val().get_bits::<30>(2) & self.jump_pc.val())
                | self.lead_vector.val();
            self.struck_mask[p].next = self.agree.val();
            self.back_8[p].next = self.back.val();
            self.done[p].next = self.served.val();
            self.cause[p].next = self.reason.val();
            self.kind[p].next = 0.into();
            self.away.next = 0.into();
            if self.branch[p].val() {
                self.away.next = self.jumps.val();
            }
            self.go_mask[p].next = self.served.val() & !self.away.val();
            // Who agrees with a leader is known last: all else is ready by then.
            for l in 0..self._in_line {
                // (If nobody traps all others are in RAM.)
                self.any_key.next = !self.keyed.val();
                self.near_key.next = !self.keyed.val() || self.memory[p].val();
                self.may_do.next = self.mask[p].val();
                if self.memory[p].val() && self.lead_device.val() {
                    self.any_key.next = true;
                    self.may_do.next = self.first.val();
                } else if self.memory[p].val() {
                    self.may_do.next = self.mask[p].val() & !self.at_device.val();
                }
                if self.contends.val() {
                    self.may_do.next = self.may_do.val() & self.winners[l].val();
                }
                if self.struck.val() {
                    self.may_do.next = 0.into();
                }
                self.may_go.next = self.may_do.val() & !self.away.val();
                // All said anew, so that nothing here hangs on who is asked for.
                self.done[p].next = 0.into();
                self.go_mask[p].next = 0.into();
                self.may_agree.next = self.chosen.val() & !self.wrong.val();
                if self.lead_wrong.val() {
                    self.may_agree.next = self.chosen.val() & self.wrong.val();
                }
                for i in 0..T {
                    self.same.next = self.may_agree.val().get_bit(i)
                        && (self.vector[i].val() == self.lead_vector.val());
                    self.agree.next = self.agree.val().replace_bit(i, self.same.val());
                    self.near.next = self.any_key.val()
                        || ((self.result[i].val() & self.near_bits.val())
                            == (self.lead_key.val() & self.near_bits.val()));
                    self.far.next = self.near_key.val()
                        || ((self.result[i].val() & self.far_bits.val())
                            == (self.lead_key.val() & self.far_bits.val()));
                    self.same.next =
                        self.may_do.val().get_bit(i) && self.near.val() && self.far.val();
                    self.done[p].next = self.done[p].val().replace_bit(i, self.same.val());
                    self.same.next =
                        self.may_go.val().get_bit(i) && self.near.val() && self.far.val();
                    self.go_mask[p].next = self.go_mask[p].val().replace_bit(i, self.same.val());
                }
                self.struck_mask[p].next = self.agree.val();
                self.ends[p + l].next = self.done[p].val();
                if self.back.val() {
                    self.ends[p + l].next = self.agree.val();
                }
            }
            self.go_depth[p].next = self.depth[p].val();
            if self.call[p].val() {
                self.go_depth[p].next = self.deeper.val();
            } else if self.ret[p].val() || self.mret[p].val() {
                self.go_depth[p].next = self.shallower.val();
            }
            if self.traps.val() {
                self.go_depth[p].next = self.deeper.val();
            }
            self.other_pc[p].next = self.pc[p].val();
            if self.branch[p].val() {
                self.other_pc[p].next = self.target[p].val().get_bits::<30>(2);
            }
            self.predicted[p].next = true;
            self.predicted_other[p].next = false;
            if self.traps.val() {
                self.kind[p].next = 5.into();
                self.other_pc[p].next = self.pc[p].val();
                self.predicted[p].next = false;
                if !self.common[p].val() {
                    self.cause[p].next = 0.into();
                    if self.memory[p].val() {
                        self.cause[p].next = 5.into();
                        if self.lead_wrong.val() {
                            self.cause[p].next = 4.into();
                        }
                        if !self.late_load.val() {
                            self.cause[p].next = self.cause[p].val() + 2;
                        }
                    }
                }
            } else if self.branch[p].val() {
                self.kind[p].next = 1.into();
                self.predicted_other[p].next = self.taken[p].val();
            } else if self.jal[p].val() {
                self.kind[p].next = 2.into();
                if self.call[p].val() {
                    self.kind[p].next = 3.into();
                }
            } else if self.jalr[p].val() {
                self.kind[p].next = 2.into();
                self.predicted[p].next = false;
                if self.call[p].val() {
                    self.kind[p].next = 3.into();
                } else if self.ret[p].val() {
                    self.kind[p].next = 4.into();
                }
            } else if self.mret[p].val() {
                self.kind[p].next = 4.into();
                self.predicted[p].next = false;
            } else if self.fence_i[p].val() {
                self.kind[p].next = 8.into();
                self.predicted[p].next = false;
            } else if self.wfi[p].val() {
                self.kind[p].next = 7.into();
                self.predicted[p].next = false;
            } else if self.csr[p].val() {
                self.predicted[p].next = false;
            }
            // What a store to a device wakes comes before what follows the store.
            if !self.legal[p].val()
                || (self.long.val() && self.has_rd.val())
                || (self.to_device.val() && self.store[p].val())
            {
                self.predicted[p].next = false;
            }
        }
    }
}
