#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""Checks what was generated for an AMD GPU: kernels hold the matrix instructions they were written for, and no spills.

    check_amd_code.py FOLDER [--arch gfx90a]

FOLDER is a build of the target lacuna_compile_only. Every rule names kernels by a part of their C++ name and an
instruction: there must be such kernels, each must have the instruction, and none may spill vector registers or keep
private memory. (Scalar registers are spilled to lanes of vector registers, not to memory.) Needs LLVM's llvm-objcopy, llvm-readelf, llvm-objdump, llvm-cxxfilt and clang-offload-bundler.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass

# (part of the kernel's name, instruction). gfx942 spells the same instructions with one underscore more.
RULES = {
    "gfx90a": [
        (r"ChainOfProducts<lacuna::Impl::Gfx90a_16x16x4_f32>", r"v_mfma_f32_16x16x4f32"),
        (r"ChainOfProducts<lacuna::Impl::Gfx90a_16x16x4_f64>", r"v_mfma_f64_16x16x4f64"),
        (r"ChainOfProducts<lacuna::Impl::Gfx90a_16x16x16_f32_f16>", r"v_mfma_f32_16x16x16f16"),
        (r"ChainOfProducts<lacuna::Impl::Gfx90a_16x16x16_f32_bf16>", r"v_mfma_f32_16x16x16bf16_1k"),
        (r"SpmmBrickKernel<[^<]*<lacuna::Impl::Gfx90a_16x16x4_f32>", r"v_mfma_f32_16x16x4f32"),
        (r"SpmmHrpbKernel<[^<]*<lacuna::Impl::Gfx90a_16x16x4_f32>", r"v_mfma_f32_16x16x4f32"),
        (r"SpmmBrickKernel<[^<]*<lacuna::Impl::Gfx90a_16x16x4_f64>", r"v_mfma_f64_16x16x4f64"),
        (r"SpmmHrpbKernel<[^<]*<lacuna::Impl::Gfx90a_16x16x4_f64>", r"v_mfma_f64_16x16x4f64"),
    ],
    "gfx942": [
        (r"ChainOfProducts<lacuna::Impl::Gfx90a_16x16x4_f32>", r"v_mfma_f32_16x16x4_f32"),
        (r"ChainOfProducts<lacuna::Impl::Gfx90a_16x16x4_f64>", r"v_mfma_f64_16x16x4_f64"),
        (r"ChainOfProducts<lacuna::Impl::Gfx90a_16x16x16_f32_f16>", r"v_mfma_f32_16x16x16_f16"),
        (r"ChainOfProducts<lacuna::Impl::Gfx90a_16x16x16_f32_bf16>", r"v_mfma_f32_16x16x16_bf16"),
        (r"ChainOfProducts<lacuna::Impl::Gfx942_16x16x8_f32_xf32>", r"v_mfma_f32_16x16x8_xf32"),
        (r"SpmmBrickKernel<[^<]*<lacuna::Impl::Gfx90a_16x16x4_f32>", r"v_mfma_f32_16x16x4_f32"),
        (r"SpmmHrpbKernel<[^<]*<lacuna::Impl::Gfx90a_16x16x4_f32>", r"v_mfma_f32_16x16x4_f32"),
        (r"SpmmBrickKernel<[^<]*<lacuna::Impl::Gfx90a_16x16x4_f64>", r"v_mfma_f64_16x16x4_f64"),
        (r"SpmmHrpbKernel<[^<]*<lacuna::Impl::Gfx90a_16x16x4_f64>", r"v_mfma_f64_16x16x4_f64"),
    ],
}
OBJECTS = re.compile(r"^(Mma|Spmm)")


@dataclass
class Kernel:
    name: str
    private_bytes: int
    spills: int
    scalar_spills: int
    registers: int
    instructions: str = ""


def tool(name):
    """The newest that is here: an old one does not know new architectures."""
    for candidate in (f"/opt/rocm/llvm/bin/{name}", *(f"{name}-{version}" for version in range(22, 16, -1)), name):
        if shutil.which(candidate):
            return candidate
    sys.exit(f"check_amd_code.py: there is no {name}")


def output_of(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def device_code(path, arch, folder):
    """The code object for `arch` in an object file, or in what --cuda-device-only gives; None where it has none."""
    bundle, code = folder / "bundle", folder / "code"
    if path.read_bytes().startswith(b"__CLANG_OFFLOAD_BUNDLE__"):
        bundle = path
    else:
        run = subprocess.run([tool("llvm-objcopy"), "--dump-section", f".hip_fatbin={bundle}", path, "/dev/null"],
                             capture_output=True, text=True)
        if run.returncode != 0:
            return None
    bundler = tool("clang-offload-bundler")
    targets = [name for name in output_of(bundler, "--list", "--type=o", f"--input={bundle}").split() if arch in name]
    if not targets:
        return None
    output_of(bundler, "--unbundle", "--type=o", f"--input={bundle}", f"--targets={targets[0]}", f"--output={code}")
    return code


def kernels_of(code):
    """The kernels of a code object, by symbol."""
    kernels, fields = {}, {}
    for line in output_of(tool("llvm-readelf"), "--notes", code).splitlines() + ["  - end"]:
        if re.match(r"^  - ", line):
            if ".name" in fields:
                kernels[fields[".name"]] = Kernel(
                    fields[".name"], int(fields[".private_segment_fixed_size"]),
                    int(fields[".vgpr_spill_count"]), int(fields[".sgpr_spill_count"]), int(fields[".vgpr_count"]))
            fields = {}
        found = re.match(r"^  (?:- |  )(\.\w+): +(\S+)$", line)
        if found:
            fields[found[1]] = found[2]
    current = None
    for line in output_of(tool("llvm-objdump"), "-d", "--no-show-raw-insn", code).splitlines():
        found = re.match(r"^[0-9a-f]+ <(.*)>:$", line)
        if found:
            current = kernels.get(found[1])
        elif current is not None:
            current.instructions += line + "\n"
    names = subprocess.run([tool("llvm-cxxfilt")], input="\n".join(kernels), check=True, capture_output=True, text=True)
    for kernel, name in zip(kernels.values(), names.stdout.splitlines()):
        kernel.name = name
    return list(kernels.values())


def complaints(kernels, rules):
    """What is wrong, one line each."""
    found = []
    for pattern, instruction in rules:
        matching = [kernel for kernel in kernels if re.search(pattern, kernel.name)]
        if not matching:
            found.append(f"no kernel is called {pattern}")
        for kernel in matching:
            if not re.search(instruction, kernel.instructions):
                found.append(f"no {instruction} in {kernel.name}")
            if kernel.spills or kernel.private_bytes or re.search(r"\bscratch_(load|store)", kernel.instructions):
                found.append(f"{kernel.spills} spilled registers and {kernel.private_bytes} bytes of private memory in "
                             f"{kernel.name}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--arch", default="gfx90a", choices=sorted(RULES))
    options = parser.parse_args()
    kernels = []
    for path in sorted(options.folder.rglob("*.o")):
        if not OBJECTS.match(path.name):
            continue
        with tempfile.TemporaryDirectory() as folder:
            code = device_code(path, options.arch, pathlib.Path(folder))
            if code is not None:
                kernels += kernels_of(code)
    rules = RULES[options.arch]
    wrong = complaints(kernels, rules)
    for line in wrong:
        print(f"check_amd_code.py: {line}", file=sys.stderr)
    for pattern, instruction in rules:
        matching = [kernel for kernel in kernels if re.search(pattern, kernel.name)]
        if matching:
            counts = [len(re.findall(instruction, kernel.instructions)) for kernel in matching]
            print(f"{len(matching):3} kernels with {min(counts)} to {max(counts)} {instruction}, "
                  f"{max(kernel.registers for kernel in matching)} vector registers at most, "
                  f"{max(kernel.scalar_spills for kernel in matching)} scalars in lanes: {pattern}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
