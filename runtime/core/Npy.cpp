#include "runtime/core/Npy.h"
#include "runtime/support/File.h"
#include <charconv>
#include <cstring>
#include <fmt/ranges.h>

namespace zyxc {

/// The dict at the start of a .npy file.
struct NpyHeader {
  std::string descr;
  bool fortranOrder = false;
  Shape shape;
};

/// Reads the Python literal of a .npy header: a dict of 'descr', 'fortran_order' and 'shape'.
class NpyHeaderParser {
public:
  explicit NpyHeaderParser(std::string_view text) : rest(text) {}

  bool parse(NpyHeader &header) {
    unsigned seen = 0;
    if (!eat("{")) {
      return false;
    }
    while (!eat("}")) {
      std::string key;
      if (!string(key) || !eat(":")) {
        return false;
      }
      bool ok = key == "descr"           ? string(header.descr)
                : key == "fortran_order" ? boolean(header.fortranOrder)
                : key == "shape"         ? tuple(header.shape)
                                         : false;
      seen |= key == "descr" ? 1u : key == "shape" ? 2u : 4u;
      if (!ok || (!eat(",") && !peek('}'))) {
        return false;
      }
    }
    return seen == 7;
  }

private:
  void skipSpace() {
    while (!rest.empty() && (rest[0] == ' ' || rest[0] == '\n')) {
      rest.remove_prefix(1);
    }
  }
  bool peek(char c) {
    skipSpace();
    return !rest.empty() && rest[0] == c;
  }
  bool eat(std::string_view token) {
    skipSpace();
    if (!rest.starts_with(token)) {
      return false;
    }
    rest.remove_prefix(token.size());
    return true;
  }
  bool string(std::string &out) {
    skipSpace();
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"')) {
      return false;
    }
    size_t end = rest.find(rest[0], 1);
    if (end == std::string_view::npos) {
      return false;
    }
    out = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    return true;
  }
  bool boolean(bool &out) {
    out = eat("True");
    return out || eat("False");
  }
  bool tuple(Shape &out) {
    if (!eat("(")) {
      return false;
    }
    while (!eat(")")) {
      skipSpace();
      int64_t dim = 0;
      auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), dim);
      if (error != std::errc()) {
        return false;
      }
      rest.remove_prefix(static_cast<size_t>(end - rest.data()));
      eat("L"); // Python 2 wrote long integers so
      out.push_back(dim);
      if (!eat(",") && !peek(')')) {
        return false;
      }
    }
    return true;
  }

  std::string_view rest;
};

/// What .npy calls the dtype: the kind and the byte count.
static std::pair<char, size_t> npyCode(DType dtype) {
  bool npyFloat = dtype == DType::F16 || dtype == DType::F32 || dtype == DType::F64;
  char kind = dtype == DType::Bool ? 'b' : isSigned(dtype) ? 'i' : npyFloat ? 'f' : 'u';
  return {kind, byteSize(dtype)};
}

static bool lacksNpyCode(DType dtype) {
  return dtype == DType::BF16 || dtype == DType::F8E4M3FN || dtype == DType::F8E5M2 ||
         isSubByte(dtype);
}

/// The dtype that a descr such as "<f4" names.
static Expected<DType> parseDescr(const std::string &descr, std::optional<DType> wanted) {
  char order = descr.empty() ? '?' : descr[0];
  char kind = descr.size() < 2 ? '?' : descr[1];
  size_t bytes = 0;
  if (descr.size() > 2) {
    std::from_chars(descr.data() + 2, descr.data() + descr.size(), bytes);
  }
  if (order == '>' && bytes > 1) {
    return makeError(ErrorCode::Input, "elements '{}' are big endian: save them with astype('{}')",
                     descr, "<" + descr.substr(1));
  }
  bool isBits = kind == 'V' || (wanted && kind == npyCode(*wanted).first);
  if (wanted && lacksNpyCode(*wanted) && isBits && bytes == byteSize(*wanted)) {
    return *wanted;
  }
  if (order == '<' || order == '|' || order == '=' || order == '>') {
    for (const DTypeInfo &row : dtypeTable) {
      if (!lacksNpyCode(row.dtype) && npyCode(row.dtype) == std::pair(kind, bytes)) {
        return row.dtype;
      }
    }
  }
  if (kind == 'V') {
    return makeError(
        ErrorCode::Input,
        "elements '{}' have no dtype in .npy: save bf16 as its bits in uint16, f8 and f4 "
        "in uint8, i4 and i2 as int8, u4 and u2 as uint8",
        descr);
  }
  return makeError(ErrorCode::Input,
                   "elements '{}' are not supported: use a bool, integer or "
                   "float dtype of at most 8 bytes",
                   descr);
}

/// Copies column-major elements to row-major order.
static Tensor fromFortranOrder(const Tensor &columnMajor) {
  const Shape &shape = columnMajor.shape();
  Tensor result = Tensor::allocate(columnMajor.type());
  size_t size = byteSize(columnMajor.dtype());
  Shape at(shape.size(), 0);
  Shape strides(shape.size(), 1);
  for (size_t i = 1; i < shape.size(); ++i) {
    strides[i] = strides[i - 1] * shape[i - 1];
  }
  int64_t source = 0;
  for (int64_t n = 0, count = result.numElements(); n < count; ++n) {
    std::memcpy(result.mutableData() + n * size, columnMajor.data() + source * size, size);
    for (size_t i = shape.size(); i-- > 0;) {
      source += strides[i];
      if (++at[i] < shape[i]) {
        break;
      }
      source -= at[i] * strides[i];
      at[i] = 0;
    }
  }
  return result;
}

/// Reads magic, version and header; returns the offset of the data.
static Expected<size_t> readHeader(const InputFile &file, NpyHeader &header) {
  constexpr size_t maxHeader = 1 << 20;
  auto malformed = [](std::string_view what) {
    return makeError(ErrorCode::Input, "not a .npy file: {}", what);
  };
  unsigned char prefix[12] = {};
  size_t available = std::min(file.size(), sizeof prefix);
  ZYXC_RETURN_IF_ERROR(file.readAt(0, std::as_writable_bytes(std::span(prefix, available))));
  if (available < sizeof prefix || std::memcmp(prefix, "\x93NUMPY", 6) != 0) {
    return malformed("it does not start with the bytes \\x93NUMPY and a header");
  }
  int version = prefix[6];
  if (version < 1 || version > 3) {
    return malformed(fmt::format("format version {} is unknown", version));
  }
  size_t start = version == 1 ? 10 : 12;
  size_t length = prefix[8] | prefix[9] << 8;
  if (version > 1) {
    length |= static_cast<size_t>(prefix[10]) << 16 | static_cast<size_t>(prefix[11]) << 24;
  }
  if (length > maxHeader || start + length > file.size()) {
    return malformed(fmt::format("its header claims {} bytes", length));
  }
  std::string text(length, '\0');
  ZYXC_RETURN_IF_ERROR(file.readAt(start, std::as_writable_bytes(std::span(text))));
  if (!NpyHeaderParser(text).parse(header)) {
    return malformed("its header is not a dict of 'descr', 'fortran_order' and 'shape'");
  }
  for (int64_t dim : header.shape) {
    if (dim < 0) {
      return malformed(fmt::format("its shape has the negative dim {}", dim));
    }
  }
  return start + length;
}

/// Elements of less than a byte are bytes in a file; each must be a number of the dtype.
static Status checkSubBytes(const Tensor &tensor) {
  DType dtype = tensor.dtype();
  for (int64_t i = 0; isSubByte(dtype) && i < tensor.numElements(); ++i) {
    uint8_t bits = tensor.as<uint8_t>()[i];
    Tensor element = Tensor::zeros({dtype, {}});
    if (isFloat(dtype)) {
      *element.asMutable<uint8_t>() = bits & ((1 << bitWidth(dtype)) - 1);
    } else {
      element.setInt(0, bits);
    }
    if (*element.as<uint8_t>() != bits) {
      return makeError(ErrorCode::Input, "element {} is 0x{:02x}, which is no {}", i, bits,
                       name(dtype));
    }
  }
  return Status::ok();
}

static Expected<Tensor> readOpened(const InputFile &file, std::optional<DType> wanted) {
  NpyHeader header;
  ZYXC_ASSIGN(size_t offset, readHeader(file, header));
  ZYXC_ASSIGN(DType dtype, parseDescr(header.descr, wanted));
  std::optional<int64_t> count = checkedNumElements(header.shape);
  if (!count || static_cast<size_t>(*count) > (file.size() - offset) / byteSize(dtype)) {
    return makeError(ErrorCode::Input, "{} bytes of data are too few for {} elements of shape {}",
                     file.size() - offset, name(dtype), toString(header.shape));
  }
  size_t beyond = file.size() - offset - static_cast<size_t>(*count) * byteSize(dtype);
  if (beyond > 0) {
    return makeError(ErrorCode::Input,
                     "{} byte{} beyond the {} elements of shape {}: save one array a file", beyond,
                     beyond == 1 ? " lies" : "s lie", name(dtype), toString(header.shape));
  }
  Tensor tensor = Tensor::allocate({dtype, header.shape});
  ZYXC_RETURN_IF_ERROR(file.readAt(offset, std::span(tensor.mutableData(), tensor.byteSize())));
  if (dtype == DType::Bool) {
    for (int64_t i = 0; i < *count; ++i) {
      tensor.setInt(i, tensor.asInt(i)); // any nonzero byte is true
    }
  }
  ZYXC_RETURN_IF_ERROR(checkSubBytes(tensor));
  return header.fortranOrder && header.shape.size() > 1 ? fromFortranOrder(tensor) : tensor;
}

Expected<Tensor> readNpy(const std::string &path, std::optional<DType> wanted) {
  ZYXC_ASSIGN(InputFile file, InputFile::open(path));
  Expected<Tensor> tensor = readOpened(file, wanted);
  if (!tensor) {
    return std::move(tensor).error().withContext(path);
  }
  return tensor;
}

Status writeNpy(const std::string &path, const Tensor &tensor) {
  auto [kind, bytes] = npyCode(tensor.dtype());
  std::string shape =
      fmt::format("{}{}", fmt::join(tensor.shape(), ", "), tensor.shape().size() == 1 ? "," : "");
  std::string header = fmt::format("{{'descr': '{}{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                   bytes == 1 ? '|' : '<', kind, bytes, shape);
  // The data starts at a multiple of 64 bytes.
  size_t total = (10 + header.size() + 1 + 63) / 64 * 64;
  header.resize(total - 11, ' ');
  header += '\n';
  std::string prefix("\x93NUMPY\x01\x00", 8);
  prefix += static_cast<char>(header.size() & 0xff);
  prefix += static_cast<char>(header.size() >> 8);
  std::string_view parts[] = {
      prefix, header,
      std::string_view(reinterpret_cast<const char *>(tensor.data()), tensor.byteSize())};
  return writeFile(path, parts);
}

} // namespace zyxc
