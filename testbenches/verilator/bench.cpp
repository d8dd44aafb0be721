// A test bench for a core that `gen` has written, without Rust: loads an ELF file,
// is its memory and its host interface, and ends with 0 if the program passed, 1 if it
// failed, 2 after bad input, 3 at --max-cycles and 4 after a fault of the core.
//
//   sim PROGRAM.elf [--latency L] [--max-cycles N] [--load FILE@ADDR] [--vcd FILE]
//
// The core's constants come from its own header, and its ports by their names; the
// rules are those of docs/verilog.md. One evaluation lets the inputs of a cycle reach
// every output, a second one is the edge that ends it.
//
// Long, because it is one file that needs nothing but Verilator.

#include "Vcore.h"
#include "core.h"
#include "verilated.h"
#include "verilated_vcd_c.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr unsigned LANES = WEFT_LANES;
constexpr unsigned HARTS = WEFT_LANES * WEFT_WARPS;
constexpr uint32_t BASE = WEFT_RAM_BASE;
constexpr uint32_t SIZE = WEFT_RAM_SIZE;

// Ports of lanes have a number at the end of their name: EACH(X) is X(0) X(1) ..
#define EACH_1(X) X(0)
#define EACH_2(X) EACH_1(X) X(1)
#define EACH_4(X) EACH_2(X) X(2) X(3)
#define EACH_8(X) EACH_4(X) X(4) X(5) X(6) X(7)
#define EACH_16(X) EACH_8(X) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define EACH_32(X) \
    EACH_16(X) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) \
    X(29) X(30) X(31)
#define EACH_64(X) \
    EACH_32(X) X(32) X(33) X(34) X(35) X(36) X(37) X(38) X(39) X(40) X(41) X(42) X(43) X(44) \
    X(45) X(46) X(47) X(48) X(49) X(50) X(51) X(52) X(53) X(54) X(55) X(56) X(57) X(58) X(59) \
    X(60) X(61) X(62) X(63)
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define EACH(X) JOIN(EACH_, WEFT_LANES)(X)

constexpr int BAD_INPUT = 2;
constexpr int STUCK = 3;
constexpr int FAULT = 4;

[[noreturn]] void quit(int code, const char* format, ...) {
    std::fflush(stdout);
    std::fputs("bench: ", stderr);
    va_list list;
    va_start(list, format);
    std::vfprintf(stderr, format, list);
    va_end(list);
    std::fputc('\n', stderr);
    // Waves are worth most now.
    Verilated::runFlushCallbacks();
    Verilated::runExitCallbacks();
    std::exit(code);
}

enum Operation { LOAD, STORE, LR, SC, SWAP, ADD, XOR, AND, OR, MIN, MAX, MINU, MAXU, CLEAR };

struct Reply {
    uint64_t due;
    uint8_t tag;
    uint32_t words[LANES];
};

class Memory {
public:
    Memory() : bytes(SIZE), reserved(HARTS, 1) {}

    void load(const std::string& data, uint64_t at, const char* what) {
        if (data.size() > SIZE || at < BASE || at - BASE > SIZE - data.size()) {
            quit(BAD_INPUT, "%s: %zu bytes at 0x%08llx are not in RAM", what, data.size(),
                 static_cast<unsigned long long>(at));
        }
        std::memcpy(&bytes[at - BASE], data.data(), data.size());
    }

    bool contains(uint32_t addr) const { return addr - BASE < SIZE; }

    uint32_t word(uint32_t addr) const {
        uint32_t value;
        std::memcpy(&value, &bytes[addr - BASE], 4);
        return value;
    }

    void store(uint32_t addr, uint32_t value, unsigned enable) {
        for (unsigned i = 0; i < 4; i++) {
            if (enable >> i & 1) bytes[addr - BASE + i] = value >> 8 * i;
        }
        // A store ends every reservation of its word.
        std::replace(reserved.begin(), reserved.end(), addr, uint32_t(1));
        if (addr == tohost) heard = true;
    }

    // What the host interface writes.
    void put(uint32_t addr, uint32_t value) { std::memcpy(&bytes[addr - BASE], &value, 4); }

    // LR, SC and AMO of one hart; what the lane gets.
    uint32_t exclusive(int op, uint32_t addr, uint32_t operand, unsigned hart) {
        const uint32_t old = word(addr);
        const auto less = [](uint32_t a, uint32_t b) { return int32_t(a) < int32_t(b); };
        uint32_t value = operand;
        switch (op) {
        case LR: reserved[hart] = addr; return old;
        case SC: {
            const bool held = reserved[hart] == addr;
            reserved[hart] = 1;
            if (held) store(addr, operand, 15);
            return !held;
        }
        case ADD: value = old + operand; break;
        case XOR: value = old ^ operand; break;
        case AND: value = old & operand; break;
        case OR: value = old | operand; break;
        case MIN: value = less(operand, old) ? operand : old; break;
        case MAX: value = less(old, operand) ? operand : old; break;
        case MINU: value = std::min(old, operand); break;
        case MAXU: value = std::max(old, operand); break;
        default: break;
        }
        store(addr, value, 15);
        return old;
    }

    void unreserve(unsigned hart) { reserved[hart] = 1; }

    // The host interface, once `tohost` was stored.
    void host() {
        if (!heard) return;
        heard = false;
        const uint32_t low = word(tohost), high = word(tohost + 4);
        if (low == 0 && high == 0) return;
        if (high == 0 && (low & 1)) {
            ended = true;
            code = low >> 1;
            return;
        }
        if (high == 0x01010000) {
            std::putchar(low & 0xff);
        } else if (high == 0) {
            call(low);
        } else {
            quit(FAULT, "tohost = 0x%08x_%08x is no command", high, low);
        }
        put(tohost, 0);
        put(tohost + 4, 0);
    }

    uint32_t tohost = 0, fromhost = 0;
    bool ended = false;
    uint32_t code = 0;

private:
    void call(uint32_t block) {
        const auto inside = [](uint64_t at, uint64_t n) { return at >= BASE && at + n <= uint64_t(BASE) + SIZE; };
        if (block % 8 != 0 || !inside(block, 64)) quit(FAULT, "system call block at 0x%08x", block);
        const uint32_t number = word(block), first = word(block + 8);
        const uint32_t at = word(block + 16), length = word(block + 24);
        if (number == 93) {
            ended = true;
            code = first;
        } else if (number == 64 && (first == 1 || first == 2) && inside(at, length)) {
            std::fwrite(&bytes[at - BASE], 1, length, first == 1 ? stdout : stderr);
            put(block, length);
            put(block + 4, 0);
            if (fromhost) put(fromhost, 1);
        } else {
            quit(FAULT, "system call %u is not supported", number);
        }
    }

    std::vector<uint8_t> bytes;
    std::vector<uint32_t> reserved; // 1 is the address of no word
    bool heard = false;
};

std::string read_file(const std::string& name) {
    std::ifstream file(name, std::ios::binary);
    if (!file || std::filesystem::is_directory(name)) quit(BAD_INPUT, "%s: cannot read", name.c_str());
    return std::string(std::istreambuf_iterator<char>(file), {});
}

// A field of a file, little endian.
uint32_t field(const std::string& data, uint64_t at, unsigned size, const char* name) {
    if (at + size > data.size()) quit(BAD_INPUT, "%s: the ELF file is cut short", name);
    uint32_t value = 0;
    for (unsigned i = 0; i < size; i++) value |= uint32_t(uint8_t(data[at + i])) << 8 * i;
    return value;
}

void load_elf(Memory& memory, const char* name) {
    const std::string data = read_file(name);
    if (data.size() < 52 || data.compare(0, 6, "\x7f" "ELF\x01\x01") != 0 || field(data, 18, 2, name) != 243) {
        quit(BAD_INPUT, "%s: not a 32-bit RISC-V ELF file", name);
    }
    const auto get = [&](uint64_t at, unsigned size) { return field(data, at, size, name); };
    if (get(24, 4) != WEFT_RESET_PC) {
        quit(BAD_INPUT, "%s: begins at 0x%08x, the core at 0x%08x", name, get(24, 4), WEFT_RESET_PC);
    }
    for (uint32_t i = 0; i < get(44, 2); i++) {
        const uint64_t at = get(28, 4) + uint64_t(i) * get(42, 2);
        if (get(at, 4) != 1 || get(at + 20, 4) == 0) continue;
        const uint64_t from = get(at + 4, 4), length = get(at + 16, 4);
        const uint64_t size = get(at + 20, 4);
        if (from + length > data.size()) quit(BAD_INPUT, "%s: the ELF file is cut short", name);
        if (length > size || size > SIZE) quit(BAD_INPUT, "%s: a segment that cannot be", name);
        std::string segment = data.substr(from, length);
        segment.resize(size);
        memory.load(segment, get(at + 12, 4), name);
    }
    for (uint32_t i = 0; i < get(48, 2); i++) {
        const uint64_t section = get(32, 4) + uint64_t(i) * get(46, 2);
        if (get(section + 4, 4) != 2) continue;
        const uint64_t strings = get(32, 4) + uint64_t(get(section + 24, 4)) * get(46, 2);
        const uint64_t names = get(strings + 16, 4);
        for (uint64_t at = get(section + 16, 4), end = at + get(section + 20, 4); at + 16 <= end; at += 16) {
            const uint64_t symbol = names + get(at, 4);
            if (symbol >= data.size()) continue;
            const std::string text = data.c_str() + symbol;
            if (text == "tohost") memory.tohost = get(at + 4, 4);
            if (text == "fromhost") memory.fromhost = get(at + 4, 4);
        }
    }
    const auto words = [&](uint32_t at, uint32_t n) {
        return at % 4 == 0 && memory.contains(at) && at - BASE <= SIZE - n;
    };
    if (!words(memory.tohost, 8)) quit(BAD_INPUT, "%s: no symbol tohost in RAM", name);
    if (memory.fromhost && !words(memory.fromhost, 4)) quit(BAD_INPUT, "%s: fromhost is not in RAM", name);
}

struct Options {
    const char* program = nullptr;
    uint64_t latency = 1, max_cycles = 1000000000;
    std::vector<std::string> loads;
    const char* vcd = nullptr;
};

uint64_t number(const char* option, const std::string& text) {
    char* end = nullptr;
    errno = 0;
    const uint64_t value = std::strtoull(text.c_str(), &end, 0);
    if (text.empty() || *end || errno || !std::isdigit(static_cast<unsigned char>(text[0]))) quit(BAD_INPUT, "%s %s: not a number", option, text.c_str());
    return value;
}

Options parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; i++) {
        const std::string name = argv[i];
        if (name.compare(0, 2, "--") != 0) {
            if (options.program) quit(BAD_INPUT, "%s: one program only", argv[i]);
            options.program = argv[i];
            continue;
        }
        if (i + 1 == argc) quit(BAD_INPUT, "%s: unknown, or without its value", argv[i]);
        const char* value = argv[++i];
        if (name == "--latency") {
            options.latency = number("--latency", value);
            if (options.latency < 1 || options.latency > 1000) quit(BAD_INPUT, "--latency %s: 1 to 1000", value);
        } else if (name == "--max-cycles") {
            options.max_cycles = number("--max-cycles", value);
        } else if (name == "--load") {
            options.loads.push_back(value);
        } else if (name == "--vcd") {
            options.vcd = value;
        } else {
            quit(BAD_INPUT, "%s: unknown (--latency, --max-cycles, --load, --vcd)", name.c_str());
        }
    }
    if (!options.program) quit(BAD_INPUT, "which program? PROGRAM.elf [--latency L] ...");
    return options;
}

class Bench {
public:
    Bench(const Options& options) : options(options) {
        if (options.vcd) {
            context.traceEverOn(true);
            core.trace(&waves, 99);
            waves.open(options.vcd);
            if (!waves.isOpen()) quit(BAD_INPUT, "%s: cannot write", options.vcd);
        }
    }

    int run(Memory& memory) {
        reset();
        while (!memory.ended) {
            if (now == options.max_cycles) quit(STUCK, "stuck: %llu cycles", (unsigned long long)now);
            replies();
            half();
            if (core.fatal) quit(FAULT, "the core says fatal (cycle %llu)", (unsigned long long)now);
            requests(memory);
            edge();
            memory.host();
            now++;
        }
        core.final();
        std::fflush(stdout);
        std::fprintf(stderr, "bench: %llu cycles, %s %u\n", (unsigned long long)now,
                     memory.code ? "fail" : "pass", memory.code);
        return memory.code ? 1 : 0;
    }

private:
    void half() {
        core.eval();
        if (options.vcd) waves.dump(time);
        time += 5;
    }

    void edge() {
        core.clock = 1;
        half();
        core.clock = 0;
    }

    void reset() {
        core.clock = 0;
        core.fetch_0_reply_error = core.data_reply_error = 0;
        core.fetch_0_ready = core.fetch_0_reply = core.data_ready = core.data_reply = 0;
        core.reset = 1;
        for (int i = 0; i < 2; i++) {
            half();
            edge();
        }
        core.reset = 0;
    }

    // Inputs of the cycle: memory is always ready, and replies in order.
    void replies() {
        core.fetch_0_ready = 1;
        core.fetch_0_reply = !fetches.empty() && fetches.front().due <= now;
        if (core.fetch_0_reply) {
            core.fetch_0_reply_tag = fetches.front().tag;
            core.fetch_0_reply_data = fetches.front().words[0];
            fetches.pop_front();
        }
        core.data_ready = loads.size() < 16;
        core.data_reply = !loads.empty() && loads.front().due <= now;
        if (core.data_reply) {
            core.data_reply_tag = loads.front().tag;
            const uint32_t* words = loads.front().words;
#define PUT(i) core.data_reply_data_##i = words[i];
            EACH(PUT)
        }
    }

    void requests(Memory& memory) {
        if (core.fetch_0_request) {
            Reply reply{now + options.latency, core.fetch_0_tag, {}};
            const uint32_t addr = core.fetch_0_pc << 2;
            if (memory.contains(addr)) reply.words[0] = memory.word(addr);
            fetches.push_back(reply);
        }
        if (core.data_reply && core.data_reply_ready) loads.pop_front();
        if (!core.data_request || !core.data_ready) return;
#define GET_ENABLE(i) core.data_enable_##i,
#define GET_DATA(i) core.data_data_##i,
#define GET_WORD(i) core.data_word_##i,
        const uint8_t enable[] = {EACH(GET_ENABLE)};
        const uint32_t data[] = {EACH(GET_DATA)};
        const uint8_t place[] = {EACH(GET_WORD)};
        const uint64_t lanes = core.data_lanes;
        const int op = core.data_op;
        const uint32_t block = core.data_block << 2;
        const unsigned first = core.data_warp * LANES;
        if (op != CLEAR && (block % (4 * LANES) || !memory.contains(block) || !memory.contains(block + 4 * (LANES - 1)))) {
            quit(FAULT, "a request at 0x%08x, not a block of RAM (cycle %llu)", block, (unsigned long long)now);
        }
        if (op > CLEAR || lanes == 0 || first >= HARTS) {
            quit(FAULT, "request %d of nobody (cycle %llu)", op, (unsigned long long)now);
        }
        Reply reply{now + options.latency, core.data_tag, {}};
        for (unsigned i = 0; i < LANES && op != CLEAR; i++) {
            reply.words[i] = memory.word(block + 4 * i);
            if (op == STORE && enable[i]) memory.store(block + 4 * i, data[i], enable[i]);
        }
        for (unsigned lane = 0; lane < LANES; lane++) {
            if (!(lanes >> lane & 1)) continue;
            if (op == CLEAR) memory.unreserve(first + lane);
            if (op < LR || op == CLEAR) continue;
            const unsigned word = place[lane];
            if (word >= LANES) quit(FAULT, "word %u of a block (cycle %llu)", word, (unsigned long long)now);
            reply.words[word] = memory.exclusive(op, block + 4 * word, data[word], first + lane);
        }
        if (op != STORE && op != CLEAR) loads.push_back(reply);
    }

    const Options& options;
    VerilatedContext context;
    Vcore core{&context};
    VerilatedVcdC waves;
    std::deque<Reply> fetches, loads;
    uint64_t now = 0, time = 0;
};

} // namespace

int main(int argc, char** argv) {
    const Options options = parse(argc, argv);
    auto memory = std::make_unique<Memory>();
    load_elf(*memory, options.program);
    for (const std::string& load : options.loads) {
        const size_t at = load.rfind('@');
        if (at == std::string::npos) quit(BAD_INPUT, "--load %s: use FILE@ADDR", load.c_str());
        memory->load(read_file(load.substr(0, at)), number("--load", load.substr(at + 1)), load.c_str());
    }
    return Bench(options).run(*memory);
}
