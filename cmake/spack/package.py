# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors

import os
import pathlib

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.rocm import ROCmPackage

from spack.package import *


class Lacuna(CMakePackage, CudaPackage, ROCmPackage):
    """Sparse matrix kernels for Kokkos programs: SpMV, SpMM, SpGEMM and products in diagonal storage."""

    # The repository that this file, or the link to its folder, belongs to.
    git = pathlib.Path(__file__).resolve().parents[2].as_uri()

    license("MIT")

    version("main", branch="main")
    version("0.1.0", tag="v0.1.0")

    variant("serial", default=True, description="Kokkos with its Serial backend")
    variant("openmp", default=False, description="Kokkos with its OpenMP backend")
    variant("shared", default=True, description="The compiled part, lacuna_io, as a shared library")
    variant("gemm", default=True, description="cuBLAS or rocBLAS for SpmmAlgorithm::dense")

    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("zlib-api")
    depends_on("kokkos@4.5.01:")
    depends_on("kokkos-kernels@4.5.01:")
    depends_on("googletest+gmock", type="test")
    depends_on("rocblas", when="+rocm+gemm")

    # Headers that are needed while Lacuna is built, never by its users; fast_float comes with them.
    resource(
        name="fast_matrix_market",
        git="https://github.com/alugowski/fast_matrix_market.git",
        tag="v1.7.6",
        commit="d8e50e9a58918fef6ff2674cd62abfaf7b9c42a2",
        placement="fast_matrix_market",
    )

    for backend in ("serial", "openmp"):
        depends_on(f"kokkos+{backend}", when=f"+{backend}")
    for arch in CudaPackage.cuda_arch_values:
        for package in ("kokkos", "kokkos-kernels"):
            depends_on(f"{package}+cuda cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")
    for target in ROCmPackage.amdgpu_targets:
        # Kokkos Kernels takes its targets from Kokkos.
        depends_on(f"kokkos+rocm amdgpu_target={target}", when=f"+rocm amdgpu_target={target}")

    conflicts("+cuda", when="cuda_arch=none", msg="Kokkos needs to know the architecture")
    conflicts("+rocm", when="amdgpu_target=none", msg="Kokkos needs to know the architecture")
    conflicts("+cuda", when="+rocm", msg="Kokkos has one backend for devices")
    conflicts("^cuda@13:", when="^kokkos@:4.7.00", msg="Kokkos before 4.7.01 does not compile with CUDA 13")
    conflicts("%gcc@:11", msg="Lacuna needs C++20")
    conflicts("%clang@:13", msg="Lacuna needs C++20")

    def compiler(self):
        """What compiles Lacuna and programs that use it."""
        if self.spec.satisfies("+rocm"):
            return self.spec["hip"].hipcc
        return self["kokkos"].kokkos_cxx

    def cmake_args(self):
        return [
            self.define("CMAKE_CXX_COMPILER", self.compiler()),
            self.define("fast_matrix_market_ROOT", os.path.join(self.stage.source_path, "fast_matrix_market")),
            self.define("LACUNA_ENABLE_TESTS", self.run_tests),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("LACUNA_ENABLE_GEMM", "gemm"),
        ]

    consumer = os.path.join("unit_tests", "install", "consumer")

    @run_after("install")
    def setup_build_tests(self):
        cache_extra_test_sources(self, [self.consumer])

    def test_consumer(self):
        """build and run a program that finds the installed package"""
        source = os.path.join(self.test_suite.current_test_cache_dir, self.consumer)
        cmake = Executable(self.spec["cmake"].prefix.bin.cmake)
        with working_dir("build", create=True):
            cmake(
                source,
                f"-DCMAKE_CXX_COMPILER={self.compiler()}",
                f"-DLacuna_ROOT={self.prefix}",
                f"-DKokkos_ROOT={self.spec['kokkos'].prefix}",
                f"-DKokkosKernels_ROOT={self.spec['kokkos-kernels'].prefix}",
                "-DLACUNA_PLANS=OFF",
            )
            cmake("--build", ".")
            Executable(os.path.join(".", "consumer"))()
