/**
 * The system calls that a container may use which names no profile: the default profile of Moby and containerd, as data. Source:
 * `default.json` of github.com/moby/profiles/seccomp v0.3.0, Copyright The Moby Authors, Apache License 2.0 (SPDX: Apache-2.0); the form is ours.
 */

/** A condition on an argument; `SCMP_CMP_MASKED_EQ`: its bits `value` are those of `valueTwo`, which is 0 if it is absent. */
export interface CallArgument {
  readonly index: number;
  readonly value: number;
  readonly valueTwo?: number;
  readonly op: string;
}

/** All of them must hold. */
export interface CallCondition {
  /** In the bounding set of the container, such as `CAP_SYS_ADMIN`. */
  readonly capabilities?: readonly string[];
  /** One of them, as Moby names them. */
  readonly architectures?: readonly string[];
  /** Version and revision of the oldest kernel. */
  readonly leastKernel?: readonly [number, number];
}

export interface CallRule {
  readonly names: readonly string[];
  readonly args?: readonly CallArgument[];
  /** What the call answers; absent: it is allowed. */
  readonly errno?: number;
  readonly only?: CallCondition;
  readonly unless?: CallCondition;
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

const equal = (name: string, values: readonly number[]): readonly CallRule[] =>
  values.map((value) => ({ names: [name], args: [{ index: 0, value, op: 'SCMP_CMP_EQ' }] }));

/** What the rest of the calls answers: `EPERM`. */
export const DEFAULT_ERRNO = 1;

/**
 * The architectures of programs that run on a machine of one. Moby has x32, too: no distribution has programs for it, and a runtime
 * compiles the profile for each architecture at each start and command (a quarter of its processor time for this one).
 */
export const ARCHITECTURES: readonly { readonly architecture: string; readonly below: readonly string[] }[] =
  [
    { architecture: 'SCMP_ARCH_X86_64', below: ['SCMP_ARCH_X86'] },
    { architecture: 'SCMP_ARCH_AARCH64', below: ['SCMP_ARCH_ARM'] },
    { architecture: 'SCMP_ARCH_MIPS64', below: ['SCMP_ARCH_MIPS', 'SCMP_ARCH_MIPS64N32'] },
    { architecture: 'SCMP_ARCH_MIPS64N32', below: ['SCMP_ARCH_MIPS', 'SCMP_ARCH_MIPS64'] },
    { architecture: 'SCMP_ARCH_MIPSEL64', below: ['SCMP_ARCH_MIPSEL', 'SCMP_ARCH_MIPSEL64N32'] },
    { architecture: 'SCMP_ARCH_MIPSEL64N32', below: ['SCMP_ARCH_MIPSEL', 'SCMP_ARCH_MIPSEL64'] },
    { architecture: 'SCMP_ARCH_S390X', below: ['SCMP_ARCH_S390'] },
    { architecture: 'SCMP_ARCH_RISCV64', below: [] },
    { architecture: 'SCMP_ARCH_LOONGARCH64', below: [] },
  ];

/** Families of sockets, without those of the kernel's cryptography (38) and of virtual machines (40). */
const SOCKETS = [
  7, 8, 9, 10, 13, 14, 15, 16, 17, 18, 21, 22, 24, 26, 27, 28, 29, 30, 31, 32, 33, 35, 36, 39, 41, 42, 43, 44,
  45,
];
const PERSONALITIES = [0, 8, 131072, 131080, 4294967295];

export const DEFAULT_RULES: readonly CallRule[] = [
  {
    names: words(`
      accept accept4 access adjtimex alarm bind brk cachestat capget capset chdir chmod chown chown32 clock_adjtime clock_adjtime64
      clock_getres clock_getres_time64 clock_gettime clock_gettime64 clock_nanosleep clock_nanosleep_time64 close close_range connect
      copy_file_range creat dup dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait epoll_pwait2 epoll_wait
      epoll_wait_old eventfd eventfd2 execve execveat exit exit_group faccessat faccessat2 fadvise64 fadvise64_64 fallocate
      fanotify_mark fchdir fchmod fchmodat fchmodat2 fchown fchown32 fchownat fcntl fcntl64 fdatasync fgetxattr flistxattr flock fork
      fremovexattr fsetxattr fstat fstat64 fstatat64 fstatfs fstatfs64 fsync ftruncate ftruncate64 futex futex_requeue futex_time64
      futex_wait futex_waitv futex_wake futimesat getcpu getcwd getdents getdents64 getegid getegid32 geteuid geteuid32 getgid
      getgid32 getgroups getgroups32 getitimer getpeername getpgid getpgrp getpid getppid getpriority getrandom getresgid getresgid32
      getresuid getresuid32 getrlimit get_robust_list getrusage getsid getsockname getsockopt get_thread_area gettid gettimeofday
      getuid getuid32 getxattr getxattrat inotify_add_watch inotify_init inotify_init1 inotify_rm_watch io_cancel ioctl io_destroy
      io_getevents io_pgetevents io_pgetevents_time64 ioprio_get ioprio_set io_setup io_submit ipc kill landlock_add_rule
      landlock_create_ruleset landlock_restrict_self lchown lchown32 lgetxattr link linkat listen listmount listxattr listxattrat
      llistxattr _llseek lremovexattr lseek lsetxattr lstat lstat64 madvise map_shadow_stack membarrier memfd_create memfd_secret
      mincore mkdir mkdirat mknod mknodat mlock mlock2 mlockall mmap mmap2 mprotect mq_getsetattr mq_notify mq_open mq_timedreceive
      mq_timedreceive_time64 mq_timedsend mq_timedsend_time64 mq_unlink mremap mseal msgctl msgget msgrcv msgsnd msync munlock
      munlockall munmap name_to_handle_at nanosleep newfstatat _newselect open openat openat2 pause pidfd_open pidfd_send_signal pipe
      pipe2 pkey_alloc pkey_free pkey_mprotect poll ppoll ppoll_time64 prctl pread64 preadv preadv2 prlimit64 process_mrelease
      pselect6 pselect6_time64 pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv recv recvfrom recvmmsg
      recvmmsg_time64 recvmsg remap_file_pages removexattr removexattrat rename renameat renameat2 restart_syscall riscv_hwprobe rmdir
      rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_sigtimedwait_time64
      rt_tgsigqueueinfo sched_getaffinity sched_getattr sched_getparam sched_get_priority_max sched_get_priority_min
      sched_getscheduler sched_rr_get_interval sched_rr_get_interval_time64 sched_setaffinity sched_setattr sched_setparam
      sched_setscheduler sched_yield seccomp select semctl semget semop semtimedop semtimedop_time64 send sendfile sendfile64 sendmmsg
      sendmsg sendto setfsgid setfsgid32 setfsuid setfsuid32 setgid setgid32 setgroups setgroups32 setitimer setpgid setpriority
      setregid setregid32 setresgid setresgid32 setresuid setresuid32 setreuid setreuid32 setrlimit set_robust_list setsid setsockopt
      set_thread_area set_tid_address setuid setuid32 setxattr setxattrat shmat shmctl shmdt shmget shutdown sigaltstack signalfd
      signalfd4 sigprocmask sigreturn socketcall socketpair splice stat stat64 statfs statfs64 statmount statx symlink symlinkat sync
      sync_file_range syncfs sysinfo tee tgkill time timer_create timer_delete timer_getoverrun timer_gettime timer_gettime64
      timer_settime timer_settime64 timerfd_create timerfd_gettime timerfd_gettime64 timerfd_settime timerfd_settime64 times tkill
      truncate truncate64 ugetrlimit umask uname unlink unlinkat uretprobe utime utimensat utimensat_time64 utimes vfork vmsplice
      wait4 waitid waitpid write writev
    `),
  },
  { names: words('process_vm_readv process_vm_writev ptrace'), only: { leastKernel: [4, 8] } },
  { names: ['socket'], args: [{ index: 0, value: 3, op: 'SCMP_CMP_LT' }] },
  { names: words('sync_file_range2 swapcontext'), only: { architectures: ['ppc64le'] } },
  {
    names: words(`
      arm_fadvise64_64 arm_sync_file_range sync_file_range2 breakpoint cacheflush set_tls
    `),
    only: { architectures: ['arm', 'arm64'] },
  },
  { names: ['arch_prctl'], only: { architectures: ['amd64', 'x32'] } },
  { names: ['modify_ldt'], only: { architectures: ['amd64', 'x32', 'x86'] } },
  {
    names: words('s390_pci_mmio_read s390_pci_mmio_write s390_runtime_instr'),
    only: { architectures: ['s390', 's390x'] },
  },
  { names: ['riscv_flush_icache'], only: { architectures: ['riscv64'] } },
  { names: ['open_by_handle_at'], only: { capabilities: ['CAP_DAC_READ_SEARCH'] } },
  {
    names: words(`
      bpf clone clone3 fanotify_init fsconfig fsmount fsopen fspick lookup_dcookie lsm_get_self_attr lsm_list_modules
      lsm_set_self_attr mount mount_setattr move_mount open_tree perf_event_open quotactl quotactl_fd setdomainname sethostname setns
      syslog umount umount2 unshare
    `),
    only: { capabilities: ['CAP_SYS_ADMIN'] },
  },
  {
    names: ['clone'],
    args: [{ index: 0, value: 2114060288, op: 'SCMP_CMP_MASKED_EQ' }],
    unless: { capabilities: ['CAP_SYS_ADMIN'], architectures: ['s390', 's390x'] },
  },
  {
    names: ['clone'],
    args: [{ index: 1, value: 2114060288, op: 'SCMP_CMP_MASKED_EQ' }],
    only: { architectures: ['s390', 's390x'] },
    unless: { capabilities: ['CAP_SYS_ADMIN'] },
  },
  { names: ['clone3'], errno: 38, unless: { capabilities: ['CAP_SYS_ADMIN'] } },
  { names: ['reboot'], only: { capabilities: ['CAP_SYS_BOOT'] } },
  { names: ['chroot'], only: { capabilities: ['CAP_SYS_CHROOT'] } },
  { names: words('delete_module init_module finit_module'), only: { capabilities: ['CAP_SYS_MODULE'] } },
  { names: ['acct'], only: { capabilities: ['CAP_SYS_PACCT'] } },
  {
    names: words(`
      kcmp pidfd_getfd process_madvise process_vm_readv process_vm_writev ptrace
    `),
    only: { capabilities: ['CAP_SYS_PTRACE'] },
  },
  { names: words('iopl ioperm'), only: { capabilities: ['CAP_SYS_RAWIO'] } },
  {
    names: words('settimeofday stime clock_settime clock_settime64'),
    only: { capabilities: ['CAP_SYS_TIME'] },
  },
  { names: ['vhangup'], only: { capabilities: ['CAP_SYS_TTY_CONFIG'] } },
  {
    names: words('get_mempolicy mbind set_mempolicy set_mempolicy_home_node'),
    only: { capabilities: ['CAP_SYS_NICE'] },
  },
  { names: ['syslog'], only: { capabilities: ['CAP_SYSLOG'] } },
  { names: ['bpf'], only: { capabilities: ['CAP_BPF'] } },
  { names: ['perf_event_open'], only: { capabilities: ['CAP_PERFMON'] } },
  ...equal('socket', SOCKETS),
  ...equal('personality', PERSONALITIES),
];
