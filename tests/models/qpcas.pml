/* SPDX-License-Identifier: MIT */

/*
 * QPCAS, the swap of two queue pointers: schedulers/inverted/qpcas.h, which numbers the steps and
 * the invariants. Every thief makes SWAPS attempts at the slot that its SHAPE names. Each rule is
 * left out if its name is defined, and then some promise is broken:
 *
 *   BLIND_VICTIM   step 2 does not look for a null
 *   BLIND_LOCK     step 3 writes the null without looking
 *   BLIND_SWAP     step 4 writes the victim's slot without looking
 *   NO_RETURN      step 4 does not put the own queue back
 *   SURE           (no rule) that some swap of a cycle succeeds, which is not promised
 */

#define ONE_VICTIM 0
#define CHAIN      1
#define CYCLE      2
#ifndef SHAPE
#define SHAPE CYCLE
#endif
#ifndef THIEVES
#define THIEVES 3
#endif
#ifndef SWAPS
#define SWAPS 1
#endif
#define SLOTS (THIEVES + 1)

byte slot[SLOTS]; /* the number of a queue; 0: null */
byte swaps, ended;

proctype thief(byte self)
{
    byte victim, mine, theirs, attempts;
    bool won;
    if
    :: SHAPE == ONE_VICTIM -> victim = THIEVES
    :: SHAPE == CHAIN -> victim = self + 1
    :: SHAPE == CYCLE -> victim = (self + 1) % THIEVES
    fi;
    do
    :: attempts == SWAPS -> break
    :: else ->
        attempts++;
        mine = slot[self]; /* step 1 */
        assert(mine != 0); /* (3) */
        theirs = slot[victim];
        if
#ifndef BLIND_VICTIM
        :: theirs == 0 -> goto next /* step 2 */
#endif
        :: else
        fi;
        d_step { /* step 3 */
#ifdef BLIND_LOCK
            won = true;
#else
            won = slot[self] == mine;
#endif
            if
            :: won -> slot[self] = 0
            :: else
            fi
        }
        if
        :: !won -> goto next
        :: else
        fi;
        d_step { /* step 4 */
#ifdef BLIND_SWAP
            won = true;
#else
            won = slot[victim] == theirs;
#endif
            if
            :: won -> slot[victim] = mine
            :: else
            fi
        }
        if
        :: won ->
            assert(slot[self] == 0); /* (2) */
            slot[self] = theirs;     /* step 5 */
            swaps++
#ifndef NO_RETURN
        :: else ->
            assert(slot[self] == 0);
            slot[self] = mine
#else
        :: else
#endif
        fi;
next:
        skip
    od;
    ended++
}

init
{
    byte i, j;
    atomic {
        for (i : 0 .. SLOTS - 1) {
            slot[i] = i + 1
        }
        for (i : 0 .. THIEVES - 1) {
            run thief(i)
        }
    }
    ended == THIEVES;
    d_step { /* (1) */
        for (i : 0 .. SLOTS - 1) {
            assert(slot[i] != 0);
            for (j : 0 .. SLOTS - 1) {
                assert(i == j || slot[i] != slot[j])
            }
        }
#ifdef SURE
        assert(swaps > 0)
#else
        assert(SHAPE == CYCLE || swaps > 0)
#endif
    }
}
