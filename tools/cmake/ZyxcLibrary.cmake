# zyxc_library and zyxc_tool: how every folder of the tree is built.

# Compile options of all own code.
add_library(zyxc_options INTERFACE)
target_include_directories(zyxc_options INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}
  ${CMAKE_SOURCE_DIR}/runtime/include ${CMAKE_SOURCE_DIR}/compiler/include)
target_compile_options(zyxc_options INTERFACE -Wall -Wextra -Werror -Wno-unused-parameter
  -Werror=switch -ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)
target_link_libraries(zyxc_options INTERFACE fmt::fmt)

if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # Without a time stamp in it the precompiled header is the same for every clone, so ccache hits.
  set(ZYXC_PCH_OPTIONS "SHELL:-Xclang -fno-pch-timestamp")
endif()

# The one precompiled header of MLIR code; MLIR libraries reuse it.
file(WRITE ${CMAKE_BINARY_DIR}/pch_anchor.cpp "")
add_library(zyxc_pch OBJECT ${CMAKE_BINARY_DIR}/pch_anchor.cpp)
target_link_libraries(zyxc_pch PUBLIC zyxc_options zyxc_mlir)
target_compile_options(zyxc_pch PRIVATE ${ZYXC_PCH_OPTIONS})
target_precompile_headers(zyxc_pch PRIVATE ${CMAKE_SOURCE_DIR}/tools/cmake/MlirPch.h)

# zyxc_library(<name> [MLIR] [DEPENDS target...] [LINK lib...])
# A static library of all .cpp files in the current folder. MLIR: uses MLIR headers and the
# precompiled header. DEPENDS: generated headers that must exist first. LINK: lower layers.
function(zyxc_library name)
  cmake_parse_arguments(ARG "MLIR" "" "DEPENDS;LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)
    add_library(${name} INTERFACE)
    return()
  endif()
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC zyxc_options ${ARG_LINK})
  if(ARG_MLIR)
    zyxc_use_mlir(${name})
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# zyxc_use_mlir(<target>): MLIR's headers, libraries and the precompiled header.
function(zyxc_use_mlir target)
  target_link_libraries(${target} PUBLIC zyxc_mlir)
  target_compile_options(${target} PRIVATE ${ZYXC_PCH_OPTIONS})
  target_precompile_headers(${target} REUSE_FROM zyxc_pch)
endfunction()

# zyxc_tool(<name> [MLIR] [LINK lib...]): a program of all .cpp files in the current folder.
function(zyxc_tool name)
  cmake_parse_arguments(ARG "MLIR" "" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE zyxc_options ${ARG_LINK})
  if(ARG_MLIR)
    zyxc_use_mlir(${name})
  endif()
endfunction()
