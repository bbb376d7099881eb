/** What Linux machines say about their control groups, word by word. */

/** A server with systemd and version 2 only. */
export const V2_MOUNTS = `24 30 0:22 / /proc rw,nosuid,nodev,noexec,relatime shared:12 - proc proc rw
35 24 0:30 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot
36 24 0:31 / /sys/fs/pstore rw,nosuid,nodev,noexec,relatime shared:10 - pstore pstore rw
`;

export const V2_CONTROLLERS = 'cpuset cpu io memory hugetlb pids rdma misc\n';

/** An older server with systemd: two controllers share a tree. */
export const V1_MOUNTS = `29 25 0:25 / /sys/fs/cgroup ro,nosuid,nodev,noexec shared:9 - tmpfs tmpfs ro,mode=755
31 29 0:27 / /sys/fs/cgroup/systemd rw,nosuid,nodev,noexec,relatime shared:11 - cgroup cgroup rw,xattr,name=systemd
35 29 0:31 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid,nodev,noexec,relatime shared:15 - cgroup cgroup rw,cpu,cpuacct
36 29 0:32 / /sys/fs/cgroup/pids rw,nosuid,nodev,noexec,relatime shared:16 - cgroup cgroup rw,pids
40 29 0:36 / /sys/fs/cgroup/memory rw,nosuid,nodev,noexec,relatime shared:20 - cgroup cgroup rw,memory
`;

/** A virtual machine without systemd: version 1, and a tree of version 2 for what is left. */
export const HYBRID_MOUNTS = `31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu
33 31 0:30 / /sys/fs/cgroup/cpuacct rw,relatime - cgroup cgroup rw,cpuacct
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
40 31 0:37 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,name=systemd
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
`;

/** In a container of version 1, only the part of each tree that is the container's is mounted. */
export const CONTAINER_MOUNTS = `1185 1180 0:33 /docker/6a1f /sys/fs/cgroup/memory ro,nosuid,nodev,noexec,relatime master:20 - cgroup cgroup rw,memory
`;

/** `memory.stat` of version 1. */
export const V1_MEMORY_STAT = `cache 10948608
rss 17186816
mapped_file 7585792
inactive_file 12288
active_file 1851392
hierarchical_memory_limit 9223372036854771712
total_cache 1196539904
total_rss 3044065280
total_inactive_anon 3026571264
total_active_anon 1740800
total_inactive_file 255041536
total_active_file 932413440
total_unevictable 24739840
`;

/** `memory.stat` of version 2. */
export const V2_MEMORY_STAT = `anon 790425600
file 6502666240
kernel_stack 7012352
pagetables 8867840
percpu 2445520
shmem 6721536
file_mapped 656187392
inactive_anon 892223488
active_anon 2973696
inactive_file 5307346944
active_file 1179316224
unevictable 31477760
slab 358966048
pgfault 103216687
`;

/** `cpu.stat` of version 2. */
export const V2_CPU_STAT = `usage_usec 39541611726
user_usec 33315680746
system_usec 6225930979
nr_periods 0
nr_throttled 0
throttled_usec 0
`;
