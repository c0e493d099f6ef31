/* SPDX-License-Identifier: MIT */
#ifndef AL_RESULTS_PROFILE_H
#define AL_RESULTS_PROFILE_H

/*
 * The profile of a workload, as records have it and people write it: X(key, least, most, help) for
 * each number. Profiles are compared on a logarithmic scale, where everything below `least` counts
 * as that; a field with least = 0 is not compared.
 */
#define AL_PROFILE_FIELDS(X)                                                                       \
    X(messages_per_s, 1000, 1e12, "messages per second, of all workers together")                  \
    X(work_ns, 10, 1e18, "median time of a message's behaviour, without sends, ns")                \
    X(work_p99_ns, 10, 1e18, "what 1% of these times exceed, ns")                                  \
    X(senders, 1, 1e12, "distinct senders of a message's receiver, mean over the messages")        \
    X(senders_most, 0, 1e12, "the most distinct senders of one actor")                             \
    X(busiest_1, 0.01, 1, "share of the messages that the busiest 1% of receivers get")            \
    X(busiest_10, 0, 1, "the same of the busiest 10%")                                             \
    X(actors_per_worker, 1, 1e12, "actors that live at once, at most, per worker")                 \
    X(local, 0.01, 1, "share of the messages that stay on the sender's worker")                    \
    X(fan_out, 1, 1e12, "messages that a behaviour sends, mean of those that send any")            \
    X(created, 0.01, 1e12, "actors created per message")                                           \
    X(message_bytes, 16, 1e18, "median size of a message, bytes")

enum al_profile_field {
#define AL_PROFILE_FIELD(key, least, most, help) AL_PROFILE_##key,
    AL_PROFILE_FIELDS(AL_PROFILE_FIELD)
#undef AL_PROFILE_FIELD
        AL_PROFILE_N
};

#endif
