// weft: order=dependent progress=lock
// Word counts in a hash table with a spin lock per bucket. All threads insert
// the same word first, so the threads of a warp always contend: the usual
// deadlock of SIMT shows wherever spinning threads can starve the holder.
#include "weft.h"

// Words in all; each hart inserts at least two.
#ifndef SIZE
#define SIZE 128
#endif
#define BUCKETS 8
#define DISTINCT 24
#define HOT 5

struct entry {
    u32 word, count;
    struct entry *next;
};
struct bucket {
    u32 lock;
    struct entry *first;
};
static struct bucket bucket[BUCKETS] ALIGNED;
static struct entry pool[DISTINCT];
static u32 pool_used;

static void insert(u32 word) {
    struct bucket *b = &bucket[word % BUCKETS];
    weft_lock(&b->lock);
    struct entry *e = b->first;
    while (e && e->word != word) e = e->next;
    if (!e) {
        e = &pool[weft_add(&pool_used, 1)];
        e->word = word;
        e->next = b->first;
        b->first = e;
    }
    e->count++;
    weft_unlock(&b->lock);
}

// Harts insert HOT, then words i = id, id + n, .. and at least one.
static u32 word_of(u32 i) { return weft_hash(i) % DISTINCT; }

int kernel(u32 id, u32 n) {
    insert(HOT);
    for (u32 i = id; i < SIZE || i == id; i += n) insert(word_of(i));
    weft_barrier();
    for (u32 word = id; word < DISTINCT; word += n) {
        u32 expected = word == HOT ? n : 0, found = 0, entries = 0;
        for (u32 i = 0; i < SIZE || i < n; i++) expected += word_of(i) == word;
        for (struct entry *e = bucket[word % BUCKETS].first; e; e = e->next) {
            if (e->word == word) {
                found += e->count;
                entries++;
            }
        }
        CHECK(found == expected, 1);
        CHECK(entries == (expected != 0), 2);
    }
    return 0;
}
