#include "compiler/import/proto/OnnxTensor.h"
#include <charconv>
#include <cstring>
#include <filesystem>

namespace zyxc::importer {

/// Numbers of TensorProto.DataType. The packaged schema is older than the 8-bit floats.
static constexpr std::pair<int, DType> dataTypes[] = {
    {onnx::TensorProto::FLOAT, DType::F32},
    {onnx::TensorProto::UINT8, DType::U8},
    {onnx::TensorProto::INT8, DType::I8},
    {onnx::TensorProto::UINT16, DType::U16},
    {onnx::TensorProto::INT16, DType::I16},
    {onnx::TensorProto::INT32, DType::I32},
    {onnx::TensorProto::INT64, DType::I64},
    {onnx::TensorProto::BOOL, DType::Bool},
    {onnx::TensorProto::FLOAT16, DType::F16},
    {onnx::TensorProto::DOUBLE, DType::F64},
    {onnx::TensorProto::UINT32, DType::U32},
    {onnx::TensorProto::UINT64, DType::U64},
    {onnx::TensorProto::BFLOAT16, DType::BF16},
    {17, DType::F8E4M3FN},
    {19, DType::F8E5M2},
    {21, DType::U4},
    {22, DType::I4},
    {23, DType::F4E2M1FN},
    {25, DType::U2},
    {26, DType::I2},
};

std::optional<DType> dtypeOfOnnx(int dataType) {
  for (auto [number, dtype] : dataTypes) {
    if (number == dataType) {
      return dtype;
    }
  }
  return std::nullopt;
}

int onnxOfDType(DType dtype) {
  for (auto [number, row] : dataTypes) {
    if (row == dtype) {
      return number;
    }
  }
  return onnx::TensorProto::UNDEFINED;
}

std::string onnxTypeName(int dataType) {
  if (std::optional<DType> dtype = dtypeOfOnnx(dataType)) {
    return std::string(name(*dtype));
  }
  static constexpr std::pair<int, const char *> others[] = {{8, "string"},      {14, "complex64"},
                                                            {15, "complex128"}, {18, "f8E4M3FNUZ"},
                                                            {20, "f8E5M2FNUZ"}, {24, "f8E8M0FNU"}};
  for (auto [number, text] : others) {
    if (number == dataType) {
      return text;
    }
  }
  return fmt::format("type {}", dataType);
}

static Expected<TensorType> typeOf(const onnx::TensorProto &proto) {
  std::optional<DType> dtype = dtypeOfOnnx(proto.data_type());
  if (!dtype) {
    return makeError(ErrorCode::Unsupported, "elements of {} are not supported",
                     onnxTypeName(proto.data_type()));
  }
  if (proto.has_segment()) {
    return makeError(ErrorCode::Unsupported, "tensors in segments are not supported");
  }
  Shape shape(proto.dims().begin(), proto.dims().end());
  if (!checkedNumElements(shape)) {
    return makeError(ErrorCode::Input, "its dims [{}] are negative or too large",
                     fmt::join(shape, ","));
  }
  return TensorType{*dtype, std::move(shape)};
}

size_t packedBytes(const TensorType &type) {
  if (!isSubByte(type.dtype)) {
    return type.byteSize();
  }
  int64_t perByte = 8 / bitWidth(type.dtype);
  return static_cast<size_t>((type.numElements() + perByte - 1) / perByte);
}

/// Elements of less than a byte, the first one in the low bits.
static Tensor unpacked(TensorType type, const uint8_t *packed) {
  int width = bitWidth(type.dtype);
  int64_t perByte = 8 / width;
  Tensor tensor = Tensor::allocate(std::move(type));
  for (int64_t i = 0; i < tensor.numElements(); ++i) {
    int bits = packed[i / perByte] >> (i % perByte * width) & ((1 << width) - 1);
    if (isFloat(tensor.dtype())) {
      tensor.asMutable<uint8_t>()[i] = static_cast<uint8_t>(bits);
    } else {
      tensor.setInt(i, bits);
    }
  }
  return tensor;
}

std::string packedContent(const Tensor &tensor) {
  std::string content(packedBytes(tensor.type()), '\0');
  int width = bitWidth(tensor.dtype());
  int64_t perByte = 8 / width;
  for (int64_t i = 0; isSubByte(tensor.dtype()) && i < tensor.numElements(); ++i) {
    int bits = tensor.as<uint8_t>()[i] & ((1 << width) - 1);
    content[static_cast<size_t>(i / perByte)] |= static_cast<char>(bits << (i % perByte * width));
  }
  if (!isSubByte(tensor.dtype())) {
    std::memcpy(content.data(), tensor.data(), content.size());
  }
  return content;
}

/// A view where the bytes suit the dtype (alignment; bools of 0 and 1; no packed elements), else a
/// copy.
static Tensor viewOrCopy(TensorType type, const void *data, std::shared_ptr<const void> owner) {
  if (isSubByte(type.dtype)) {
    return unpacked(std::move(type), static_cast<const uint8_t *>(data));
  }
  bool aligned = reinterpret_cast<uintptr_t>(data) % byteSize(type.dtype) == 0;
  if (aligned && type.dtype != DType::Bool) {
    return Tensor::view(std::move(type), data, std::move(owner));
  }
  Tensor tensor = Tensor::allocate(std::move(type));
  std::memcpy(tensor.mutableData(), data, tensor.byteSize());
  if (tensor.dtype() == DType::Bool) {
    for (int64_t i = 0, count = tensor.numElements(); i < count; ++i) {
      tensor.setInt(i, tensor.asInt(i));
    }
  }
  return tensor;
}

Expected<Tensor> TensorReader::read(const onnx::TensorProto &proto) {
  auto readOne = [&]() -> Expected<Tensor> {
    ZYXC_ASSIGN(TensorType type, typeOf(proto));
    if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
      return readExternal(proto, std::move(type));
    }
    if (!proto.has_raw_data()) {
      return readTyped(proto, std::move(type));
    }
    if (proto.raw_data().size() != packedBytes(type)) {
      return makeError(ErrorCode::Input, "{} needs {} bytes, but {} are stored", toString(type),
                       packedBytes(type), proto.raw_data().size());
    }
    return viewOrCopy(std::move(type), proto.raw_data().data(), owner);
  };
  Expected<Tensor> tensor = readOne();
  if (!tensor) {
    return std::move(tensor).error().withContext(fmt::format("tensor '{}'", proto.name()));
  }
  return tensor;
}

Expected<Tensor> TensorReader::readTyped(const onnx::TensorProto &proto, TensorType type) {
  auto countIs = [&](int64_t stored) {
    return stored == type.numElements()
               ? Status::ok()
               : makeError(ErrorCode::Input, "{} needs {} elements, but {} are stored",
                           toString(type), type.numElements(), stored);
  };
  auto fill = [&](const auto &values) -> Expected<Tensor> {
    ZYXC_RETURN_IF_ERROR(countIs(values.size()));
    Tensor tensor = Tensor::allocate(std::move(type));
    // Narrow floats are stored as their bits, which is what the low bytes of the integers are.
    size_t size = zyxc::byteSize(tensor.dtype());
    for (int i = 0; i < values.size(); ++i) {
      auto value = values[i];
      std::memcpy(tensor.mutableData() + i * size, &value, size);
    }
    return viewOrCopy(tensor.type(), tensor.data(), std::make_shared<Tensor>(tensor));
  };
  switch (type.dtype) {
  case DType::F32: return fill(proto.float_data());
  case DType::F64: return fill(proto.double_data());
  case DType::I64: return fill(proto.int64_data());
  case DType::U32:
  case DType::U64: return fill(proto.uint64_data());
  default: break;
  }
  if (!isSubByte(type.dtype)) {
    return fill(proto.int32_data());
  }
  // Each integer holds a byte of packed elements.
  auto count = static_cast<int64_t>(packedBytes(type));
  if (proto.int32_data_size() != count) {
    return makeError(ErrorCode::Input, "{} needs {} packed bytes, but {} are stored",
                     toString(type), count, proto.int32_data_size());
  }
  std::vector<uint8_t> packed(proto.int32_data().begin(), proto.int32_data().end());
  return unpacked(std::move(type), packed.data());
}

/// Where the bytes of an external tensor lie.
struct ExternalEntry {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
};

static Expected<ExternalEntry> parseExternal(const onnx::TensorProto &proto) {
  ExternalEntry entry;
  for (const onnx::StringStringEntryProto &pair : proto.external_data()) {
    if (pair.key() == "location") {
      entry.location = pair.value();
    } else if (pair.key() == "offset" || pair.key() == "length") {
      const std::string &text = pair.value();
      uint64_t number = 0;
      auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      if (error != std::errc() || end != text.data() + text.size()) {
        return makeError(ErrorCode::Input, "its external data has {} '{}', which is no byte count",
                         pair.key(), text);
      }
      if (pair.key() == "offset") {
        entry.offset = number;
      } else {
        entry.length = number;
      }
    }
  }
  if (entry.location.empty()) {
    return makeError(ErrorCode::Input, "its external data names no file");
  }
  return entry;
}

Expected<MappedBytes> TensorReader::mapExternal(const std::string &location) {
  namespace fs = std::filesystem;
  if (auto found = mapped.find(location); found != mapped.end()) {
    return found->second;
  }
  auto refuse = [&](std::string_view why) {
    return makeError(ErrorCode::Input,
                     "external file '{}' {}: external data must lie in the folder of the model",
                     location, why);
  };
  fs::path relative(location);
  if (relative.is_absolute() || location.find('\0') != std::string::npos) {
    return refuse("is an absolute path");
  }
  for (const fs::path &part : relative) {
    if (part == "..") {
      return refuse("leads outside");
    }
  }
  std::error_code error;
  fs::path root = fs::canonical(folder, error);
  fs::path file = error ? fs::path() : fs::canonical(root / relative, error);
  if (error) {
    return makeError(ErrorCode::Input,
                     "external file '{}' cannot be opened ({}): put it beside the model", location,
                     error.message());
  }
  auto [rootEnd, rest] = std::mismatch(root.begin(), root.end(), file.begin(), file.end());
  if (rootEnd != root.end()) {
    return refuse("is a link that leads outside");
  }
  ZYXC_ASSIGN(InputFile input, InputFile::open(file.string()));
  ZYXC_ASSIGN(MappedBytes bytes, input.map());
  mapped.emplace(location, bytes);
  return bytes;
}

Expected<Tensor> TensorReader::readExternal(const onnx::TensorProto &proto, TensorType type) {
  ZYXC_ASSIGN(ExternalEntry entry, parseExternal(proto));
  size_t needed = packedBytes(type);
  if (entry.length && *entry.length != needed) {
    return makeError(ErrorCode::Input, "{} needs {} bytes, but its external data has length {}",
                     toString(type), needed, *entry.length);
  }
  ZYXC_ASSIGN(MappedBytes bytes, mapExternal(entry.location));
  if (entry.offset > bytes.size || bytes.size - entry.offset < needed) {
    return makeError(ErrorCode::Input,
                     "external file '{}' has {} bytes, too few for {} bytes at offset {}: copy the "
                     "whole file",
                     entry.location, bytes.size, needed, entry.offset);
  }
  return viewOrCopy(std::move(type), bytes.data + entry.offset, bytes.owner);
}

} // namespace zyxc::importer
