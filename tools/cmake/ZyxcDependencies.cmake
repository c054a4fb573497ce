# Finds what zyxc builds on. Every package is a Debian package named in tools/dev/packages.txt.

option(ZYXC_STATIC "Link archives, not shared libraries (ZyxcStatic.cmake)" OFF)
set(Protobuf_USE_STATIC_LIBS ${ZYXC_STATIC})

# Debian keeps each LLVM version in a folder of its own; llvm-config knows it. MLIR_DIR overrides.
find_program(LLVM_CONFIG NAMES llvm-config-22 llvm-config)
if(LLVM_CONFIG)
  execute_process(COMMAND ${LLVM_CONFIG} --prefix OUTPUT_VARIABLE llvm_prefix
    OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
find_package(MLIR 22.1 REQUIRED CONFIG HINTS ${llvm_prefix}/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
find_package(fmt REQUIRED)
find_package(Catch2 2.13 REQUIRED)
find_package(Protobuf REQUIRED)
find_package(Threads REQUIRED)
# Saved plans: flatc generates the reader of their header, whose library is headers only.
find_program(ZYXC_FLATC NAMES flatc REQUIRED)
find_path(ZYXC_FLATBUFFERS_INCLUDE NAMES flatbuffers/flatbuffers.h REQUIRED)
if(ZYXC_STATIC)
  find_library(ZYXC_ZLIB NAMES libz.a REQUIRED)
else()
  find_library(ZYXC_ZLIB NAMES z REQUIRED)
endif()
# What the compiler allocates is many and small: this allocator makes it a fifth faster. Optional; the
# sanitizers bring one of their own.
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  find_library(ZYXC_ALLOCATOR NAMES libtcmalloc_minimal.a)
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_file(ZYXC_ONNX_PROTO NAMES onnx/onnx.proto PATH_SUFFIXES include REQUIRED)

find_program(LIT NAMES lit llvm-lit PATHS ${LLVM_TOOLS_BINARY_DIR} NO_DEFAULT_PATH)

# LLVM and MLIR headers are system headers, so that our warnings stay ours. Only the two shared
# libraries are linked: never mix them with the static archives in one process.
add_library(zyxc_mlir INTERFACE)
target_include_directories(zyxc_mlir SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(zyxc_mlir INTERFACE ${LLVM_DEFINITIONS_LIST})
if(ZYXC_STATIC)
  include(ZyxcStatic)
else()
  target_link_libraries(zyxc_mlir INTERFACE MLIR LLVM)
  # Programs find LLVM's libraries in its own folder, in the build and where they are installed.
  set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
  set(CMAKE_INSTALL_RPATH ${LLVM_LIBRARY_DIR})
endif()
