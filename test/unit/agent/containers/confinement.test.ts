import { describe, expect, it } from 'vitest';
import { confinementOf } from '../../../../agent/domain/containers/confinement.ts';

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
    const { confinement = {} } = confinementOf({ name: 'c', securityContext }) as { confinement?: object };
    expect(confinement).toEqual(expected);
  });

  it('refuses a capability that nobody knows', () => {
    expect(confinementOf({ name: 'c', securityContext: { capabilities: { drop: ['FLY'] } } })).toEqual({
      fault: 'unknown capability "FLY" in container c',
    });
  });
});
