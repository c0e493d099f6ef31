// SPDX-License-Identifier: MIT

/** actorlab's generator, xoshiro256** (core/random.h), so that the choices are the same. */
final class Random {
    private static final long STEP = 0x9e3779b97f4a7c15L;

    private long a, b, c, d;

    Random(long seed, long stream) {
        long s = mix(seed + STEP) ^ stream * 0xd1342543de82ef95L;
        a = mix(s += STEP);
        b = mix(s += STEP);
        c = mix(s += STEP);
        d = mix(s += STEP);
    }

    private static long mix(long z) {
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }

    private long next() {
        long result = Long.rotateLeft(b * 5, 7) * 9, t = b << 17;
        c ^= a;
        d ^= b;
        b ^= c;
        a ^= d;
        c ^= t;
        d = Long.rotateLeft(d, 45);
        return result;
    }

    /** Uniform on [0, bound), without bias (Lemire, 2019). */
    int below(int bound) {
        long product = (next() >>> 32) * bound;
        if ((product & 0xffffffffL) < bound) {
            long reject = (0x100000000L - bound) % bound;
            while ((product & 0xffffffffL) < reject)
                product = (next() >>> 32) * bound;
        }
        return (int) (product >>> 32);
    }
}
