import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ALL_CAPABILITIES } from '../../../../../agent/rules/oci/capabilities.ts';
import type { OciSeccomp } from '../../../../../agent/rules/oci/runtime-spec.ts';
import { defaultSeccomp, localSeccomp } from '../../../../../agent/rules/oci/seccomp.ts';

const USUAL =
  'CHOWN DAC_OVERRIDE FSETID FOWNER MKNOD NET_RAW SETGID SETUID SETFCAP SETPCAP NET_BIND_SERVICE SYS_CHROOT KILL AUDIT_WRITE';

const SETS: Readonly<Record<string, string>> = {
  none: '',
  default: USUAL,
  sys_admin: `${USUAL} SYS_ADMIN`,
  many: 'DAC_READ_SEARCH SYS_BOOT SYS_MODULE SYS_PACCT SYS_PTRACE SYS_RAWIO SYS_TIME SYS_TTY_CONFIG SYS_NICE SYSLOG BPF PERFMON',
};

const capabilitiesOf = (set: string): readonly string[] =>
  (SETS[set] ?? '')
    .split(' ')
    .filter(Boolean)
    .map((name) => `CAP_${name}`);

/** One line for each call and rule. */
const linesOf = ({ syscalls = [] }: OciSeccomp): readonly string[] =>
  syscalls
    .flatMap(({ names, action, errnoRet, args = [] }) => {
      const conditions = args.map(
        ({ index, op, value, valueTwo = 0 }) => ` ${index} ${op} ${value} ${valueTwo}`,
      );
      const errno = errnoRet === undefined ? '' : ` ${errnoRet}`;
      return names.map((name) => `${name} ${action}${errno}${conditions.join('')}`);
    })
    .toSorted((a, b) => (a < b ? -1 : 1));

/**
 * Computed by `GetDefaultProfile` of github.com/moby/profiles/seccomp v0.3.0: architecture, capabilities, kernel, and its answer, without
 * the architecture x32.
 */
const RECORDED = [
  ['x64', 'none', '4.4', 'SCMP_ARCH_X86_64 SCMP_ARCH_X86', 400, '48a7eb8ef91b41160d15'],
  ['x64', 'none', '6.1', 'SCMP_ARCH_X86_64 SCMP_ARCH_X86', 403, '6e6937610a78b256e845'],
  ['x64', 'default', '4.4', 'SCMP_ARCH_X86_64 SCMP_ARCH_X86', 401, '2b12db312c01f5210155'],
  ['x64', 'default', '6.1', 'SCMP_ARCH_X86_64 SCMP_ARCH_X86', 404, 'd21e074cc014658e6ad4'],
  ['x64', 'sys_admin', '4.4', 'SCMP_ARCH_X86_64 SCMP_ARCH_X86', 425, '4f5df7af15c15b9a594c'],
  ['x64', 'sys_admin', '6.1', 'SCMP_ARCH_X86_64 SCMP_ARCH_X86', 428, '9d595a117c5aee9c8193'],
  ['x64', 'many', '4.4', 'SCMP_ARCH_X86_64 SCMP_ARCH_X86', 426, '53fd6d1852b446bcd22f'],
  ['x64', 'many', '6.1', 'SCMP_ARCH_X86_64 SCMP_ARCH_X86', 429, '6457b98e3baae118aae8'],
  ['arm64', 'none', '4.4', 'SCMP_ARCH_AARCH64 SCMP_ARCH_ARM', 404, 'c3cfe587b6163c2ca4c9'],
  ['arm64', 'none', '6.1', 'SCMP_ARCH_AARCH64 SCMP_ARCH_ARM', 407, '0fd37e136e3424feab9c'],
  ['arm64', 'default', '4.4', 'SCMP_ARCH_AARCH64 SCMP_ARCH_ARM', 405, '8891fdc63d237ee3a5ee'],
  ['arm64', 'default', '6.1', 'SCMP_ARCH_AARCH64 SCMP_ARCH_ARM', 408, '51c17f66972326a37bb3'],
  ['arm64', 'sys_admin', '4.4', 'SCMP_ARCH_AARCH64 SCMP_ARCH_ARM', 429, '40cbfe1bffc2870e8ac3'],
  ['arm64', 'sys_admin', '6.1', 'SCMP_ARCH_AARCH64 SCMP_ARCH_ARM', 432, '2611e3fe3f9524d6a02b'],
  ['arm64', 'many', '4.4', 'SCMP_ARCH_AARCH64 SCMP_ARCH_ARM', 430, '51c991c9e344f5ce5e5b'],
  ['arm64', 'many', '6.1', 'SCMP_ARCH_AARCH64 SCMP_ARCH_ARM', 433, '83cf62b0c78e05ea38e2'],
  ['s390x', 'none', '4.4', 'SCMP_ARCH_S390X SCMP_ARCH_S390', 401, 'f350a6e1dd9114d30ab7'],
  ['s390x', 'none', '6.1', 'SCMP_ARCH_S390X SCMP_ARCH_S390', 404, '5e98f06c2444d78d907c'],
  ['s390x', 'default', '4.4', 'SCMP_ARCH_S390X SCMP_ARCH_S390', 402, '6c5a9087139b32735e90'],
  ['s390x', 'default', '6.1', 'SCMP_ARCH_S390X SCMP_ARCH_S390', 405, '82a34df35e5abb06f15b'],
  ['s390x', 'sys_admin', '4.4', 'SCMP_ARCH_S390X SCMP_ARCH_S390', 426, 'fd1414d7c9ffb10d659f'],
  ['s390x', 'sys_admin', '6.1', 'SCMP_ARCH_S390X SCMP_ARCH_S390', 429, '5bb80d7435e4c586ff11'],
  ['s390x', 'many', '4.4', 'SCMP_ARCH_S390X SCMP_ARCH_S390', 427, '6d892cedf1c77579a719'],
  ['s390x', 'many', '6.1', 'SCMP_ARCH_S390X SCMP_ARCH_S390', 430, '4308839db6e7fd0ddf5b'],
  ['riscv64', 'none', '4.4', 'SCMP_ARCH_RISCV64', 399, 'acefa8b5e22bcd1076d6'],
  ['riscv64', 'none', '6.1', 'SCMP_ARCH_RISCV64', 402, '58b3a41ee5e50fc52818'],
  ['riscv64', 'default', '4.4', 'SCMP_ARCH_RISCV64', 400, '34b62b8cf6f33f99ff93'],
  ['riscv64', 'default', '6.1', 'SCMP_ARCH_RISCV64', 403, 'dbec9e64edb4819a4730'],
  ['riscv64', 'sys_admin', '4.4', 'SCMP_ARCH_RISCV64', 424, 'cf2f9ca4d75b75da4ff6'],
  ['riscv64', 'sys_admin', '6.1', 'SCMP_ARCH_RISCV64', 427, 'c22c5fc46ed64033e593'],
  ['riscv64', 'many', '4.4', 'SCMP_ARCH_RISCV64', 425, '1b95f28b037a2defc30c'],
  ['riscv64', 'many', '6.1', 'SCMP_ARCH_RISCV64', 428, '0ad74158466d6ec11771'],
] as const;

const actionOf = ({ syscalls = [] }: OciSeccomp, name: string): string | undefined =>
  syscalls.find(({ names }) => names.includes(name))?.action;

describe('J-230: the profile RuntimeDefault', () => {
  it.each(RECORDED)(
    'on %s with %s and kernel %s is that of Moby',
    (architecture, set, kernel, names, count, digest) => {
      const profile = defaultSeccomp(capabilitiesOf(set), { architecture, kernel: `${kernel}.0-18-generic` });
      expect(profile).toMatchObject({ defaultAction: 'SCMP_ACT_ERRNO', defaultErrnoRet: 1 });
      expect(profile.architectures?.join(' ')).toBe(names);
      const lines = linesOf(profile);
      expect(lines).toHaveLength(count);
      expect(createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, digest.length)).toBe(
        digest,
      );
    },
  );

  it.each([
    ['a kernel of an unknown version', 'x64', 'odd'],
    ['an old kernel', 'x64', '4.7.9'],
    ['an old kernel with a large revision', 'x64', '3.19.0'],
  ])('counts %s as one that does not keep tracers apart', (_what, architecture, kernel) => {
    expect(actionOf(defaultSeccomp([], { architecture, kernel }), 'ptrace')).toBeUndefined();
  });

  it.each(['4.8.0', '5.0.1', '10.2.0'])('allows tracing on a kernel %s', (kernel) => {
    expect(actionOf(defaultSeccomp([], { architecture: 'x64', kernel }), 'ptrace')).toBe('SCMP_ACT_ALLOW');
  });

  it('names no architecture that it does not know, and refuses no less there', () => {
    const profile = defaultSeccomp([], { architecture: 'mips', kernel: '6.1.0' });
    expect(profile.architectures).toBeUndefined();
    expect(profile.defaultAction).toBe('SCMP_ACT_ERRNO');
  });

  it('never allows what makes a container the machine, unless a capability allows it', () => {
    const machine = { architecture: 'x64', kernel: '6.1.0' };
    const [usual, all] = [capabilitiesOf('default'), ALL_CAPABILITIES].map((set) =>
      defaultSeccomp(set, machine),
    );
    for (const name of [
      'mount',
      'unshare',
      'setns',
      'bpf',
      'init_module',
      'reboot',
      'open_by_handle_at',
      'pidfd_getfd',
    ]) {
      expect(actionOf(usual as OciSeccomp, name)).toBeUndefined();
      expect(actionOf(all as OciSeccomp, name)).toBe('SCMP_ACT_ALLOW');
    }
    for (const name of ['kexec_load', 'add_key', 'keyctl', 'io_uring_setup', 'userfaultfd'])
      expect(actionOf(all as OciSeccomp, name)).toBeUndefined();
  });
});

describe('a profile of the machine', () => {
  const PROFILE = {
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: 38,
    architectures: ['SCMP_ARCH_X86_64'],
    flags: ['SECCOMP_FILTER_FLAG_LOG'],
    syscalls: [
      {
        names: ['read'],
        action: 'SCMP_ACT_ALLOW',
        args: [{ index: 0, value: 3, op: 'SCMP_CMP_LT' }],
        errnoRet: 1,
      },
      {
        names: ['write'],
        action: 'SCMP_ACT_ALLOW',
        args: [{ index: 0, value: 3, valueTwo: 1, op: 'SCMP_CMP_MASKED_EQ' }],
      },
      { names: ['open'], action: 'SCMP_ACT_ALLOW', includes: {}, excludes: {} },
    ],
  };

  it('is taken as it is', () => {
    expect(localSeccomp(JSON.stringify(PROFILE))).toEqual({ profile: PROFILE });
    expect(localSeccomp('{"defaultAction":"SCMP_ACT_LOG"}')).toEqual({
      profile: { defaultAction: 'SCMP_ACT_LOG' },
    });
  });

  it('cannot name a socket to which the runtime sends descriptors', () => {
    const text = JSON.stringify({ ...PROFILE, listenerPath: '/run/a', listenerMetadata: 'x' });
    expect(localSeccomp(text)).toEqual({ profile: PROFILE });
  });

  it.each([
    ['', 'no defaultAction'],
    ['{', 'no defaultAction'],
    ['[]', 'no defaultAction'],
    ['null', 'no defaultAction'],
    ['{"defaultAction":3}', 'no defaultAction'],
    ['{"defaultAction":"A","architectures":"x"}', 'architectures'],
    ['{"defaultAction":"A","architectures":[1]}', 'architectures'],
    ['{"defaultAction":"A","flags":{}}', 'flags'],
    ['{"defaultAction":"A","defaultErrnoRet":"1"}', 'defaultErrnoRet'],
    ['{"defaultAction":"A","syscalls":{}}', 'syscalls'],
    ['{"defaultAction":"A","syscalls":[null]}', 'names and action'],
    ['{"defaultAction":"A","syscalls":[{"names":["a"]}]}', 'names and action'],
    ['{"defaultAction":"A","syscalls":[{"name":"a","action":"B"}]}', 'names and action'],
    ['{"defaultAction":"A","syscalls":[{"names":["a"],"action":"B","args":{}}]}', 'arguments'],
    [
      '{"defaultAction":"A","syscalls":[{"names":["a"],"action":"B","args":[{"index":-1,"value":0,"op":"x"}]}]}',
      'arguments',
    ],
    ['{"defaultAction":"A","syscalls":[{"names":["a"],"action":"B","errnoRet":1.5}]}', 'errnoRet'],
    [
      '{"defaultAction":"A","syscalls":[{"names":["a"],"action":"B","includes":{"caps":["CAP_BPF"]}}]}',
      'includes',
    ],
    [
      '{"defaultAction":"A","syscalls":[{"names":["a"],"action":"B","excludes":{"arches":["arm64"]}}]}',
      'excludes',
    ],
  ])('%s: is refused for its %s', (text, word) => {
    expect(localSeccomp(text)).toEqual({ fault: expect.stringContaining(word) });
  });
});
