import { describe, expect, it } from 'vitest';
import type { Architecture } from '../../../../../agent/rules/containers/system-calls.ts';
import { filterProgram, filterSteps } from '../../../../../agent/rules/runtime/call-filter.ts';

const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7, i386: 0x40000003 } as const;

/** `struct seccomp_data` has the number at 0, the architecture at 4, the first argument at 16. */
interface Call {
  readonly architecture: keyof typeof AUDIT;
  readonly number: number;
  readonly argument?: number;
}

const ANSWERS = new Map([
  [0x7fff0000, 'allowed'],
  [0x50001, 'EPERM'],
  [0x50026, 'ENOSYS'],
]);

/** What the kernel does with the filter. */
const answered = (
  steps: ReturnType<typeof filterSteps>,
  { architecture, number, argument = 0 }: Call,
): string | undefined => {
  const words = new Map([
    [0, number],
    [4, AUDIT[architecture]],
    [16, argument],
  ]);
  let value = 0;
  const isTrue = (code: number, operand: number): boolean => {
    if (code === 0x15) return value === operand;
    return code === 0x25 ? value > operand : (value & operand) !== 0;
  };
  for (let at = 0; at < steps.length; at += 1) {
    const [code, ifTrue, ifFalse, operand] = steps[at] ?? [0, 0, 0, 0];
    if (code === 0x06) return ANSWERS.get(operand);
    if (code === 0x20) value = words.get(operand) ?? Number.NaN;
    else at += isTrue(code, operand) ? ifTrue : ifFalse;
  }
  throw new Error('the filter has no end');
};

const of = (architecture: Architecture, number: number, argument = 0, capabilities: readonly string[] = []) =>
  answered(filterSteps(architecture, new Set(capabilities)), { architecture, number, argument });

describe('J-230: the filter of system calls', () => {
  it.each([
    ['read', 0, 63, 'allowed'],
    ['execve', 59, 221, 'allowed'],
    ['setuid', 105, 146, 'allowed'],
    ['prctl', 157, 167, 'allowed'],
    ['ptrace', 101, 117, 'allowed'],
    ['openat2', 437, 437, 'allowed'],
    ['futex_waitv', 449, 449, 'allowed'],
    ['mount', 165, 40, 'EPERM'],
    ['umount2', 166, 39, 'EPERM'],
    ['unshare', 272, 97, 'EPERM'],
    ['setns', 308, 268, 'EPERM'],
    ['bpf', 321, 280, 'EPERM'],
    ['keyctl', 250, 219, 'EPERM'],
    ['kexec_load', 246, 104, 'EPERM'],
    ['init_module', 175, 105, 'EPERM'],
    ['userfaultfd', 323, 282, 'EPERM'],
    ['io_uring_setup', 425, 425, 'EPERM'],
    ['clone3', 435, 435, 'ENOSYS'],
    ['a newer call', 463, 463, 'ENOSYS'],
  ])('%s', (_, x64, arm64, expected) => {
    expect(of('x64', x64)).toBe(expected);
    expect(of('arm64', arm64)).toBe(expected);
  });

  it.each([
    ['clone with threads', 56, 0x3d0f00, 'allowed'],
    ['clone with a user namespace', 56, 0x10000000, 'EPERM'],
    ['clone with a network namespace', 56, 0x40000011, 'EPERM'],
    ['socket of a machine', 41, 40, 'EPERM'],
    ['socket', 41, 2, 'allowed'],
    ['personality', 135, 0, 'allowed'],
    ['personality without random addresses', 135, 0x40000, 'EPERM'],
    ['personality of 32 bits', 135, 8, 'allowed'],
    ['the question for the personality', 135, 0xffffffff, 'allowed'],
  ])('looks at the argument of %s', (_, number, argument, expected) => {
    expect(of('x64', number, argument)).toBe(expected);
  });

  it.each([
    ['mount', 165, 'sys_admin'],
    ['bpf', 321, 'bpf'],
    ['syslog', 103, 'syslog'],
    ['clock_settime', 227, 'sys_time'],
    ['chroot', 161, 'sys_chroot'],
    ['mbind', 237, 'sys_nice'],
  ])('opens %s for a capability', (_, number, capability) => {
    expect(of('x64', number)).toBe('EPERM');
    expect(of('x64', number, 0, [capability])).toBe('allowed');
  });

  it('lets who administers the system make namespaces', () => {
    expect(of('x64', 56, 0x10000000, ['sys_admin'])).toBe('allowed');
    expect(of('x64', 435, 0, ['sys_admin'])).toBe('allowed');
    expect(of('x64', 250, 0, ['sys_admin'])).toBe('EPERM');
  });

  it('knows no call of another architecture, nor of the one with 32-bit pointers', () => {
    const steps = filterSteps('x64', new Set());
    expect(answered(steps, { architecture: 'i386', number: 3 })).toBe('ENOSYS');
    expect(answered(steps, { architecture: 'arm64', number: 63 })).toBe('ENOSYS');
    expect(of('x64', 0x40000000)).toBe('ENOSYS');
  });

  it('is written as the kernel reads it, in fewer steps than it takes', () => {
    expect(filterProgram('x64', new Set())).toMatch(/^2000000004000000150001003e0000c0/);
    expect(filterSteps('x64', new Set()).length).toBeLessThan(4096);
  });
});
