import { describe, expect, it } from 'vitest';
import { goArchitecture, goSystem, osImageIn } from '../../../../../agent/rules/machine/platform.ts';

describe('the system', () => {
  it.each([
    [
      'Debian',
      'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nNAME="Debian GNU/Linux"\nID=debian\n',
      'Debian GNU/Linux 12 (bookworm)',
    ],
    [
      'Alpine',
      'NAME="Alpine Linux"\nID=alpine\nVERSION_ID=3.20.3\nPRETTY_NAME="Alpine Linux v3.20"\n',
      'Alpine Linux v3.20',
    ],
    ['Arch, which has no version', 'NAME="Arch Linux"\nPRETTY_NAME="Arch Linux"\nID=arch\n', 'Arch Linux'],
    ['without quotes', 'PRETTY_NAME=Buildroot\n', 'Buildroot'],
    ['without a name for people', 'ID=lfs\n', 'Linux'],
  ])('%s', (_, text, name) => expect(osImageIn(text)).toBe(name));
});

describe('names of Go', () => {
  it.each([
    ['x64', 'amd64'],
    ['ia32', '386'],
    ['arm64', 'arm64'],
    ['arm', 'arm'],
    ['ppc64', 'ppc64le'],
    ['riscv64', 'riscv64'],
  ])('%s is %s', (arch, name) => expect(goArchitecture(arch)).toBe(name));

  it.each([
    ['linux', 'linux'],
    ['win32', 'windows'],
    ['darwin', 'darwin'],
  ])('%s is %s', (platform, name) => expect(goSystem(platform)).toBe(name));
});
