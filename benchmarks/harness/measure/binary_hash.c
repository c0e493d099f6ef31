/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/measure/environment.h"

#include <fcntl.h>
#include <link.h>
#include <sodium.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "benchmarks/harness/measure/revision.h"

/*
 * Each in a section of its own and of the same length for every revision, so that what follows it
 * does not move.
 */
#define REVISION ".al_revision"
#define BUILD    ".al_build"
__attribute__((section(REVISION))) const char al_revision[128] = AL_REVISION;
__attribute__((section(BUILD))) const char al_build[AL_BUILD_BYTES] = AL_SOURCES;

/* A program's file, as a private copy; NULL if it cannot be read. */
static unsigned char *map_file(const char *path, size_t *size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0)
        return NULL;
    *size = fstat(file, &status) == 0 ? (size_t)status.st_size : 0;
    void *map = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    close(file);
    return map != MAP_FAILED ? map : NULL;
}

/* The contents of the section of this name; NULL if there is none. */
static unsigned char *find(unsigned char *bytes, size_t size, const char *name, size_t *length)
{
    ElfW(Ehdr) header;
    ElfW(Shdr) names, section;
    if (size < sizeof header)
        return NULL;
    memcpy(&header, bytes, sizeof header);
    size_t table = header.e_shoff, n = header.e_shnum;
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_shentsize != sizeof section ||
        table > size || n > (size - table) / sizeof section || header.e_shstrndx >= n)
        return NULL;
    memcpy(&names, bytes + table + header.e_shstrndx * sizeof names, sizeof names);
    for (size_t i = 0; i < n; i++) {
        memcpy(&section, bytes + table + i * sizeof section, sizeof section);
        size_t text = names.sh_offset + section.sh_name, bytes_of_name = strlen(name) + 1;
        if (text > size || bytes_of_name > size - text ||
            memcmp(bytes + text, name, bytes_of_name) != 0)
            continue;
        *length = section.sh_size;
        bool inside = section.sh_offset <= size && section.sh_size <= size - section.sh_offset;
        return inside ? bytes + section.sh_offset : NULL;
    }
    return NULL;
}

static void blank(unsigned char *bytes, size_t size, const char *name)
{
    size_t length;
    unsigned char *section = find(bytes, size, name, &length);
    if (section != NULL)
        memset(section, 0, length);
}

uint64_t al_binary_hash(void)
{
    size_t size;
    unsigned char *bytes = map_file("/proc/self/exe", &size);
    if (bytes == NULL)
        return 0;
    blank(bytes, size, REVISION);
    blank(bytes, size, BUILD);
    blank(bytes, size,
          ".note.gnu.build-id"); /* the linker's hash of everything, the revision included */
    unsigned char hash[crypto_generichash_BYTES_MIN];
    crypto_generichash(hash, sizeof hash, bytes, size, NULL, 0);
    munmap(bytes, size);
    uint64_t first;
    memcpy(&first, hash, sizeof first);
    return first;
}

bool al_binary_is_alike(const char *path)
{
    size_t size, length;
    unsigned char *bytes = map_file(path, &size);
    if (bytes == NULL)
        return false;
    const unsigned char *build = find(bytes, size, BUILD, &length);
    bool alike = build != NULL && length == sizeof al_build &&
                 memcmp(build, al_build, sizeof al_build) == 0;
    munmap(bytes, size);
    return alike;
}
