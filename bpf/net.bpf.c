/* Network: packets sent and received per flow and interface, and the packet that a wake in the
 * receive path is due to. */
#include "bpf/state.bpf.h"

#include <bpf/bpf_endian.h>

enum { INTERFACE_LOOPBACK = 8 }; /* IFF_LOOPBACK */
enum { ETHERTYPE_IPV4 = 0x0800, ETHERTYPE_IPV6 = 0x86dd };
enum { PROTOCOL_TCP = 6, PROTOCOL_UDP = 17 };

struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 65536);
  __type(key, struct gd_flow_key);
  __type(value, __u32);
} flows SEC(".maps") __weak;

struct packet {
  struct gd_flow_key key;
  __u32 sequence;
};

static __always_inline bool read_header(void* to, __u32 size, const unsigned char* from) {
  return bpf_probe_read_kernel(to, size, from) == 0;
}

/* Looks at the headers; false for what is no IP packet. Extension headers of IPv6 are not followed:
 * such packets (rare outside of fragments) are told without ports. */
static __always_inline bool parse(struct sk_buff* skb, struct packet* packet) {
  __builtin_memset(packet, 0, sizeof(*packet));
  unsigned char* head = BPF_CORE_READ(skb, head);
  unsigned char* network = head + BPF_CORE_READ(skb, network_header);
  unsigned char* transport;
  __u16 type = bpf_ntohs(BPF_CORE_READ(skb, protocol));
  if (type == ETHERTYPE_IPV4) {
    unsigned char header[20];
    if (!read_header(header, sizeof(header), network)) return false;
    packet->key.family = 4;
    packet->key.protocol = header[9];
    __builtin_memcpy(packet->key.source, header + 12, 4);
    __builtin_memcpy(packet->key.destination, header + 16, 4);
    bool later_fragment = (header[6] & 0x1f) || header[7];
    if (later_fragment) return true;
    transport = network + (header[0] & 0x0f) * 4;
  } else if (type == ETHERTYPE_IPV6) {
    unsigned char header[40];
    if (!read_header(header, sizeof(header), network)) return false;
    packet->key.family = 6;
    packet->key.protocol = header[6];
    __builtin_memcpy(packet->key.source, header + 8, 16);
    __builtin_memcpy(packet->key.destination, header + 24, 16);
    transport = network + 40;
  } else {
    return false;
  }
  if (packet->key.protocol != PROTOCOL_TCP && packet->key.protocol != PROTOCOL_UDP) return true;
  __u16 words[4];
  if (!read_header(words, sizeof(words), transport)) return true;
  packet->key.source_port = bpf_ntohs(words[0]);
  packet->key.destination_port = bpf_ntohs(words[1]);
  if (packet->key.protocol == PROTOCOL_TCP)
    packet->sequence = (__u32)bpf_ntohs(words[2]) << 16 | bpf_ntohs(words[3]);
  return true;
}

static __always_inline bool emit_flow(__u32 flow_id, const struct gd_flow_key* key) {
  struct gd_flow* record = reserve(this_cpu(), GD_FLOW, sizeof(*record), COUNT_ATOMIC);
  if (!record) return false;
  __builtin_memset(record, 0, sizeof(*record));
  record->time_ns = bpf_ktime_get_ns();
  record->kind = GD_FLOW;
  record->flow_id = flow_id;
  record->key = *key;
  submit(record);
  return true;
}

/* The flow's number, given and told when it is first seen. The table forgets the flows that were
 * used least lately; should one come back, it gets a new number, and so does one that could not be
 * told. Numbers are handed out per CPU, so that two CPUs never give the same. Only while it is
 * recorded: what is told before is lost, and with it all that the flow does later. */
static __always_inline __u32 flow_of(struct gd_cpu* cpu, const struct gd_flow_key* key) {
  __u32* known = bpf_map_lookup_elem(&flows, key);
  if (known) return *known;
  __u32 number = __sync_fetch_and_add(&cpu->next_flow, 1) + 1;
  __u32 flow_id = number * GD_MAX_CPUS + (bpf_get_smp_processor_id() & (GD_MAX_CPUS - 1));
  if (bpf_map_update_elem(&flows, key, &flow_id, BPF_NOEXIST)) {
    /* Another CPU was faster, or the table could not take it. */
    known = bpf_map_lookup_elem(&flows, key);
    if (known) return *known;
    __sync_fetch_and_add(&cpu->flows_not_kept, 1);
  }
  if (!emit_flow(flow_id, key)) bpf_map_delete_elem(&flows, key);
  return flow_id;
}

static __always_inline void emit_packet(enum gd_kind kind, struct gd_cpu* cpu, __u32 flow_id,
                                        __u32 interface, __u32 bytes, __u32 sequence) {
  struct gd_net* record = reserve(cpu, kind, sizeof(*record), COUNT_ATOMIC);
  if (!record) return;
  record->time_ns = bpf_ktime_get_ns();
  record->kind = kind;
  record->in_softirq = cpu->in_softirq;
  record->unused = 0;
  record->tid = current_tid();
  record->flow_id = flow_id;
  record->interface = interface;
  record->bytes = bytes;
  record->sequence = sequence;
  submit(record);
}

SEC("raw_tp/net_dev_queue")
int BPF_PROG(raw_net_send, struct sk_buff* skb) {
  struct gd_cpu* cpu = this_cpu();
  struct net_device* device = BPF_CORE_READ(skb, dev);
  /* Loopback packets are received right here, in this thread's own softirq, unless it leaves the
   * CPU first. What the softirq itself sends (data that an acknowledgement set free) is nobody's on
   * this CPU. */
  if (BPF_CORE_READ(device, flags) & INTERFACE_LOOPBACK)
    cpu->loopback_sender = cpu->in_softirq ? 0 : current_tid();
  if (!recording || (only_targets && !role_of(current_tid()))) return 0;
  struct packet packet;
  if (!parse(skb, &packet)) return 0;
  emit_packet(GD_NET_SEND, cpu, flow_of(cpu, &packet.key), BPF_CORE_READ(device, ifindex),
              BPF_CORE_READ(skb, len), packet.sequence);
  return 0;
}

SEC("raw_tp/netif_receive_skb")
int BPF_PROG(raw_net_receive, struct sk_buff* skb) {
  struct gd_cpu* cpu = this_cpu();
  struct net_device* device = BPF_CORE_READ(skb, dev);
  struct packet packet;
  bool is_ip = parse(skb, &packet);
  cpu->packet_interface = BPF_CORE_READ(device, ifindex);
  cpu->packet_flow = is_ip && recording ? flow_of(cpu, &packet.key) : 0;
  cpu->packet_sequence = packet.sequence;
  cpu->packet_bytes = BPF_CORE_READ(skb, len);
  cpu->packet_told = !is_ip;
  bool loopback = BPF_CORE_READ(device, flags) & INTERFACE_LOOPBACK;
  cpu->packet_sender = loopback ? cpu->loopback_sender : 0;
  if (only_targets || !is_ip) return 0;
  emit_packet(GD_NET_RECEIVE, cpu, cpu->packet_flow, cpu->packet_interface, cpu->packet_bytes,
              packet.sequence);
  return 0;
}
