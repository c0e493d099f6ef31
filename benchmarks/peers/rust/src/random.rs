// SPDX-License-Identifier: MIT

/// actorlab's generator, xoshiro256** (core/random.h), so that the choices are the same.
#[derive(Clone)]
pub struct Random([u64; 4]);

fn split(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9e3779b97f4a7c15);
    let mut z = *seed;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
    z ^ (z >> 31)
}

impl Random {
    pub fn new(mut seed: u64, stream: u64) -> Random {
        let mut s = split(&mut seed) ^ stream.wrapping_mul(0xd1342543de82ef95);
        Random([split(&mut s), split(&mut s), split(&mut s), split(&mut s)])
    }

    fn next(&mut self) -> u64 {
        let s = &mut self.0;
        let result = s[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// Uniform on [0, bound), without bias (Lemire, 2019).
    pub fn below(&mut self, bound: u32) -> u32 {
        let mut product = (self.next() >> 32) * u64::from(bound);
        if (product as u32) < bound {
            let reject = bound.wrapping_neg() % bound;
            while (product as u32) < reject {
                product = (self.next() >> 32) * u64::from(bound);
            }
        }
        (product >> 32) as u32
    }
}
