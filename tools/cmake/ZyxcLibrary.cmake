# zyxc_library, zyxc_embed and zyxc_tool: how every folder of the tree is built.

# Compile options of all own code.
add_library(zyxc_options INTERFACE)
target_include_directories(zyxc_options INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}
  ${CMAKE_SOURCE_DIR}/runtime/include ${CMAKE_SOURCE_DIR}/compiler/include)
target_compile_options(zyxc_options INTERFACE -Wall -Wextra -Werror -Wno-unused-parameter
  -Werror=switch -ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)
target_link_libraries(zyxc_options INTERFACE
  $<IF:$<BOOL:${ZYXC_STATIC}>,fmt::fmt-header-only,fmt::fmt>)

if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # Without a time stamp in it the precompiled header is the same for every build.
  set(ZYXC_PCH_OPTIONS "SHELL:-Xclang -fno-pch-timestamp")
  # CMake also passes `-include` with an absolute path, of a header that the precompiled one holds
  # already. Without it an object file's command is the same in every clone, so ccache hits.
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -Xclang -include-pch -Xclang <PCH_FILE>)
endif()

# The one precompiled header of MLIR code; MLIR libraries reuse it.
set(pch_header ${CMAKE_SOURCE_DIR}/tools/cmake/MlirPch.h)
file(WRITE ${CMAKE_BINARY_DIR}/pch_anchor.cpp "")
add_library(zyxc_pch OBJECT ${CMAKE_BINARY_DIR}/pch_anchor.cpp)
target_link_libraries(zyxc_pch PUBLIC zyxc_options zyxc_mlir)
target_compile_options(zyxc_pch PRIVATE ${ZYXC_PCH_OPTIONS})
target_precompile_headers(zyxc_pch PRIVATE ${pch_header})

# The precompiled header names this clone's path, so its bytes differ between clones. With
# CCACHE_PCH_EXTSUM (ZyxcCcache.cmake) ccache reads this sum of what decides its meaning instead.
set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${pch_header})
file(SHA256 ${pch_header} pch_sum)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/CMakeFiles/zyxc_pch.dir/cmake_pch.hxx.pch.sum
  CONTENT "${pch_sum} ${LLVM_PACKAGE_VERSION} ${fmt_VERSION} ${CMAKE_CXX_COMPILER_VERSION}")

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

# zyxc_embed(<target> file...): a target that makes NAME.inc of each text file in the current binary
# folder, a list of string literals to include.
function(zyxc_embed target)
  set(script ${CMAKE_SOURCE_DIR}/tools/cmake/EmbedText.cmake)
  foreach(file ${ARGN})
    get_filename_component(name ${file} NAME)
    set(in ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    set(out ${CMAKE_CURRENT_BINARY_DIR}/${name}.inc)
    add_custom_command(OUTPUT ${out} COMMAND ${CMAKE_COMMAND} -DIN=${in} -DOUT=${out} -P ${script}
      DEPENDS ${in} ${script} VERBATIM)
    list(APPEND outputs ${out})
  endforeach()
  add_custom_target(${target} DEPENDS ${outputs})
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
