/* SPDX-License-Identifier: MIT */

/* The parts of a machine as boxes in boxes. */

#include "benchmarks/harness/show/machine_drawing.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/counted.h"
#include "core/machine/model.h"

#define LEVELS  6
#define LETTER  6.6 /* width of a letter, roughly */
#define BETWEEN 12  /* packages */
#define LINE    64  /* bytes */

/* The parts of one kind, or of several that are the same sets of cores. */
struct level {
    char label[64]; /* "package #, node #": the numbers come later */
    size_t at;      /* offset in struct al_pu_parts */
    uint32_t n;
};

/* The levels from large to small, the last of which are the cores; and the sizes of things. */
struct layout {
    const struct al_drawing *drawing;
    struct level levels[LEVELS];
    size_t n_levels;
    double core, gap, head;
};

struct size {
    double width, height;
};

/* Part of a level: its cores from first up to last. */
struct part {
    size_t level;
    uint32_t first, last;
};

static uint32_t number_of(const struct layout *layout, size_t level, uint32_t core)
{
    const struct al_machine *machine = layout->drawing->machine;
    const struct al_pu_parts *parts = &machine->pus[machine->core_pu[core]];
    return *(const uint32_t *)((const char *)parts + layout->levels[level].at);
}

/* The first part within a part, from this core on. Cores are numbered in the order of the tree. */
static struct part next_part(const struct layout *layout, struct part within, uint32_t first)
{
    struct part part = {within.level + 1, first, first + 1};
    while (part.last < within.last &&
           number_of(layout, part.level, part.last) == number_of(layout, part.level, first))
        part.last++;
    return part;
}

static void add_level(struct layout *layout, const char *label, size_t at, uint32_t n)
{
    struct level *last = layout->n_levels > 0 ? &layout->levels[layout->n_levels - 1] : NULL;
    if (last != NULL && last->n == n) {
        size_t used = strlen(last->label);
        snprintf(last->label + used, sizeof last->label - used, ", %s", label);
        return;
    }
    struct level *level = &layout->levels[layout->n_levels++];
    *level = (struct level){.at = at, .n = n};
    snprintf(level->label, sizeof level->label, "%s", label);
}

static const char *size_text(struct al_cache_size size, char text[24])
{
    uint64_t kib = (uint64_t)size.sets * size.ways * LINE >> 10;
    if (kib >= 1024)
        snprintf(text, 24, "%.4g MiB", (double)kib / 1024);
    else
        snprintf(text, 24, "%" PRIu64 " KiB", kib);
    return text;
}

static void find_levels(struct layout *layout)
{
    const struct al_machine *machine = layout->drawing->machine;
    char l3[40] = "L3 ", size[24];
    strcat(l3, size_text(machine->l3, size));
    add_level(layout, "package #", offsetof(struct al_pu_parts, package), machine->n_packages);
    bool dies = machine->n_dies > machine->n_packages && machine->n_dies != machine->n_nodes;
    if (dies && machine->n_dies < machine->n_nodes)
        add_level(layout, "die #", offsetof(struct al_pu_parts, die), machine->n_dies);
    /* A node of several packages has no frame, but a word in the caption. */
    if (machine->n_nodes >= machine->n_packages)
        add_level(layout, "node #", offsetof(struct al_pu_parts, node), machine->n_nodes);
    if (dies && machine->n_dies > machine->n_nodes)
        add_level(layout, "die #", offsetof(struct al_pu_parts, die), machine->n_dies);
    if (machine->l3.sets > 0)
        add_level(layout, l3, offsetof(struct al_pu_parts, l3), machine->n_l3);
    if (machine->l2.sets > 0 && machine->n_l2 < machine->n_cores)
        add_level(layout, "", offsetof(struct al_pu_parts, l2), machine->n_l2);
    struct level *cores = &layout->levels[layout->n_levels++];
    *cores = (struct level){.at = offsetof(struct al_pu_parts, core), .n = machine->n_cores};
}

/* The space for a label: large parts have one, and small parts if it is readable there. */
static double head_of(const struct layout *layout, size_t level)
{
    if (layout->levels[level].label[0] == '\0')
        return 0;
    return level == 0 ? 18 : layout->core >= 9 ? layout->head : 0;
}

static struct size measure(const struct layout *layout, struct part part);

/* The size of the largest part within, and how many there are. */
static struct size measure_inner(const struct layout *layout, struct part part, uint32_t *n)
{
    struct size most = {0, 0};
    struct part inner;
    *n = 0;
    for (uint32_t first = part.first; first < part.last; first = inner.last) {
        inner = next_part(layout, part, first);
        struct size size = measure(layout, inner);
        most.width = size.width > most.width ? size.width : most.width;
        most.height = size.height > most.height ? size.height : most.height;
        (*n)++;
    }
    return most;
}

/* The number of columns that makes the parts within most like a square, with few gaps. */
static uint32_t columns_of(const struct layout *layout, struct size inner, uint32_t n)
{
    uint32_t best = 1;
    double least = INFINITY;
    for (uint32_t columns = 1; columns <= n; columns++) {
        uint32_t rows = (n + columns - 1) / columns;
        double width = columns * (inner.width + layout->gap),
               height = rows * (inner.height + layout->gap);
        double odd = fabs(log(width / height)) + (columns * rows - n);
        if (odd <= least) {
            least = odd;
            best = columns;
        }
    }
    return best;
}

static struct size measure(const struct layout *layout, struct part part)
{
    if (part.level + 1 == layout->n_levels)
        return (struct size){layout->core, layout->core};
    uint32_t n;
    struct size inner = measure_inner(layout, part, &n);
    uint32_t columns = columns_of(layout, inner, n), rows = (n + columns - 1) / columns;
    double width = columns * (inner.width + layout->gap) + layout->gap;
    /* A package has room for its label. */
    double label = part.level == 0 ? LETTER * (double)strlen(layout->levels[0].label) : 0;
    return (struct size){width > label ? width : label, rows * (inner.height + layout->gap) +
                                                            layout->gap +
                                                            head_of(layout, part.level)};
}

static void draw_core(const struct layout *layout, uint32_t core, double x, double y)
{
    const struct al_drawing *drawing = layout->drawing;
    uint32_t pus = drawing->machine->n_pus / drawing->machine->n_cores;
    uint32_t ps = drawing->machine->handoff[core];
    const char *edge = core == 0 ? " stroke=\"" AL_DRAWING_INK "\" stroke-width=\"1.5\"" : "";
    struct al_drawing_colour colour = al_drawing_colour(drawing, ps);
    fprintf(drawing->file,
            "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" rx=\"%.1f\" "
            "fill=\"%s\"%s><title>core %" PRIu32 "</title></rect>\n",
            x, y, layout->core, layout->core, layout->core / 8, core == 0 ? "#ffffff" : colour.text,
            edge, core);
    for (uint32_t i = 1; i < pus && layout->core >= 8; i++)
        fprintf(drawing->file, "<path d=\"M%.2f %.2fv%.2f\" stroke=\"%s\" stroke-width=\"1\"/>\n",
                x + i * layout->core / pus, y, layout->core,
                core == 0 ? AL_DRAWING_INK : "#ffffff");
    if (layout->core >= 20 && pus == 1)
        fprintf(drawing->file,
                "<text x=\"%.2f\" y=\"%.2f\" font-size=\"11\" text-anchor=\"middle\" "
                "fill=\"%s\">%" PRIu32 "</text>\n",
                x + layout->core / 2, y + layout->core / 2 + 4,
                core != 0 && al_drawing_dark(drawing, ps) ? "#ffffff" : AL_DRAWING_INK, core);
}

static void draw_label(const struct layout *layout, struct part part, double x, double y)
{
    FILE *file = layout->drawing->file;
    fprintf(file, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%d\" fill=\"" AL_DRAWING_MUTED "\">", x,
            y, part.level == 0 ? 12 : 10);
    for (const char *c = layout->levels[part.level].label; *c != '\0'; c++) {
        if (*c == '#')
            fprintf(file, "%" PRIu32, number_of(layout, part.level, part.first));
        else
            fputc(*c, file);
    }
    fputs("</text>\n", file);
}

static void draw_part(const struct layout *layout, struct part part, double x, double y)
{
    static const char *const fills[] = {"#f3f4f6", "#ffffff", "#f3f4f6", "#ffffff", "#f3f4f6"};
    if (part.level + 1 == layout->n_levels) {
        draw_core(layout, part.first, x, y);
        return;
    }
    FILE *file = layout->drawing->file;
    struct size size = measure(layout, part);
    double head = head_of(layout, part.level);
    const char *label = layout->levels[part.level].label;
    fprintf(file,
            "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" rx=\"4\" fill=\"%s\" "
            "stroke=\"#9ca3af\" stroke-width=\"%s\"/>\n",
            x, y, size.width, size.height, fills[part.level], part.level == 0 ? "1.2" : "0.7");
    if (head > 0 && size.width >= LETTER * (double)strlen(label))
        draw_label(layout, part, x + layout->gap, y + head - 3);
    uint32_t n, place = 0;
    struct size inner = measure_inner(layout, part, &n);
    uint32_t columns = columns_of(layout, inner, n);
    struct part next;
    for (uint32_t first = part.first; first < part.last; first = next.last, place++) {
        next = next_part(layout, part, first);
        draw_part(layout, next, x + layout->gap + place % columns * (inner.width + layout->gap),
                  y + head + layout->gap + place / columns * (inner.height + layout->gap));
    }
}

static void set_core(struct layout *layout, double core)
{
    layout->core = core;
    layout->gap = core >= 24 ? 6 : core >= 12 ? 4 : core >= 6 ? 2 : 1;
    layout->head = 13;
}

/* Choose the columns of packages, without gaps, that make the largest cores fit. */
static uint32_t fit(struct layout *layout, struct part all, double width, double height,
                    struct size *package)
{
    uint32_t n = layout->drawing->machine->n_packages;
    for (double core = 48; core >= 1; core -= 0.5) {
        set_core(layout, core);
        *package = measure_inner(layout, all, &n);
        for (uint32_t columns = n; columns >= 1; columns--) {
            uint32_t rows = n / columns;
            if (n % columns == 0 && columns * (package->width + BETWEEN) - BETWEEN <= width &&
                rows * (package->height + BETWEEN) - BETWEEN <= height)
                return columns;
        }
    }
    return n;
}

static double draw_caption(const struct al_drawing *drawing, double left, double y)
{
    const struct al_machine *machine = drawing->machine;
    char l1[24], l2[24];
    size_text(machine->l1, l1);
    size_text(machine->l2, l2);
    fprintf(drawing->file,
            "<text x=\"%g\" y=\"%g\" font-size=\"13\" fill=\"" AL_DRAWING_MUTED "\">", left, y);
    if (machine->l2.sets == 0)
        fprintf(drawing->file, "L1 %s for each core", l1);
    else if (machine->n_l2 < machine->n_cores)
        fprintf(drawing->file, "L1 %s for each core, L2 %s for those in the smallest frame", l1,
                l2);
    else
        fprintf(drawing->file, "L1 %s and L2 %s for each core", l1, l2);
    if (machine->n_pus > machine->n_cores)
        fprintf(drawing->file, "; a core has %" PRIu32 " PUs", machine->n_pus / machine->n_cores);
    if (machine->n_nodes < machine->n_packages)
        fprintf(drawing->file, "; %s for all packages",
                al_counted(machine->n_nodes, "NUMA node").text);
    fputs("</text>\n", drawing->file);
    return y;
}

double al_drawing_parts(const struct al_drawing *drawing, double left, double top, double width,
                        double height)
{
    struct layout layout = {.drawing = drawing};
    struct part package, all = {SIZE_MAX, 0, drawing->machine->n_cores};
    struct size size;
    find_levels(&layout);
    uint32_t columns = fit(&layout, all, width, height, &size), place = 0;
    for (uint32_t first = 0; first < all.last; first = package.last, place++) {
        package = next_part(&layout, all, first);
        draw_part(&layout, package, left + place % columns * (size.width + BETWEEN),
                  top + place / columns * (size.height + BETWEEN));
    }
    uint32_t rows = (place + columns - 1) / columns;
    return draw_caption(drawing, left, top + rows * (size.height + BETWEEN) + 8) - top;
}
