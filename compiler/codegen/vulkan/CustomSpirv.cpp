#include "compiler/codegen/vulkan/CustomSpirv.h"
#include "compiler/codegen/vulkan/SpirvValidator.h"
#include <cstring>
#include <optional>

namespace zyxc {

/// Numbers of the SPIR-V specification.
namespace spv {
static constexpr uint32_t magic = 0x07230203, headerWords = 5, opBits = 0xffff, lengthShift = 16;
static constexpr uint32_t entryPoint = 15, executionMode = 16, loopMerge = 246;
static constexpr uint32_t computeModel = 5, localSize = 17;
} // namespace spv

namespace {

/// What a module says about one entry.
struct EntryFacts {
  std::optional<uint32_t> id;                  ///< of the function; none: there is no such entry
  std::array<uint32_t, 3> threads = {0, 0, 0}; ///< of a workgroup; 0: not said
  bool hasLoops = false;                       ///< some function of the module has
};

} // namespace

/// Reads instructions whose lengths the caller has not checked; a bad one ends the walk.
static EntryFacts factsOf(const std::vector<uint32_t> &words, const std::string &entry) {
  EntryFacts facts;
  for (size_t i = spv::headerWords; i < words.size();) {
    uint32_t length = words[i] >> spv::lengthShift;
    if (length == 0 || length > words.size() - i) {
      break;
    }
    switch (words[i] & spv::opBits) {
    case spv::entryPoint: {
      constexpr size_t nameAt = 3;
      const char *name = reinterpret_cast<const char *>(words.data() + i + nameAt);
      size_t most = length > nameAt ? (length - nameAt) * sizeof(uint32_t) : 0;
      bool isIt = words[i + 1] == spv::computeModel && most > 0 &&
                  std::string_view(name, strnlen(name, most)) == entry;
      facts.id = isIt ? std::optional(words[i + 2]) : facts.id;
      break;
    }
    case spv::executionMode: {
      constexpr uint32_t sizeLength = 6;
      if (length == sizeLength && words[i + 1] == facts.id && words[i + 2] == spv::localSize) {
        std::copy_n(words.begin() + static_cast<ptrdiff_t>(i) + 3, 3, facts.threads.begin());
      }
      break;
    }
    case spv::loopMerge: facts.hasLoops = true; break;
    default: break;
    }
    i += length;
  }
  return facts;
}

static Status refused(const CustomSource &source, const std::string &why) {
  return makeError(ErrorCode::Input, "kernel @{}, spirv entry '{}': {}", source.kernel,
                   source.entry, why);
}

/// The words of the source, checked.
static Expected<std::vector<uint32_t>> wordsOf(const CustomSource &source) {
  std::string image = source.code;
  uint32_t first = 0;
  std::memcpy(&first, image.data(), std::min(sizeof first, image.size()));
  if (first != spv::magic) {
    auto assembled = assembleSpirv(image);
    if (!assembled && assembled.error().code() == ErrorCode::Input) {
      return refused(source, assembled.error().message());
    }
    ZYXC_ASSIGN(image, std::move(assembled));
  }
  if (image.size() % sizeof(uint32_t) != 0 || image.size() < spv::headerWords * sizeof(uint32_t)) {
    return refused(source, fmt::format("{} bytes are no module of words", image.size()));
  }
  std::vector<uint32_t> words(image.size() / sizeof(uint32_t));
  std::memcpy(words.data(), image.data(), image.size());
  if (Status valid = validateSpirv(words); !valid.isOk()) {
    return refused(source, valid.message());
  }
  return words;
}

Expected<CustomSpirv> compileCustomSpirv(const CustomSource &source) {
  ZYXC_ASSIGN(std::vector<uint32_t> words, wordsOf(source));
  EntryFacts facts = factsOf(words, source.entry);
  if (!facts.id) {
    return refused(source, "its module has no entry point GLCompute of this name");
  }
  auto [x, y, z] = facts.threads;
  if (x == 0 || y != 1 || z != 1) {
    return refused(source, fmt::format("its workgroups are {}x{}x{} threads: give them one dim, "
                                       "OpExecutionMode LocalSize X 1 1",
                                       x, y, z));
  }
  CustomSpirv result;
  rt::GpuLaunch launch;
  launch.entry = source.entry;
  for (size_t axis = 0; axis < source.grid.size(); ++axis) {
    if (source.grid[axis] < 0 || source.grid[axis] > UINT32_MAX) {
      return refused(source, fmt::format("{} workgroups along one axis", source.grid[axis]));
    }
    launch.grid[axis] = static_cast<uint32_t>(source.grid[axis]);
  }
  launch.block = x;
  auto needs = needsOfSpirv(words);
  if (!needs) {
    return refused(source, needs.error().message() + ", which zyxc does not enable");
  }
  result.needs = *std::move(needs);
  result.needs.features.push_back(fmt::format("threads{}", x));
  result.code.form = rt::GpuCodeForm::Spirv;
  result.code.loopTurns = facts.hasLoops ? INT64_MAX : 0;
  result.code.kernel.name = source.kernel;
  result.code.kernel.image.assign(reinterpret_cast<const char *>(words.data()),
                                  words.size() * sizeof(uint32_t));
  result.code.kernel.launches = {std::move(launch)};
  return result;
}

} // namespace zyxc
