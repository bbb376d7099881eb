import { describe, expect, it } from 'vitest';
import {
  ALL_CAPABILITIES,
  capabilitiesIn,
  containerCapabilities,
  unknownCapability,
} from '../../../../../agent/rules/oci/capabilities.ts';

const USUAL = [
  'CAP_CHOWN',
  'CAP_DAC_OVERRIDE',
  'CAP_FOWNER',
  'CAP_FSETID',
  'CAP_KILL',
  'CAP_SETGID',
  'CAP_SETUID',
  'CAP_SETPCAP',
  'CAP_NET_BIND_SERVICE',
  'CAP_NET_RAW',
  'CAP_SYS_CHROOT',
  'CAP_MKNOD',
  'CAP_AUDIT_WRITE',
  'CAP_SETFCAP',
];
const without = (...names: readonly string[]) => ALL_CAPABILITIES.filter((name) => !names.includes(name));

describe('the capabilities of a container', () => {
  it.each([
    ['what says nothing', {}, ALL_CAPABILITIES, USUAL],
    ['what drops all', { dropCapabilities: ['ALL'] }, ALL_CAPABILITIES, []],
    ['what drops all in small letters', { dropCapabilities: ['all'] }, ALL_CAPABILITIES, []],
    [
      'what drops one',
      { dropCapabilities: ['NET_RAW'] },
      ALL_CAPABILITIES,
      USUAL.filter((name) => name !== 'CAP_NET_RAW'),
    ],
    ['what adds one', { addCapabilities: ['BPF'] }, ALL_CAPABILITIES, [...USUAL, 'CAP_BPF']],
    [
      'both spellings',
      { addCapabilities: ['CAP_BPF'], dropCapabilities: ['ALL'] },
      ALL_CAPABILITIES,
      ['CAP_BPF'],
    ],
    [
      'one that is added and dropped',
      { addCapabilities: ['BPF'], dropCapabilities: ['bpf'] },
      ALL_CAPABILITIES,
      USUAL,
    ],
    [
      'all but one',
      { addCapabilities: ['ALL'], dropCapabilities: ['CHOWN'] },
      ALL_CAPABILITIES,
      without('CAP_CHOWN'),
    ],
    [
      'all that are dropped, too',
      { addCapabilities: ['ALL'], dropCapabilities: ['ALL'] },
      ALL_CAPABILITIES,
      [],
    ],
    [
      'all of an agent that lacks some',
      { addCapabilities: ['ALL'] },
      without('CAP_SYS_ADMIN'),
      without('CAP_SYS_ADMIN'),
    ],
    ['the usual ones of an agent that has few', {}, ['CAP_CHOWN', 'CAP_SYS_ADMIN'], ['CAP_CHOWN']],
    ['one that no kernel has', { addCapabilities: ['EVERYTHING'] }, ALL_CAPABILITIES, USUAL],
  ])('%s', (_what, capabilities, own, expected) => {
    const found = containerCapabilities({ capabilities }, own);
    expect(found.bounding.toSorted()).toEqual(expected.toSorted());
    expect(found).toEqual({ bounding: found.bounding, effective: found.bounding, permitted: found.bounding });
  });

  it('are all of the agent for a privileged container, whatever it drops', () => {
    const own = ['CAP_CHOWN', 'CAP_SYS_ADMIN'];
    const found = containerCapabilities(
      { privileged: true, capabilities: { dropCapabilities: ['ALL'] } },
      own,
    );
    expect(found.bounding).toEqual(own);
  });
});

describe('J-150: a name of a capability', () => {
  it.each([
    [{}, undefined],
    [{ addCapabilities: ['ALL', 'cap_chown'], dropCapabilities: ['all', 'NET_RAW'] }, undefined],
    [{ dropCapabilities: ['KILL', 'NET_RAWW'] }, 'NET_RAWW'],
    [{ addCapabilities: ['CAP_FLY'] }, 'CAP_FLY'],
  ])('that no kernel has: %j', (capabilities, expected) => {
    expect(unknownCapability({ capabilities })).toBe(expected);
  });
});

describe('a mask of the kernel', () => {
  it.each([
    ['0000000000000000', []],
    ['', []],
    ['0000000000000001', ['CAP_CHOWN']],
    ['00000000a80425fb', USUAL],
    ['000001ffffffffff', ALL_CAPABILITIES],
    ['ffffffffffffffff', ALL_CAPABILITIES],
    ['000001fffeffffff', without('CAP_SYS_RESOURCE')],
  ])('%s', (mask, expected) => {
    expect(capabilitiesIn(mask).toSorted()).toEqual(expected.toSorted());
  });
});
