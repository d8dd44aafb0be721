// weft: order=free progress=none
// Hart 0 prints a line on the console.
#include "weft.h"

int kernel(u32 id, u32 n) {
    if (id == 0) {
        weft_puts("hello from ");
        weft_put_dec(n);
        weft_puts(" harts\n");
    }
    return 0;
}
