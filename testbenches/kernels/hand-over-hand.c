// weft: order=dependent progress=lock
// A sorted list with a lock per node: a thread takes the next node's lock
// before it lets go of the last one. Two locks are held at a time, and all
// threads start at the head, so the threads of a warp always contend.
#include "weft.h"

// Insertions in all; each hart inserts at least once.
#ifndef SIZE
#define SIZE 64
#endif
#define NODES (SIZE > 2048 ? SIZE : 2048)

struct node {
    u32 lock, key;
    struct node *next;
};
static struct node tail = {0, 0xffffffffu, 0};
static struct node head = {0, 0, &tail};
static struct node pool[NODES];

static u32 key_of(u32 i) { return weft_hash(i) % 1000 + 1; }

// Equal keys lie side by side.
static void insert(struct node *new) {
    struct node *last = &head;
    weft_lock(&last->lock);
    struct node *next = last->next;
    weft_lock(&next->lock);
    while (next->key < new->key) {
        weft_unlock(&last->lock);
        last = next;
        next = next->next;
        weft_lock(&next->lock);
    }
    new->next = next;
    last->next = new;
    weft_unlock(&next->lock);
    weft_unlock(&last->lock);
}

int kernel(u32 id, u32 n) {
    for (u32 i = id; i < SIZE || i == id; i += n) {
        pool[i].key = key_of(i);
        insert(&pool[i]);
    }
    weft_barrier();
    if (id == 0) {
        u32 count = 0, keys = 0, hashes = 0, last = 0;
        for (struct node *p = head.next; p != &tail; p = p->next, count++) {
            CHECK(p->key >= last, 1);
            CHECK(p->lock == 0, 2);
            last = p->key;
            keys += p->key;
            hashes += weft_hash(p->key);
        }
        u32 total = SIZE > n ? SIZE : n;
        CHECK(count == total, 3);
        for (u32 i = 0; i < total; i++) {
            keys -= key_of(i);
            hashes -= weft_hash(key_of(i));
        }
        CHECK(keys == 0 && hashes == 0, 4);
    }
    return 0;
}
