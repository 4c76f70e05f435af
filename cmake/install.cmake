# Headers, both libraries, gofh.pc and the CMake package. All paths are relative to the
# place of the installed files, so that `cmake --install --prefix` may choose it late and an installed tree may be moved.
include(CMakePackageConfigHelpers)

install(FILES ${PROJECT_SOURCE_DIR}/include/gofh.h ${PROJECT_SOURCE_DIR}/include/gofh_expression.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS gofh_shared EXPORT gofh_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS gofh_static EXPORT gofh_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gofh)
install(EXPORT gofh_shared NAMESPACE gofh:: FILE gofhSharedTargets.cmake DESTINATION ${package_dir})
install(EXPORT gofh_static NAMESPACE gofh:: FILE gofhStaticTargets.cmake DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/gofhConfig.cmake.in ${PROJECT_BINARY_DIR}/gofhConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gofhConfigVersion.cmake COMPATIBILITY ${package_compatibility})
install(FILES ${PROJECT_BINARY_DIR}/gofhConfig.cmake ${PROJECT_BINARY_DIR}/gofhConfigVersion.cmake DESTINATION ${package_dir})

file(RELATIVE_PATH PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" PREFIX_FROM_PC ${PREFIX_FROM_PC})
list(JOIN SQLITE_LDFLAGS " " SQLITE_LINK)
configure_file(${PROJECT_SOURCE_DIR}/cmake/gofh.pc.in ${PROJECT_BINARY_DIR}/gofh.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/gofh.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
