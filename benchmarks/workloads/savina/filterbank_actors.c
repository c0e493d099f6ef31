/* SPDX-License-Identifier: MIT */

/* The actors of filterbank, from the producer to the sink. */

#include "benchmarks/workloads/savina/filterbank.h"

/* For each multiplication, whose addition waits for the one before (savina.h). */
#define CYCLES 3

AL_ACTOR(combiner)
AL_ACTOR(integrator)
AL_ACTOR(producer)
AL_ACTOR(sink)
AL_ACTOR(source)
AL_ACTOR(splitter)
AL_ACTOR(stage)
AL_MESSAGE(collected)
AL_MESSAGE(next)
AL_MESSAGE(sum)
AL_MESSAGE(tagged)
AL_MESSAGE(value)
AL_RECYCLE(sum)
AL_RECYCLE(tagged)
AL_RECYCLE(value)

AL_BEHAVIOUR_DECLARE(integrator, al_done)
AL_BEHAVIOUR_DECLARE(integrator, tagged)
AL_BEHAVIOUR_DECLARE(producer, next)
AL_BEHAVIOUR_DECLARE(stage, value)

static struct value *new_value(double number)
{
    struct value *value = al_message_init(value, al_new(value), AL_DELETE);
    value->value = number;
    return value;
}

AL_BEHAVIOUR(sink, sum, self, msg)
{
    self->sums[self->n++] = msg->value;
    return AL_NODELETE;
}

AL_BEHAVIOUR(combiner, collected, self, msg)
{
    struct state *state = self->state;
    struct sum *sum = al_message_init(sum, al_new(sum), AL_DELETE);
    sum->value = 0;
    for (uint32_t i = 0; i < state->channels; i++)
        sum->value += msg->values[i];
    al_send(sink, sum, &state->sink, sum);
    return AL_NODELETE;
}

AL_PILL_BEHAVIOUR(combiner, self, pill)
{
    al_send_pill(&self->state->sink.actor, pill);
    return pill->verdict;
}

AL_BEHAVIOUR_DEFINE(integrator, tagged, self, msg)
{
    struct state *state = self->state;
    struct al_fifo *waiting = self->waiting;
    self->empty -= waiting[msg->channel].n == 0;
    al_fifo_put(&waiting[msg->channel], al_bits_of(msg->value));
    if (self->empty > 0)
        return AL_NODELETE;
    struct collected *collected = al_allocate(sizeof *collected +
                                              state->channels * sizeof collected->values[0]);
    al_message_init(collected, collected, AL_DELETE);
    for (uint32_t i = 0; i < state->channels; i++) {
        collected->values[i] = al_real_of(al_fifo_take(&waiting[i]));
        self->empty += waiting[i].n == 0;
    }
    al_send(combiner, collected, &state->combiner, collected);
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(integrator, al_done, self, msg)
{
    if (al_count_down(&self->working) == AL_NODELETE)
        return AL_NODELETE;
    al_send_pill(&self->state->combiner.actor, &al_finished_msg);
    return AL_FINISHED;
}

static void pass_on(struct stage *self, double value)
{
    struct state *state = self->state;
    if (self->kind < TAGGER) {
        al_send(stage, value, self + 1, new_value(value));
        return;
    }
    struct tagged *tagged = al_message_init(tagged, al_new(tagged), AL_DELETE);
    tagged->channel = self->channel;
    tagged->value = value;
    al_send(integrator, tagged, &state->integrator, tagged);
}

/* Put a value into the ring; returns the one that it replaces. */
static double replace(struct stage *self, double value)
{
    double before = self->ring[self->at];
    self->ring[self->at] = value;
    if (++self->at == self->n) {
        self->full = true;
        self->at = 0;
    }
    return before;
}

/* Not inlined, because a compiler may round differently in each inlined copy. */
AL_UNREPORTED __attribute__((noinline)) double
al_filterbank_sum(const double *ring, const double *coefficients, uint64_t n)
{
    double sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += ring[i] * coefficients[n - i - 1];
    return sum;
}

static void filter(struct stage *self, double value, int which)
{
    replace(self, value);
    if (!self->full)
        return;
    const double *coefficients = coefficients_of(self->state, which, self->channel);
    double sum = al_filterbank_sum(self->ring, coefficients, self->n);
    al_touch(self->ring, self->n * sizeof(double), AL_TOUCH_READ);
    al_touch(coefficients, self->n * sizeof(double), AL_TOUCH_READ);
    al_compute(self->n * CYCLES);
    pass_on(self, sum);
}

AL_BEHAVIOUR_DEFINE(stage, value, self, msg)
{
    switch (self->kind) {
    case DELAY:
    case DELAY_AGAIN:
        pass_on(self, replace(self, msg->value));
        break;
    case FILTER:
        filter(self, msg->value, 0);
        break;
    case FILTER_AGAIN:
        filter(self, msg->value, 1);
        break;
    case SAMPLER:
        self->digest = digest_with(self->digest, msg->value);
        pass_on(self, self->at == 0 ? msg->value : 0);
        self->at = self->at + 1 < self->state->columns ? self->at + 1 : 0;
        break;
    default:
        pass_on(self, msg->value);
        break;
    }
    return AL_NODELETE;
}

AL_PILL_BEHAVIOUR(stage, self, pill)
{
    struct state *state = self->state;
    if (self->kind < TAGGER)
        al_send_pill(&self[1].actor, pill);
    else
        al_send(integrator, al_done, &state->integrator, &state->done);
    return pill->verdict;
}

AL_BEHAVIOUR(splitter, value, self, msg)
{
    const struct state *state = self->state;
    for (uint32_t i = 0; i < state->channels; i++)
        al_send(stage, value, branch(state, i), new_value(msg->value));
    return AL_NODELETE;
}

AL_PILL_BEHAVIOUR(splitter, self, pill)
{
    const struct state *state = self->state;
    for (uint32_t i = 0; i < state->channels; i++)
        al_send_pill(&branch(state, i)->actor, pill);
    return pill->verdict;
}

AL_BEHAVIOUR(source, al_go, self, msg)
{
    struct state *state = self->state;
    al_send(splitter, value, &state->splitter, new_value(source_value(self->current++)));
    al_send(producer, next, &state->producer, &state->next);
    return AL_NODELETE;
}

AL_PILL_BEHAVIOUR(source, self, pill)
{
    al_send_pill(&self->state->splitter.actor, pill);
    return pill->verdict;
}

AL_BEHAVIOUR_DEFINE(producer, next, self, msg)
{
    struct state *state = self->state;
    if (self->left == 0) {
        al_send_pill(&state->source.actor, &al_finished_msg);
        return AL_FINISHED;
    }
    self->left--;
    al_send(source, al_go, &state->source, &state->go);
    return AL_NODELETE;
}

void al_filterbank_start(void *argument)
{
    struct state *state = argument;
    al_actor_init(sink, &state->sink);
    al_actor_init(combiner, &state->combiner);
    al_actor_init(integrator, &state->integrator);
    for (uint32_t i = 0; i < state->channels * STAGES; i++)
        al_actor_init(stage, &state->stages[i]);
    al_actor_init(splitter, &state->splitter);
    al_actor_init(source, &state->source);
    al_send(producer, next, al_actor_init(producer, &state->producer), &state->next);
}
