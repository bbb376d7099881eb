import { describe, expect, it } from 'vitest';
import { confinementOf } from '../../../../../agent/rules/containers/confinement.ts';
import { podOf } from '../../../../support/agent/pods/pod-world.ts';

describe('J-150: what a container is kept from', () => {
  it.each([
    [undefined, {}],
    [{}, {}],
    [{ privileged: true, allowPrivilegeEscalation: true, readOnlyRootFilesystem: false }, {}],
    [{ allowPrivilegeEscalation: false }, { hasNoNewPrivileges: true }],
    [{ capabilities: { drop: ['ALL'] } }, { boundingSet: '-all' }],
    [
      { capabilities: { drop: ['all'], add: ['NET_BIND_SERVICE', 'CAP_CHOWN'] } },
      { boundingSet: '-all,+net_bind_service,+chown' },
    ],
    [{ capabilities: { drop: ['CAP_NET_RAW', 'MKNOD'] } }, { boundingSet: '-net_raw,-mknod' }],
    [{ capabilities: { add: ['SYS_TIME'] } }, {}],
    [{ capabilities: { drop: ['ALL', 'KILL'], add: ['KILL', 'CHOWN'] } }, { boundingSet: '-all,+chown' }],
    [{ capabilities: { drop: ['ALL'], add: ['ALL'] } }, {}],
    [{ capabilities: { drop: ['ALL', 'KILL'], add: ['ALL'] } }, { boundingSet: '-kill' }],
    [{ readOnlyRootFilesystem: true }, { boundingSet: '-sys_admin', hasReadOnlyRoot: true }],
    [{ readOnlyRootFilesystem: true, privileged: true }, { hasReadOnlyRoot: true }],
    [{ readOnlyRootFilesystem: true, capabilities: { add: ['SYS_ADMIN'] } }, { hasReadOnlyRoot: true }],
    [
      { readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
      { boundingSet: '-all', hasReadOnlyRoot: true },
    ],
  ])('%j: %j', (securityContext, expected) => {
    const { confinement = {} } = confinementOf(podOf('p'), { name: 'c', securityContext }) as {
      confinement?: object;
    };
    expect(confinement).toEqual(expected);
  });

  it('refuses a capability that nobody knows', () => {
    expect(
      confinementOf(podOf('p'), { name: 'c', securityContext: { capabilities: { drop: ['FLY'] } } }),
    ).toEqual({
      fault: 'unknown capability "FLY" in container c',
    });
  });
});

describe('J-230: the system calls of a container', () => {
  const DEFAULT = { seccompProfile: { type: 'RuntimeDefault' } };
  const UNCONFINED = { seccompProfile: { type: 'Unconfined' } };
  const filterOf = (ofPod: object, securityContext: object, isDefault?: boolean) => {
    const of = confinementOf(
      podOf('p', { securityContext: ofPod }),
      { name: 'c', securityContext },
      isDefault,
    );
    return 'fault' in of ? of : of.confinement?.callFilter?.capabilities;
  };

  it.each([
    ['nobody asks', {}, {}, false, false],
    ['its pod asks', DEFAULT, {}, false, true],
    ['it asks', {}, DEFAULT, false, true],
    ['its pod asks and it does not want', DEFAULT, UNCONFINED, false, false],
    ['it is privileged', DEFAULT, { privileged: true }, true, false],
    ['the machine asks', {}, {}, true, true],
    ['the machine asks and it does not want', {}, UNCONFINED, true, false],
  ])('if %s', (_, ofPod, own, isDefault, isFiltered) => {
    expect(filterOf(ofPod, own, isDefault) !== undefined).toBe(isFiltered);
  });

  it.each([
    ['as in a container runtime', {}, ['setuid', 'sys_chroot'], ['sys_admin', 'bpf']],
    ['with what it adds', { add: ['CAP_SYS_TIME'] }, ['setuid', 'sys_time'], ['sys_admin']],
    [
      'without what it drops',
      { add: ['BPF', 'SYS_TIME'], drop: ['bpf', 'SYS_CHROOT'] },
      ['sys_time'],
      ['bpf', 'sys_chroot'],
    ],
    ['after ALL', { add: ['SYS_TIME'], drop: ['ALL'] }, ['sys_time'], ['setuid', 'sys_chroot']],
    ['with all', { add: ['ALL'] }, ['sys_admin', 'bpf'], []],
  ])('are opened by its capabilities: %s', (_, capabilities, open, closed) => {
    const found = filterOf(DEFAULT, { capabilities });
    expect(found).toEqual(expect.arrayContaining([...open]));
    for (const one of closed) expect(found).not.toContain(one);
  });
});
