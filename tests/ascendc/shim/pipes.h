// The pipes of a core, each a queue of instructions in program order, and their flags.
//
// A kernel's function runs as far as it only records instructions: to its end, or to the next
// SyncAll, behind which it may read what the pipes have computed.
//
// The pipes run in an order that the flags allow. SHIM_ORDER chooses it: `ahead`, each instruction
// as early as it can; `behind`, as late as it can; `MTE2@1`, this pipe of this side as late as it
// can and all others as early; a number, at random from this seed. SHIM_WITHOUT takes flags away:
// the pipe that they made others wait for, as late as it can, is then too late for one of them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <source_location>

namespace shim {

using Where = std::source_location;

struct Flag {
  int from = 0, to = 0;
  int32_t id = 0;
};

/// Runs a kernel's function for each side of each block, and then the pipes, block by block as far
/// as each comes.
void launch(int cores, const std::function<void()> &kernel);
/// The number of the block.
int64_t block();
/// The cube core, 0, or one of the vector cores, 1 and 2, for which the function runs.
int side();
/// The kernel has code for the vector cores.
void isMixed();
/// What the kernel says of itself: whether both kinds of core run it, and whether they can meet.
void hasCores(bool ofBothKinds, bool meet);

void work(int pipe, std::function<void()> instruction);
void set(Flag flag, Where where);
void wait(Flag flag, Where where);
/// A counter of the cube core, or of each vector core. The cube core counts both vector cores; the
/// wait is for one of each. It holds its pipe, or on 2201 the whole core: nothing behind it in the
/// function begins before.
void setCross(int pipe, int id, Where where);
void waitCross(int pipe, int id, Where where);
/// Of all pipes of a core.
void barrier(Where where);
/// Of all pipes of all cores, or of all vector cores.
void syncAll(bool ofVectorCores, Where where);

/// Ends the program with a message at a place of the kernel where a rule does not hold.
void expect(bool holds, const char *rule, Where where);
/// The same of a number that is not in its range.
void expectWithin(int64_t number, int64_t least, int64_t most, const char *name, Where where);

/// CTRL of the core whose function runs. The kernel before has left what hurts most: numbers of 16
/// bits without infinities (48), integers that end at the last one (53), conversions that do not
/// (59).
uint64_t controlNow();
void setControl(uint64_t value);
/// What it was when the instruction that runs was issued.
uint64_t control();

/// The chip, by its __NPU_ARCH__: how large its memories are, and what a wait between cores holds.
void useArchitecture(int number);
/// The core of the block whose function or instruction runs: as `side`.
int running();
/// The bytes [first, first + count) of a tensor of so many bytes at an address of a memory of a
/// core; what lies outside of the tensor or the memory ends the program.
void *local(int side, int position, size_t address, size_t bytes, size_t first, size_t count,
            Where where);
/// The bytes of the tensor at an address that a kernel has taken.
void noteTensor(const void *address, size_t bytes);
size_t bytesOfTensor(const void *address);
/// Bytes of an allocation in global memory.
void *global(const void *address, size_t count, Where where);

/// An instruction writes into the allocation of an address. The scalar unit of a core reads through
/// a cache: what was written after it has forgotten that cache is not fresh.
void noteWrite(const void *address);
void expectFresh(const void *address, Where where);
void forgetCache();

/// Copies bytes, and makes the rest of the room unknown.
void copy(void *to, const void *from, size_t bytes, size_t room);

/// sum + a[0] * b[0] + .., one after the other: each product and its sum with one rounding, or
/// modulo 2^32.
float multiplyAdd(const float *a, const float *b, size_t count, float sum);
int32_t multiplyAdd(const int32_t *a, const int32_t *b, size_t count, int32_t sum);

} // namespace shim
