// SPDX-License-Identifier: MIT

package main

import "math/bits"

// actorlab's generator, xoshiro256** (core/random.h), so that the choices are the same.
type random [4]uint64

func split(seed *uint64) uint64 {
	*seed += 0x9e3779b97f4a7c15
	z := *seed
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

func newRandom(seed, stream uint64) random {
	s := split(&seed) ^ stream*0xd1342543de82ef95
	var made random
	for i := range made {
		made[i] = split(&s)
	}
	return made
}

func (s *random) next() uint64 {
	result := bits.RotateLeft64(s[1]*5, 7) * 9
	t := s[1] << 17
	s[2] ^= s[0]
	s[3] ^= s[1]
	s[1] ^= s[2]
	s[0] ^= s[3]
	s[2] ^= t
	s[3] = bits.RotateLeft64(s[3], 45)
	return result
}

// Uniform on [0, bound), without bias (Lemire, 2019).
func (s *random) below(bound uint32) uint32 {
	product := (s.next() >> 32) * uint64(bound)
	if uint32(product) < bound {
		reject := -bound % bound
		for uint32(product) < reject {
			product = (s.next() >> 32) * uint64(bound)
		}
	}
	return uint32(product >> 32)
}
