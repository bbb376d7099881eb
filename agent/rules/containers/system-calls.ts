/**
 * The system calls that the default profile of container runtimes refuses, as a denylist: what is not in the table is allowed up to the
 * newest call that is known here. Sources: containerd contrib/seccomp and moby profiles/seccomp, without io_uring; Linux `unistd.h`.
 */

/** As Node names them. */
export type Architecture = 'x64' | 'arm64';

interface Numbers {
  /** `AUDIT_ARCH_*` of Linux `audit.h`. */
  readonly audit: number;
  readonly clone: number;
  readonly clone3: number;
  readonly personality: number;
  readonly socket: number;
  readonly seccomp: number;
  readonly setns: number;
  readonly setresuid: number;
}

export const NUMBERS: Readonly<Record<Architecture, Numbers>> = {
  x64: {
    audit: 0xc000003e,
    clone: 56,
    clone3: 435,
    personality: 135,
    socket: 41,
    seccomp: 317,
    setns: 308,
    setresuid: 117,
  },
  arm64: {
    audit: 0xc00000b7,
    clone: 220,
    clone3: 435,
    personality: 92,
    socket: 198,
    seccomp: 277,
    setns: 268,
    setresuid: 147,
  },
};

/** `mseal`. A program that meets a newer call without an effect does without it. */
export const NEWEST_CALL = 462;

/** Name, number on x64 and on arm64, and the capabilities that allow it. */
type Row = readonly [string, number | undefined, number | undefined, ...(readonly string[])];

const ROWS: readonly Row[] = [
  ['bpf', 321, 280, 'sys_admin', 'bpf'],
  ['fanotify_init', 300, 262, 'sys_admin'],
  ['fsconfig', 431, 431, 'sys_admin'],
  ['fsmount', 432, 432, 'sys_admin'],
  ['fsopen', 430, 430, 'sys_admin'],
  ['fspick', 433, 433, 'sys_admin'],
  ['lookup_dcookie', 212, 18, 'sys_admin'],
  ['mount', 165, 40, 'sys_admin'],
  ['mount_setattr', 442, 442, 'sys_admin'],
  ['move_mount', 429, 429, 'sys_admin'],
  ['open_tree', 428, 428, 'sys_admin'],
  ['perf_event_open', 298, 241, 'sys_admin', 'perfmon'],
  ['quotactl', 179, 60, 'sys_admin'],
  ['quotactl_fd', 443, 443, 'sys_admin'],
  ['setdomainname', 171, 162, 'sys_admin'],
  ['sethostname', 170, 161, 'sys_admin'],
  ['setns', 308, 268, 'sys_admin'],
  ['syslog', 103, 116, 'sys_admin', 'syslog'],
  ['umount2', 166, 39, 'sys_admin'],
  ['unshare', 272, 97, 'sys_admin'],
  ['open_by_handle_at', 304, 265, 'dac_read_search'],
  ['reboot', 169, 142, 'sys_boot'],
  ['chroot', 161, 51, 'sys_chroot'],
  ['delete_module', 176, 106, 'sys_module'],
  ['init_module', 175, 105, 'sys_module'],
  ['finit_module', 313, 273, 'sys_module'],
  ['get_mempolicy', 239, 236, 'sys_nice'],
  ['mbind', 237, 235, 'sys_nice'],
  ['set_mempolicy', 238, 237, 'sys_nice'],
  ['set_mempolicy_home_node', 450, 450, 'sys_nice'],
  ['acct', 163, 89, 'sys_pacct'],
  ['kcmp', 312, 272, 'sys_ptrace'],
  ['pidfd_getfd', 438, 438, 'sys_ptrace'],
  ['process_madvise', 440, 440, 'sys_ptrace'],
  ['iopl', 172, undefined, 'sys_rawio'],
  ['ioperm', 173, undefined, 'sys_rawio'],
  ['settimeofday', 164, 170, 'sys_time'],
  ['clock_settime', 227, 112, 'sys_time'],
  ['vhangup', 153, 58, 'sys_tty_config'],
  ['add_key', 248, 217],
  ['request_key', 249, 218],
  ['keyctl', 250, 219],
  ['_sysctl', 156, undefined],
  ['afs_syscall', 183, undefined],
  ['create_module', 174, undefined],
  ['get_kernel_syms', 177, undefined],
  ['query_module', 178, undefined],
  ['nfsservctl', 180, 42],
  ['getpmsg', 181, undefined],
  ['putpmsg', 182, undefined],
  ['tuxcall', 184, undefined],
  ['security', 185, undefined],
  ['vserver', 236, undefined],
  ['io_uring_setup', 425, 425],
  ['io_uring_enter', 426, 426],
  ['io_uring_register', 427, 427],
  ['kexec_load', 246, 104],
  ['kexec_file_load', 320, 294],
  ['migrate_pages', 256, 238],
  ['move_pages', 279, 239],
  ['pivot_root', 155, 41],
  ['swapon', 167, 224],
  ['swapoff', 168, 225],
  ['sysfs', 139, undefined],
  ['uselib', 134, undefined],
  ['userfaultfd', 323, 282],
  ['ustat', 136, undefined],
  ['lsm_get_self_attr', 459, 459],
  ['lsm_set_self_attr', 460, 460],
  ['lsm_list_modules', 461, 461],
];

/** By their numbers: what a container may not call that has these capabilities. */
export const refusedCalls = (
  architecture: Architecture,
  capabilities: ReadonlySet<string>,
): readonly number[] =>
  ROWS.flatMap(([_name, x64, arm64, ...openers]) => {
    const number = architecture === 'x64' ? x64 : arm64;
    return number === undefined || openers.some((one) => capabilities.has(one)) ? [] : [number];
  });
