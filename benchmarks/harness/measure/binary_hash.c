/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/measure/binary_hash.h"

#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "benchmarks/harness/measure/revision.h"

/*
 * In a section of its own and of the same length for every revision, so that what follows it does
 * not move.
 */
#define SECTION ".al_revision"
__attribute__((section(SECTION))) const char al_revision[128] = AL_REVISION;

/* Overwrite the contents of the section of this name with zeros. */
static void blank(unsigned char *bytes, size_t size, const char *name)
{
    ElfW(Ehdr) header;
    ElfW(Shdr) names, section;
    if (size < sizeof header)
        return;
    memcpy(&header, bytes, sizeof header);
    size_t table = header.e_shoff, n = header.e_shnum;
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_shentsize != sizeof section ||
        table > size || n > (size - table) / sizeof section || header.e_shstrndx >= n)
        return;
    memcpy(&names, bytes + table + header.e_shstrndx * sizeof names, sizeof names);
    for (size_t i = 0; i < n; i++) {
        memcpy(&section, bytes + table + i * sizeof section, sizeof section);
        size_t text = names.sh_offset + section.sh_name, length = strlen(name) + 1;
        if (text > size || length > size - text || memcmp(bytes + text, name, length) != 0)
            continue;
        if (section.sh_offset <= size && section.sh_size <= size - section.sh_offset)
            memset(bytes + section.sh_offset, 0, section.sh_size);
    }
}

uint64_t al_binary_hash(void)
{
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0)
        return 0;
    void *map = fstat(file, &status) == 0 ? mmap(NULL, (size_t)status.st_size,
                                                 PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0)
                                          : MAP_FAILED;
    close(file);
    if (map == MAP_FAILED)
        return 0;
    unsigned char *bytes = map;
    size_t size = (size_t)status.st_size;
    blank(bytes, size, SECTION);
    blank(bytes, size,
          ".note.gnu.build-id"); /* the linker's hash of everything, the revision included */
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    munmap(map, size);
    return hash;
}
