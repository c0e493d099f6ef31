/* SPDX-License-Identifier: MIT */

/*
 * The simulated memory and its allocator, which is built like jemalloc: size classes, of which each
 * core has a cache; a full cache gives half of its blocks back to the bins that they came from, an
 * empty one takes blocks from its core's own bin, and both lock the bin. Large blocks are runs of
 * pages. They go back to the core that they came from, and their pages to the kernel if they are
 * very large, or when a thread of that core ends. Addresses depend on nothing but the order of the
 * calls.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/engine/sim/private.h"

#define MEMORY_BYTES ((size_t)1 << 34)
#define PAGE_BYTES   ((size_t)1 << PAGE_SHIFT)
#define CLASS_MOST   ((size_t)14336) /* larger blocks are runs of pages */
#define SLAB_BYTES   ((size_t)1 << 16)
#define CACHED_MOST  200 /* blocks of a class in a core's cache */
/* Freed runs from here on go back to the kernel at once: jemalloc's oversize_threshold. */
#define OVERSIZE_BYTES ((size_t)8 << 20)

/* Classes: 16, 32, 48, 64, then four to each doubling. */
static uint32_t class_of(size_t bytes)
{
    if (bytes <= 64)
        return bytes <= 16 ? 0 : (uint32_t)((bytes + 15) / 16 - 1);
    uint32_t power = 63 - (uint32_t)__builtin_clzll(bytes - 1); /* 2^power < bytes <= 2^(power+1) */
    uint32_t quarter = (uint32_t)((bytes - 1) >> (power - 2)) & 3;
    return 4 + (power - 6) * 4 + quarter;
}

static size_t class_bytes(uint32_t class)
{
    if (class < 4)
        return (size_t)(class + 1) * 16;
    uint32_t power = 6 + (class - 4) / 4, quarter = (class - 4) % 4;
    return ((size_t)4 + quarter + 1) << (power - 2);
}

void *sim_reserve(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

int sim_memory_new(struct sim *sim)
{
    sim->memory_bytes = MEMORY_BYTES;
    sim->memory = sim_reserve(sim->memory_bytes + 2 * PAGE_BYTES);
    sim->lines = sim_reserve((sim->memory_bytes >> LINE_SHIFT) * sizeof *sim->lines);
    sim->pages = sim_reserve((sim->memory_bytes >> PAGE_SHIFT) * sizeof *sim->pages);
    if (sim->memory == NULL || sim->lines == NULL || sim->pages == NULL)
        return -ENOMEM;
    sim->memory_next = sim->memory + PAGE_BYTES; /* line 0 is not used */
    return 0;
}

void sim_memory_free(struct sim *sim)
{
    munmap(sim->memory, sim->memory_bytes + 2 * PAGE_BYTES);
    munmap(sim->lines, (sim->memory_bytes >> LINE_SHIFT) * sizeof *sim->lines);
    munmap(sim->pages, (sim->memory_bytes >> PAGE_SHIFT) * sizeof *sim->pages);
}

static struct page *page_of(const struct sim *sim, const void *memory)
{
    return &sim->pages[(size_t)((const char *)memory - sim->memory) >> PAGE_SHIFT];
}

/* Fresh pages, which are zero. */
static char *take_pages(struct sim *sim, size_t pages)
{
    size_t left = (size_t)(sim->memory + sim->memory_bytes - sim->memory_next) >> PAGE_SHIFT;
    if (pages > left)
        return NULL;
    char *run = sim->memory_next;
    sim->memory_next += pages << PAGE_SHIFT;
    return run;
}

/* A run of pages from the core's arena, which nobody else's allocations come from. */
static void *allocate_large(struct sim *sim, uint32_t core, size_t alignment, size_t bytes,
                            bool *zero)
{
    uint32_t class = class_of(bytes);
    if (class >= ALL_CLASSES)
        return NULL;
    struct free_block **list = &sim->cores[core].large[class], *block = *list;
    if (block != NULL && alignment <= PAGE_BYTES) {
        *list = block->next;
        *zero = false;
        return block;
    }
    size_t at = (size_t)(sim->memory_next - sim->memory),
           over = alignment > PAGE_BYTES ? at & (alignment - 1) : 0;
    if (over != 0 && take_pages(sim, (alignment - over) >> PAGE_SHIFT) == NULL)
        return NULL;
    size_t pages = class_bytes(class) >> PAGE_SHIFT;
    char *run = take_pages(sim, pages);
    if (run == NULL)
        return NULL;
    *page_of(sim, run) = (struct page){.core = (uint16_t)core, .pages = (uint32_t)pages};
    *zero = true;
    return run;
}

/* Lock and unlock a bin, whose first word stands for all of it. */
static void use_bin(struct sim *sim, struct bin *bin)
{
    if (!sim->charging)
        return;
    sim_access(&sim->engine, bin->lock, 4, AL_ACCESS_UPDATE, true);
    sim_access(&sim->engine, bin->lock, 4, AL_ACCESS_WRITE, true);
}

static void spend(struct sim *sim, enum al_model_key key)
{
    sim_run(sim, current_of(sim));
    if (sim->charging)
        sim_spend(sim, current_of(sim), sim->ps[key]);
}

static struct free_block *pop(struct bin *bin)
{
    struct free_block *block = bin->first;
    bin->first = block->next;
    bin->n--;
    return block;
}

static void push(struct bin *bin, struct free_block *block)
{
    block->next = bin->first;
    bin->first = block;
    bin->n++;
}

/* A line for a bin's lock, in the simulated memory. */
static void *new_lock(struct sim *sim)
{
    if (sim->locks == sim->locks_end) {
        sim->locks = take_pages(sim, 1);
        sim->locks_end = sim->locks != NULL ? sim->locks + PAGE_BYTES : NULL;
    }
    if (sim->locks == NULL)
        return NULL;
    char *lock = sim->locks;
    sim->locks += 1 << LINE_SHIFT;
    return lock;
}

/* Fill a core's cache from its bin. */
static void refill(struct sim *sim, uint32_t core, uint32_t class)
{
    struct bin *bin = &sim->cores[core].bins[class], *cache = &sim->cores[core].cache[class];
    if (bin->lock == NULL)
        bin->lock = new_lock(sim);
    use_bin(sim, bin);
    for (uint32_t i = 0; i < CACHED_MOST / 2 && bin->n > 0; i++) {
        push(cache, pop(bin));
        spend(sim, AL_MODEL_MALLOC_FLUSH);
    }
}

static void *take_fresh(struct sim *sim, uint32_t number, uint32_t class)
{
    struct core *core = &sim->cores[number];
    size_t bytes = class_bytes(class);
    if (core->slab[class] == NULL || core->slab[class] + bytes > core->slab_end[class]) {
        char *slab = take_pages(sim, SLAB_BYTES >> PAGE_SHIFT);
        if (slab == NULL)
            return NULL;
        for (size_t i = 0; i < SLAB_BYTES; i += PAGE_BYTES)
            *page_of(sim, slab + i) = (struct page){.class = (uint8_t)(class + 1),
                                                    .core = (uint16_t)number};
        core->slab[class] = slab;
        core->slab_end[class] = slab + SLAB_BYTES;
    }
    char *block = core->slab[class];
    core->slab[class] += bytes;
    return block;
}

/* Blocks of a class begin at multiples of its size in a slab, which is aligned to a page. */
static size_t aligned(size_t alignment, size_t bytes)
{
    while (bytes <= CLASS_MOST && class_bytes(class_of(bytes)) % alignment != 0)
        bytes = class_bytes(class_of(bytes)) + 1;
    return bytes;
}

/* A block of a class comes into use, or goes out of it. */
static void count_use(struct sim *sim, const void *block, uint32_t class, uint32_t by)
{
    const char *last = (const char *)block + class_bytes(class) - 1;
    for (struct page *page = page_of(sim, block); page <= page_of(sim, last); page++)
        page->pages += by;
}

void *sim_allocate(struct al_engine *engine, size_t alignment, size_t bytes, bool *zero)
{
    struct sim *sim = sim_of(engine);
    uint32_t number = current_of(sim)->pu->parts->core;
    spend(sim, AL_MODEL_MALLOC);
    sim_dirty(sim, current_of(sim));
    bytes = alignment > PAGE_BYTES && bytes <= CLASS_MOST
                ? CLASS_MOST + 1
                : aligned(alignment > 16 ? alignment : 16, bytes > 0 ? bytes : 1);
    if (bytes > CLASS_MOST)
        return allocate_large(sim, number, alignment, bytes, zero);
    uint32_t class = class_of(bytes);
    struct bin *cache = &sim->cores[number].cache[class];
    if (cache->n == 0 && sim->cores[number].bins[class].n > 0)
        refill(sim, number, class);
    *zero = cache->n == 0;
    void *block = *zero ? take_fresh(sim, number, class) : pop(cache);
    if (block != NULL)
        count_use(sim, block, class, 1);
    return block;
}

/* Give half of a full cache back to the bins that the blocks came from. */
static void flush(struct sim *sim, struct bin *cache, uint32_t class)
{
    struct bin *locked = NULL;
    for (uint32_t i = 0; i < CACHED_MOST / 2; i++) {
        struct free_block *block = pop(cache);
        struct bin *bin = &sim->cores[page_of(sim, block)->core].bins[class];
        if (bin->lock == NULL)
            bin->lock = new_lock(sim);
        if (bin != locked)
            use_bin(sim, bin);
        locked = bin;
        push(bin, block);
        spend(sim, AL_MODEL_MALLOC_FLUSH);
    }
}

/* The kernel takes pages back. */
static void purge(struct page *page, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        page[i].there = false;
        page[i].home = 0;
    }
}

static void release_large(struct sim *sim, struct page *page, struct free_block *block)
{
    size_t bytes = (size_t)page->pages << PAGE_SHIFT;
    struct free_block **list = &sim->cores[page->core].large[class_of(bytes)];
    block->next = *list;
    *list = block;
    if (bytes >= OVERSIZE_BYTES)
        purge(page, page->pages);
}

/* A thread ends, and with it the use of its arena: the kernel gets all pages back that hold nothing
 * in use. */
void sim_memory_unused(struct sim *sim, uint32_t core)
{
    for (uint32_t class = 0; class < ALL_CLASSES; class ++) {
        struct free_block *block = sim->cores[core].large[class];
        for (; block != NULL; block = block->next)
            purge(page_of(sim, block), page_of(sim, block)->pages);
    }
    struct page *end = page_of(sim, sim->memory_next);
    for (struct page *page = sim->pages; page < end; page++) {
        if (page->class != 0 && page->core == core && page->pages == 0)
            purge(page, 1);
    }
}

void sim_release(struct al_engine *engine, void *memory)
{
    struct sim *sim = sim_of(engine);
    struct page *page = page_of(sim, memory);
    spend(sim, AL_MODEL_FREE);
    sim_dirty(sim, current_of(sim));
    if (current_of(sim)->stores.unseen != 0)
        sim_stores_freed(sim, current_of(sim), memory, sim_size(engine, memory));
    if (page->class == 0) {
        release_large(sim, page, memory);
        return;
    }
    uint32_t class = page->class - 1u;
    struct bin *cache = &sim->cores[current_of(sim)->pu->parts->core].cache[class];
    count_use(sim, memory, class, (uint32_t)-1);
    push(cache, memory);
    if (cache->n > CACHED_MOST)
        flush(sim, cache, class);
}

size_t sim_size(const struct al_engine *engine, const void *memory)
{
    const struct sim *sim = (const struct sim *)engine;
    if (sim_line(sim, memory) == NO_LINE)
        return 0;
    const struct page *page = page_of(sim, memory);
    return page->class != 0 ? class_bytes(page->class - 1u) : (size_t)page->pages << PAGE_SHIFT;
}

void sim_move(struct al_engine *engine, const void *pages, size_t bytes, unsigned os_index)
{
    struct sim *sim = sim_of(engine);
    uint32_t i = 0;
    while (i < sim->machine->n_pus && sim->machine->pus[i].os_index != os_index)
        i++;
    if (i == sim->machine->n_pus || sim_line(sim, pages) == NO_LINE)
        return;
    for (size_t at = 0; at < bytes; at += PAGE_BYTES)
        page_of(sim, (const char *)pages + at)->home = (uint8_t)(sim->machine->pus[i].node + 1);
}
