import { describe, expect, it } from 'vitest';
import {
  bootTimeIn,
  coresIn,
  hugePagesIn,
  idIn,
  memoryIn,
} from '../../../../../agent/rules/machine/proc-files.ts';

const X86 = `processor	: 0
vendor_id	: AuthenticAMD
cpu family	: 25
model name	: AMD EPYC 7B13
siblings	: 2
cpu cores	: 1
flags		: fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov
power management:

processor	: 1
vendor_id	: AuthenticAMD
cpu family	: 25
siblings	: 2
cpu cores	: 1
power management:

`;

const RASPBERRY_PI = `processor	: 0
BogoMIPS	: 108.00
Features	: fp asimd evtstrm crc32 cpuid
CPU implementer	: 0x41

processor	: 1
BogoMIPS	: 108.00

processor	: 2
BogoMIPS	: 108.00

processor	: 3
BogoMIPS	: 108.00

Revision	: d03115
Model		: Raspberry Pi 4 Model B Rev 1.5
`;

const S390X = `vendor_id       : IBM/S390
# processors    : 2
bogomips per cpu: 3033.00
processor 0: version = FF,  identification = 133EC8,  machine = 2964
processor 1: version = FF,  identification = 133EC8,  machine = 2964

cpu number      : 0
cpu MHz dynamic : 5000
`;

describe('cores', () => {
  it.each([
    ['of a PC, where a core has two threads', X86, 2],
    ['of a Raspberry Pi', RASPBERRY_PI, 4],
    ['of a mainframe', S390X, 2],
    ['of a kernel that does not list them: one', 'system type : MIPS Malta\n', 1],
  ])('%s', (_, text, cores) => expect(coresIn(text)).toBe(cores));
});

const MEMORY = `MemTotal:       24684084 kB
MemFree:        19788696 kB
MemAvailable:   21582468 kB
Buffers:           57436 kB
SwapCached:            0 kB
SwapTotal:       2097148 kB
SwapFree:        2097148 kB
HugePages_Total:       0
Hugepagesize:       2048 kB
`;

describe('memory', () => {
  it('and swap, in bytes', () =>
    expect(memoryIn(MEMORY)).toEqual({
      totalBytes: 24_684_084 * 1024,
      swapBytes: 2_097_148 * 1024,
      swapFreeBytes: 2_097_148 * 1024,
    }));

  it('of a kernel without swap', () =>
    expect(memoryIn('MemTotal:         511000 kB\nMemFree: 1 kB\n')).toEqual({
      totalBytes: 511_000 * 1024,
      swapBytes: 0,
      swapFreeBytes: 0,
    }));

  it('is unknown if the file does not tell it', () =>
    expect(memoryIn('HugePages_Total: 0\n')).toBeUndefined());
});

describe('the start of the machine', () => {
  it('is a line of /proc/stat', () => {
    const stat = 'cpu  10 20 30\ncpu0 10 20 30\nintr 1 2 3\nctxt 990473\nbtime 1795400071\nprocesses 2915\n';
    expect(bootTimeIn(stat)).toBe(1_795_400_071_000);
    expect(bootTimeIn('cpu 1 2 3\n')).toBeUndefined();
  });
});

describe('huge pages', () => {
  it.each([
    ['hugepages-2048kB', '512\n', { pageSizeKiB: 2048, numPages: 512 }],
    ['hugepages-1048576kB', '0\n', { pageSizeKiB: 1_048_576, numPages: 0 }],
    ['kernel', '0\n', undefined],
    ['hugepages-2048kB', '', undefined],
  ])('of %s with %j', (folder, count, pages) => expect(hugePagesIn(folder, count)).toEqual(pages));
});

describe('an id', () => {
  it.each([
    ['3d1219c7c4c5404aaa1f6d2a48adfda4\n', '3d1219c7c4c5404aaa1f6d2a48adfda4'],
    ['58005399-c2f0-4f1b-a2a5-f1cbc374c05a\n', '58005399-c2f0-4f1b-a2a5-f1cbc374c05a'],
    ['IBM,02782B4E7\0', 'IBM,02782B4E7'],
    ['\n', undefined],
  ])('in %j is %j', (text, id) => expect(idIn(text)).toBe(id));
});
