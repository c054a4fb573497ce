# Compiles through ccache where it is installed. Paths below the source folder are hashed relative to
# it, so that a clone at any path finds what another one compiled; only the precompiled header is made
# in each. Nothing depends on how the build is started.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_PCH_EXTSUM=true
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    ${CCACHE_PROGRAM})
endif()
