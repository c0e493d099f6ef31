/* SPDX-License-Identifier: MIT */
#include "core/engine/check/operation.h"

bool check_queue_has(uint64_t queue, unsigned thread)
{
    for (; queue != 0; queue >>= 4) {
        if ((queue & 15) == thread)
            return true;
    }
    return false;
}

uint64_t check_queue_append(uint64_t queue, unsigned thread)
{
    unsigned n = 0;
    while (queue >> 4 * n != 0)
        n++;
    return queue | (uint64_t)thread << 4 * n;
}

uint64_t check_queue_remove(uint64_t queue, unsigned thread)
{
    uint64_t left = 0;
    for (; queue != 0; queue >>= 4) {
        if ((queue & 15) != thread)
            left = check_queue_append(left, queue & 15);
    }
    return left;
}

static uint64_t updated(const struct check_operation *operation, uint64_t value)
{
    uint64_t operand = operation->operand;
    switch (operation->update) {
    case CHECK_KEEP:
    case CHECK_EXCHANGE:
    case CHECK_EXCHANGE_IF:
        return operand;
    case CHECK_ADD:
        return value + operand;
    case CHECK_AND:
        return value & operand;
    case CHECK_OR:
        return value | operand;
    case CHECK_XOR:
        return value ^ operand;
    case CHECK_NAND:
        return ~(value & operand);
    case CHECK_APPEND:
        return check_queue_append(value, (unsigned)operand);
    case CHECK_REMOVE:
        return check_queue_remove(value, (unsigned)operand);
    case CHECK_WAKE:
        return operand >= 16 ? 0 : value >> 4 * operand;
    }
    return value;
}

bool check_operation_writes(const struct check_operation *operation, uint64_t value,
                            uint64_t *written)
{
    if (operation->update == CHECK_KEEP)
        return false;
    if (operation->update == CHECK_EXCHANGE_IF && value != operation->expected)
        return false;
    *written = updated(operation, value);
    if (operation->bytes < 8)
        *written &= ((uint64_t)1 << 8 * operation->bytes) - 1;
    /* An exchange that changes nothing, and publishes nothing, is as good as a read. */
    bool alike = *written == value && (operation->success & CHECK_RELEASE) == 0;
    return !(alike && operation->update == CHECK_EXCHANGE);
}

unsigned check_operation_flags(const struct check_operation *operation, uint64_t value)
{
    uint64_t written;
    if (operation->update == CHECK_KEEP)
        return operation->success;
    if (check_operation_writes(operation, value, &written))
        return (operation->success & ~(unsigned)CHECK_RELEASE) | CHECK_EXCLUSIVE | CHECK_LOCKED;
    bool exchange_if = operation->update == CHECK_EXCHANGE_IF;
    return ((exchange_if ? operation->failure : operation->success) & CHECK_ACQUIRE) | CHECK_LOCKED;
}

bool check_likes(enum check_await await, uint64_t awaited, uint64_t value)
{
    switch (await) {
    case CHECK_ANY:
        return true;
    case CHECK_EXPECTED:
        return value == awaited;
    case CHECK_ABSENT:
    case CHECK_ABSENT_IN_TIME:
        return !check_queue_has(value, (unsigned)awaited);
    }
    return true;
}

check_id check_operation_add(const struct check_operation *operation, struct check_graph *graph,
                             unsigned t, uint64_t initial)
{
    int word = 0;
    if (operation->kind == CHECK_READ || operation->kind == CHECK_WRITE)
        word = check_graph_word(graph, operation->address, operation->life, operation->bytes,
                                initial);
    if (word < 0)
        return CHECK_NONE;
    /* What else a read is depends on what it reads. */
    unsigned flags = operation->kind == CHECK_WRITE    ? operation->success
                     : operation->update != CHECK_KEEP ? CHECK_LOCKED
                                                       : 0;
    check_id id = check_graph_add(graph, t, operation->kind, flags, (unsigned)word);
    if (id == CHECK_NONE)
        return CHECK_NONE;
    struct check_event *event = check_event(graph, id);
    event->code = operation->code;
    event->await = (uint8_t)operation->await;
    event->awaited = operation->awaited;
    if (operation->kind == CHECK_WRITE)
        event->value = operation->operand;
    return id;
}
