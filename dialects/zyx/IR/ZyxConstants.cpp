// Constant attributes and tensors. Small and splat values live in the context; large ones are
// resources that share the tensor's memory.
#include "dialects/zyx/IR/ZyxBridge.h"
#include "dialects/zyx/IR/ZyxDialect.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include <cstring>

namespace zyxc::zyx {

std::string SharedTensors::nextKey() {
  std::lock_guard lock(mutex);
  return "zyx_" + std::to_string(counter++);
}

void SharedTensors::insert(llvm::StringRef key, const Tensor &tensor) {
  std::lock_guard lock(mutex);
  tensors.insert_or_assign(key, tensor);
}

std::optional<Tensor> SharedTensors::find(llvm::StringRef key) const {
  std::lock_guard lock(mutex);
  auto entry = tensors.find(key);
  return entry == tensors.end() ? std::nullopt : std::optional(entry->second);
}

/// Elements of less than a byte: MLIR keeps the low bits of a byte each, tensors extend them.
static void extendSubBytes(const Tensor &tensor) {
  if (!isSubByte(tensor.dtype())) {
    return;
  }
  auto *bytes = tensor.asMutable<uint8_t>();
  uint8_t mask = static_cast<uint8_t>((1 << bitWidth(tensor.dtype())) - 1);
  for (int64_t i = 0; i < tensor.numElements(); ++i) {
    if (isFloat(tensor.dtype())) {
      bytes[i] &= mask;
    } else {
      tensor.setInt(i, bytes[i]);
    }
  }
}

static Expected<Tensor> fromResource(mlir::DenseResourceElementsAttr attr, TensorType type) {
  mlir::DenseResourceElementsHandle handle = attr.getRawHandle();
  std::string_view key(handle.getKey());
  if (auto *dialect = attr.getContext()->getLoadedDialect<ZyxDialect>()) {
    std::optional<Tensor> shared = dialect->sharedTensors().find(handle.getKey());
    if (shared && shared->type() == type) {
      return std::move(*shared);
    }
    if (shared && shared->dtype() == type.dtype && shared->numElements() == type.numElements()) {
      return shared->withShape(type.shape);
    }
  }
  mlir::AsmResourceBlob *blob = handle.getBlob();
  if (!blob) {
    return makeError(ErrorCode::Input, "constant: resource '{}' has no data in this file", key);
  }
  llvm::ArrayRef<char> data = blob->getData();
  if (data.size() != type.byteSize()) {
    return makeError(ErrorCode::Input, "constant: resource '{}' has {} bytes, {} needs {}", key,
                     data.size(), toString(type), type.byteSize());
  }
  Tensor tensor = Tensor::allocate(type);
  std::memcpy(tensor.mutableData(), data.data(), data.size());
  extendSubBytes(tensor);
  return tensor;
}

/// Fills a tensor with its first element.
static void repeatFirst(const Tensor &tensor) {
  size_t size = byteSize(tensor.dtype());
  size_t total = tensor.byteSize();
  for (size_t done = size; done < total; done *= 2) {
    std::memcpy(tensor.mutableData() + done, tensor.data(), std::min(done, total - done));
  }
}

static Expected<Tensor> fromDense(mlir::DenseElementsAttr attr, TensorType type) {
  bool splat = attr.isSplat();
  if (splat && type.byteSize() > static_cast<size_t>(maxSplatBytes)) {
    return makeError(ErrorCode::OutOfMemory, "constant: a splat of type {} is too large to store",
                     toString(type));
  }
  Tensor tensor = Tensor::allocate(type);
  if (type.dtype == DType::Bool) {
    // MLIR packs bools into bits.
    int64_t i = 0;
    for (bool value : attr.getValues<bool>()) {
      tensor.asMutable<uint8_t>()[i++] = value;
    }
    return tensor;
  }
  llvm::ArrayRef<char> raw = attr.getRawData();
  if (!splat) {
    std::memcpy(tensor.mutableData(), raw.data(), raw.size());
  } else if (type.numElements() > 0) {
    std::memcpy(tensor.mutableData(), raw.data(), byteSize(type.dtype));
    repeatFirst(tensor);
  }
  extendSubBytes(tensor);
  return tensor;
}

Expected<Tensor> toTensor(mlir::ElementsAttr attr) {
  ZYXC_ASSIGN(TensorType type, toTensorType(attr.getType()));
  if (auto resource = llvm::dyn_cast<mlir::DenseResourceElementsAttr>(attr)) {
    return fromResource(resource, std::move(type));
  }
  if (auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(attr)) {
    return fromDense(dense, std::move(type));
  }
  return makeError(ErrorCode::Unsupported, "constant: only dense values are supported");
}

static mlir::ElementsAttr toDense(mlir::RankedTensorType type, const Tensor &tensor, bool splat) {
  if (tensor.dtype() == DType::Bool) {
    size_t count = splat ? 1 : static_cast<size_t>(tensor.numElements());
    llvm::SmallVector<bool> values(tensor.as<uint8_t>(), tensor.as<uint8_t>() + count);
    return mlir::DenseElementsAttr::get(type, values);
  }
  size_t size = splat ? byteSize(tensor.dtype()) : tensor.byteSize();
  llvm::ArrayRef<char> raw(tensor.as<char>(), size);
  if (isSubByte(tensor.dtype())) {
    llvm::SmallVector<char> low(raw);
    for (char &byte : low) {
      byte = static_cast<char>(byte & ((1 << bitWidth(tensor.dtype())) - 1));
    }
    return mlir::DenseElementsAttr::getFromRawBuffer(type, low);
  }
  return mlir::DenseElementsAttr::getFromRawBuffer(type, raw);
}

mlir::ElementsAttr toElementsAttr(mlir::MLIRContext *context, const Tensor &tensor) {
  mlir::RankedTensorType type = toMlirType(context, tensor.type());
  bool splat = tensor.isSplat();
  if (splat || tensor.numElements() <= maxInlineElements) {
    return toDense(type, tensor, splat);
  }
  SharedTensors &shared = context->getOrLoadDialect<ZyxDialect>()->sharedTensors();
  // The deleter holds the tensor, and so its memory, as long as the blob lives.
  mlir::AsmResourceBlob blob(
      llvm::ArrayRef<char>(tensor.as<char>(), tensor.byteSize()), byteSize(tensor.dtype()),
      [owner = tensor](void *, size_t, size_t) {}, /*dataIsMutable=*/false);
  auto attr = mlir::DenseResourceElementsAttr::get(type, shared.nextKey(), std::move(blob));
  // The context may have renamed the key.
  shared.insert(attr.getRawHandle().getKey(), tensor);
  return attr;
}

} // namespace zyxc::zyx
