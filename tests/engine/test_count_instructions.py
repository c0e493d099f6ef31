#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The assembler that counts instructions: what it makes of a compiler's text."""

import importlib.util
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("counter", ROOT / "core/engine/count_instructions.py")
COUNTER = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(COUNTER)

FUNCTION = """\
\t.globl\tf
\t.type\tf, @function
f:
.LFB0:
\t.cfi_startproc
\tpushq\t%rbx
\tmovq\t%rdi, %rbx
\tcall\t__sanitizer_cov_trace_pc
\tleaq\t8(%rbx), %rdi
\tcall\t__tsan_read8
\tmovq\t8(%rbx), %rax
\ttestq\t%rax, %rax
\tje\t.L2
\tcall\t__sanitizer_cov_trace_pc@PLT
\tmovl\t$2, %esi
\tmovq\t%rbx, %rdi
\tcall\t__tsan_atomic64_load
\tnopw\t0(%rax)
.L2:
\tcall\t__sanitizer_cov_trace_pc
\tmovl\t$5, %edx
\tmovl\t$1, %esi
\tmovq\t%rbx, %rdi
\tcall\t__tsan_atomic64_fetch_add
\tmovl\t$0, %edi
\tcall\tal_engine_operation
\tpopq\t%rbx
\tret
\t.cfi_endproc
.LFE0:
\t.size\tf, .-f
"""


# A loop, behind which the mark of the last block has become the function's last jump.
LOOP = """\
g:
\tmovl\t$16, %ebx
\tcall\t__sanitizer_cov_trace_pc
.L3:
.LVL4:
\tmovq\t%r12, %rdi
\tcall\t__sanitizer_cov_trace_pc
\tsubl\t$1, %ebx
\tjne\t.L3
\tpopq\t%rbx
\tpopq\t%r12
\tjmp\t__sanitizer_cov_trace_pc
\t.size\tg, .-g
"""


class Counting(unittest.TestCase):
    def test_blocks(self):
        """Pushes and moves before the first mark belong to it; a read's call and address count for
        nothing, an atomic operation's call for the operation."""
        self.assertEqual(COUNTER.weigh(FUNCTION.splitlines()), [2 + 3, 1, 1 + 2])

    def test_functions(self):
        """What is before a function's first mark does not belong to the function before it."""
        self.assertEqual(COUNTER.weigh((FUNCTION + FUNCTION).splitlines()), 2 * [2 + 3, 1, 1 + 2])
        bare = "g:\n\txorl\t%eax, %eax\n\tret\n\t.size\tg, .-g\n"
        self.assertEqual(COUNTER.weigh((bare + FUNCTION).splitlines()), [2 + 3, 1, 1 + 2])

    def test_loops(self):
        """What is behind a jump or a label belongs to the mark behind it; the last jump returns."""
        self.assertEqual(COUNTER.weigh((LOOP + FUNCTION).splitlines()), [1, 3, 2 + 1, 2 + 3, 1, 1 + 2])
        self.assertTrue(COUNTER.count(LOOP).endswith(
            "\tpopq\t%r12\n\taddq\t$3, al_instructions(%rip)\n\tret\n\t.size\tg, .-g\n"))

    def test_text(self):
        text = COUNTER.count(FUNCTION)
        self.assertNotIn("trace_pc", text)
        self.assertIn("\taddq\t$5, al_instructions(%rip)\n", text)
        self.assertEqual(len(text.splitlines()), len(FUNCTION.splitlines()))

    def test_shared(self):
        """In a shared object the count is found by its address."""
        text = COUNTER.count(FUNCTION, shared=True)
        self.assertNotIn("al_instructions(%rip)", text)
        self.assertIn("\tmovq\tal_instructions@GOTPCREL(%rip), %r11\n\taddq\t$5, (%r11)\n", text)


if __name__ == "__main__":
    unittest.main()
