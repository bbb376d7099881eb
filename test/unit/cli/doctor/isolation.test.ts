/** The lines that the doctor names for machines that isolate no containers, which docs/agent.md has, too. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isolation } from '../../../../cli/doctor/checks/isolation.ts';

const lineFor = (osRelease: string): string | undefined =>
  isolation({
    isRoot: true,
    isSwapOn: false,
    containerd: 'absent',
    hasFlock: true,
    isolation: { faults: ['conmon is not there'] },
    hasRuntime: false,
    osRelease,
    freeBytes: 5e9,
  }).remedy?.split('; or ')[0];

const PAGE = readFileSync('docs/agent.md', 'utf8');

const DNF = 'dnf install runc conmon';
const ZYPPER = 'zypper install runc conmon';

describe('the line that installs what isolates containers', () => {
  it.each([
    ['ID=debian\nVERSION_ID="12"', 'apt-get install runc conmon'],
    ['NAME="Linux Mint"\nID=linuxmint\nID_LIKE="ubuntu debian"', 'apt-get install runc conmon'],
    ['ID=fedora\nVERSION_ID=43', DNF],
    ['ID="rhel"\nID_LIKE="fedora"\nVERSION_ID="9.6"', DNF],
    ['ID="rhel"\nID_LIKE="centos fedora"\nVERSION_ID="10.0"', 'dnf install crun conmon'],
    ['ID="almalinux"\nID_LIKE="rhel centos fedora"\nVERSION_ID="10.1"', 'dnf install crun conmon'],
    ['ID=alpine\nVERSION_ID=3.22.1', 'apk add runc conmon'],
    ['ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"', ZYPPER],
    ['ID="opensuse-leap"\nVERSION_ID="15.6"', ZYPPER],
    ['ID="sles"\nID_LIKE="suse"', ZYPPER],
    ["ID=arch\nBUILD_ID='rolling'", 'pacman -S runc conmon'],
  ])('is known by %j', (osRelease, line) => {
    expect(lineFor(osRelease)).toBe(line);
    expect(PAGE).toContain(line);
  });

  it.each(['', 'ID=nixos\n', 'NAME="debian"\n'])('is not known by %j', (osRelease) => {
    expect(lineFor(osRelease)).toBe('install the packages runc and conmon');
  });
});
