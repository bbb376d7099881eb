import { describe, expect, it } from 'vitest';
import { containerSecurity } from '../../../../../agent/rules/cri/security-context.ts';
import {
  containerUser,
  imageUser,
  nextSlot,
  uidOfSlot,
  userFault,
} from '../../../../../agent/rules/oci/user.ts';
import { podOf } from '../../../../support/agent/pods/pod-world.ts';

const SLOT = 7;
const OWN = 2_000_000_007;
const SECCOMP = { profiles: '/profiles', isDefault: true };

interface Case {
  readonly image?: string;
  readonly ofPod?: object;
  readonly own?: object;
  readonly isRootless?: boolean;
}

/** The user, or why there is none. */
const decided = ({ image = 'host', ofPod = {}, own = {}, isRootless = false }: Case) => {
  const container = { name: 'c', image, securityContext: own };
  const pod = podOf('p', { containers: [container], securityContext: ofPod });
  const place = { image, slot: SLOT, isRootless };
  const security = containerSecurity(pod, container, imageUser(container, place), SECCOMP);
  return userFault(pod, container, security, place) ?? containerUser(security, place);
};

const FOLDER = { image: '/images/a' };
const none = { groups: [] };

describe('as whom a container runs', () => {
  it.each<[string, Case, object]>([
    ['of host that says nothing: a user and group of the pod', {}, { uid: OWN, gid: OWN, ...none }],
    [
      'of host with a user: no group of the machine',
      { own: { runAsUser: 1500 } },
      { uid: 1500, gid: OWN, ...none },
    ],
    [
      'of host as the pod says',
      { ofPod: { runAsUser: 1500, runAsGroup: 1600 } },
      { uid: 1500, gid: 1600, ...none },
    ],
    ['of host that must not be root', { ofPod: { runAsNonRoot: true } }, { uid: OWN, gid: OWN, ...none }],
    [
      'of host with groups',
      { ofPod: { fsGroup: 2000, supplementalGroups: [3000] } },
      { uid: OWN, gid: OWN, groups: [2000, 3000] },
    ],
    ['of host that names its own slot', { own: { runAsUser: OWN } }, { uid: OWN, gid: OWN, ...none }],
    ['of host that is privileged: root', { own: { privileged: true } }, { uid: 0, gid: 0, ...none }],
    [
      'of host that is privileged, as it says',
      { own: { privileged: true, runAsUser: 0, runAsGroup: 4 } },
      { uid: 0, gid: 4, ...none },
    ],
    ['of a folder that says nothing: root of the folder', FOLDER, { uid: 0, gid: 0, ...none }],
    [
      'of a folder as a service',
      { ...FOLDER, own: { runAsUser: 33, runAsGroup: 33 } },
      { uid: 33, gid: 33, ...none },
    ],
    [
      'of a folder with groups of services',
      { ...FOLDER, ofPod: { fsGroup: 0, supplementalGroups: [42] } },
      { uid: 0, gid: 0, groups: [0, 42] },
    ],
    [
      'of host, by an agent that is not root, as root of its namespace',
      { own: { runAsUser: 0, runAsGroup: 0 }, isRootless: true },
      { uid: 0, gid: 0, ...none },
    ],
    [
      'of host that says nothing, by an agent that is not root',
      { isRootless: true },
      { uid: 0, gid: 0, ...none },
    ],
    [
      'by an agent that is not root, with its own group again',
      { ...FOLDER, ofPod: { fsGroup: 0 }, isRootless: true },
      { uid: 0, gid: 0, groups: [0] },
    ],
  ])('%s', (_what, given, expected) => {
    expect(decided(given)).toEqual(expected);
  });

  it.each<[string, Case, RegExp]>([
    ['root of the machine', { own: { runAsUser: 0 } }, /^runAsUser: 0 may not be used with the image "host"/],
    ['root by the pod', { ofPod: { runAsUser: 0 } }, /^runAsUser: 0 /],
    ['a service of the machine', { own: { runAsUser: 33 } }, /^runAsUser: 33 .* use 1000 or more/],
    ['the group of root', { own: { runAsUser: 1500, runAsGroup: 0 } }, /^runAsGroup: 0 /],
    [
      'the group that reads /etc/shadow',
      { ofPod: { supplementalGroups: [2000, 42] } },
      /^supplementalGroups, fsGroup: 42 /,
    ],
    ['volumes of the group of root', { ofPod: { fsGroup: 0 } }, /^supplementalGroups, fsGroup: 0 /],
    [
      'the user of another pod',
      { own: { runAsUser: OWN + 1 } },
      /^the user or group 2000000008 belongs to another pod/,
    ],
    [
      'the group of another pod, in a folder',
      { ...FOLDER, ofPod: { fsGroup: OWN - 1 } },
      /^the user or group 2000000006 /,
    ],
    [
      'root that must not be',
      { own: { runAsUser: 0, runAsNonRoot: true } },
      /runAsUser breaks non-root policy/,
    ],
    [
      'root of a folder that must not be',
      { ...FOLDER, own: { runAsNonRoot: true } },
      /image will run as root/,
    ],
    [
      'privileged root that must not be',
      { own: { privileged: true, runAsNonRoot: true } },
      /image will run as root/,
    ],
    [
      'a second group without root',
      { ofPod: { supplementalGroups: [5] }, isRootless: true },
      /^supplementalGroups, fsGroup: 5 .* not root/,
    ],
    [
      'another user without root',
      { own: { runAsUser: 1500 }, isRootless: true },
      /^runAsUser: 1500 .* not root/,
    ],
    [
      'another group without root',
      { ...FOLDER, own: { runAsGroup: 7 }, isRootless: true },
      /^runAsGroup: 7 .* not root/,
    ],
    [
      'a user that is not root without root',
      { ofPod: { runAsNonRoot: true }, isRootless: true },
      /image will run as root/,
    ],
  ])('is refused: %s', (_what, given, words) => {
    expect(decided(given)).toMatch(words);
  });
});

describe('the slot of a new pod', () => {
  const all = new Set(Array.from({ length: 65_536 }, (_, slot) => slot));
  const allBut = (...free: readonly number[]) => new Set([...all].filter((slot) => !free.includes(slot)));

  it.each<[string, ReadonlySet<number>, number | undefined, number | undefined]>([
    ['the first', new Set(), undefined, 0],
    ['the first that is free', new Set([0, 1, 3]), undefined, 2],
    ['one that was not just freed', new Set([5]), 7, 8],
    ['no one’s that is there', new Set([8, 9]), 7, 10],
    ['from the beginning after the last', new Set([0]), 65_535, 1],
    ['the only free one', allBut(12), 12, 12],
    ['the only free one, from afar', allBut(12), 40_000, 12],
    ['none', all, 3, undefined],
  ])('is %s', (_what, taken, last, expected) => {
    expect(nextSlot(taken, last)).toBe(expected);
  });

  it('has a user above those of people and below the largest', () => {
    expect([uidOfSlot(0), uidOfSlot(65_535)]).toEqual([2_000_000_000, 2_000_065_535]);
  });
});
