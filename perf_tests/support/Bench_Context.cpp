// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <support/Bench_Context.hpp>

#include <support/Bench_Timing.hpp>

#include <KokkosKernels_config.h>
#include <Bench_Revision.hpp>
#include <Lacuna_Version.hpp>
#include <core/impl/choice/Lacuna_MeasuredHost.hpp>
#include <core/impl/choice/Lacuna_ReportText.hpp>

#if defined(KOKKOS_ENABLE_CUDA)
#include <cusparse.h>
#endif

#if defined(LACUNA_BENCH_MKL)
#include <mkl_service.h>
#endif

#include <fstream>
#include <sstream>
#include <string>

namespace lacuna::bench {

namespace {

/// 40501 is 4.5.1.
std::string version(int number) {
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." + std::to_string(number % 100);
}

std::string compiler() {
  std::ostringstream text;
#if defined(__NVCC__)
  text << "nvcc " << __CUDACC_VER_MAJOR__ << "." << __CUDACC_VER_MINOR__ << "." << __CUDACC_VER_BUILD__ << " with ";
#endif
#if defined(__clang__)
  text << "clang " << __clang_version__;
#elif defined(__GNUC__)
  text << "g++ " << __GNUC__ << "." << __GNUC_MINOR__ << "." << __GNUC_PATCHLEVEL__;
#endif
  return text.str();
}

std::string processor() {
  std::ifstream stream("/proc/cpuinfo");
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos) return line.substr(line.find(": ") + 2);
  return "unknown";
}

#if defined(KOKKOS_ENABLE_CUDA)
void add_device(Context& context, const ExecutionSpace& exec) {
  const auto attribute = [device = exec.cuda_device()](cudaDeviceAttr which) {
    int value = 0;
    return cudaDeviceGetAttribute(&value, which, device) == cudaSuccess ? value : 0;
  };
  context.emplace_back("device", exec.cuda_device_prop().name);
  context.emplace_back("compute_capability", std::to_string(exec.cuda_device_prop().major) + "." +
                                                 std::to_string(exec.cuda_device_prop().minor));
  context.emplace_back("multiprocessors", std::to_string(attribute(cudaDevAttrMultiProcessorCount)));
  context.emplace_back("clock_khz", std::to_string(attribute(cudaDevAttrClockRate)));
  context.emplace_back("memory_clock_khz", std::to_string(attribute(cudaDevAttrMemoryClockRate)));
  context.emplace_back("l2_bytes", std::to_string(attribute(cudaDevAttrL2CacheSize)));
  int runtime = 0, driver = 0;
  cudaRuntimeGetVersion(&runtime);
  cudaDriverGetVersion(&driver);
  context.emplace_back("cuda_runtime", std::to_string(runtime));
  context.emplace_back("cuda_driver", std::to_string(driver));
  int major = 0, minor = 0, patch = 0;
  cusparseGetProperty(MAJOR_VERSION, &major);
  cusparseGetProperty(MINOR_VERSION, &minor);
  cusparseGetProperty(PATCH_LEVEL, &patch);
  context.emplace_back("cusparse_version",
                       std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch));
}

void add_device_of(Place& place, const ExecutionSpace& exec) {
  char bus[32] = "";
  if (cudaDeviceGetPCIBusId(bus, sizeof(bus), exec.cuda_device()) != cudaSuccess) bus[0] = '\0';
  place.device     = "gpu " + std::string(bus);
  place.device_key = place.device;
  for (const char byte : exec.cuda_device_prop().uuid.bytes)  // parts of one GPU have one each
    place.device_key += " " + std::to_string(static_cast<int>(byte));
}
#elif defined(KOKKOS_ENABLE_HIP)
void add_device_of(Place& place, const ExecutionSpace& exec) {
  char bus[32] = "";
  if (hipDeviceGetPCIBusId(bus, sizeof(bus), exec.hip_device()) != hipSuccess) bus[0] = '\0';
  place.device_key = place.device = "gpu " + std::string(bus);
}

void add_device(Context& context, const ExecutionSpace& exec) {
  context.emplace_back("device", exec.hip_device_prop().name);
  context.emplace_back("multiprocessors", std::to_string(exec.hip_device_prop().multiProcessorCount));
  context.emplace_back("clock_khz", std::to_string(exec.hip_device_prop().clockRate));
  context.emplace_back("memory_clock_khz", std::to_string(exec.hip_device_prop().memoryClockRate));
}
#else
void add_device_of(Place&, const ExecutionSpace&) {}  // it is the host

std::string reads_text(const lacuna::Impl::HostRates& rates) {
  using lacuna::Impl::bytes_text;
  std::string text;
  for (std::size_t i = 0; i < rates.points; ++i)
    text += (i > 0 ? ", " : "") + bytes_text(rates.reads[i]) + "/s of " + bytes_text(rates.sizes[i]);
  return text;
}

void add_device(Context& context, const ExecutionSpace& exec) {
  context.emplace_back("device", processor());
  context.emplace_back("threads", std::to_string(exec.concurrency()));
  const lacuna::Impl::HostRates rates = lacuna::Impl::measured_host_rates(exec.concurrency());
  context.emplace_back("host_speed", lacuna::Impl::number_text(rates.speed));
  context.emplace_back("host_reads", reads_text(rates));
#if defined(LACUNA_BENCH_MKL)
  MKLVersion mkl{};
  mkl_get_version(&mkl);
  context.emplace_back("mkl_version", std::to_string(mkl.MajorVersion) + "." + std::to_string(mkl.MinorVersion) + "." +
                                          std::to_string(mkl.UpdateVersion));
#endif
}
#endif

}  // namespace

Place describe_place() {
  Place place;
  place.process    = this_process();
  place.processors = processors_of_threads();
  place.binding    = binding_of_threads();
  add_device_of(place, ExecutionSpace());
  return place;
}

Context describe_context() {
  Context context;
  const ExecutionSpace exec;
  std::ostringstream lacuna_version;
  lacuna_version << LACUNA_VERSION_MAJOR << "." << LACUNA_VERSION_MINOR << "." << LACUNA_VERSION_PATCH;
  context.emplace_back("lacuna_version", lacuna_version.str());
  context.emplace_back("git_revision", LACUNA_BENCH_GIT_REVISION);
  context.emplace_back("git_dirty", LACUNA_BENCH_GIT_DIRTY);
  context.emplace_back("revision_from", LACUNA_BENCH_REVISION_FROM);
  context.emplace_back("build_type", LACUNA_BENCH_BUILD_TYPE);
  context.emplace_back("compiler", compiler());
  context.emplace_back("kokkos_version", version(KOKKOS_VERSION));
  context.emplace_back("kokkos_kernels_version", version(KOKKOSKERNELS_VERSION));
  context.emplace_back("kokkos_devices", LACUNA_BENCH_KOKKOS_DEVICES);
  context.emplace_back("kokkos_options", LACUNA_BENCH_KOKKOS_OPTIONS);
  context.emplace_back("kokkos_architecture", LACUNA_BENCH_KOKKOS_ARCH);
  context.emplace_back("google_benchmark_version", LACUNA_BENCH_BENCHMARK_VERSION);
  context.emplace_back("cli11_version", LACUNA_BENCH_CLI11_VERSION);
  context.emplace_back("nlohmann_json_version", LACUNA_BENCH_JSON_VERSION);
  context.emplace_back("execution_space", ExecutionSpace::name());
  context.emplace_back("processor", processor());
  add_device(context, exec);
  return context;
}

double measure_copy_bandwidth(double gigabytes) {
  constexpr bool on_host =
      Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace, ExecutionSpace::memory_space>::accessible;
  if (gigabytes <= 0) gigabytes = on_host ? 0.256 : 2.0;
  const auto count = static_cast<std::size_t>(gigabytes * 1e9 / sizeof(double));
  const ExecutionSpace exec;
  const Kokkos::View<double*, Device> from(Kokkos::view_alloc(exec, "Lacuna::bench::copy_from"), count);
  const Kokkos::View<double*, Device> to(Kokkos::view_alloc(exec, "Lacuna::bench::copy_to"), count);
  const SteadyTime time =
      steady_time(exec, {.min_time = 0.2, .batches = 10}, [&] { Kokkos::deep_copy(exec, to, from); });
  return 2.0 * static_cast<double>(count * sizeof(double)) / time.seconds;
}

}  // namespace lacuna::bench
