// SPDX-License-Identifier: Apache-2.0
#include "trace/counters.h"

#include <cstdio>
#include <cstdlib>

namespace gordian {
namespace {

constexpr auto kInfo = CounterSeverity::kInfo;
constexpr auto kDataLoss = CounterSeverity::kDataLoss;
constexpr auto kError = CounterSeverity::kError;

constexpr char kLargerRings[] =
    "Give larger kernel rings (--kernel-ring), or record less (--only).";
constexpr char kRecordAgain[] =
    "Record again if the time around it matters; check the disk and how the files were copied.";

constexpr char kOtherBackend[] =
    "Usually few, and harmless. Else record by tracepoints (--attach=tracepoint).";

constexpr char kReportKernel[] = "Report it with this kernel's version.";

constexpr char kRightsAdvice[] = "Record as root, or add the right (gordian-record(1), RIGHTS).";

constexpr CounterDefinition kDefinitions[] = {
    // Records that the kernel side could not hand over, by kind: the chains of waits through them
    // break.
    {"records_lost_switch", kDataLoss,
     "Switches between threads that found no room in their CPU's ring.", kLargerRings},
    {"records_lost_wake", kDataLoss,
     "Wakes that found no room in their CPU's ring: who ended these waits is unknown.",
     kLargerRings},
    {"records_lost_irq_run", kDataLoss,
     "Interrupt handlers' runs that found no room in their CPU's ring.", kLargerRings},
    {"records_lost_block_issue", kDataLoss,
     "Disk requests whose start found no room in its CPU's ring.", kLargerRings},
    {"records_lost_block_complete", kDataLoss,
     "Disk requests whose end found no room in its CPU's ring.", kLargerRings},
    {"records_lost_net_send", kDataLoss, "Packets sent that found no room in their CPU's ring.",
     kLargerRings},
    {"records_lost_net_receive", kDataLoss,
     "Packets received that found no room in their CPU's ring.", kLargerRings},
    {"records_lost_task", kDataLoss,
     "Births, deaths and renames of threads that found no room in their CPU's ring.", kLargerRings},
    {"records_lost_probe", kDataLoss,
     "Words of programs' own probes that gave way to newer ones before they were read, or found no "
     "place.",
     "Say less in that program: mark what takes long, not every step."},
    {"records_lost_counted_call", kDataLoss,
     "System calls that were to be counted and found no room in their CPU's ring.", kLargerRings},
    {"records_lost_flow", kDataLoss,
     "Definitions of network flows that found no room in their CPU's ring.", kLargerRings},
    {"records_lost_stack_sample", kInfo,
     "Stacks of waits, wakes and running threads that found no room in their CPU's ring.",
     kLargerRings},
    {"records_lost_stack", kInfo,
     "Definitions of stacks that found no room in their CPU's ring, and came with a later sample.",
     kLargerRings},
    {"records_lost_wait_object", kInfo,
     "Descriptions of what threads waited for that found no room in their CPU's ring, and came "
     "with a "
     "later sample.",
     kLargerRings},
    {"records_lost_work", kInfo, "What kernel workers did that found no room in their CPU's ring.",
     kLargerRings},
    {"records_lost_local_message", kDataLoss,
     "Messages on unix sockets and in pipes that found no room in their CPU's ring: requests there "
     "lack them.",
     kLargerRings},
    {"stack_samples_without_definition", kInfo,
     "Stacks that symbols.pb.zst does not know: taken, but their code has no names.",
     "gordian symbolize DIR looks for names again; if records_lost_stack is not zero, some stacks "
     "were lost."},
    {"stack_samples_without_wait", kInfo,
     "Stacks taken at a wait or wake that is none in the timeline: the wake came before the wait, "
     "or "
     "the events beside the sample were lost.",
     "Nothing to do: they have no part in the shares of the edges' stacks."},
    {"stacks_not_taken", kInfo,
     "Stacks that the kernel could not take: they count as unknown code.", "Nothing to do."},
    {"stacks_without_number", kInfo,
     "Samples of stacks beyond the million different ones that a recording keeps.",
     "Record for a shorter time, or with --stacks=off."},
    {"records_unknown", kError,
     "Records from the kernel side that the recorder does not understand.",
     "The kernel programs and the recorder do not fit together: install both from the same build."},
    {"records_unfinished", kError,
     "Records that a program of ours began and never finished, and those behind them.",
     kReportKernel},
    {"events_not_followed", kDataLoss,
     "Events that were passed over while a running session was copied, as the copying could not "
     "keep up.",
     "Follow over a faster network, or record less."},
    {"events_not_written", kDataLoss, "Events that could not be written to the session's folder.",
     "Free disk space, or raise the size limit."},
    {"commands_not_read", kInfo,
     "Processes alive when the recording began whose command line was not read: there were too "
     "many.",
     "Nothing to do: they are known by name."},

    {"machine_suspends", kInfo, "Times at which the machine slept while it was recorded.",
     "Nothing to do: no time contains the sleep. Threads that it froze and thawed around it seem "
     "to "
     "wait."},

    // Of a recording with a budget.
    {"start_cost_beyond_budget_ns", kInfo,
     "CPU time (ns) by which starting to record exceeded its part of the budget: half of what the "
     "first ten seconds had.",
     "On a machine of few CPUs: record for longer, give a larger --budget, or use --stacks off, "
     "which starts cheaply."},
    {"recording_pauses", kInfo,
     "Times at which the recording paused to keep to its budget: what happened in them is not "
     "told.",
     "Where all of it is needed, record with --budget none, or a larger one."},

    // Things that the kernel side could not keep track of.
    {"interfaces_without_number", kInfo,
     "Packets on interfaces of other network namespaces beyond the 2,048 that a recording names.",
     "Nothing to do: the report does not tell these interfaces apart."},
    {"targets_table_full", kDataLoss,
     "Threads that --only should have followed and the kernel side's table did not take.",
     "Record without --only."},
    {"flows_table_full", kDataLoss,
     "Packets of flows that the kernel side's table had no place for: they have no flow.",
     "Record for a shorter time, or less (--only)."},
    {"block_requests_table_full", kDataLoss,
     "Disk requests that the kernel side could not remember until their end.",
     "Usually harmless; record for a shorter time if disks matter."},
    {"irq_totals_table_full", kInfo,
     "Runs of interrupts that the kernel side's table of totals had no place for.",
     "Nothing to do: the use of CPUs by interrupts is told too low."},
    {"block_completes_without_issue", kInfo,
     "Disk requests whose start was not seen: under way when recording began.",
     "Nothing to do, unless there are many."},
    {"tasks_unnamed", kDataLoss, "Threads that are only known by their number.",
     "Usually threads that ended while the recording began; else records of threads were lost."},

    // Records that the kernel side meant to write, by kind: the recorded and the lost ones add up
    // to it.
    {"records_produced_switch", kInfo, "Switches that the kernel side saw.", "Nothing to do."},
    {"records_produced_wake", kInfo, "Wakes that the kernel side saw.", "Nothing to do."},
    {"records_produced_irq_run", kInfo, "Interrupt runs that the kernel side saw.",
     "Nothing to do."},
    {"records_produced_block_issue", kInfo, "Disk requests issued that the kernel side saw.",
     "Nothing to do."},
    {"records_produced_block_complete", kInfo, "Disk requests completed that the kernel side saw.",
     "Nothing to do."},
    {"records_produced_net_send", kInfo, "Packets sent that the kernel side saw.",
     "Nothing to do."},
    {"records_produced_net_receive", kInfo, "Packets received that the kernel side saw.",
     "Nothing to do."},
    {"records_produced_task", kInfo,
     "Births, renames and deaths of threads that the kernel side saw.", "Nothing to do."},
    {"records_produced_probe", kInfo, "Words of the program itself that were seen.",
     "Nothing to do."},
    {"records_produced_counted_call", kInfo, "System calls that were counted.", "Nothing to do."},
    {"records_produced_flow", kInfo, "Definitions of flows that the kernel side saw.",
     "Nothing to do."},
    {"records_produced_stack_sample", kInfo, "Stacks that the kernel side took.", "Nothing to do."},
    {"records_produced_wait_object", kInfo,
     "Different things waited for that the kernel side described.", "Nothing to do."},
    {"records_produced_work", kInfo, "Stretches of kernel workers' work that the kernel side saw.",
     "Nothing to do."},
    {"records_produced_local_message", kInfo,
     "Messages on unix sockets and in pipes that the kernel side saw.", "Nothing to do."},
    {"records_produced_stack", kInfo, "Different stacks that the kernel side defined.",
     "Nothing to do."},
    {"kernel_programs_skipped", kDataLoss,
     "Times the kernel left out one of our programs because one was already running on that CPU.",
     kOtherBackend},
    // Records that were never begun, by kind. The kernel enters no program at a probe while one
    // runs on
    // that CPU, and no other program within itself.
    {"records_left_out_switch", kDataLoss,
     "Switches between threads that were not recorded: the kernel left our program out.",
     kOtherBackend},
    {"records_left_out_wake", kDataLoss,
     "Wakes that were not recorded: the kernel left our program out.", kOtherBackend},
    {"records_left_out_irq_run", kDataLoss,
     "Interrupt handlers' runs, and origins of wakes in them, that were not recorded: the kernel "
     "left our program out.",
     kOtherBackend},
    {"records_left_out_block_issue", kDataLoss,
     "Disk requests whose start was not recorded: the kernel left our program out.", kOtherBackend},
    {"records_left_out_block_complete", kDataLoss,
     "Disk requests whose end was not recorded: the kernel left our program out.", kOtherBackend},
    {"records_left_out_net_send", kDataLoss,
     "Packets sent that were not recorded: the kernel left our program out.", kOtherBackend},
    {"records_left_out_net_receive", kDataLoss,
     "Packets received that were not recorded: the kernel left our program out.", kOtherBackend},
    {"records_left_out_task", kDataLoss,
     "Births, deaths and renames of threads that were not recorded: the kernel left our program "
     "out.",
     kOtherBackend},
    {"records_left_out_counted_call", kDataLoss,
     "System calls that were not counted: the kernel left our program out.", kOtherBackend},
    {"records_left_out_flow", kDataLoss,
     "Definitions of network flows that were not recorded: the kernel left our program out.",
     kOtherBackend},
    {"records_left_out_stack_sample", kInfo,
     "Stacks of waits and wakes that were not recorded: the kernel left our program out.",
     kOtherBackend},
    {"records_left_out_stack", kInfo,
     "Changes of processes that stacks are followed in that were not recorded: the kernel left our "
     "program out.",
     kOtherBackend},
    {"records_left_out_wait_object", kInfo,
     "Descriptions of what threads waited for that were not recorded: the kernel left our program "
     "out.",
     kOtherBackend},
    {"records_left_out_work", kInfo,
     "What kernel workers did that was not recorded: the kernel left our program out.",
     kOtherBackend},
    {"records_left_out_local_message", kDataLoss,
     "Messages on unix sockets and in pipes that were not recorded: the kernel left our program "
     "out.",
     kOtherBackend},
    {"cpu_samples_missed", kInfo,
     "Samples of running threads that were due and not taken: the kernel throttled them or left "
     "them "
     "out, or the CPU stood still.",
     "Nothing to do, unless there are many: take fewer (--sample-hz)."},

    // Of recordings that our own tests make, with widened windows.
    {"writes_interrupted", kInfo,
     "Records that another program of ours interrupted while they were written.", "Nothing to do."},
    {"plain_writes_interrupted", kError,
     "The same, where that was thought impossible: such records may be wrong.", kReportKernel},
    {"places_taken_again", kInfo,
     "Places in a ring that an interrupt took while they were looked for.", "Nothing to do."},

    // The recorder's own work.
    {"time_inversions_sorted", kInfo,
     "Events that came a little late in their CPU's ring and were put in order.", "Nothing to do."},
    {"ring_events_given_way", kInfo, "Events that gave way to newer ones in a flight recorder.",
     "Give a larger --ring to keep a longer time."},
    {"flows_forgotten", kInfo,
     "Flows whose addresses a flight recorder may have forgotten because there were too many.",
     "Nothing to do: packets of such a flow are told without its addresses."},
    {"probe_records_invalid", kInfo,
     "Records and counts in programs' probe files that no probe library writes.",
     "A program writes into its probe file itself, or is built with another version: rebuild it."},
    {"probe_events_out_of_time", kInfo,
     "Words of programs' probes with a time that cannot be: in the future, or long past when read.",
     "A program was stopped in the middle of a word, or writes into its probe file itself."},
    {"probe_threads_unknown", kInfo,
     "Words of programs' probes in the name of unknown threads or of other programs' threads.",
     "Nothing to do, unless there are many."},
    {"probe_files_refused", kInfo,
     "Probe files that are damaged, of another version, or of no known process.",
     "Rebuild the program with this version's probe library; see who makes other files in "
     "/dev/shm."},
    {"probe_gaps", kDataLoss,
     "Times the recorder came too late to ask programs for more of their own words: what they said "
     "until it came again is missing.",
     "The machine was too busy for the recorder: record less (--only), or for a shorter time."},
    {"probe_files_over_limit", kDataLoss,
     "Probe files that were not read because there were too many.",
     "Record fewer annotated programs at once, or take the probe library out of those that do not "
     "matter."},
    {"resource_samples_missed", kDataLoss,
     "Resource samples that could not be taken in time or not be read.",
     "The machine was too busy for the chosen interval: choose a longer one."},
    {"incomplete_session", kDataLoss,
     "The recording was not ended cleanly: its last moments may be missing.",
     "It was killed, or its machine went down: what was flushed before is here."},

    // Data that a reader had to pass over.
    {"corrupt_blocks", kDataLoss,
     "Stretches of trace files that do not check and were passed over.", kRecordAgain},
    {"torn_tails", kDataLoss, "Trace files that end in the middle of a block.",
     "Expected after a kill, a full disk, or while the session is still being written; else the "
     "file was not copied whole."},
    {"skipped_bytes", kDataLoss, "Bytes of trace files that were passed over.", kRecordAgain},
    {"unknown_blocks", kDataLoss, "Blocks of a kind or version that is newer than this reader.",
     "Read the session with the version that wrote it."},
    {"unknown_events", kDataLoss, "Events of a kind that is newer than this reader.",
     "Read the session with the version that wrote it."},
    {"missing_blocks", kDataLoss, "Blocks whose numbers are left out in a trace file.",
     "The file is damaged, was not copied whole, or was put together from parts: record again."},
    {"unreadable_files", kDataLoss, "Files of the session that are missing or could not be read.",
     "Check the permissions and whether the folder was copied whole."},

    // How a reader could not keep its own promise.
    {"bytes_beyond_memory", kInfo,
     "Memory that the analysis took beyond its limit (--memory): the folder for large columns took "
     "no more.",
     "Set TMPDIR to a folder on a disk with more room."},

    // What the user did not wait for.
    {"analysis_stopped", kInfo,
     "Analyses that were stopped: the rest of the recording was not read, or fixes were not "
     "predicted.",
     "What the report tells is true of what was read; analyze again for the rest."},

    // Found by the analyzer.
    {"requests_in_a_part", kInfo,
     "Recordings in which requests came in a part of the time only: the report is of that part (of "
     "many nodes only the gains are).",
     "Give --from and --to for another part, or for all of the time."},

    // Events that contradict each other, found by the analyzer.
    {"waits_without_wake", kDataLoss,
     "Waits that ended although no wake was recorded: who ended them is unknown.",
     "Records of wakes were lost, or the recording began in the middle of the wait."},
    {"contradicting_switches", kDataLoss,
     "Switches that contradict the one before of the same thread: the time between is unknown.",
     "If records were lost too, give larger kernel rings (--kernel-ring); else this kernel hides "
     "some threads from recorders, and only their time is unknown."},
    {"lossy_runs", kDataLoss,
     "Runs on a CPU that lost switches meanwhile: their time counts as unknown.", kLargerRings},
    {"requests_without_end", kDataLoss,
     "Disk requests whose issue or completion was not seen: after the time by which a request must "
     "have "
     "been done, nothing is known of it.",
     "If records were lost too, give larger kernel rings (--kernel-ring); else this kernel does "
     "not "
     "tell all completions."},
    // Of the target's threads, where it is worth telling (participation/quality.h).
    {"target_unknown_ns", kDataLoss,
     "Nanoseconds of the target's threads, summed up, of which nothing was recorded.",
     "What held the target up then is not known: look for losses among these counters."},
    {"target_waits_without_cause_ns", kDataLoss,
     "Nanoseconds of waits of the target's threads, summed up, of which nothing tells who ended "
     "them.",
     "No path of waits leads on from them: look for losses among these counters, or record all of "
     "the machine."},
    {"target_stalled_ns", kDataLoss,
     "Nanoseconds in which all of the target's threads waited, without a known cause, and nothing "
     "was under way: no disk request, no message, no timer.",
     "Something that is not recorded held the target up: record all of the machine, or the other "
     "nodes."},
    {"waits_for_itself", kInfo, "Waits that the waiting thread seems to have ended itself.",
     "Nothing to do, unless there are many."},
    {"unmatched_probes", kInfo,
     "Probes without their counterpart: spins that end before they begin, and the like.",
     "Check where the program's probes are placed."},
    {"spins_without_holder", kInfo, "Spins on a lock whose holder was not seen.",
     "Add spin_release where the lock is given back."},

    // Recordings of many nodes.
    {"nodes_left_out", kDataLoss,
     "Nodes whose recording could not be read: what others waited for there stays with the "
     "network.",
     "Collect them again: gordian collect goes on where it was interrupted."},
    {"nodes_of_other_versions", kDataLoss,
     "Nodes that another version of gordian recorded than most: all are joined, but an older "
     "recorder tells fewer things.",
     "Install one version on all nodes, and record again if what the older one lacks matters."},
    {"nodes_without_clock", kDataLoss,
     "Nodes whose clock was not measured: their wall clock and messages alone tell when things "
     "happened there.",
     "Let the nodes reach the reference node's gordiand; gordian status says why one cannot."},
    {"nodes_with_wrong_clock", kDataLoss,
     "Nodes whose clock was measured against the reference's, and whose messages say that this "
     "cannot be true: the measurement is not believed, and their wall clock and messages place "
     "them.",
     "The report's first part names them: see their clock source, and whether the way to the "
     "reference node is much slower in one direction."},
    {"messages_before_their_sending", kDataLoss,
     "Messages received before they were sent, however far off the clocks may be.",
     "A clock jumped, or drifts more than it should: see the machine's clock source."},
    {"messages_by_last_writer", kInfo,
     "Waits for packets that a kernel sent when it could: the thread that last wrote to that flow "
     "is taken for their sender.",
     "Nothing to do."},
    {"messages_in_mixed_batches", kInfo,
     "Waits whose packet the driver handed up together with packets of other flows: the sender of "
     "the last of them is named, though another may have ended the wait.",
     "Nothing to do."},
    {"messages_by_kernel", kInfo,
     "Waits for packets that a kernel sent and no thread wrote: they stay with the interface.",
     "Nothing to do: acknowledgements and resets are such."},
    {"messages_not_sent", kInfo,
     "Waits for packets of known flows whose sending was not recorded: they stay with the "
     "interface.",
     "Nothing to do for flows from before the recording; else see whether records were lost."},
    {"messages_from_outside", kInfo,
     "Waits for packets that no recorded node sent under this address: they stay with the "
     "interface.",
     "Record the other side, too. Where addresses are translated on the way (NAT), packets cannot "
     "be matched."},
    {"messages_without_packet", kInfo,
     "Waits ended in the receive path for which no packet was recorded: they stay with the "
     "interface.",
     "Nothing to do, unless there are many."},
    {"datagrams_unsure", kInfo,
     "Waits for datagrams that were matched by their order alone while several were under way.",
     "Nothing to do: the thread is most likely right, the time in flight may be another's."},

    // Imported traces.
    {"import_meta_unknown", kInfo, "Lines of metadata that the importer does not know.",
     "Nothing to do."},
    {"import_switches_inconsistent", kDataLoss,
     "Switches of an imported trace away from a thread that did not run on that CPU.",
     "Lines are missing, or the trace puts one thread on two CPUs: check what wrote it."},
    {"import_threads_reborn", kDataLoss,
     "Threads of an imported trace that were created while they were alive.",
     "`exit` lines are missing: check what wrote it."},
    {"import_softirqs_open", kInfo, "Softirqs of an imported trace that were entered and not left.",
     "Nothing to do where the trace ends inside them."},
    {"import_disk_done_unmatched", kInfo,
     "Disk requests of an imported trace that ended without having been issued.",
     "Nothing to do where they were under way when the trace began."},
    {"import_threads_unnamed", kInfo, "Threads of an imported trace that it gives no name for.",
     "Add a `thread` or `create` line for them."},
    {"import_events_lost", kDataLoss,
     "Events that the imported trace itself says are missing: its recorder found no room for them.",
     "Record with larger buffers (trace-cmd record -b, perf record -m, buffer_size_kb)."},
    {"import_wakes_missing", kDataLoss,
     "The imported trace tells no wake: nothing tells what ended a wait.",
     "Record the event sched_waking, too."},
    {"import_wakes_told_late", kDataLoss,
     "Wakes of an imported trace that only the CPU of the woken thread told (sched_wakeup): the "
     "thread that it interrupted is named as the waker.",
     "Record the event sched_waking, too."},
    {"import_wakes_context_unknown", kDataLoss,
     "Wakes of an imported trace that may be an interrupt's: the thread that it interrupted is "
     "named "
     "as the waker.",
     "Record the events of irq, too, or keep the flags of each event."},
    {"import_wakes_interrupt_untold", kInfo,
     "Wakes of an imported trace by interrupts that it does not name (timers, other CPUs).",
     "Record the events of irq, timer and irq_vectors, too."},
    {"import_wakes_by_untold_packets", kDataLoss,
     "Wakes of an imported trace by packets that it does not tell: the path ends at the network, "
     "on "
     "one machine, too.",
     "Record with `gordian record` where the sender matters."},
    {"import_without_packets", kDataLoss,
     "The imported trace tells no packets: waits are not followed over the network.",
     "Record with `gordian record` where they matter."},
    {"import_without_disks", kDataLoss,
     "The imported trace tells no disk requests: waits for disks look like any other.",
     "Record the events block_rq_issue and block_rq_complete, too."},
    {"import_without_interrupts", kInfo, "The imported trace tells no runs of interrupt handlers.",
     "Record the events of irq, too."},
    {"import_interrupts_unmatched", kInfo,
     "Entries to interrupts of an imported trace without their exits, or the other way round.",
     "Nothing to do where a trace begins or ends inside them."},
    {"import_threads_of_no_process", kInfo,
     "Threads of an imported trace that it gives no process for: each counts as its own.",
     "Record with the option record-tgid, or the event task_newtask."},
    {"import_names_dropped", kInfo, "Names of an imported trace beyond the million that are kept.",
     "Nothing to do."},
    {"import_switches_without_thread", kInfo,
     "Switches of an imported trace that do not tell who left the CPU: they were left out.",
     "Nothing to do: the first of each CPU does not, and the first behind a loss."},
    {"import_events_unknown", kInfo,
     "Events of an imported trace that say nothing about scheduling, interrupts or disks.",
     "Nothing to do."},
    {"import_lines_unknown", kInfo, "Lines of an imported trace that are no events.",
     "Nothing to do where they are headings, notes or stacks."},
    {"import_stacks_dropped", kInfo, "Stacks of an imported trace that were not kept.",
     "Record with `gordian record --stacks` where the code matters."},
    {"import_mappings_dropped", kInfo,
     "Mappings, execs and forks of an imported trace that were not kept: some code has no names.",
     "Record a shorter time, or fewer processes."},

    // Activity graphs, and participation.
    {"activities_back_in_time", kDataLoss,
     "Activities of an imported graph that end before they begin, and were left out.",
     "The workers' clocks differ: correct their times before the import."},
    {"activities_missing", kDataLoss,
     "Activities of an imported graph that its files no longer hold.",
     "The folder was not copied whole, or is damaged: import the graph again."},
    {"activities_in_circle", kDataLoss,
     "Activities without length that lead in a circle at one instant, and were left out.",
     "No activity can be its own cause: check what wrote the graph."},
    {"activities_odd", kInfo,
     "Entries of an imported log that tell no activity, and were left out.",
     "Nothing to do if they are few."},
    {"spans_without_parent", kInfo,
     "Spans whose parent is not in the imported file. They have no cause in the graph.",
     "Export all services of a trace into one file."},
    {"windows_without_path", kInfo,
     "Windows through which no path of activities leads from the beginning to the end.",
     "Choose a larger --window, or look for gaps in what was traced."},
    {"windows_inexact", kError,
     "Windows whose participations do not add up to one: rounding spoiled them.",
     "Choose a smaller --window, and report it."},
    {"windows_cut_short", kInfo,
     "Windows at whose end all of the target's threads waited, or had ended: their paths end at "
     "the "
     "last moment at which one was on its way.",
     "Nothing to do: shares are of the time until then."},
    {"windows_of_sleepers", kInfo,
     "Windows at whose end all of the target's threads waited for a time of their own: their paths "
     "count.",
     "Nothing to do: the target was idle then."},
    {"wakes_by_sleepers", kInfo,
     "Waits on a path that a thread ended which slept itself, as far as is known: they are unknown "
     "time.",
     "Nothing to do if they are few; else look for losses."},
    {"births_without_creator", kInfo,
     "Threads on a path whose creator is not known: the time before their birth is unknown.",
     "Nothing to do if they are few."},
    {"messages_by_sleepers", kInfo,
     "Messages on a path whose sender slept when it was sent: they stay on their receiver's line.",
     "Nothing to do if they are few; else the nodes' clocks may be wrong."},
    {"waits_not_ended", kInfo,
     "Waits of the target at the end of windows that did not end within a second: no path leads "
     "back from them.",
     "Nothing to do: idle threads wait for long."},
    {"waits_by_likeness", kInfo,
     "Waits in a slice that no sample explains: they count like most others of their thread.",
     "Nothing to do; to know more of them, record with more stacks."},
    {"waits_not_known", kInfo,
     "Waits in a slice of which nothing is known, neither by samples of others of their thread: "
     "they count as part of the same work.",
     "The slice may hold too much: --scope burst holds no such wait."},
    {"causes_asleep", kInfo,
     "Waits and births in a slice whose cause is not known, or slept itself: the slice ends there.",
     "Nothing to do if they are few; else look for losses."},
    // gordian requests.
    {"requests_without_answer", kInfo,
     "Requests that were open when the recording, or their connection, ended: not told.",
     "Nothing to do if they are few; else the server hangs, or the range is short."},
    {"answers_without_request", kInfo,
     "Turns of a server that nothing had asked for: greetings, pushes, or answers to requests that "
     "came before the recording.",
     "Nothing to do if they are few; a server that pushes has no requests to tell."},
    {"requests_in_parts", kInfo,
     "Requests whose data came in several parts before the answer: long ones, or several at once "
     "(pipelining), told as one.",
     "If clients pipeline, mark requests by the probe's phases, and ask with --phase."},
    {"requests_without_thread", kDataLoss,
     "Requests that no known thread answered: their times are told, but not where these went.",
     "Look for losses; a recording with --only knows only its targets' threads."},
    {"packets_without_flow", kDataLoss,
     "Packets whose connection was never described: their requests are missing.",
     "Nothing to do if they are few; else give larger kernel rings (--kernel-ring)."},
    {"pipes_without_requests", kInfo,
     "Pipes in which no requests were looked for: data went one way only, or several processes "
     "shared them.",
     "Nothing to do, or phases of the probe in those programs tell requests."},
    {"connections_passed_on", kInfo,
     "Connections whose addresses the kernel replaced on the way to the server (NAT): told by the "
     "server's own.",
     "Nothing to do."},
    {"requests_cut_short", kInfo,
     "Requests with more steps than are followed: the first part of their time is unknown.",
     "Nothing to do if they are few."},
    {"request_causes_asleep", kInfo,
     "Waits in requests that a thread ended which slept itself, as far as is known: their cause is "
     "unknown.",
     "Nothing to do if they are few; else look for losses."},
    {"request_waits_by_likeness", kInfo,
     "Waits in requests that no sample explains: what they were for is told by most others of "
     "their thread.",
     "Nothing to do; to know more of them, record with more stacks."},
    {"request_waits_not_known", kInfo,
     "Waits in requests of which no sample tells what they were for: they count as waits for "
     "another thread.",
     "To know more of them, record with stacks."},
    {"request_waits_too_deep", kInfo,
     "Waits in requests within waits of others, too deep to follow: their cause is unknown.",
     "Nothing to do if they are few."},
    {"requests_seen_by_wakes", kInfo,
     "Nodes recorded with --only: a request that came while its server was busy begins late, or is "
     "missing.",
     "Record without --only to see how long requests queue."},
    // What a recorder without all of root's rights lacks (recorder/sources/rights.h).
    {"rights_no_sys_ptrace", kInfo,
     "Recorded without CAP_SYS_PTRACE: code, probes and folders of other users' programs are "
     "missing.",
     kRightsAdvice},
    {"rights_no_syslog", kInfo, "Recorded without CAP_SYSLOG: kernel code has no names.",
     kRightsAdvice},
    {"rights_no_dac_read_search", kInfo,
     "Recorded without CAP_DAC_READ_SEARCH: other users' open files were not counted, and private "
     "programs have no names of code.",
     kRightsAdvice},
    {"rights_no_checkpoint_restore", kInfo,
     "Recorded without CAP_CHECKPOINT_RESTORE: code of deleted programs has no names.",
     kRightsAdvice},
    {"rights_no_sys_nice", kInfo,
     "Recorded without CAP_SYS_NICE: on a full machine events may be lost.", kRightsAdvice},
    {"rights_no_sys_admin", kInfo,
     "Recorded without CAP_SYS_ADMIN: interfaces in containers have no names, and the recording's "
     "own cost is estimated.",
     kRightsAdvice},
    // Names of code. A loss here costs names, never waits.
    {"stacks_cut_short", kInfo,
     "Different stacks of programs that lead into code without frame pointers: who called that is "
     "not known.",
     "Build programs (and use libraries) with -fno-omit-frame-pointer to see whole stacks."},
    {"stacks_left_unnamed", kInfo,
     "Different stacks beyond those whose names a recording looks for.",
     "gordian symbolize DIR looks for the names of all."},
    {"symbols_not_written", kInfo, "symbols.pb.zst could not be written: the code has no names.",
     "Make room on the disk, or raise the limit of size, and run gordian symbolize DIR."},
    {"symbols_processes_gone", kInfo,
     "Processes that had ended before it could be noted which code they ran, or that the recorder "
     "may not look at.",
     "Nothing to do for short-lived ones; other users' need the right CAP_SYS_PTRACE."},
    {"symbols_addresses_unmapped", kInfo,
     "Addresses of code that lie in no mapping of their process that was noted.",
     "Code that was loaded for a short time has no names; compiled Java, Python and the like needs "
     "a perf map."},
    {"symbols_addresses_unnamed", kInfo, "Addresses of code that no symbol covers.",
     "Install the programs' debug symbols, or do not strip them."},
    {"symbols_files_malformed", kInfo, "Files mapped as code that are no ELF files, or damaged.",
     "Nothing to do for data that is mapped as code; else check the file."},
    {"symbols_files_not_held", kInfo,
     "Deleted or containers' files that were not held open because there were too many.",
     "Their names can be told only as long as a process or container that has them lives."},
    {"symbols_files_too_large", kInfo, "Files of symbols left unread because of their size.",
     "Strip debug information that is not needed."},
    {"symbols_files_unreadable", kInfo, "Mapped files that could not be opened.",
     "Record as root; a program that was deleted can be read only so."},
    {"symbols_inlines_cut", kInfo,
     "Addresses in more functions inlined in each other than are kept.", "Nothing to do."},
    {"symbols_kallsyms_lines_malformed", kInfo,
     "Lines of /proc/kallsyms that could not be understood.", kReportKernel},
    {"symbols_mappings_left_out", kInfo, "Mappings of code beyond those kept of one process.",
     "Addresses in them have no names."},
    {"symbols_maps_lines_malformed", kInfo,
     "Lines of a process's /proc/PID/maps that could not be understood.", kReportKernel},
    {"symbols_modules_broken_off", kError,
     "Files whose symbols could not be read to their end: damaged, hostile, or beyond the limits "
     "of time and memory.",
     "Names from them may be missing: check these files, or strip their debug information."},
    {"symbols_modules_left_at_request", kInfo,
     "Programs and libraries without names of code: the user did not want to wait for them.",
     "gordian symbolize DIR looks for them."},
    {"symbols_modules_without_file", kInfo,
     "Programs and libraries whose file was no longer there, nor a debug file of its build-id.",
     "Keep files until the recording ends, or install their debug symbols."},
    {"symbols_perf_map_lines_left_out", kInfo, "Entries of perf maps beyond those kept.",
     "Have the compiler write its map once, at the end."},
    {"symbols_perf_map_lines_malformed", kInfo,
     "Lines of perf maps (what JIT compilers tell of their code) that could not be understood.",
     "Check what wrote /tmp/perf-PID.map."},
    {"symbols_perf_maps_foreign", kInfo,
     "Perf maps left unread because another user than the process's owns them.",
     "Have the process write its own, or give it to its user."},
    {"targets_not_seen", kDataLoss,
     "Processes and names that the recording was to be about, and of which no thread was seen.",
     "Look how the program calls itself (ps -eo pid,comm,args), and name it so: gordian analyze "
     "--comm NAME."},
    {"symbols_unreadable", kError, "symbols.pb.zst is damaged: the code in stacks has no names.",
     "gordian symbolize DIR makes it again."},
    {"symbols_table_entries_left_out", kInfo, "Symbols beyond those read of one file.",
     "Functions of that file may be named after a neighbour."},

    // Losses that make the attribution of resources to phases imperfect.
    {"phases_ending_before_start", kDataLoss, "Phases whose end comes before their start.",
     "They count as empty: check the log rules, and whose clock each line tells."},
    {"phases_shorter_than_timeslice", kInfo,
     "Phases that begin and end nearest to the same border of timeslices: no use is theirs.",
     "If they matter, choose shorter timeslices."},
    {"resources_without_capacity", kInfo,
     "Resources without a known capacity. They are never full, and no bottleneck.",
     "Give the capacity in the model or with the samples."},
    {"use_samples_unusable", kDataLoss,
     "Samples of a resource that are empty, negative or no number: left out.",
     "Check what wrote the samples."},
    {"use_samples_overlapping", kInfo,
     "Samples of a resource that begin before the one before ends: cut.",
     "Check whether two resources carry one name."},
    {"use_samples_outside_job", kInfo, "Samples of a resource before or after the job: left out.",
     "If there are none within, check the clocks of the samples and of the logs."},
    {"use_samples_over_capacity", kInfo,
     "Samples of a resource above its capacity: what is above belongs to no phase.",
     "Check the capacity; a few, by little, are jitter."},
    {"use_samples_below_records", kInfo,
     "Samples of a resource that tell clearly less use than the records do: the records count.",
     "Check whether both are about the same resource."},
    {"timeslices_without_use", kInfo,
     "Timeslices of a sampled resource that no sample covers: its use there is unknown.",
     "Sample without gaps while the job runs."},
    // Following stacks of code without frame pointers. A loss here costs frames.
    {"stacks_unwound", kInfo,
     "Samples of stacks followed to their end by what programs and libraries tell of their frames.",
     "Nothing to do."},
    {"stacks_unwound_in_part", kInfo,
     "Samples of stacks that lead into code that tells nothing of its frames: who called that is "
     "not known.",
     "Build what is innermost in these stacks with -fasynchronous-unwind-tables or "
     "-fno-omit-frame-pointer."},
    {"stacks_unwound_too_deep", kInfo,
     "Samples of stacks with more frames than are kept: the outermost are missing.",
     "Nothing to do: the innermost 96 are there."},
    {"stacks_by_frame_pointers", kInfo,
     "Samples of stacks in code whose frames are not known, or not yet: frame pointers were "
     "followed, "
     "which much code does not keep.",
     "Nothing to do for processes that live shorter than it takes (some 50 ms); else see the other "
     "unwind counters."},
    {"code_cache_refused", kInfo,
     "The folder in which the recorder keeps what it read of programs was not used: it is missing, "
     "or others may write there. So programs are read again for each recording.",
     "Give the recorder's user a folder /var/cache/gordian (or ~/.cache/gordian) of mode 0700."},
    {"unwind_modules_without_table", kInfo,
     "Programs and libraries that do not tell of their frames (.eh_frame): frame pointers are "
     "followed in them.",
     "Nothing to do where they keep frame pointers, as Go programs do."},
    {"unwind_modules_left_out", kInfo,
     "Programs and libraries whose frames were not looked at, because the memory (32 MiB) or the "
     "time (60 s) for it was used up: frame pointers are followed in them.",
     "Record less at once (--only)."},
    {"unwind_tables_broken_off", kError,
     "Files whose frames could not be read to their end: damaged, hostile, or beyond the limits of "
     "time and memory.",
     "Stacks through them may be cut short: check these files."},
    {"unwind_tables_cut", kInfo, "Files that tell of more frames than are kept (2 million rows).",
     "Stacks through the last functions of such a file may be cut short."},
    {"unwind_processes_left_out", kInfo,
     "Looks at processes for which there was no room (512 different sets of mappings, 8192 "
     "processes): frame pointers are followed in them.",
     "Record less at once (--only)."},
    {"unwind_ranges_left_out", kInfo,
     "Ranges of code beyond the 1024 kept of one process: stacks that lead there are cut short.",
     "Nothing to do."},
    // Logs of phases, and their contents.
    {"log_lines_unknown", kInfo, "Lines of logs that none of the model's rules match.",
     "Nothing to do where they say nothing of phases; else add a rule (docs/add-a-model.md)."},
    {"log_lines_almost_fit", kDataLoss,
     "Lines of logs that no rule matches although they have all fixed text, or all compared "
     "fields, "
     "of one.",
     "The examples say which field of which rule is missing: mend the rule where it should match."},
    {"log_lines_malformed", kDataLoss,
     "Lines of logs that a rule matches, or a reader knows, but which lack a time, a key or a "
     "number, or are no JSON.",
     "The examples say what each lacks: the log is damaged, or the model's time format is another "
     "one."},
    {"log_lines_too_long", kInfo, "Lines of logs longer than 8 MiB, which were passed over.",
     "Nothing to do, unless phases are missing."},
    {"log_spans_malformed", kDataLoss, "Spans without an id or a beginning.",
     "Check what exported them."},
    {"ninja_log_without_clock", kInfo,
     "Builds whose beginning on the wall clock is not known, as no time stamp of an output fits.",
     "Nothing to do without a recording; with one, the build's phases do not lie where they "
     "belong."},
    {"chrome_events_without_end", kDataLoss,
     "Events of Chrome traces that begin and never end: they were left out.",
     "Expected where the trace breaks off."},
    {"log_files_cut_short", kDataLoss,
     "Compressed files that break off or are damaged: they were read up to there.",
     "Expected while they are still being written; else copy them again."},
    {"log_clock_jumps", kDataLoss,
     "Times the clock of a log jumped back by more than 100 ms: phases around it have wrong "
     "lengths.",
     "The machine's clock was set, or the log is put together from several: give them one by one."},
    {"session_without_clocks", kDataLoss,
     "The session does not tell how its clock and the wall clock differ: the logs' phases do not "
     "lie where they belong.",
     "Record again with this version."},
    {"phases_implied", kInfo,
     "Phases nothing was said of but what lies in them: they are taken to be just as long.",
     "Nothing to do, unless there are many: then add rules for their beginning and end."},
    {"phases_duplicate", kInfo, "Phases that were told of more than once, and count once.",
     "Nothing to do, unless a log was given twice."},
    {"phases_clipped", kInfo,
     "Phases that lay partly outside the one they belong to, and were cut to fit.",
     "Nothing to do where clocks differ a little between files; else check the rules' keys."},
    {"phases_outside_parent", kDataLoss,
     "Phases that lay wholly outside the one they belong to, or inside such a one, and were left "
     "out.",
     "Check the rules' keys, and whether the nodes' clocks agree."},
    {"phases_parent_missing", kInfo,
     "Spans whose parent is not there: they stand right below the root.",
     "Give all files of the trace, of all services."},
    {"phases_against_model", kInfo,
     "Phases that occur again, or side by side, where the model says once, or one after another.",
     "Mend the model: repeat: concurrent, sequential or observed."},
    {"phases_over_limit", kDataLoss, "Phases and the like beyond ten million, which were left out.",
     "Give a shorter part of the log."},
    {"phase_begins_repeated", kInfo,
     "Beginnings of phases that had begun already: the first one is taken to end there.",
     "Give them keys that tell them apart; or their ends are missing in the log."},
    {"phase_ends_without_begin", kInfo, "Ends of phases without a beginning.",
     "Expected at a log's start where it is only a part; else check the rules."},
    {"phase_ends_assumed", kDataLoss,
     "Phases whose end nothing tells: they are taken to last until the next of a sequence, or "
     "until the end of the one they lie in.",
     "Expected where the log breaks off; else add rules for their ends."},
    {"phase_times_backwards", kDataLoss, "Phases that end before they begin.",
     "The machine's clock was set, or the rules mix up the two times."},
    {"phase_names_unknown", kInfo,
     "Phases said by programs whose names the model does not know: they were passed over.",
     "Add them to the model, or say discover: where they may be."},
    {"phase_types_over_limit", kInfo,
     "Phases whose names are too many, or nested too deep, to be told apart.",
     "Take numbers and ids out of the names: keys are for them."},
    {"phase_roots_joined", kInfo, "Further jobs in the same logs: one phase spans all of them.",
     "Give the logs of one job at a time."},
    {"blocked_without_phase", kInfo,
     "Times for which something was blocked, while there was no phase that it could block.",
     "Check the path in the rule's `in`."},
    {"blocked_resource_unknown", kInfo, "Times blocked by something that is no blocking resource.",
     "Say kind: blocking in the model."},
    {"blocked_ends_assumed", kInfo,
     "Times blocked whose end nothing tells: they last as long as the phase.",
     "Add a rule for their end, or see whether the log breaks off."},
    {"resources_unreadable", kDataLoss,
     "Nodes whose samples of resources are damaged: the report tells nothing of their machine.",
     kRecordAgain},
    {"resource_samples_malformed", kDataLoss,
     "Samples of resources' use that are no numbers, or negative, or alone, so that it is not "
     "known for which time they stand.",
     "See the first of them, and check what wrote the file."},
    {"resource_samples_overlapping", kInfo,
     "Samples of a resource for times that others cover already: they were left out.",
     "Give the same measurements only once."},
    {"resource_samples_over_limit", kDataLoss, "Samples of resources beyond fifty million.",
     "Give a shorter part, or coarser samples."},
};

// Counters are named by literals: an unknown one is a mistake of ours, found by the first test that
// runs the line.
void RequireDefined(std::string_view name) {
  if (FindCounter(name) != nullptr) return;
  std::fprintf(stderr, "gordian: counter %.*s is not defined in trace/counters.cc\n",
               static_cast<int>(name.size()), name.data());
  std::abort();
}

pb::Counter& CounterOf(pb::Session& session, std::string_view name) {
  RequireDefined(name);
  for (pb::Counter& counter : *session.mutable_counters()) {
    if (counter.name() == name) return counter;
  }
  pb::Counter& added = *session.add_counters();
  added.set_name(std::string(name));
  return added;
}

}  // namespace

std::span<const CounterDefinition> CounterDefinitions() { return kDefinitions; }

const CounterDefinition* FindCounter(std::string_view name) {
  for (const CounterDefinition& definition : kDefinitions) {
    if (definition.name == name) return &definition;
  }
  return nullptr;
}

void AddCounter(pb::Session& session, std::string_view name, uint64_t value) {
  pb::Counter& counter = CounterOf(session, name);
  counter.set_value(counter.value() + value);
}

void SetCounter(pb::Session& session, std::string_view name, uint64_t value) {
  CounterOf(session, name).set_value(value);
}

uint64_t CounterValue(const pb::Session& session, std::string_view name) {
  for (const pb::Counter& counter : session.counters()) {
    if (counter.name() == name) return counter.value();
  }
  return 0;
}

}  // namespace gordian
