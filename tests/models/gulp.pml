/* SPDX-License-Identifier: MIT */

/*
 * Gulps of mailboxes whose slots are stolen meanwhile: schedulers/inverted/mailbox.h and steal.c.
 * A sender pushes to mailbox 1; two workers, each with one slot, gulp what their slot leads to, or
 * swap an empty mailbox for one that has messages. Each rule is left out if its name is defined,
 * and then some promise is broken:
 *
 *   NO_HOLDER   a gulp does not ask whether another worker still delivers: the stealing problem
 *   LATE_HOLD   the worker becomes the holder after it has unlocked
 *   EARLY_END   the holder ends before it has delivered
 *   NO_LOCK     a gulp does not take the lock
 */

#ifndef MESSAGES
#define MESSAGES 3
#endif
#define WORKERS 2

byte slot[WORKERS];                /* the number of a mailbox; 0: null */
bool locked[3], held[3];           /* of each mailbox, numbered from 1 */
byte pushed[3], taken[3], done[3]; /* messages, in the order of their push */
bool inside[3];                    /* a message is being delivered */

#define lock(m)   atomic { !locked[m] -> locked[m] = true }
#define unlock(m) locked[m] = false

proctype sender()
{
    byte n, before;
    do
    :: n == MESSAGES -> break
    :: else ->
        n++;
        lock(1);
        before = pushed[1]; /* a push reads and writes */
        pushed[1] = before + 1;
        unlock(1)
    od
}

proctype worker(byte self)
{
    byte mailbox, theirs, next, end;
    bool won;
    do
    :: done[1] == MESSAGES -> break
    :: else ->
        mailbox = slot[self];
        assert(mailbox != 0);
        if
        :: pushed[mailbox] == taken[mailbox] -> goto steal
        :: else
        fi;
#ifndef NO_LOCK
        lock(mailbox);
#endif
#ifndef NO_HOLDER
        if
        :: held[mailbox] ->
            unlock(mailbox);
            goto over
        :: else
        fi;
#endif
#ifndef LATE_HOLD
        held[mailbox] = true;
#endif
        next = taken[mailbox];
        end = pushed[mailbox];
        taken[mailbox] = end;
#ifndef NO_LOCK
        unlock(mailbox);
#endif
#ifdef LATE_HOLD
        held[mailbox] = true;
#endif
#ifdef EARLY_END
        held[mailbox] = false;
#endif
        do
        :: next >= end -> break
        :: else ->
            assert(!inside[mailbox]);
            inside[mailbox] = true;
            assert(done[mailbox] == next); /* in order, each once */
            next++;
            done[mailbox] = next;
            inside[mailbox] = false
        od;
#ifndef EARLY_END
        held[mailbox] = false;
#endif
        goto over;
steal: /* QPCAS: qpcas.pml */
        theirs = slot[1 - self];
        if
        :: theirs == 0 || pushed[theirs] == taken[theirs] || held[theirs] -> goto over
        :: else
        fi;
        d_step {
            won = slot[self] == mailbox;
            if
            :: won -> slot[self] = 0
            :: else
            fi
        }
        if
        :: !won -> goto over
        :: else
        fi;
        d_step {
            won = slot[1 - self] == theirs;
            if
            :: won -> slot[1 - self] = mailbox
            :: else
            fi
        }
        if
        :: won -> slot[self] = theirs
        :: else -> slot[self] = mailbox
        fi;
over:
        skip
    od
}

init
{
    atomic {
        slot[0] = 1;
        slot[1] = 2;
        run sender();
        run worker(0);
        run worker(1)
    }
}
