// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CUDA_LAUNCH_HPP
#define LACUNA_CUDA_LAUNCH_HPP

#include <Lacuna_Error.hpp>
#include <backends/generic/Lacuna_Generic_Launch.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

/// \file
/// \brief Team kernels started on a CUDA stream; why not by `Kokkos::TeamPolicy`, see Lacuna_Launch.hpp.

namespace lacuna::Impl {

/// \brief A thread block in the words of a `TeamPolicy` member, as far as `Team` speaks them.
class CudaMember {
 public:
  KOKKOS_FORCEINLINE_FUNCTION explicit CudaMember(int zero) : m_zero(zero) {}
  KOKKOS_FORCEINLINE_FUNCTION int league_rank() const {
    KOKKOS_IF_ON_DEVICE((return static_cast<int>(blockIdx.x) + m_zero;))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  KOKKOS_FORCEINLINE_FUNCTION int league_size() const {
    KOKKOS_IF_ON_DEVICE((return static_cast<int>(gridDim.x);))
    KOKKOS_IF_ON_HOST((return 1;))
  }
  KOKKOS_FORCEINLINE_FUNCTION int team_rank() const {
    KOKKOS_IF_ON_DEVICE((return static_cast<int>(threadIdx.x);))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  KOKKOS_FORCEINLINE_FUNCTION int team_size() const {
    KOKKOS_IF_ON_DEVICE((return static_cast<int>(blockDim.x);))
    KOKKOS_IF_ON_HOST((return 1;))
  }
  KOKKOS_FORCEINLINE_FUNCTION void team_barrier() const { KOKKOS_IF_ON_DEVICE((__syncthreads();)) }

  /// Handed out from the front; the launch asked for as much as the body takes.
  class Scratch {
   public:
    KOKKOS_FORCEINLINE_FUNCTION void* get_shmem_aligned([[maybe_unused]] std::size_t bytes,
                                                        [[maybe_unused]] std::size_t alignment) const {
      KOKKOS_IF_ON_DEVICE((extern __shared__ __align__(128) char lacuna_team_scratch[];
                           const std::size_t begin = (m_used + alignment - 1) / alignment * alignment;
                           m_used                  = begin + bytes; return lacuna_team_scratch + begin;))
      KOKKOS_IF_ON_HOST((return nullptr;))
    }

   private:
    mutable std::size_t m_used = 0;
  };
  KOKKOS_FORCEINLINE_FUNCTION const Scratch& team_scratch(int /*level*/) const { return m_scratch; }

 private:
  int m_zero;  ///< see `cuda_run_team`
  Scratch m_scratch;
};

/// Whether launches are chained (programmatic dependent launch): all architectures that are compiled for have it, 9.0
/// and later, and graphs take it, from CUDA 12.3 on.
inline constexpr bool cuda_chains_launches = [] {
#if defined(__CUDA_ARCH_LIST__) && CUDART_VERSION >= 12030
  for (const int architecture : {__CUDA_ARCH_LIST__})
    if (architecture < 900) return false;
  return true;
#else
  return false;
#endif
}();

/// \brief `kernel(member)` in every thread, between the calls that chain launches.
///
/// A launch starts when all teams of the launch before it have called `launch_dependents`. Its teams then stand ready.
/// They go on from `wait` when the launch before has ended and all that it wrote is visible. `launch_dependents` stands
/// behind the kernel, since some kernels are slower with it in front; the reason is not known.
///
/// Of kernels that do not depend on each other only the first waits in front of its body. The last team of
/// each kernel waits behind its body, so that a launch does not end before the launches in front of it. Its
/// other teams free their processors earlier.
/// Evidence: backends/tuning.md.
template <class Kernel>
__device__ __forceinline__ void cuda_run_team(const Kernel& kernel) {
  int zero = 0;
  if constexpr (cuda_chains_launches) {
    bool waits = true;
    if constexpr (Kernel::is_independent) waits = kernel.is_first;
    // What is loaded has an address that is made of the zero: nvcc cannot load it before, be it by the read-only path.
    // Nor does ptxas: in the machine code of SpMV and SpGEMM (CUDA 13.0) nothing is loaded in front of the wait.
    if (waits) asm volatile("griddepcontrol.wait;" : "+r"(zero)::"memory");
    if constexpr (Kernel::is_independent) asm volatile("griddepcontrol.launch_dependents;");
  }
  kernel(CudaMember(zero));
  if constexpr (cuda_chains_launches) {
    if constexpr (!Kernel::is_independent)
      asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    else if (blockIdx.x == gridDim.x - 1)
      asm volatile("griddepcontrol.wait;" ::: "memory");
  }
}

/// The entry of a kernel.
template <int MaxThreads, int MinTeams, class Kernel>
__global__ void __launch_bounds__(MaxThreads, MinTeams) cuda_team_entry(const Kernel kernel) {
  cuda_run_team(kernel);
}

/// The same for teams of any size.
template <class Kernel>
__global__ void cuda_team_entry_unbounded(const Kernel kernel) {
  cuda_run_team(kernel);
}

/// The same for a kernel that must not be copied: its parts keep the addresses of the argument.
template <int MaxThreads, int MinTeams, class Kernel>
__global__ void __launch_bounds__(MaxThreads, MinTeams)
    cuda_team_entry_in_place(const __grid_constant__ Kernel kernel) {
  cuda_run_team(kernel);
}

/// \throws OutOfMemory, Error.
inline void check_cuda(const std::string& label, const char* what, cudaError_t error) {
  if (error == cudaSuccess) return;
  if (error == cudaErrorMemoryAllocation)
    raise<OutOfMemory>(label, "could not ", what, ": ", cudaGetErrorString(error));
  raise<Error>(label, "could not ", what, ": ", cudaGetErrorString(error));
}

/// Asking costs half of what selecting does, and the answer is nearly always that nothing is to be done.
inline void select_cuda_device(const std::string& label, int device) {
  int current = -1;
  check_cuda(label, "find the device", cudaGetDevice(&current));
  if (current != device) check_cuda(label, "select the device", cudaSetDevice(device));
}

template <>
struct DeviceLaunch<Kokkos::Cuda> {
  static constexpr bool is_possible  = true;
  static constexpr bool starts_early = cuda_chains_launches;
  using Member                       = CudaMember;

  static std::size_t scratch_bytes(const Kokkos::Cuda& exec) { return exec.cuda_device_prop().sharedMemPerBlockOptin; }
  static int processors(const Kokkos::Cuda& exec) { return exec.cuda_device_prop().multiProcessorCount; }
  static std::string device_name(const Kokkos::Cuda& exec) { return exec.cuda_device_prop().name; }
  static int device_number(const Kokkos::Cuda& exec) { return exec.cuda_device(); }
  static std::size_t memory_bytes(const Kokkos::Cuda& exec) { return exec.cuda_device_prop().totalGlobalMem; }
  static bool has_matrix_engine(const Kokkos::Cuda& exec) { return exec.cuda_device_prop().major >= 8; }

  /// Blocks of a kernel that one multiprocessor holds at once, by its registers, threads and shared memory.
  template <int MaxThreads, int MinTeams, class Kernel>
  static int resident_teams(const Kokkos::Cuda& exec, int threads, std::size_t scratch_bytes) {
    constexpr const char* label = "Lacuna::resident_teams";
    select_cuda_device(label, exec.cuda_device());
    allow_scratch<MaxThreads, MinTeams, Kernel>(label, exec.cuda_device(), scratch_bytes);
    int teams = 0;
    check_cuda(label, "ask for the occupancy",
               cudaOccupancyMaxActiveBlocksPerMultiprocessor(&teams, entry_of<MaxThreads, MinTeams, Kernel>(), threads,
                                                             scratch_bytes));
    return teams;
  }

  /// Starts `teams` blocks of `kernel` on the stream of `exec`. Profiling tools see it as a parallel_for named `label`.
  /// It starts early, see `cuda_run_team`.
  template <int MaxThreads, int MinTeams, class Kernel>
  static void start(const Kokkos::Cuda& exec, const std::string& label, int teams, int threads,
                    std::size_t scratch_bytes, const Kernel& kernel) {
    static_assert(sizeof(Kernel) <= 4096,
                  "lacuna: a kernel body is at most 4 KiB, every device takes that as argument");
    select_cuda_device(label, exec.cuda_device());
    allow_scratch<MaxThreads, MinTeams, Kernel>(label, exec.cuda_device(), scratch_bytes);
    const bool is_watched = Kokkos::Tools::profileLibraryLoaded();
    std::uint64_t event   = 0;
    if (is_watched) Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(exec), &event);
    void* arguments[] = {const_cast<Kernel*>(&kernel)};
    cudaLaunchAttribute attribute{};
    attribute.id                                         = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t shape{};
    shape.gridDim          = dim3(static_cast<unsigned>(teams));
    shape.blockDim         = dim3(static_cast<unsigned>(threads));
    shape.dynamicSmemBytes = scratch_bytes;
    shape.stream           = exec.cuda_stream();
    shape.attrs            = &attribute;
    shape.numAttrs         = cuda_chains_launches ? 1 : 0;
    const cudaError_t started =
        cudaLaunchKernelExC(&shape, reinterpret_cast<const void*>(entry_of<MaxThreads, MinTeams, Kernel>()), arguments);
    if (is_watched) Kokkos::Tools::endParallelFor(event);
    if (started == cudaSuccess) return;
    (void)cudaGetLastError();  // it is reported here: nobody else should find it
    if (started == cudaErrorLaunchOutOfResources || started == cudaErrorInvalidConfiguration)
      raise<NotSupported>(label, "teams of ", threads, " threads with ", scratch_bytes,
                          " bytes of scratch do not fit on the device");
    check_cuda(label, "start a kernel", started);
  }

 private:
  template <int MaxThreads, int MinTeams, class Kernel>
  static constexpr auto entry_of() {
    static_assert(MaxThreads > 0 || !Kernel::stays_in_place, "lacuna: a body that stays in place needs MaxThreads");
    if constexpr (MaxThreads == 0)
      return cuda_team_entry_unbounded<Kernel>;
    else if constexpr (Kernel::stays_in_place)
      return cuda_team_entry_in_place<MaxThreads, MinTeams, Kernel>;
    else
      return cuda_team_entry<MaxThreads, MinTeams, Kernel>;
  }

  /// A kernel must ask for much scratch once on each device.
  template <int MaxThreads, int MinTeams, class Kernel>
  static void allow_scratch(const std::string& label, int device, std::size_t scratch_bytes) {
    constexpr std::size_t remembered = 16;  // devices; others are asked every time
    static std::array<std::atomic<std::size_t>, remembered> allowed{};
    const auto position = static_cast<std::size_t>(device);
    if (position < remembered && allowed[position].load() >= scratch_bytes) return;
    check_cuda(label, "get scratch",
               cudaFuncSetAttribute(entry_of<MaxThreads, MinTeams, Kernel>(),
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(scratch_bytes)));
    if (position < remembered) allowed[position].store(scratch_bytes);
  }
};

/// An event: what is started behind it is not waited for.
template <>
class LaunchMark<Kokkos::Cuda> {
 public:
  explicit LaunchMark(const Kokkos::Cuda& exec) : m_tool_id(Kokkos::Tools::Experimental::device_id(exec)) {
    select_cuda_device(who, exec.cuda_device());
    check_cuda(who, "make an event", cudaEventCreateWithFlags(&m_event, cudaEventDisableTiming));
    const cudaError_t recorded = cudaEventRecord(m_event, exec.cuda_stream());
    if (recorded != cudaSuccess) (void)cudaEventDestroy(m_event);
    check_cuda(who, "record an event", recorded);
  }
  LaunchMark(const LaunchMark&)            = delete;
  LaunchMark& operator=(const LaunchMark&) = delete;
  ~LaunchMark() { (void)cudaEventDestroy(m_event); }

  void wait(const std::string& label) const {
    const bool is_watched = Kokkos::Tools::profileLibraryLoaded();
    std::uint64_t fence   = 0;
    if (is_watched) Kokkos::Tools::beginFence(label, m_tool_id, &fence);
    const cudaError_t waited = cudaEventSynchronize(m_event);
    if (is_watched) Kokkos::Tools::endFence(fence);
    check_cuda(label, "wait", waited);
  }

 private:
  static constexpr const char* who = "Lacuna::launch_mark";
  std::uint32_t m_tool_id;
  cudaEvent_t m_event = nullptr;
};

}  // namespace lacuna::Impl

#endif
