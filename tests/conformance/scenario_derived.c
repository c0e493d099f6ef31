/* SPDX-License-Identifier: MIT */

/*
 * derived: actor and message types with bases. Promises: a derived actor receives what its base
 * does; a type's own behaviour for pills decides instead of the pill; destructors run from the
 * derived type to its last base, and then the whole storage is freed; FINISHED runs no destructor.
 */

#include <string.h>

#include "core/actor.h"
#include "tests/conformance/scenarios.h"
#include "tests/support/tap.h"

/* What happened to one object, in order; the log outlives it. */
struct diary {
    char entries[16];
};

static void enter(struct diary *diary, char what)
{
    size_t length = strlen(diary->entries);
    CHECK(length + 1 < sizeof diary->entries, "too much happened: %s", diary->entries);
    diary->entries[length] = what;
}

/* ride <- fare */

struct ride {
    uint64_t padding;
    struct al_message message;
    struct diary *diary;
};

struct fare {
    uint64_t cents;
    struct ride ride;
};

static void destroy_ride(struct ride *ride)
{
    enter(ride->diary, 'r');
}

static void destroy_fare(struct fare *fare)
{
    enter(fare->ride.diary, 'f');
}

AL_MESSAGE_WITH_DESTRUCTOR(ride, destroy_ride)
AL_MESSAGE_DERIVED_WITH_DESTRUCTOR(fare, ride, ride, destroy_fare)

/* vehicle <- car <- taxi; the car has no destructor and no behaviour of its own */

struct vehicle {
    uint64_t padding;
    struct al_actor actor;
    struct diary *diary;
};

struct car {
    char plate[9];
    struct vehicle vehicle;
};

struct taxi {
    uint64_t cents;
    uint32_t pills;
    struct car car;
};

static void destroy_vehicle(struct vehicle *vehicle)
{
    enter(vehicle->diary, 'V');
}

static void destroy_taxi(struct taxi *taxi)
{
    CHECK(strcmp(taxi->car.plate, "TAXI") == 0, "the destructor was given something else");
    enter(taxi->car.vehicle.diary, 'T');
}

AL_ACTOR_WITH_DESTRUCTOR(vehicle, destroy_vehicle)
AL_ACTOR_DERIVED(car, vehicle, vehicle)
AL_ACTOR_DERIVED_WITH_DESTRUCTOR(taxi, car, car, destroy_taxi)

AL_BEHAVIOUR(vehicle, ride, self, msg)
{
    enter(self->diary, 'r');
    return AL_NODELETE;
}

AL_PILL_BEHAVIOUR(vehicle, self, pill)
{
    enter(self->diary, "nDdf"[pill->verdict]);
    return pill->verdict;
}

AL_INHERIT(car, vehicle, ride)
AL_INHERIT(taxi, car, ride)

AL_BEHAVIOUR(taxi, fare, self, msg)
{
    self->cents += msg->cents;
    enter(self->car.vehicle.diary, 'f');
    return AL_NODELETE;
}

/* A taxi ignores the first pill, and treats any second one as DELETE. */
AL_PILL_BEHAVIOUR(taxi, self, pill)
{
    enter(self->car.vehicle.diary, 'p');
    return ++self->pills < 2 ? AL_NODELETE : AL_DELETE;
}

static struct taxi *new_taxi(struct diary *diary)
{
    struct taxi *taxi = malloc(sizeof *taxi);
    CHECK(taxi != NULL, "no memory");
    *taxi = (struct taxi){.car = {.plate = "TAXI", .vehicle.diary = diary}};
    return al_actor_init(taxi, taxi);
}

static struct fare *new_fare(struct diary *diary)
{
    struct fare *fare = malloc(sizeof *fare);
    CHECK(fare != NULL, "no memory");
    *fare = (struct fare){.cents = 250, .ride.diary = diary};
    return al_message_init(fare, fare, AL_DELETE);
}

#define SAYS(diary, expected)                                                                      \
    CHECK(strcmp((diary).entries, expected) == 0, "'%s' was to happen to %s, but '%s' did",        \
          expected, #diary, (diary).entries)

void run_derived(const struct al_config *config, bool large)
{
    for (uint32_t repetition = large ? 50 : 2; repetition > 0; repetition--) {
        struct diary vehicle_diary = {0}, car_diary = {0}, taxi_diary = {0}, fare_diary = {0},
                     other_diary = {0}, ride_diary = {0};
        struct vehicle vehicle = {.diary = &vehicle_diary};
        struct car car = {.vehicle.diary = &car_diary};
        struct ride ride = {.diary = &ride_diary};
        struct al_system *system = start_system(config);
        al_message_init(ride, &ride, AL_NODELETE);
        al_actor_init(vehicle, &vehicle);
        al_actor_init(car, &car);
        struct taxi *taxi = new_taxi(&taxi_diary);

        /* Each gets one derived message; a vehicle receives it as its base, a ride. */
        al_send(vehicle, ride, al_send(vehicle, ride, &vehicle, &ride),
                &new_fare(&fare_diary)->ride);
        al_send_pill(&vehicle.actor, &al_finished_msg);
        al_send(car, ride, al_send(car, ride, &car, &ride), &ride);
        al_send_pill(&car.vehicle.actor, &al_destroy_msg);
        al_send_pill(&taxi->car.vehicle.actor, &al_finished_msg);
        al_send(taxi, ride, al_send(taxi, fare, taxi, new_fare(&other_diary)), &ride);
        al_send_pill(&taxi->car.vehicle.actor, &al_destroy_msg);
        stop_system(system);

        SAYS(vehicle_diary, "rrf");
        SAYS(car_diary, "rrdV");
        SAYS(taxi_diary, "pfrpTV");
        SAYS(fare_diary, "fr");
        SAYS(other_diary, "fr");
        SAYS(ride_diary, "");
    }
}
