/* SPDX-License-Identifier: MIT */

/*
 * Loading a topology: this machine's, or one from a description. libhwloc crashes on some malformed
 * descriptions and loops on others, so a child process loads each description first.
 */

#include "core/machine/topology_private.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_SECONDS 10         /* for the child; it loads a machine with 4,096 PUs in one second */
#define MOST_BYTES   (64 << 20) /* of XML; lstopo writes about 1 kB per PU */
#define MOST_MEMORY  (1 << 30)  /* bytes that the child may allocate */
/* The newest major version of hwloc's XML that this hwloc reads. */
#define NEWEST (HWLOC_API_VERSION >> 16)

static const char xml_help[] = "valid: XML as `lstopo file.xml` writes it";
static const char synthetic_help[] = "valid: a file.xml, or hwloc's synthetic form such as "
                                     "'package:2 l3:2 core:4 pu:2'";

/* The description to load. xml: the content of the file, or NULL if the spec is synthetic. */
struct source {
    const char *spec, *help;
    char *xml;
    int length; /* of the XML, with its final NUL */
};

static bool is_xml(const char *spec)
{
    size_t length = strlen(spec);
    return length > 4 && strcmp(spec + length - 4, ".xml") == 0;
}

/* Read the whole file into source->xml, which the caller frees. */
static int read_xml(struct source *source, struct al_error *error)
{
    /* Without O_NONBLOCK, opening a FIFO would block for ever. */
    int file = open(source->spec, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat about;
    int code = file == -1 || fstat(file, &about) != 0 ? -errno : 0;
    if (code == 0 && !S_ISREG(about.st_mode))
        code = S_ISDIR(about.st_mode) ? -EISDIR : -EINVAL;
    if (code == 0 && about.st_size >= MOST_BYTES)
        code = -EFBIG;
    size_t size = code == 0 ? (size_t)about.st_size : 0, length = 0;
    if (code == 0 && (source->xml = malloc(size + 1)) == NULL)
        code = -ENOMEM;
    while (code == 0 && length < size) {
        ssize_t n = read(file, source->xml + length, size - length);
        if (n == 0)
            break;
        if (n > 0)
            length += (size_t)n;
        else if (errno != EINTR)
            code = -errno;
    }
    if (file != -1)
        close(file);
    if (code != 0)
        return al_error_set(error, code, "cannot read the topology '%s': %s", source->spec,
                            strerror(-code));
    source->xml[length] = '\0';
    source->length = (int)length + 1;
    return 0;
}

/* Copy the value of the first attribute of this name after `from`, or "" if it is absent or does
 * not fit. */
static void find_attribute(const char *from, const char *name, char *value, size_t most)
{
    value[0] = '\0';
    const char *begin = strstr(from, name);
    if (begin == NULL)
        return;
    begin += strlen(name);
    size_t length = strcspn(begin, "\"<>\r\n");
    if (begin[length] == '"' && length < most) {
        memcpy(value, begin, length);
        value[length] = '\0';
    }
}

/* Refuse the XML of a newer hwloc, which would otherwise look malformed. */
static int check_version(const struct source *source, struct al_error *error)
{
    char version[16] = "", writer[32];
    const char *topology = strstr(source->xml, "<topology");
    const char *end = topology != NULL ? strchr(topology, '>') : NULL;
    const char *attribute = topology != NULL ? strstr(topology, " version=\"") : NULL;
    if (end != NULL && attribute != NULL && attribute < end)
        find_attribute(attribute, " version=\"", version, sizeof version);
    if (strtoul(version, NULL, 10) <= NEWEST || strspn(version, "0123456789.") != strlen(version))
        return 0;
    find_attribute(topology, "name=\"hwlocVersion\" value=\"", writer, sizeof writer);
    if (strspn(writer, "0123456789.abcrgit-") != strlen(writer))
        writer[0] = '\0';
    return al_error_set(
        error, -EINVAL,
        "cannot read the topology '%s': it was written by %s%s (topology version "
        "%s), and this is hwloc %s, which reads up to version %d; valid: what `lstopo "
        "--export-xml-flags v%d` writes",
        source->spec, writer[0] != '\0' ? "hwloc " : "a newer hwloc", writer, version,
        HWLOC_VERSION, NEWEST, NEWEST);
}

static int load(const struct source *source, hwloc_topology_t *result)
{
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0)
        return -ENOMEM;
    int code = source->xml != NULL
                   ? hwloc_topology_set_xmlbuffer(topology, source->xml, source->length)
                   : hwloc_topology_set_synthetic(topology, source->spec);
    if (code != 0 || hwloc_topology_load(topology) != 0) {
        hwloc_topology_destroy(topology);
        return -EINVAL;
    }
    *result = topology;
    return 0;
}

/* Do everything that the program will do with a topology: hwloc does not check all that it
 * loads. */
static int use(hwloc_topology_t hwloc, FILE *nowhere)
{
    char name[] = "";
    struct al_topology topology = {.hwloc = hwloc, .name = name};
    struct al_error error;
    unsigned *pus;
    size_t n;
    if (al_topology_order(&topology, "spread", &pus, &n, &error) != 0 || n == 0)
        return -EINVAL;
    for (size_t i = 0; i < n; i++) {
        struct al_part parts[AL_PARTS_MOST];
        size_t n_parts;
        if (al_topology_path(&topology, pus[i], parts, &n_parts) != 0)
            return -EINVAL;
        for (size_t k = 0; k < n_parts; k++)
            fputs(parts[k].name, nowhere);
    }
    free(pus);
    if (al_topology_print(&topology, NULL, nowhere, &error) != 0 ||
        al_topology_export(&topology, NULL, nowhere, &error) != 0)
        return -EINVAL;
    hwloc_topology_destroy(hwloc);
    return 0;
}

/* Keep a loop that allocates from exhausting the machine's memory. The limit counts from what is
 * already mapped, because sanitizers map terabytes. */
static void limit_memory(void)
{
    unsigned long long pages;
    FILE *statm = fopen("/proc/self/statm", "r");
    if (statm == NULL)
        return;
    if (fscanf(statm, "%llu", &pages) == 1) {
        rlim_t most = pages * (rlim_t)sysconf(_SC_PAGESIZE) + MOST_MEMORY;
        setrlimit(RLIMIT_AS, &(struct rlimit){most, most});
    }
    fclose(statm);
}

/*
 * The child: load and use the topology, and write one byte to `answer` if all went well. Locks held
 * by other threads of the parent stay locked in the child. hwloc needs only those of malloc and
 * stdio, and glibc and jemalloc reset these on fork().
 */
static _Noreturn void try_in_child(const struct source *source, int answer)
{
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    limit_memory();
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null != -1) /* a failed assertion prints a line */
        dup2(null, STDERR_FILENO);
    FILE *nowhere = fopen("/dev/null", "w");
    hwloc_topology_t topology;
    bool good = nowhere != NULL && load(source, &topology) == 0 && use(topology, nowhere) == 0;
    _exit(good && write(answer, "", 1) == 1 ? 0 : 1);
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Wait for the child's byte; false if the child ended without it or the time is up (*late). */
static bool wait_for_answer(int answer, bool *late)
{
    int64_t end = now_ms() + 1000 * MOST_SECONDS, left;
    while ((left = end - now_ms()) > 0) {
        struct pollfd ready = {answer, POLLIN, 0};
        int n = poll(&ready, 1, (int)left);
        char byte;
        if (n == 1)
            return read(answer, &byte, 1) == 1;
        if (n == -1 && errno != EINTR)
            return false;
    }
    *late = true;
    return false;
}

/* Load and use the source in a child process; 0 if that succeeds. */
static int try_in_process(const struct source *source, struct al_error *error)
{
    int ends[2], status = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return al_error_set(error, -errno, "cannot start a process to try the topology '%s': %s",
                            source->spec, strerror(errno));
    fflush(stdout); /* or the child might write the buffered output a second time */
    pid_t child = fork();
    if (child == 0)
        try_in_child(source, ends[1]);
    int failed = child == -1 ? errno : 0;
    bool late = false, good = false;
    close(ends[1]);
    if (child != -1)
        good = wait_for_answer(ends[0], &late);
    close(ends[0]);
    if (child == -1)
        return al_error_set(error, -failed, "cannot start a process to try the topology '%s': %s",
                            source->spec, strerror(failed));
    if (late)
        kill(child, SIGKILL);
    while (waitpid(child, &status, 0) == -1 && errno == EINTR)
        continue;
    if (good)
        return 0;
    if (late)
        return al_error_set(error, -EINVAL,
                            "malformed topology '%s': hwloc did not finish within %d s; %s",
                            source->spec, MOST_SECONDS, source->help);
    if (WIFSIGNALED(status))
        return al_error_set(error, -EINVAL, "malformed topology '%s': hwloc crashed on it (%s); %s",
                            source->spec, strsignal(WTERMSIG(status)), source->help);
    return al_error_set(error, -EINVAL, "malformed topology '%s'; %s", source->spec, source->help);
}

static int load_source(const char *spec, hwloc_topology_t *result, struct al_error *error)
{
    struct source source = {.spec = spec, .help = is_xml(spec) ? xml_help : synthetic_help};
    int code = 0;
    if (is_xml(spec)) {
        code = read_xml(&source, error);
        if (code == 0)
            code = check_version(&source, error);
        if (code == 0)
            code = al_topology_check_matrices(spec, source.xml, error);
    }
    if (code == 0)
        code = try_in_process(&source, error);
    if (code == 0) {
        code = load(&source, result);
        if (code != 0)
            al_error_set(error, code, "malformed topology '%s'; %s", spec, source.help);
    }
    free(source.xml);
    return code;
}

bool al_topology_exists_here(unsigned pu)
{
    hwloc_topology_t all;
    if (hwloc_topology_init(&all) != 0)
        return false;
    bool found = hwloc_topology_set_flags(all, HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM |
                                                   HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) == 0 &&
                 hwloc_topology_load(all) == 0 && hwloc_get_pu_obj_by_os_index(all, pu) != NULL;
    hwloc_topology_destroy(all);
    return found;
}

static int load_this_machine(hwloc_topology_t *result, struct al_error *error)
{
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0)
        return al_error_set(error, -ENOMEM, "no memory for a topology");
    if (hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM |
                                               HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING) != 0 ||
        hwloc_topology_load(topology) != 0) {
        int code = al_error_set(error, -EIO, "hwloc cannot read this machine's topology: %s",
                                strerror(errno));
        hwloc_topology_destroy(topology);
        return code;
    }
    *result = topology;
    return 0;
}

int al_topology_load(const char *spec, struct al_topology **result, struct al_error *error)
{
    /* hwloc's plug-ins look for GPUs and X displays, where no worker runs. Without them a process
     * is 2 MB smaller and starts in half the time. A path that the user has set is kept. */
    setenv("HWLOC_PLUGINS_PATH", "", 0);
    /* It prints ten lines about XML whose objects are out of order, and loads it all the same. */
    setenv("HWLOC_HIDE_ERRORS", "2", 0);
    struct al_topology *topology = calloc(1, sizeof *topology);
    char *name = strdup(spec != NULL ? spec : "this machine");
    int code = topology == NULL || name == NULL
                   ? al_error_set(error, -ENOMEM, "no memory for a topology")
               : spec == NULL ? load_this_machine(&topology->hwloc, error)
                              : load_source(spec, &topology->hwloc, error);
    if (code != 0) {
        free(topology);
        free(name);
        return code;
    }
    topology->name = name;
    *result = topology;
    return 0;
}
