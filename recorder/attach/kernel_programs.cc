// SPDX-License-Identifier: Apache-2.0
#include "recorder/attach/kernel_programs.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>

#include "absl/strings/str_cat.h"
#include "bpf/unwind_tables.h"
#include "gordian.skel.h"

namespace gordian {
namespace {

constexpr char kKernelTypes[] = "/sys/kernel/btf/vmlinux";
constexpr uint32_t kRolesMax = 131072;
constexpr uint32_t kLocalFlowsMax = 65536;
constexpr uint32_t kStacksToldMax = 65536;
// How long waits are counted before their chance of being looked at is set anew.
constexpr uint64_t kStackWindowNs = 100'000'000;

// The kernel's tick is what its coarse clocks go by.
uint64_t TicksIn(uint64_t duration_ns) {
  timespec tick{};
  if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) != 0 || tick.tv_sec != 0 || tick.tv_nsec <= 0)
    tick.tv_nsec = 4'000'000;
  return std::max<uint64_t>(1, duration_ns / static_cast<uint64_t>(tick.tv_nsec));
}

// The first complaint of libbpf on this thread since the last load began. It explains a failure
// best; later complaints only say that something had gone wrong.
thread_local std::string first_complaint;

int KeepComplaint(enum libbpf_print_level level, const char* format, va_list arguments) {
  if (level != LIBBPF_WARN || !first_complaint.empty()) return 0;
  char line[512];
  vsnprintf(line, sizeof(line), format, arguments);
  first_complaint = line;
  while (!first_complaint.empty() && first_complaint.back() == '\n') first_complaint.pop_back();
  return 0;
}

void ListenToLibbpf() {
  static std::once_flag once;
  std::call_once(once, [] {
    libbpf_set_strict_mode(LIBBPF_STRICT_ALL);
    libbpf_set_print(KeepComplaint);
  });
}

// With prev_state the tracepoint's type has one parameter more.
bool SwitchHasPrevState(const btf* kernel) {
  const int id = btf__find_by_name_kind(kernel, "btf_trace_sched_switch", BTF_KIND_TYPEDEF);
  if (id <= 0) return false;
  const btf_type* pointer = btf__type_by_id(kernel, btf__type_by_id(kernel, id)->type);
  const btf_type* function = btf__type_by_id(kernel, pointer->type);
  return btf_is_func_proto(function) && btf_vlen(function) > 4;  // a context pointer comes first
}

// 6.7 began to count the probes that it leaves out (dd8657894c11), and gave a function of the same
// series one parameter more (3acf8ace6823).
bool CountsProbesLeftOut(const btf* kernel) {
  const int id = btf__find_by_name_kind(kernel, "bpf_get_perf_event_info", BTF_KIND_FUNC);
  if (id <= 0) return false;
  return btf_vlen(btf__type_by_id(kernel, btf__type_by_id(kernel, id)->type)) > 6;
}

// Whether this kernel lets programs stand at a function: a program that does nothing is loaded.
// (Without kprobes in the kernel it does not, though the function is known.)
bool MayEnter(const btf* kernel, const char* function) {
  const int id = btf__find_by_name_kind(kernel, function, BTF_KIND_FUNC);
  if (id <= 0) return false;
  const bpf_insn nothing[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
                              {.code = BPF_JMP | BPF_EXIT}};
  bpf_prog_load_opts options{};
  options.sz = sizeof(options);
  options.expected_attach_type = BPF_TRACE_FENTRY;
  options.attach_btf_id = static_cast<uint32_t>(id);
  const int program = bpf_prog_load(BPF_PROG_TYPE_TRACING, "may_enter", "GPL", nothing,
                                    std::size(nothing), &options);
  if (program < 0) return false;
  const int link = bpf_raw_tracepoint_open(nullptr, program);
  if (link >= 0) close(link);
  close(program);
  return link >= 0;
}

KernelFeatures FeaturesOfThisKernel(const LocalMessageChoice& local_messages) {
  KernelFeatures features;
  btf* kernel = btf__load_vmlinux_btf();
  if (libbpf_get_error(kernel)) return features;
  features.prev_state = SwitchHasPrevState(kernel);
  features.rdonly_cast = btf__find_by_name_kind(kernel, "bpf_rdonly_cast", BTF_KIND_FUNC) > 0;
  features.probes_left_out_uncounted =
      !CountsProbesLeftOut(kernel) &&
      btf__find_by_name_kind(kernel, "bpf_this_cpu_ptr", BTF_KIND_FUNC) > 0;
  features.block_start =
      btf__find_by_name_kind(kernel, "btf_trace_block_io_start", BTF_KIND_TYPEDEF) > 0;
  const auto has_tracepoint = [kernel](const char* type) {
    return btf__find_by_name_kind(kernel, type, BTF_KIND_TYPEDEF) > 0;
  };
  features.socket_lengths = has_tracepoint("btf_trace_sock_send_length") &&
                            has_tracepoint("btf_trace_sock_recv_length") &&
                            has_tracepoint("btf_trace_sk_data_ready");
  if (local_messages.sockets && !features.socket_lengths)
    features.enters_sockets =
        MayEnter(kernel, "unix_stream_sendmsg") && MayEnter(kernel, "unix_stream_recvmsg");
  if (local_messages.pipes)
    features.enters_pipes = MayEnter(kernel, "pipe_write") && MayEnter(kernel, "pipe_read");
  btf__free(kernel);
  return features;
}

// libbpf before 1.3 fails where it looks for a type in the kernel's modules and may not (that needs
// CAP_SYS_ADMIN). Nothing of ours is in a module. libbpf leaves them out if it is told where the
// kernel's own types are; it then reads those twice. Variables it would look for there all the same
// (left_out.bpf.c names one that a kernel without kprobes has not), but only once: a search that
// finds nothing, before, spares it the one that would fail.
gordian_bpf* Open() {
  bpf_object_open_opts options{};
  options.sz = sizeof(options);
  uint32_t first = 0;
  const bool may_list = bpf_btf_get_next_id(0, &first) == 0 || errno != EPERM;
  if (may_list) return gordian_bpf::open(&options);
  options.btf_custom_path = kKernelTypes;
  gordian_bpf* skeleton = gordian_bpf::open(&options);
  if (skeleton != nullptr)
    bpf_program__set_attach_target(skeleton->progs.tracepoint_switch_with_stack, 0,
                                   "no_function_of_this_name");
  first_complaint.clear();
  return skeleton;
}

std::string ExplainLoadFailure(Backend backend, int error) {
  if (access(kKernelTypes, R_OK) != 0)
    return "this kernel has no BTF (/sys/kernel/btf/vmlinux); a kernel with CONFIG_DEBUG_INFO_BTF "
           "is needed (any distribution's "
           "since about 5.8)";
  if (first_complaint.find("iterate BTF objects") != std::string::npos)
    return "this kernel with this libbpf (before 1.3) also needs CAP_SYS_ADMIN; run it with sudo, "
           "or see gordian-record(1), RIGHTS";
  const std::string why = first_complaint.empty() ? strerror(error) : first_complaint;
  return absl::StrCat("the ", std::string(BackendName(backend)),
                      " backend does not load here: ", why);
}

}  // namespace

absl::StatusOr<std::unique_ptr<KernelPrograms>> KernelPrograms::Attach(
    const KernelOptions& options) {
  ListenToLibbpf();
  // Cheapest first.
  std::vector<Backend> backends = {Backend::kTracepoint, Backend::kFentry, Backend::kKprobe};
  if (options.backend) backends = {*options.backend};
  absl::Status first_failure;
  for (const Backend backend : backends) {
    std::unique_ptr<KernelPrograms> programs(new KernelPrograms);
    const absl::Status status = programs->Load(options, backend);
    if (status.ok()) return programs;
    if (first_failure.ok()) first_failure = status;
  }
  return first_failure;
}

KernelPrograms::~KernelPrograms() {
  Detach();
  if (ring_memory_ != nullptr) munmap(ring_memory_, ring_memory_bytes_);
  if (skeleton_) gordian_bpf::destroy(skeleton_);
}

absl::Status KernelPrograms::Load(const KernelOptions& options, Backend backend) {
  backend_ = backend;
  only_targets_ = options.only_targets;
  first_complaint.clear();
  skeleton_ = Open();
  if (!skeleton_) return absl::UnavailableError(ExplainLoadFailure(backend, errno));

  const KernelFeatures features = FeaturesOfThisKernel(options.local_messages);
  skeleton_->rodata->only_targets = options.only_targets;
  skeleton_->rodata->irq_threshold_ns = options.irq_threshold_ns;
  skeleton_->rodata->switch_has_prev_state = features.prev_state;
  skeleton_->rodata->target_comms_set = !options.target_comms.empty();
  skeleton_->rodata->target_cgroups_set = !options.target_cgroups.empty();

  skeleton_->rodata->record_commands = options.commands;
  if (options.sample_hz > 0)
    skeleton_->rodata->sample_period_ns = 1'000'000'000 / options.sample_hz;
  skeleton_->rodata->test_window_rounds = options.test_window_rounds;

  skeleton_->rodata->stack_mode = options.stacks;
  skeleton_->rodata->window_ticks = TicksIn(kStackWindowNs);
  skeleton_->rodata->stack_budget_ns = options.stack_budget_ns;
  has_stacks_ = options.stacks != GD_STACKS_OFF;
  const std::vector<Hook> hooks = HooksOf(backend, has_stacks_, features);
  std::set<std::string_view> wanted = {"alive_tasks"};
  if (has_stacks_ && options.sample_hz > 0) wanted.insert("cpu_stack");
  if (!options.counted_calls.empty()) wanted.insert("counted_call");
  const std::vector<Hook> local_hooks = LocalMessageHooks(options.local_messages, features);
  for (const std::vector<Hook>* const some : {&hooks, &local_hooks})
    for (const Hook& hook : *some)
      for (const Candidate& candidate : hook.candidates)
        for (const Attachment& attachment : candidate.attachments)
          wanted.insert(attachment.program);
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, skeleton_->obj)
      bpf_program__set_autoload(program, wanted.count(bpf_program__name(program)) > 0);

  cpus_ = libbpf_num_possible_cpus();
  if (cpus_ <= 0 || cpus_ > GD_MAX_CPUS)
    return absl::FailedPreconditionError(
        absl::StrCat("this node has ", cpus_, " CPUs; at most ", GD_MAX_CPUS, " can be recorded"));
  SizeRings(options.ring_bytes_per_cpu);
  if (options.local_messages.any())
    bpf_map__set_max_entries(skeleton_->maps.local_flows, kLocalFlowsMax);
  if (options.only_targets) bpf_map__set_max_entries(skeleton_->maps.roles, kRolesMax);

  if (has_stacks_) {
    bpf_map__set_max_entries(skeleton_->maps.stacks_told, kStacksToldMax);
#if defined(__x86_64__)
    bpf_map__set_max_entries(skeleton_->maps.unwind_processes, GD_UNWIND_PROCESSES);
    bpf_map__set_max_entries(skeleton_->maps.unwind_mappings, GD_UNWIND_SETS);
    bpf_map__set_max_entries(skeleton_->maps.unwind_chunks, GD_UNWIND_CHUNKS);
#endif
  }

  if (const int error = gordian_bpf::load(skeleton_); error != 0)
    return absl::UnavailableError(ExplainLoadFailure(backend, -error));
  if (absl::Status status = MapRings(); !status.ok()) return status;
  if (absl::Status status = FillTargets(options); !status.ok()) return status;
  for (const Hook& hook : hooks)
    if (absl::Status status = AttachHook(hook); !status.ok()) return status;
  if (absl::Status status = AttachLocalMessages(local_hooks); !status.ok()) return status;
  sample_hz_ = has_stacks_ ? options.sample_hz : 0;
  counted_calls_ = options.counted_calls;
  if (sample_hz_ != 0) hooks_.push_back({"cpu sample", "perf_event/cpu-clock"});
  for (const std::string& call : counted_calls_)
    hooks_.push_back({absl::StrCat("call of ", call), "tracepoint/syscalls"});
  if (absl::Status status = AttachCpuSampler(); !status.ok()) return status;
  return AttachCallCounters();
}

// One map holds all rings. A CPU that is offline now gets no ring: if it comes online, its records
// are counted as lost.
void KernelPrograms::SizeRings(uint64_t bytes_per_cpu) {
  const int online = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  for (int cpu = 0; cpu < cpus_; ++cpu) {
    char value = '1';
    if (online < cpus_) {
      std::ifstream state(absl::StrCat("/sys/devices/system/cpu/cpu", cpu, "/online"));
      state >> value;
    }
    if (value != '0') online_.push_back(cpu);
  }
  const uint64_t chunk_bytes = std::min<uint64_t>(bytes_per_cpu, GD_RING_CHUNK_BYTES);
  ring_shape_ = {.ring_bytes = bytes_per_cpu,
                 .chunk_bytes = chunk_bytes,
                 .chunk_stride_bytes = chunk_bytes + GD_RING_SPARE_BYTES};
  skeleton_->rodata->ring_bytes = bytes_per_cpu;
  skeleton_->rodata->ring_chunk_shift = static_cast<uint32_t>(__builtin_ctzll(chunk_bytes));
  bpf_map__set_value_size(skeleton_->maps.ring_memory,
                          static_cast<uint32_t>(ring_shape_.chunk_stride_bytes));
  const uint64_t chunks = bytes_per_cpu / chunk_bytes * online_.size();
  bpf_map__set_max_entries(skeleton_->maps.ring_memory, static_cast<uint32_t>(chunks));
  ring_memory_bytes_ = chunks * ring_shape_.chunk_stride_bytes;
}

absl::Status KernelPrograms::MapRings() {
  void* memory = mmap(nullptr, ring_memory_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED,
                      bpf_map__fd(skeleton_->maps.ring_memory), 0);
  if (memory == MAP_FAILED) {
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot map the kernel rings, ", ring_memory_bytes_,
                     " bytes: ", strerror(errno), "; ask for smaller ones with --kernel-ring"));
  }
  ring_memory_ = static_cast<char*>(memory);
  // Children that read symbol files do not need it: copying its page table would cost more than
  // many a file.
  madvise(ring_memory_, ring_memory_bytes_, MADV_DONTFORK);
  madvise(skeleton_->bss, sizeof(*skeleton_->bss), MADV_DONTFORK);
  const auto chunks_per_cpu =
      static_cast<uint32_t>(ring_shape_.ring_bytes / ring_shape_.chunk_bytes);
  for (size_t i = 0; i < online_.size(); ++i) {
    gd_cpu& cpu = skeleton_->bss->cpus[online_[i]];
    cpu.ring_first_chunk = static_cast<uint32_t>(i) * chunks_per_cpu;
    cpu.has_ring = 1;
  }
  return absl::OkStatus();
}

bool KernelPrograms::has_ring(int cpu) const { return this->cpu(cpu).has_ring != 0; }

KernelRing KernelPrograms::ring(int cpu) const {
  if (!has_ring(cpu)) return {};
  gd_cpu& state = skeleton_->bss->cpus[cpu];
  const uint64_t first_byte = state.ring_first_chunk * ring_shape_.chunk_stride_bytes;
  return {ring_shape_, ring_memory_ + first_byte,
          reinterpret_cast<const uint64_t*>(&state.ring_end),
          reinterpret_cast<uint64_t*>(&skeleton_->bss->rings_read[cpu].end)};
}

absl::Status KernelPrograms::FillTargets(const KernelOptions& options) {
  const uint8_t present = 1;
  for (const std::string& comm : options.target_comms) {
    char key[GD_COMM_LENGTH] = {};
    strncpy(key, comm.c_str(), sizeof(key) - 1);
    if (bpf_map_update_elem(bpf_map__fd(skeleton_->maps.target_comms), key, &present, BPF_ANY) != 0)
      return absl::ResourceExhaustedError("too many --comm; at most 64 can be given");
  }
  for (const uint64_t cgroup : options.target_cgroups)
    if (bpf_map_update_elem(bpf_map__fd(skeleton_->maps.target_cgroups), &cgroup, &present,
                            BPF_ANY) != 0)
      return absl::ResourceExhaustedError("too many --cgroup; at most 64 can be given");
  for (const int32_t pid : options.target_pids)
    if (absl::Status status = AddTarget(pid); !status.ok()) return status;
  return absl::OkStatus();
}

absl::Status KernelPrograms::AddTarget(int32_t tid) {
  if (!only_targets_) return absl::OkStatus();
  const uint8_t role = GD_ROLE_TARGET;
  if (bpf_map_update_elem(bpf_map__fd(skeleton_->maps.roles), &tid, &role, BPF_ANY) != 0)
    return absl::InternalError(absl::StrCat("cannot make ", tid, " a target: ", strerror(errno)));
  return absl::OkStatus();
}

const gd_cpu& KernelPrograms::cpu(int index) const { return skeleton_->bss->cpus[index]; }

void KernelPrograms::ForgetStacksTold() {
  const int map = bpf_map__fd(skeleton_->maps.stacks_told);
  uint64_t hash = 0;
  // Ends: each step takes an entry away, and new ones come slower than that; bounded all the same.
  for (uint32_t i = 0; i < kStacksToldMax && bpf_map_get_next_key(map, nullptr, &hash) == 0; ++i)
    bpf_map_delete_elem(map, &hash);
}

UnwindMaps KernelPrograms::unwind_maps() const {
#if defined(__x86_64__)
  static_assert(sizeof(uint64_t) == sizeof(skeleton_->bss->unwind_counts[0]));
  if (has_stacks_)
    return {.processes = bpf_map__fd(skeleton_->maps.unwind_processes),
            .mappings = bpf_map__fd(skeleton_->maps.unwind_mappings),
            .chunks = bpf_map__fd(skeleton_->maps.unwind_chunks),
            .missed = skeleton_->bss->unwind_missed,
            .counts = reinterpret_cast<const uint64_t*>(skeleton_->bss->unwind_counts)};
#endif
  return {};
}

void KernelPrograms::Begin() {
  if (!begun_)
    for (const LeftOut& program : CountLeftOut()) left_out_before_[program.program] = program.count;
  begun_ = true;
  __atomic_store_n(&skeleton_->bss->recording, GD_RECORD_ALL, __ATOMIC_SEQ_CST);
}

void KernelPrograms::End() {
  __atomic_store_n(&skeleton_->bss->recording, GD_RECORD_NOTHING, __ATOMIC_SEQ_CST);
}

void KernelPrograms::Detach() {
  if (skeleton_ && skeleton_->bss) End();
  if (links_.empty()) return;
  for (Link& link : links_) DetachLink(link);
  links_.clear();
  AwaitRunning();  // a program that had begun on another CPU may still be running
}

// Programs run within the kernel's RCU read sections, and to change a map of maps waits for all
// sections that have begun.
bool KernelPrograms::AwaitRunning() const {
  const uint32_t key = 0;
  const int inner =
      bpf_map_create(BPF_MAP_TYPE_ARRAY, "gordian_changed", sizeof(key), sizeof(key), 1, nullptr);
  if (inner < 0) return false;
  const int changed =
      bpf_map_update_elem(bpf_map__fd(skeleton_->maps.waits_for_running), &key, &inner, BPF_ANY);
  close(inner);
  return changed == 0;
}

}  // namespace gordian
