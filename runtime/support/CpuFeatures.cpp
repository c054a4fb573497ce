#include "runtime/support/CpuFeatures.h"
#include <algorithm>
#include <array>
#include <cstdint>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace zyxc {

namespace {

/// Registers that the operating system must save for a feature to be usable.
enum class Saves : uint8_t { Nothing, Any, Avx, Avx512, Amx };

enum class Register : uint8_t { Eax, Ebx, Ecx, Edx };

/// Where `cpuid` tells of a feature.
struct Feature {
  std::string_view name;
  uint32_t leaf, subleaf;
  Register place;
  unsigned bit;
  Saves saves = Saves::Nothing;
};

} // namespace

using enum Register;
using enum Saves;

static constexpr Feature table[] = {
    {"x87", 1, 0, Edx, 0},
    {"cx8", 1, 0, Edx, 8},
    {"cmov", 1, 0, Edx, 15},
    {"mmx", 1, 0, Edx, 23},
    {"fxsr", 1, 0, Edx, 24},
    {"sse", 1, 0, Edx, 25},
    {"sse2", 1, 0, Edx, 26},
    {"sse3", 1, 0, Ecx, 0},
    {"pclmul", 1, 0, Ecx, 1},
    {"ssse3", 1, 0, Ecx, 9},
    {"fma", 1, 0, Ecx, 12, Avx},
    {"cx16", 1, 0, Ecx, 13},
    {"sse4.1", 1, 0, Ecx, 19},
    {"sse4.2", 1, 0, Ecx, 20},
    {"crc32", 1, 0, Ecx, 20},
    {"movbe", 1, 0, Ecx, 22},
    {"popcnt", 1, 0, Ecx, 23},
    {"aes", 1, 0, Ecx, 25},
    {"xsave", 1, 0, Ecx, 27, Any},
    {"avx", 1, 0, Ecx, 28, Avx},
    {"f16c", 1, 0, Ecx, 29, Avx},
    {"rdrnd", 1, 0, Ecx, 30},
    {"fsgsbase", 7, 0, Ebx, 0},
    {"sgx", 7, 0, Ebx, 2},
    {"bmi", 7, 0, Ebx, 3},
    {"avx2", 7, 0, Ebx, 5, Avx},
    {"bmi2", 7, 0, Ebx, 8},
    {"invpcid", 7, 0, Ebx, 10},
    {"rtm", 7, 0, Ebx, 11},
    {"avx512f", 7, 0, Ebx, 16, Avx512},
    {"avx512dq", 7, 0, Ebx, 17, Avx512},
    {"rdseed", 7, 0, Ebx, 18},
    {"adx", 7, 0, Ebx, 19},
    {"avx512ifma", 7, 0, Ebx, 21, Avx512},
    {"clflushopt", 7, 0, Ebx, 23},
    {"clwb", 7, 0, Ebx, 24},
    {"avx512cd", 7, 0, Ebx, 28, Avx512},
    {"sha", 7, 0, Ebx, 29},
    {"avx512bw", 7, 0, Ebx, 30, Avx512},
    {"avx512vl", 7, 0, Ebx, 31, Avx512},
    {"avx512vbmi", 7, 0, Ecx, 1, Avx512},
    {"pku", 7, 0, Ecx, 4},
    {"waitpkg", 7, 0, Ecx, 5},
    {"avx512vbmi2", 7, 0, Ecx, 6, Avx512},
    {"shstk", 7, 0, Ecx, 7},
    {"gfni", 7, 0, Ecx, 8},
    {"vaes", 7, 0, Ecx, 9, Avx},
    {"vpclmulqdq", 7, 0, Ecx, 10, Avx},
    {"avx512vnni", 7, 0, Ecx, 11, Avx512},
    {"avx512bitalg", 7, 0, Ecx, 12, Avx512},
    {"avx512vpopcntdq", 7, 0, Ecx, 14, Avx512},
    {"rdpid", 7, 0, Ecx, 22},
    {"kl", 7, 0, Ecx, 23},
    {"cldemote", 7, 0, Ecx, 25},
    {"movdiri", 7, 0, Ecx, 27},
    {"movdir64b", 7, 0, Ecx, 28},
    {"enqcmd", 7, 0, Ecx, 29},
    {"uintr", 7, 0, Edx, 5},
    {"avx512vp2intersect", 7, 0, Edx, 8, Avx512},
    {"serialize", 7, 0, Edx, 14},
    {"tsxldtrk", 7, 0, Edx, 16},
    {"pconfig", 7, 0, Edx, 18},
    {"amx-bf16", 7, 0, Edx, 22, Amx},
    {"avx512fp16", 7, 0, Edx, 23, Avx512},
    {"amx-tile", 7, 0, Edx, 24, Amx},
    {"amx-int8", 7, 0, Edx, 25, Amx},
    {"sha512", 7, 1, Eax, 0},
    {"sm3", 7, 1, Eax, 1},
    {"sm4", 7, 1, Eax, 2},
    {"raoint", 7, 1, Eax, 3},
    {"avxvnni", 7, 1, Eax, 4, Avx},
    {"avx512bf16", 7, 1, Eax, 5, Avx512},
    {"cmpccxadd", 7, 1, Eax, 7},
    {"amx-fp16", 7, 1, Eax, 21, Amx},
    {"hreset", 7, 1, Eax, 22},
    {"avxifma", 7, 1, Eax, 23, Avx},
    {"avxvnniint8", 7, 1, Edx, 4, Avx},
    {"avxneconvert", 7, 1, Edx, 5, Avx},
    {"amx-complex", 7, 1, Edx, 8, Amx},
    {"avxvnniint16", 7, 1, Edx, 10, Avx},
    {"prefetchi", 7, 1, Edx, 14},
    {"usermsr", 7, 1, Edx, 15},
    {"xsaveopt", 0xd, 1, Eax, 0, Any},
    {"xsavec", 0xd, 1, Eax, 1, Any},
    {"xsaves", 0xd, 1, Eax, 3, Any},
    {"ptwrite", 0x14, 0, Ebx, 4},
    {"sahf", 0x80000001, 0, Ecx, 0},
    {"lzcnt", 0x80000001, 0, Ecx, 5},
    {"sse4a", 0x80000001, 0, Ecx, 6},
    {"prfchw", 0x80000001, 0, Ecx, 8},
    {"xop", 0x80000001, 0, Ecx, 11, Avx},
    {"lwp", 0x80000001, 0, Ecx, 15},
    {"fma4", 0x80000001, 0, Ecx, 16, Avx},
    {"tbm", 0x80000001, 0, Ecx, 21},
    {"mwaitx", 0x80000001, 0, Ecx, 29},
    {"64bit", 0x80000001, 0, Edx, 29},
    {"clzero", 0x80000008, 0, Ebx, 0},
    {"rdpru", 0x80000008, 0, Ebx, 4},
    {"wbnoinvd", 0x80000008, 0, Ebx, 9},
};

CpuFeatures::CpuFeatures(std::vector<std::string> names) : sorted(std::move(names)) {
  std::sort(sorted.begin(), sorted.end());
}

bool CpuFeatures::isKnown(std::string_view name) {
  return std::any_of(std::begin(table), std::end(table),
                     [&](const Feature &feature) { return feature.name == name; });
}

bool CpuFeatures::has(std::string_view name) const {
  return std::binary_search(sorted.begin(), sorted.end(), name);
}

std::vector<std::string> CpuFeatures::missing(std::span<const std::string> needed) const {
  std::vector<std::string> lacking;
  std::copy_if(needed.begin(), needed.end(), std::back_inserter(lacking),
               [&](const std::string &name) { return !has(name); });
  return lacking;
}

std::vector<std::string> splitFeatures(std::string_view text) {
  std::vector<std::string> names;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    names.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

#if defined(__x86_64__)

/// The four registers of a leaf of cpuid; zeros where the processor has no such leaf.
static std::array<unsigned, 4> leafOf(uint32_t leaf, uint32_t subleaf) {
  std::array<unsigned, 4> words{};
  __get_cpuid_count(leaf, subleaf, &words[0], &words[1], &words[2], &words[3]);
  return words;
}

/// The registers that the operating system saves, as bits of XCR0; 0 if it says nothing.
static uint64_t savedRegisters() {
  constexpr unsigned osxsave = 1u << 27;
  if ((leafOf(1, 0)[2] & osxsave) == 0) {
    return 0;
  }
  uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low | (static_cast<uint64_t>(high) << 32);
}

static bool areSaved(Saves what, uint64_t xcr0) {
  constexpr uint64_t avx = 0x6, avx512 = avx | 0xe0, amx = 0x60000;
  switch (what) {
  case Nothing: return true;
  case Any: return xcr0 != 0;
  case Avx: return (xcr0 & avx) == avx;
  case Avx512: return (xcr0 & avx512) == avx512;
  case Amx: return (xcr0 & amx) == amx;
  }
  return false;
}

CpuFeatures CpuFeatures::detect() {
  uint64_t xcr0 = savedRegisters();
  std::vector<std::string> names;
  for (const Feature &feature : table) {
    unsigned word = leafOf(feature.leaf, feature.subleaf)[static_cast<size_t>(feature.place)];
    if ((word >> feature.bit & 1) != 0 && areSaved(feature.saves, xcr0)) {
      names.emplace_back(feature.name);
    }
  }
  return CpuFeatures(std::move(names));
}

#else

CpuFeatures CpuFeatures::detect() {
  return CpuFeatures({});
}

#endif

} // namespace zyxc
