// weft: order=free progress=barrier
// Agents look for a way across a grid with walls, depth first with the path as
// their memory: conditional tests nested in loops, with early exits from both
// (Diamos et al. 2011, path-finding).
#include "weft.h"

// Agents.
#ifndef SIZE
#define SIZE 128
#endif
#ifndef SIDE
#define SIDE 12
#endif
#define CELLS (SIDE * SIDE)
#define LONGEST 96

static u8 wall[CELLS] ALIGNED;
static u8 distance[CELLS]; // the check's: steps from the target, 255 unreached

static u32 is_wall(u32 cell) { return weft_hash(cell + 9) % 4 == 0; }
#define TARGET (CELLS - 1)

// Neighbour in a direction (right, down, left, up), or CELLS.
static u32 step(u32 cell, u32 direction) {
    u32 column = cell % SIDE;
    switch (direction) {
    case 0: return column + 1 < SIDE ? cell + 1 : CELLS;
    case 1: return cell + SIDE < CELLS ? cell + SIDE : CELLS;
    case 2: return column > 0 ? cell - 1 : CELLS;
    default: return cell >= SIDE ? cell - SIDE : CELLS;
    }
}

// Length of the path found, 0 if there is none, LONGEST if it grows too long.
// Every cell is entered at most once.
static NOINLINE u32 search(u32 from) {
    u32 visited[(CELLS + 31) / 32] = {0};
    u8 path[LONGEST];
    u32 length = 0, cell = from;
    visited[cell / 32] |= 1u << cell % 32;
    for (;;) {
        if (cell == TARGET) return length;
        u32 direction;
        for (direction = 0; direction < 4; direction++) {
            u32 next = step(cell, direction);
            if (next == CELLS) continue;
            if (wall[next]) continue;
            if (visited[next / 32] >> next % 32 & 1) continue;
            if (length == LONGEST) return LONGEST;
            path[length++] = (u8)cell;
            cell = next;
            visited[cell / 32] |= 1u << cell % 32;
            break;
        }
        if (direction == 4) {
            if (length == 0) return 0;
            cell = path[--length];
        }
    }
}

int kernel(u32 id, u32 n) {
    for (u32 cell = id; cell < CELLS; cell += n) {
        wall[cell] = cell != TARGET && is_wall(cell);
        distance[cell] = cell == TARGET ? 0 : 255;
    }
    weft_barrier();
    // Hart 0 relaxes distances until nothing changes.
    if (id == 0) {
        for (u32 changed = 1; changed;) {
            changed = 0;
            for (u32 cell = 0; cell < CELLS; cell++) {
                for (u32 direction = 0; direction < 4 && !wall[cell]; direction++) {
                    u32 next = step(cell, direction);
                    if (next < CELLS && distance[next] + 1u < distance[cell]) {
                        distance[cell] = distance[next] + 1;
                        changed = 1;
                    }
                }
            }
        }
    }
    weft_barrier();
    for (u32 agent = id; agent < SIZE; agent += n) {
        u32 from = weft_hash(agent) % CELLS;
        if (wall[from]) continue;
        u32 length = search(from);
        // Found exactly if there is a way, and no shorter than the shortest.
        if (distance[from] == 255) {
            CHECK(length == 0, 1);
        } else {
            CHECK(length >= distance[from], 2);
            CHECK((length == 0) == (from == TARGET), 3);
            CHECK(length % 2 == distance[from] % 2 || length == LONGEST, 4);
        }
    }
    return 0;
}
