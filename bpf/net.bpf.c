// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Network: packets sent and received per flow and interface, and the packet that a wake in the
 * receive path is due to. */
#include "bpf/state.bpf.h"

#include <bpf/bpf_endian.h>

/* 6.2+: makes a pointer of the verifier's known type of any address. Loads through it cost nothing
 * more; a helper call for the same read costs half as much as all other work for a packet. */
extern void* bpf_rdonly_cast(const void* address, __u32 btf_type) __ksym __weak;

enum { INTERFACE_LOOPBACK = 8 };     /* IFF_LOOPBACK */
enum { LOOPBACK_HEADER_BYTES = 14 }; /* Ethernet's, too; gone when the packet is received */
enum { ETHERTYPE_IPV4 = 0x0800, ETHERTYPE_IPV6 = 0x86dd };
enum { PROTOCOL_TCP = 6, PROTOCOL_UDP = 17 };

struct gd_flow_number {
  __u32 flow_id;
  __u32 origin_flow_id; /* as was told last */
};
struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 65536);
  __type(key, struct gd_flow_key);
  __type(value, struct gd_flow_number);
} flows SEC(".maps") __weak;

/* The flows that a CPU met lately, each where the sum of its key puts it: most packets belong to
 * one of a few, and looking one up here costs a third of looking it up above. A number stays true
 * when the table above has forgotten it. */
struct gd_known_flow {
  struct gd_flow_key key;
  __u32 flow_id; /* 0: none here */
};
enum { KNOWN_FLOWS = 256 };
struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, KNOWN_FLOWS);
  __type(key, __u32);
  __type(value, struct gd_known_flow);
} known_flows SEC(".maps") __weak;

struct packet {
  struct gd_flow_key key;
  __u32 sequence;
};

/* The header of IP and the bytes behind it, as far as we look, in one read. There is always as much
 * to be read: the kernel keeps a structure of its own behind a packet's bytes. */
struct ipv4_headers {
  __u8 ip[20];
  __u16 transport[4];
};
struct ipv6_headers {
  __u8 ip[40];
  __u16 transport[4];
};

static __always_inline void take_transport(struct packet* packet, const __u16* words) {
  if (packet->key.protocol != PROTOCOL_TCP && packet->key.protocol != PROTOCOL_UDP) return;
  packet->key.source_port = bpf_ntohs(words[0]);
  packet->key.destination_port = bpf_ntohs(words[1]);
  if (packet->key.protocol == PROTOCOL_TCP)
    packet->sequence = (__u32)bpf_ntohs(words[2]) << 16 | bpf_ntohs(words[3]);
}

/* Looks at the headers; false if it is no IP packet. Extension headers of IPv6 are not followed:
 * such packets (rare outside of fragments) are told without ports. */
/* As below, of IPv4, where the kernel lets us look without asking. */
static __always_inline bool parse_by_cast(const unsigned char* network, struct packet* packet) {
  const struct iphdr* ip = bpf_rdonly_cast(network, bpf_core_type_id_kernel(struct iphdr));
  packet->key.family = 4;
  packet->key.protocol = ip->protocol;
  *(__u32*)packet->key.source = ip->saddr;
  *(__u32*)packet->key.destination = ip->daddr;
  bool later_fragment = ip->frag_off & bpf_htons(0x1fff);
  bool has_ports = ip->protocol == PROTOCOL_TCP || ip->protocol == PROTOCOL_UDP;
  if (later_fragment || !has_ports) return true;
  const struct tcphdr* transport = bpf_rdonly_cast(network + BPF_CORE_READ_BITFIELD(ip, ihl) * 4,
                                                   bpf_core_type_id_kernel(struct tcphdr));
  packet->key.source_port = bpf_ntohs(transport->source);
  packet->key.destination_port = bpf_ntohs(transport->dest);
  if (ip->protocol == PROTOCOL_TCP) packet->sequence = bpf_ntohl(transport->seq);
  return true;
}

static __always_inline bool parse(struct sk_buff* skb, struct packet* packet, bool by_cast) {
  __builtin_memset(packet, 0, sizeof(*packet));
  const unsigned char* network = skb->head + skb->network_header;
  if (skb->protocol == bpf_htons(ETHERTYPE_IPV4)) {
    if (by_cast) return parse_by_cast(network, packet);
    struct ipv4_headers headers;
    if (bpf_probe_read_kernel(&headers, sizeof(headers), network)) return false;
    packet->key.family = 4;
    packet->key.protocol = headers.ip[9];
    __builtin_memcpy(packet->key.source, headers.ip + 12, 4);
    __builtin_memcpy(packet->key.destination, headers.ip + 16, 4);
    bool later_fragment = (headers.ip[6] & 0x1f) || headers.ip[7];
    if (later_fragment) return true;
    __u32 ip_bytes = (headers.ip[0] & 0x0f) * 4;
    if (ip_bytes != sizeof(headers.ip) && /* options */
        bpf_probe_read_kernel(headers.transport, sizeof(headers.transport), network + ip_bytes))
      return true;
    take_transport(packet, headers.transport);
    return true;
  }
  if (skb->protocol == bpf_htons(ETHERTYPE_IPV6)) {
    struct ipv6_headers headers;
    if (bpf_probe_read_kernel(&headers, sizeof(headers), network)) return false;
    packet->key.family = 6;
    packet->key.protocol = headers.ip[6];
    __builtin_memcpy(packet->key.source, headers.ip + 8, 16);
    __builtin_memcpy(packet->key.destination, headers.ip + 24, 16);
    take_transport(packet, headers.transport);
    return true;
  }
  return false;
}

static __always_inline bool emit_flow(__u32 flow_id, __u32 origin_flow_id,
                                      const struct gd_flow_key* key) {
  struct gd_flow* record = reserve(this_cpu(), GD_FLOW, sizeof(*record), COUNT_ATOMIC);
  if (!record) return false;
  __builtin_memset(record, 0, sizeof(*record));
  record->time_ns = bpf_ktime_get_ns();
  record->kind = GD_FLOW;
  record->flow_id = flow_id;
  record->origin_flow_id = origin_flow_id;
  record->key = *key;
  submit(record);
  return true;
}

static __always_inline struct gd_known_flow* place_of(const struct gd_flow_key* key) {
  const __u32* source = (const __u32*)key->source;
  const __u32* destination = (const __u32*)key->destination;
  __u32 sum = ((__u32)key->source_port << 16 | key->destination_port) * 0x9e3779b1u;
  sum ^= (source[0] ^ source[3]) * 0x85ebca6bu ^ (destination[0] ^ destination[3]) * 0xc2b2ae35u;
  __u32 index = sum >> 24;
  _Static_assert(KNOWN_FLOWS == 1 << 8, "as many as 8 bits can tell apart");
  return bpf_map_lookup_elem(&known_flows, &index);
}

static __always_inline bool same_flow(const struct gd_flow_key* a, const struct gd_flow_key* b) {
  const __u64* left = (const __u64*)a;
  const __u64* right = (const __u64*)b;
  _Static_assert(sizeof(*a) == 5 * sizeof(__u64), "compared by words");
  return !((left[0] ^ right[0]) | (left[1] ^ right[1]) | (left[2] ^ right[2]) |
           (left[3] ^ right[3]) | (left[4] ^ right[4]));
}

/* The flow's number, given and told when it is first seen; 0 if it could not be told, which the
 * next packet tries again. The table forgets the flows that were used least lately; if one comes
 * back, it gets a new number. Numbers are handed out per CPU, so that two CPUs never give the same.
 * Only during the recording: an earlier definition is lost, and with it all later packets of the
 * flow.
 */
static __always_inline __u32 look_up_flow(struct gd_cpu* cpu, const struct gd_flow_key* key) {
  struct gd_flow_number* known = bpf_map_lookup_elem(&flows, key);
  if (known) return known->flow_id;
  __u32 number = __sync_fetch_and_add(&cpu->next_flow, 1) + 1;
  __u32 flow_id = number * GD_MAX_CPUS + (bpf_get_smp_processor_id() & (GD_MAX_CPUS - 1));
  struct gd_flow_number fresh = {.flow_id = flow_id};
  if (bpf_map_update_elem(&flows, key, &fresh, BPF_NOEXIST)) {
    /* Another CPU was faster, or the table could not take it. */
    known = bpf_map_lookup_elem(&flows, key);
    if (known) return known->flow_id;
    __sync_fetch_and_add(&cpu->flows_not_kept, 1);
  }
  if (emit_flow(flow_id, 0, key)) return flow_id;
  bpf_map_delete_elem(&flows, key);
  return 0;
}

/* A program may be interrupted by another of the same CPU that fills the same place: so the number
 * is taken away first and put there last, and read before and after the key. */
static __always_inline __u32 flow_of(struct gd_cpu* cpu, const struct gd_flow_key* key) {
  struct gd_known_flow* here = place_of(key);
  if (!here) return look_up_flow(cpu, key);
  __u32 flow_id = *(volatile __u32*)&here->flow_id;
  if (flow_id && same_flow(&here->key, key) && *(volatile __u32*)&here->flow_id == flow_id)
    return flow_id;
  flow_id = look_up_flow(cpu, key);
  *(volatile __u32*)&here->flow_id = 0;
  barrier();
  here->key = *key;
  barrier();
  *(volatile __u32*)&here->flow_id = flow_id;
  return flow_id;
}

/* Tells once that packets of `origin_flow_id` go on with the addresses of `key`: the kernel
 * replaced them on the way (NAT). Whatever did that, the packet is the same structure. Later
 * packets may have no sender on this CPU; then their bytes must be found in the first flow. */
static __always_inline void tell_origin(const struct gd_flow_key* key, __u32 flow_id,
                                        __u32 origin_flow_id) {
  struct gd_flow_number* known = bpf_map_lookup_elem(&flows, key);
  if (!known || known->flow_id != flow_id || known->origin_flow_id == origin_flow_id) return;
  if (emit_flow(flow_id, origin_flow_id, key)) known->origin_flow_id = origin_flow_id;
}

/* The numbers of interfaces are those of their network namespace: two may use the same. */
static __always_inline __u32 network_of(const struct net_device* device) {
  return device->nd_net.net->ns.inum;
}

static __always_inline bool emit_packet(enum gd_kind kind, struct gd_cpu* cpu, __u32 flow_id,
                                        __s32 tid, const struct net_device* device, __u32 bytes,
                                        __u32 sequence) {
  struct gd_net* record = reserve(cpu, kind, sizeof(*record), COUNT_ATOMIC);
  if (!record) return false;
  record->time_ns = bpf_ktime_get_ns();
  record->kind = kind;
  record->in_softirq = cpu->in_softirq;
  record->unused = 0;
  record->tid = tid;
  record->flow_id = flow_id;
  record->interface = device->ifindex;
  record->bytes = bytes;
  record->sequence = sequence;
  record->network = network_of(device);
  record->unused_too = 0;
  submit(record);
  return true;
}

/* The packet's place among those that this CPU has sent to itself. */
static __always_inline struct gd_loopback* loopback_place(struct gd_cpu* cpu,
                                                          const struct sk_buff* skb) {
  __u64 address = (__u64)skb;
  return &cpu->loopbacks[(address >> 8 ^ address >> 11) & (GD_LOOPBACKS - 1)];
}

/* A packet over loopback is received by the CPU that sent it, as the same structure and mostly
 * within the same system call. It was told when it was sent, so it need not be looked at, nor told,
 * again. False if that is not so: another CPU sent it, or it was sent before the recording, or for
 * a thread that is not recorded. Also false if its sender has left meanwhile, or is not known: then
 * its bytes can match its waiter. The hash is its flow's own: an address that was used again for a
 * packet of another flow is not mistaken. */
static __always_inline bool told_at_sending(struct gd_cpu* cpu, struct sk_buff* skb, __s32 tid) {
  struct gd_loopback* sent = loopback_place(cpu, skb);
  if (sent->skb != (__u64)skb) return false;
  sent->skb = 0;
  if (!cpu->packet_sender || cpu->packet_sender != tid) return false;
  if (sent->hash != skb->hash || sent->bytes != skb->len + LOOPBACK_HEADER_BYTES) return false;
  cpu->packet_flow = sent->flow_id;
  cpu->packet_told = 1;
  return true;
}

/* Interfaces without hardware (veth, bridges, tunnels) hand their packets to the kernel, which
 * mostly receives and forwards them within the sender's system call, as the same structure, over
 * any number of such interfaces and namespaces. If that goes on to the receiver's wake, the sender
 * is the waker. Should the address be used again for another packet meanwhile, that would need the
 * same size and the same number of its first byte to be mistaken. */
static __always_inline bool is_carried(const struct gd_loopback* sent, const struct sk_buff* skb,
                                       __u32 bytes, __u32 sequence) {
  return sent->skb == (__u64)skb && sent->tid && sent->bytes == bytes && sent->sequence == sequence;
}

/* A packet at the door of an interface without hardware. In a softirq it is on its way already, or
 * the kernel itself sent it: then it belongs to no thread on this CPU. */
static __always_inline void follow_packet(struct gd_cpu* cpu, struct sk_buff* skb,
                                          const struct packet* packet, __u32 flow_id, __s32 tid) {
  struct gd_loopback* sent = loopback_place(cpu, skb);
  if (!cpu->in_softirq) {
    sent->flow_id = flow_id;
    sent->bytes = skb->len;
    sent->sequence = packet->sequence;
    sent->hash = 0;
    sent->tid = tid;
    sent->skb = (__u64)skb;
  } else if (!is_carried(sent, skb, skb->len, packet->sequence)) {
    sent->skb = 0;
  } else if (sent->flow_id != flow_id) {
    tell_origin(&packet->key, flow_id, sent->flow_id);
  }
}

/* Datagrams have no number of their own. Where the structure itself goes on, its address is one
 * (spread out: files need not tell where the kernel keeps things): the latest that was sent with it
 * is the one received with it. */
static __always_inline void number_datagram(const struct sk_buff* skb,
                                            const struct net_device* device,
                                            struct packet* packet) {
  if (packet->key.protocol == PROTOCOL_TCP || device->dev.parent) return;
  /* Its lower half: the verifier lets us count with no more of an address. */
  __u32 number = (__u32)(__u64)skb * 0x9e3779b1u;
  packet->sequence = number ? number : 1;
}

static __always_inline int on_send(struct sk_buff* skb, bool by_cast) {
  struct gd_cpu* cpu = this_cpu();
  __s32 tid = current_tid();
  struct net_device* device = skb->dev;
  bool loopback = device->flags & INTERFACE_LOOPBACK;
  /* Loopback packets are received right here, in this thread's own softirq, unless it leaves the
   * CPU first. A packet of the softirq itself (data that an acknowledgement set free) belongs to no
   * thread on this CPU. */
  if (loopback) cpu->loopback_sender = cpu->in_softirq ? 0 : tid;
  if (loopback || !cpu->in_softirq) loopback_place(cpu, skb)->skb = 0;
  if (recording != GD_RECORD_ALL || (only_targets && !role_of(tid))) return 0;
  struct packet packet;
  if (!parse(skb, &packet, by_cast)) return 0;
  number_datagram(skb, device, &packet);
  __u32 flow_id = flow_of(cpu, &packet.key);
  __u32 bytes = skb->len;
  if (!emit_packet(GD_NET_SEND, cpu, flow_id, tid, device, bytes, packet.sequence)) return 0;
  if (loopback) {
    struct gd_loopback* sent = loopback_place(cpu, skb);
    sent->flow_id = flow_id;
    sent->bytes = bytes;
    sent->hash = skb->hash;
    sent->tid = 0;
    sent->skb = (__u64)skb;
  } else if (!device->dev.parent) {
    follow_packet(cpu, skb, &packet, flow_id, tid);
  }
  return 0;
}

static __always_inline int on_receive(struct sk_buff* skb, bool by_cast) {
  struct gd_cpu* cpu = this_cpu();
  __s32 tid = current_tid();
  struct net_device* device = skb->dev;
  bool loopback = device->flags & INTERFACE_LOOPBACK;
  cpu->packet_interface = device->ifindex;
  cpu->packet_network = network_of(device);
  cpu->packet_sender = loopback ? cpu->loopback_sender : 0;
  if (loopback && told_at_sending(cpu, skb, tid)) return 0;
  struct packet packet;
  bool is_ip = parse(skb, &packet, by_cast);
  number_datagram(skb, device, &packet);
  cpu->packet_flow = is_ip && recording == GD_RECORD_ALL ? flow_of(cpu, &packet.key) : 0;
  cpu->packet_sequence = packet.sequence;
  cpu->packet_bytes = skb->len;
  cpu->packet_told = !is_ip;
  if (is_ip && !loopback && !device->dev.parent) {
    struct gd_loopback* sent = loopback_place(cpu, skb);
    __u32 sent_bytes = skb->len + LOOPBACK_HEADER_BYTES;
    if (is_carried(sent, skb, sent_bytes, packet.sequence)) cpu->packet_sender = sent->tid;
  }
  if (only_targets || !is_ip) return 0;
  emit_packet(GD_NET_RECEIVE, cpu, cpu->packet_flow, tid, device, cpu->packet_bytes,
              packet.sequence);
  return 0;
}

SEC("tp_btf/net_dev_queue")
int BPF_PROG(net_send, struct sk_buff* skb) { return on_send(skb, false); }

SEC("tp_btf/netif_receive_skb")
int BPF_PROG(net_receive, struct sk_buff* skb) { return on_receive(skb, false); }

SEC("tp_btf/net_dev_queue")
int BPF_PROG(net_send_by_cast, struct sk_buff* skb) { return on_send(skb, true); }

SEC("tp_btf/netif_receive_skb")
int BPF_PROG(net_receive_by_cast, struct sk_buff* skb) { return on_receive(skb, true); }
