/* SPDX-License-Identifier: MIT */

/*
 * facloc: where to open facilities, as customers come one by one. The actors are the quadrants of a
 * square. A quadrant adds a customer's distance to the nearest facility that it knows to its cost.
 * When the cost is above a threshold it opens a facility in its middle, creates four quadrants with
 * its customers, and passes on to them those who come later; it tells its parent of the facility,
 * who tells its own parent and the quadrant across. The producer sends the next customer when the
 * largest quadrant has taken the one before. Source: Savina (Imam and Sarkar, 2014), "Online
 * Facility Location", whose sizes are the defaults; the algorithm is Meyerson's (2001).
 *
 * Savina's points are 1 / (n + 1) of the square's side, with n from its generator, so that nearly
 * all lie in one corner; here they do, too. There, a quadrant may tell another of a facility that
 * has ended; here nobody is told once the end has been ordered. And there, a new quadrant adds up
 * its customers before its parent goes on; here a message tells it to.
 *
 * Messages, at least: one to the producer to begin with; each customer to the largest quadrant, and
 * the request for the next; an order to end. Each customer that is passed on, each facility that
 * others are told of, and three for each further quadrant, to begin and to end, are more. How many
 * depends on the schedule, since it decides which facilities a quadrant knows when a customer
 * comes.
 *
 * The answer: the quadrants have as many customers as the producer has sent, and four quadrants for
 * each facility.
 */

#include "benchmarks/workloads/savina/facloc.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

enum option { POINTS, GRID, ALPHA, MEMORY };

static const struct al_option options[] = {
    [POINTS] = {"points", AL_OPTION_UINT, "100000", 1, 1e9, NULL, "customers"},
    [GRID] = {"grid", AL_OPTION_REAL, "500", 1, 1e6, NULL, "side of the square"},
    [ALPHA] = {"alpha", AL_OPTION_REAL, "2", 0.1, 1e6, NULL,
               "cost from which on a quadrant opens a facility, in diagonals of the square"},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

/* Savina's. */
enum { SEED = 74755 };

/* For the distance to a facility (savina.h). */
enum { CYCLES = 2 };

struct quadrant;

struct customer {
    struct al_message message;
    struct point point;
};

struct facility {
    struct al_message message;
    struct point point;
    uint32_t child; /* the receiver's child that sends it; CHILDREN: its parent does */
};

struct request {
    struct al_message message;
};

/* What a quadrant and all below it have, and the messages that they have sent. */
struct sum {
    uint64_t quadrants, facilities, customers, messages;
};

/* These have ended. */
struct confirmation {
    struct al_message message;
    struct sum sum;
};

struct quadrant {
    struct al_actor actor;
    struct state *state;
    struct quadrant *parent; /* NULL: it is the largest */
    uint32_t position;       /* among the parent's children */
    uint32_t left;           /* children that have not ended */
    bool open, ending;
    struct box box;
    double cost;
    struct points facilities; /* that it knows */
    struct points customers;
    struct quadrant *children[CHILDREN];
    struct sum sum; /* of the children that have ended, and its own messages */
};

struct producer {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    struct al_savina_random random;
    uint64_t left; /* customers to send */
};

/* Read-only while the actors run, except the result. */
struct state {
    uint64_t points;
    double grid, threshold;
    struct quadrant *largest;
    struct sum sum; /* written by the largest quadrant when it ends */
    struct al_go go;
    struct al_done done;
    struct request request;
    struct producer producer;
};

AL_ACTOR(producer)
AL_ACTOR_WITH_DESTRUCTOR(quadrant, free_lists)
AL_MESSAGE(confirmation)
AL_MESSAGE(customer)
AL_MESSAGE(facility)
AL_MESSAGE(request)
AL_RECYCLE(confirmation)
AL_RECYCLE(customer)
AL_RECYCLE(facility)

AL_BEHAVIOUR_DECLARE(producer, request)
AL_BEHAVIOUR_DECLARE(quadrant, al_done)
AL_BEHAVIOUR_DECLARE(quadrant, al_go)
AL_BEHAVIOUR_DECLARE(quadrant, confirmation)
AL_BEHAVIOUR_DECLARE(quadrant, customer)
AL_BEHAVIOUR_DECLARE(quadrant, facility)

static void free_lists(struct quadrant *self)
{
    al_free(self->facilities.at);
    al_free(self->customers.at);
}

static void add_customer(struct quadrant *self, struct point point)
{
    append(&self->customers, point);
    self->cost += nearest(&self->facilities, point);
    al_touch(self->facilities.at, self->facilities.n * sizeof *self->facilities.at, AL_TOUCH_READ);
    al_compute(self->facilities.n * CYCLES);
}

static void tell(struct quadrant *self, struct quadrant *to, uint32_t child, struct point point)
{
    self->sum.messages++;
    struct facility *facility = al_message_init(facility, al_new(facility), AL_DELETE);
    facility->child = child;
    facility->point = point;
    al_send(quadrant, facility, to, facility);
}

static struct quadrant *new_quadrant(struct state *state, struct quadrant *parent,
                                     uint32_t position, struct box box)
{
    struct quadrant *quadrant = al_allocate(sizeof *quadrant);
    *quadrant = (struct quadrant){
        .state = state, .parent = parent, .position = position, .left = CHILDREN, .box = box};
    for (uint64_t i = 0; parent != NULL && i < parent->facilities.n; i++)
        append(&quadrant->facilities, parent->facilities.at[i]);
    append(&quadrant->facilities, middle(&box));
    return al_actor_init(quadrant, quadrant);
}

/* Open a facility: from now on the children have the customers. */
static void open_facility(struct quadrant *self)
{
    struct state *state = self->state;
    if (self->parent != NULL)
        tell(self, self->parent, self->position, middle(&self->box));
    for (uint32_t i = 0; i < CHILDREN; i++)
        self->children[i] = new_quadrant(state, self, i, child_box(&self->box, i));
    for (uint64_t i = 0; i < self->customers.n; i++) {
        struct point point = self->customers.at[i];
        append(&self->children[child_of(&self->box, point)]->customers, point);
    }
    for (uint32_t i = 0; i < CHILDREN; i++)
        al_send(quadrant, al_go, self->children[i], &state->go);
    self->sum.messages += CHILDREN;
    self->open = true;
    self->customers.n = 0;
}

/* A new quadrant has the customers that its parent gave it: add up what they cost. */
AL_BEHAVIOUR_DEFINE(quadrant, al_go, self, msg)
{
    uint64_t n = self->customers.n;
    self->customers.n = 0;
    for (uint64_t i = 0; i < n; i++)
        add_customer(self, self->customers.at[i]);
    return AL_NODELETE;
}

static struct customer *new_customer(struct point point)
{
    struct customer *customer = al_message_init(customer, al_new(customer), AL_DELETE);
    customer->point = point;
    return customer;
}

AL_BEHAVIOUR_DEFINE(quadrant, customer, self, msg)
{
    struct state *state = self->state;
    if (self->open) {
        self->sum.messages++;
        al_send(quadrant, customer, self->children[child_of(&self->box, msg->point)],
                new_customer(msg->point));
    } else {
        add_customer(self, msg->point);
        if (self->cost > state->threshold)
            open_facility(self);
    }
    if (self->parent == NULL) {
        self->sum.messages++;
        al_send(producer, request, &state->producer, &state->request);
    }
    return AL_NODELETE;
}

/* Of a facility below it a quadrant tells upwards, and the child across; of others its children. */
AL_BEHAVIOUR_DEFINE(quadrant, facility, self, msg)
{
    append(&self->facilities, msg->point);
    if (msg->child < CHILDREN && self->parent != NULL)
        tell(self, self->parent, self->position, msg->point);
    for (uint32_t i = 0; self->open && !self->ending && i < CHILDREN; i++) {
        if (msg->child == CHILDREN || i == CHILDREN - 1 - msg->child)
            tell(self, self->children[i], CHILDREN, msg->point);
    }
    return AL_NODELETE;
}

static enum al_verdict end(struct quadrant *self)
{
    struct state *state = self->state;
    self->sum.customers += self->customers.n;
    self->sum.facilities += self->open;
    self->sum.quadrants++;
    if (self->parent == NULL) {
        state->sum = self->sum;
        return AL_DELETE;
    }
    self->sum.messages++;
    struct confirmation *its = al_message_init(confirmation, al_new(confirmation), AL_DELETE);
    its->sum = self->sum;
    al_send(quadrant, confirmation, self->parent, its);
    return AL_DELETE;
}

/* No customers come any more. */
AL_BEHAVIOUR_DEFINE(quadrant, al_done, self, msg)
{
    if (!self->open)
        return end(self);
    self->ending = true;
    self->sum.messages += CHILDREN;
    for (uint32_t i = 0; i < CHILDREN; i++)
        al_send(quadrant, al_done, self->children[i], msg);
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(quadrant, confirmation, self, msg)
{
    self->sum.quadrants += msg->sum.quadrants;
    self->sum.facilities += msg->sum.facilities;
    self->sum.customers += msg->sum.customers;
    self->sum.messages += msg->sum.messages;
    return --self->left > 0 ? AL_NODELETE : end(self);
}

static void send_customer(struct producer *self)
{
    struct state *state = self->state;
    double x = al_savina_real(&self->random), y = al_savina_real(&self->random);
    struct point at = {x * state->grid, y * state->grid};
    self->left--;
    al_send(quadrant, customer, state->largest, new_customer(at));
}

AL_BEHAVIOUR(producer, al_go, self, msg)
{
    send_customer(self);
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(producer, request, self, msg)
{
    struct state *state = self->state;
    if (self->left > 0) {
        send_customer(self);
        return AL_NODELETE;
    }
    al_send(quadrant, al_done, state->largest, &state->done);
    return AL_FINISHED;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    struct state *state = al_allocate_lines(1, sizeof *state);
    double grid = values[GRID].real;
    *state = (struct state){
        .points = values[POINTS].uint,
        .grid = grid,
        .threshold = values[ALPHA].real * sqrt(2) * grid,
        .producer = {.state = state, .random = {SEED}, .left = values[POINTS].uint},
    };
    al_message_init(al_go, &state->go, AL_NODELETE);
    al_message_init(al_done, &state->done, AL_NODELETE);
    al_message_init(request, &state->request, AL_NODELETE);
    return state;
}

/* Lists have up to twice the room that they need; customers come and go between quadrants. */
static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    return 4 * (double)values[POINTS].uint * sizeof(struct point);
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return 2 * state->points + 2;
}

/* Those to the producer and the largest quadrant, and what the quadrants have sent. */
static uint64_t delivered(const void *argument)
{
    const struct state *state = argument;
    return state->points + 2 + state->sum.messages;
}

static void start(void *argument)
{
    struct state *state = argument;
    state->largest = new_quadrant(state, NULL, 0, (struct box){0, 0, state->grid, state->grid});
    al_send(producer, al_go, al_actor_init(producer, &state->producer), &state->go);
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    const struct sum *sum = &state->sum;
    if (sum->customers == state->points && sum->quadrants == 1 + CHILDREN * sum->facilities)
        return 0;
    return al_error_set(error, -EBADMSG,
                        "%" PRIu64 " quadrants, of which %" PRIu64
                        " opened a facility, have %" PRIu64 " customers of %" PRIu64,
                        sum->quadrants, sum->facilities, sum->customers, state->points);
}

const struct al_benchmark_ops al_benchmark_facloc = {
    .plugin = {"facloc", "a tree of quadrants that serve customers, and grows", options},
    .stresses = "a tree that grows in one corner, with messages down, up and across",
    .more_messages = true,
    .small = "points=500",
    .sim = "points=10000",
    .bytes = bytes,
    .prepare = prepare,
    .messages = messages,
    .delivered = delivered,
    .start = start,
    .check = check,
    .release = al_free,
};
