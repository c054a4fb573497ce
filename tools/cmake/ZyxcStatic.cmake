# The preset `static`: programs that need nothing of LLVM, MLIR, fmt and protobuf at run time, for
# machines without them (tools/gpu-check). Archives of Debian's packages are linked; only the
# members that a program refers to become part of it.
file(GLOB zyxc_archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
# LLVMExtensions refers to Polly, which has no archive.
list(FILTER zyxc_archives EXCLUDE REGEX "libLLVMExtensions\\.a$|libMLIRCAPI")
find_library(ZYXC_ZSTD NAMES libzstd.a REQUIRED)

target_compile_options(zyxc_mlir INTERFACE -ffunction-sections -fdata-sections)
target_link_libraries(zyxc_mlir INTERFACE -Wl,--start-group ${zyxc_archives} -Wl,--end-group
  ${ZYXC_ZLIB} ${ZYXC_ZSTD} Threads::Threads ${CMAKE_DL_LIBS} rt m)
add_link_options(-static-libstdc++ -static-libgcc -Wl,--gc-sections -Wl,--icf=safe -Wl,--as-needed -Wl,-s)
