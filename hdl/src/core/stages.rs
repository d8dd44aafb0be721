//! Registers between the stages of one pipe, a group per stage. Lane data is
//! common to all pipes (each lane belongs to one pipe at a time) and has groups
//! of its own.

use crate::rtl::prelude::*;

regs! {
    held
    /// Into decode and the second half of collect.
    pub struct Stage5 [const T: usize] [T] / Stage5D, Stage5Q {
        valid: Bit = false,
        view: U<6>,
        warp: U<5>,
        slot: U<3>,
        pc: U<30>,
        insn: U<32>,
        taken: Bit,
        poison: Bit,
        hint: Bit,
        hint_pc: U<30>,
        again: Bit,
        rd: U<5>,
        epoch: U<4>,
        owner: U<T>,
        class: U<2>,
        imm: U<32>,
        alu_op: U<7>,
        /// It subtracts.
        subtract: Bit,
        use_imm: Bit,
    }
}

regs! {
    /// Into execute.
    pub struct Stage6 [const T: usize] [T] / Stage6D, Stage6Q {
        valid: Bit = false,
        view: U<6>,
        warp: U<5>,
        slot: U<3>,
        pc: U<30>,
        insn: U<32>,
        taken: Bit,
        poison: Bit,
        hint: Bit,
        hint_pc: U<30>,
        again: Bit,
        rd: U<5>,
        epoch: U<4>,
        owner: U<T>,
        legal: Bit,
        /// See decode: only for an access to a CSR it is not.
        csr_known: Bit,
        link: Bit,
        branch: Bit,
        jal: Bit,
        jalr: Bit,
        memory: Bit,
        store: Bit,
        atomic: Bit,
        signed: Bit,
        multiply: Bit,
        divide: Bit,
        csr: Bit,
        csr_writes: Bit,
        csr_imm: Bit,
        mret: Bit,
        wfi: Bit,
        fence_i: Bit,
        ecall: Bit,
        ebreak: Bit,
        call: Bit,
        ret: Bit,
        memory_op: U<4>,
        size: U<2>,
        muldiv_op: U<2>,
        csr_op: U<2>,
        imm: U<32>,
        alu_op: U<7>,
        /// It subtracts.
        subtract: Bit,
        auipc: Bit,
        branch_less: Bit,
        branch_not: Bit,
        class: U<2>,
    }
}

regs! {
    held
    /// Into resolve.
    pub struct Stage7 [const T: usize] [T] / Stage7D, Stage7Q {
        valid: Bit = false,
        view: U<6>,
        warp: U<5>,
        slot: U<3>,
        pc: U<30>,
        insn: U<32>,
        taken: Bit,
        poison: Bit,
        hint: Bit,
        hint_pc: U<30>,
        again: Bit,
        rd: U<5>,
        epoch: U<4>,
        legal: Bit,
        /// See execute.
        common: Bit,
        whole: Bit,
        link: Bit,
        auipc: Bit,
        branch: Bit,
        jal: Bit,
        jalr: Bit,
        memory: Bit,
        store: Bit,
        atomic: Bit,
        signed: Bit,
        multiply: Bit,
        divide: Bit,
        csr: Bit,
        csr_writes: Bit,
        csr_imm: Bit,
        mret: Bit,
        wfi: Bit,
        fence_i: Bit,
        ecall: Bit,
        ebreak: Bit,
        call: Bit,
        ret: Bit,
        memory_op: U<4>,
        size: U<2>,
        muldiv_op: U<2>,
        csr_op: U<2>,
        target: U<32>,
        /// It is a branch, and that is misaligned.
        askew: Bit,
        class: U<2>,
        /// It could write rd in stage 8; or if it goes to a device.
        may_write: Bit,
        may_load: Bit,
    }
}

regs! {
    /// Into commit: the instruction hit, and these are its successors.
    pub struct Stage8 [const T: usize] [T] / Stage8D, Stage8Q {
        valid: Bit = false,
        view: U<6>,
        warp: U<5>,
        slot: U<3>,
        pc: U<30>,
        insn: U<32>,
        poison: Bit,
        hint: Bit,
        hint_pc: U<30>,
        again: Bit,
        rd: U<5>,
        depth: U<8>,
        mask: U<T>,
        done: U<T>,
        /// Those who trap, or return from a trap.
        struck: U<T>,
        back: Bit,
        serves: Bit,
        traps: Bit,
        cause: U<4>,
        kind: U<4>,
        go_mask: U<T>,
        go_pc: U<30>,
        go_depth: U<8>,
        common_pc: U<30>,
        other_pc: U<30>,
        predicted: Bit,
        predicted_other: Bit,
        ram: Bit,
        device: Bit,
        block: U<30>,
        lead: U<T>,
        /// Of the leader: its number, the word of the device window, and what it stores.
        lane: U<6>,
        offset: U<7>,
        lead_data: U<32>,
        asks_memory: Bit,
        replies: Bit,
        asks_device: Bit,
        asks_park: Bit,
        asks_divider: Bit,
        asks_csr: Bit,
        wants_value: Bit,
        open: Bit,
        writes_rd: Bit,
        /// It could write rd in stage 8: known early, and of all lanes.
        may_write: Bit,
        fault: U<32>,
        is_fault: Bit,
        link: Bit,
        auipc: Bit,
        branch: Bit,
        jalr: Bit,
        store: Bit,
        signed: Bit,
        multiply: Bit,
        csr: Bit,
        csr_writes: Bit,
        csr_imm: Bit,
        mret: Bit,
        memory_op: U<4>,
        size: U<2>,
        muldiv_op: U<2>,
        csr_op: U<2>,
        class: U<2>,
    }
}

regs! {
    /// Lanes, into execute: registers, and what the ALU makes of them.
    pub struct Lanes6 [const T: usize] [T] / Lanes6D, Lanes6Q {
        a: [U<32>; T],
        b: [U<32>; T],
        second: [U<32>; T],
        shifts: [U<32>; T],
    }
}

regs! {
    /// Lanes, into resolve: result of the ALU (or address, or target), second
    /// operand, branch outcome; who traps, see execute.
    pub struct Lanes7 [const T: usize] [T] / Lanes7D, Lanes7Q {
        result: [U<32>; T],
        a: [U<32>; T],
        b: [U<32>; T],
        taken: U<T>,
        wrongs: U<T>,
        faults: U<T>,
        at_device: U<T>,
        some_device: Bit,
    }
}

regs! {
    held
    /// Lanes, into commit.
    pub struct Lanes8 [const T: usize] [T] / Lanes8D, Lanes8Q {
        result: [U<32>; T],
        a: [U<32>; T],
        b: [U<32>; T],
    }
}

regs! {
    /// What happened in the cycle before, for the counters of the core.
    pub struct Events [] [] / EventsD, EventsQ {
        issue: U<3> = 0,
        threads: U<8> = 0,
        diverge: U<3> = 0,
        merge: U<3> = 0,
        idle: Bit = false,
        memory: U<2> = 0,
    }
}

regs! {
    /// Of an instruction that stays in a stage for several cycles (`beats.rs`).
    pub struct Stay [const T: usize] [T] / StayD, StayQ {
        /// Its view was redirected since it came into stage 5, into stage 7: it is no replay any more.
        turned_5: Bit = false,
        turned_7: Bit = false,
        /// The cycle of stage 7, from 0 to 3; and whether it is 2, and 3, as much hangs on that.
        step: U<2> = 0,
        third: Bit = false,
        last: Bit = false,
        /// Who executed in the second cycle of stage 7, and of the third what is known of all lanes.
        mask: U<T>,
        taken: U<T>,
        wrongs: U<T>,
        faults: U<T>,
        at_device: U<T>,
        /// In stage 8: an AMO or SC, the lanes in its block, and who wins had been found out.
        contends: Bit,
        rivals: U<T>,
        found: Bit,
        /// Others execute than in that cycle, so nobody does.
        stale: Bit = false,
    }
}

regs! {
    /// In stage 8, with a serial crossbar in beats: who is done, or returns from a trap.
    pub struct Ends [const T: usize] [T] / EndsD, EndsQ {
        mask: U<T>,
    }
}
