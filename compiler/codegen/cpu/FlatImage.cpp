#include "compiler/codegen/cpu/FlatImage.h"
#include "runtime/routines/Symbols.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include <fmt/format.h>
#include <optional>

namespace zyxc {

using llvm::object::ELF64LEObjectFile;
using llvm::object::ELFSectionRef;
using llvm::object::ELFSymbolRef;
using llvm::object::SectionRef;

/// A function of the image; functions start at multiples of a cache line.
static constexpr uint64_t leastAlignment = 64;

static uint64_t alignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

static Status asStatus(llvm::Error error) {
  return makeError(ErrorCode::Internal, "object file: {}", llvm::toString(std::move(error)));
}

/// Declares a variable from an llvm::Expected, or returns its error to the caller.
#define ASSIGN_LLVM(decl, ...) ASSIGN_LLVM_INNER(ZYXC_CONCAT(value, __LINE__), decl, __VA_ARGS__)
#define ASSIGN_LLVM_INNER(tmp, decl, ...)                                                          \
  auto tmp = (__VA_ARGS__);                                                                        \
  if (!tmp) {                                                                                      \
    return asStatus(tmp.takeError());                                                              \
  }                                                                                                \
  decl = std::move(*tmp)

namespace {

class Linker {
public:
  Status add(std::string_view object);
  Expected<FlatImage> finish();

private:
  /// An object file, and where its sections are in the image, by their index.
  struct Object {
    std::unique_ptr<ELF64LEObjectFile> file;
    std::map<uint64_t, uint64_t> places;
  };

  Status place(Object &object, bool isText);
  Expected<uint64_t> stubOf(llvm::StringRef symbol);
  Expected<uint64_t> addressOf(const Object &object, const llvm::object::RelocationRef &relocation);
  Status relocate(const Object &object, const SectionRef &section, uint64_t base);
  Status relocate(const Object &object);
  Status addFunctions(const Object &object);

  FlatImage image;
  std::vector<Object> objects;
  std::map<std::string, uint64_t, std::less<>> stubs; ///< by symbol
};

} // namespace

Status Linker::add(std::string_view object) {
  auto buffer = llvm::MemoryBufferRef(llvm::StringRef(object), "kernel");
  ASSIGN_LLVM(auto file, llvm::object::ObjectFile::createELFObjectFile(buffer));
  auto *elf = llvm::dyn_cast<ELF64LEObjectFile>(file.get());
  if (!elf || elf->getArch() != llvm::Triple::x86_64) {
    return makeError(ErrorCode::Internal, "code for this processor cannot be saved, only that for "
                                          "x86-64");
  }
  objects.push_back(
      {std::unique_ptr<ELF64LEObjectFile>(llvm::cast<ELF64LEObjectFile>(file.release())), {}});
  return Status::ok();
}

/// Appends the sections of an object that hold code, or those that hold data.
Status Linker::place(Object &object, bool isText) {
  for (const ELFSectionRef section : object.file->sections()) {
    ASSIGN_LLVM(llvm::StringRef name, section.getName());
    uint64_t flags = section.getFlags();
    bool isLoaded = (flags & llvm::ELF::SHF_ALLOC) != 0 && section.getSize() > 0;
    // Nothing is unwound through kernels.
    if (!isLoaded || name == ".eh_frame" || section.isText() != isText) {
      continue;
    }
    if ((flags & llvm::ELF::SHF_WRITE) != 0) {
      return makeError(ErrorCode::Internal, "section {} of writable data", name.str());
    }
    ASSIGN_LLVM(llvm::StringRef content, section.getContents());
    uint64_t alignment = std::max(section.getAlignment().value(), leastAlignment);
    // Between functions stand traps, not other instructions.
    image.bytes.resize(alignUp(image.bytes.size(), alignment), isText ? '\xcc' : '\0');
    object.places[section.getIndex()] = image.bytes.size();
    image.bytes += content;
  }
  return Status::ok();
}

/// The jump through the slot of a function outside of the image.
Expected<uint64_t> Linker::stubOf(llvm::StringRef symbol) {
  auto found = stubs.find(std::string_view(symbol));
  if (found == stubs.end()) {
    return makeError(ErrorCode::Internal, "it needs the symbol '{}', which a saved plan has not",
                     symbol.str());
  }
  return found->second;
}

/// The place in the image of the symbol that a relocation names.
Expected<uint64_t> Linker::addressOf(const Object &object,
                                     const llvm::object::RelocationRef &relocation) {
  auto symbol = relocation.getSymbol();
  if (symbol == object.file->symbol_end()) {
    return makeError(ErrorCode::Internal, "a relocation without a symbol");
  }
  ASSIGN_LLVM(llvm::StringRef name, symbol->getName());
  ASSIGN_LLVM(auto section, symbol->getSection());
  if (section == object.file->section_end()) {
    return stubOf(name);
  }
  auto place = object.places.find(section->getIndex());
  if (place == object.places.end()) {
    return makeError(ErrorCode::Internal, "symbol '{}' is in no section of the image", name.str());
  }
  ASSIGN_LLVM(uint64_t value, symbol->getValue());
  return place->second + value;
}

Status Linker::relocate(const Object &object, const SectionRef &section, uint64_t base) {
  for (const llvm::object::ELFRelocationRef relocation : section.relocations()) {
    ZYXC_ASSIGN(uint64_t target, addressOf(object, relocation));
    ASSIGN_LLVM(int64_t addend, relocation.getAddend());
    uint64_t place = base + relocation.getOffset();
    auto distance = static_cast<int64_t>(target + addend - place);
    char *bytes = image.bytes.data() + place;
    switch (relocation.getType()) {
    case llvm::ELF::R_X86_64_PC32:
    case llvm::ELF::R_X86_64_PLT32:
      if (!llvm::isInt<32>(distance) || place + 4 > image.bytes.size()) {
        return makeError(ErrorCode::Internal, "code of more than 2 GiB cannot be saved");
      }
      llvm::support::endian::write32le(bytes, static_cast<uint32_t>(distance));
      break;
    case llvm::ELF::R_X86_64_PC64: llvm::support::endian::write64le(bytes, distance); break;
    default: {
      llvm::SmallString<32> type;
      relocation.getTypeName(type);
      return makeError(ErrorCode::Internal, "a relocation {} is not position independent",
                       type.str().str());
    }
    }
  }
  return Status::ok();
}

Status Linker::relocate(const Object &object) {
  for (const SectionRef &section : object.file->sections()) {
    // A section of relocations names the one that it changes.
    ASSIGN_LLVM(auto changed, section.getRelocatedSection());
    if (changed == object.file->section_end()) {
      continue;
    }
    auto place = object.places.find(changed->getIndex());
    if (place != object.places.end()) {
      ZYXC_RETURN_IF_ERROR(relocate(object, section, place->second));
    }
  }
  return Status::ok();
}

Status Linker::addFunctions(const Object &object) {
  auto &functions = image.functions.emplace_back();
  for (const ELFSymbolRef symbol : object.file->symbols()) {
    if (symbol.getELFType() == llvm::ELF::STT_FUNC) {
      ASSIGN_LLVM(llvm::StringRef name, symbol.getName());
      ASSIGN_LLVM(auto section, symbol.getSection());
      ASSIGN_LLVM(uint64_t value, symbol.getValue());
      auto place = object.places.find(section->getIndex());
      if (place == object.places.end()) {
        return makeError(ErrorCode::Internal, "function '{}' is in no section of the image",
                         name.str());
      }
      functions[name.str()] = place->second + value;
    }
  }
  return Status::ok();
}

/// Adds the functions of the runtime that an object calls, still without a place.
static Status addCalled(const ELF64LEObjectFile &file,
                        std::map<std::string, uint64_t, std::less<>> &stubs) {
  for (const ELFSymbolRef symbol : file.symbols()) {
    ASSIGN_LLVM(uint32_t flags, symbol.getFlags());
    ASSIGN_LLVM(llvm::StringRef name, symbol.getName());
    if ((flags & llvm::object::SymbolRef::SF_Undefined) != 0 && rt::findSymbol(name)) {
      stubs.emplace(name.str(), 0);
    }
  }
  return Status::ok();
}

Expected<FlatImage> Linker::finish() {
  for (Object &object : objects) {
    ZYXC_RETURN_IF_ERROR(place(object, /*isText=*/true));
  }
  for (const Object &object : objects) {
    ZYXC_RETURN_IF_ERROR(addCalled(*object.file, stubs));
  }
  // jmp *slot(%rip)
  constexpr uint64_t stubBytes = 8;
  image.bytes.resize(alignUp(image.bytes.size(), stubBytes), '\xcc');
  for (auto &[name, place] : stubs) {
    place = image.bytes.size();
    image.bytes += std::string("\xff\x25\0\0\0\0\xcc\xcc", stubBytes);
  }
  image.textBytes = image.bytes.size();
  image.bytes.resize(alignUp(image.bytes.size(), FlatImage::pageBytes));
  for (Object &object : objects) {
    ZYXC_RETURN_IF_ERROR(place(object, /*isText=*/false));
  }
  image.slotsOffset = alignUp(image.bytes.size(), FlatImage::pageBytes);
  image.bytes.resize(image.slotsOffset + stubs.size() * sizeof(uint64_t));
  for (const auto &[name, place] : stubs) {
    uint64_t slot = image.slotsOffset + image.slots.size() * sizeof(uint64_t);
    constexpr uint64_t jumpBytes = 6, displacementAt = 2;
    llvm::support::endian::write32le(image.bytes.data() + place + displacementAt,
                                     static_cast<uint32_t>(slot - (place + jumpBytes)));
    image.slots.push_back({name, slot});
  }
  for (const Object &object : objects) {
    ZYXC_RETURN_IF_ERROR(relocate(object));
    ZYXC_RETURN_IF_ERROR(addFunctions(object));
  }
  return std::move(image);
}

Expected<FlatImage> makeFlatImage(std::span<const std::string_view> objects) {
  Linker linker;
  for (std::string_view object : objects) {
    ZYXC_RETURN_IF_ERROR(linker.add(object));
  }
  return linker.finish();
}

} // namespace zyxc
