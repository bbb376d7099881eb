import { describe, expect, it } from 'vitest';
import { runAs } from '../../../../../agent/rules/containers/run-as.ts';
import { podOf } from '../../../../support/agent/pods/pod-world.ts';

const where = '(pod: "p_default(uid-p)", container: c)';

describe('runAs', () => {
  it.each([
    [{}, {}, {}],
    [{ runAsUser: 5 }, {}, { user: { uid: 5, gid: 0, groups: [] } }],
    [{ runAsUser: 5, runAsGroup: 6 }, { runAsUser: 7 }, { user: { uid: 7, gid: 6, groups: [] } }],
    [{ fsGroup: 8, supplementalGroups: [9] }, {}, { user: { uid: 0, gid: 0, groups: [9, 8] } }],
    [{ runAsNonRoot: true, runAsUser: 5 }, {}, { user: { uid: 5, gid: 0, groups: [] } }],
    [{ runAsNonRoot: true }, { runAsNonRoot: false }, {}],
    [{ runAsNonRoot: true }, {}, { fault: `container has runAsNonRoot and image will run as root ${where}` }],
    [
      { runAsUser: 0 },
      { runAsNonRoot: true },
      { fault: `container's runAsUser breaks non-root policy ${where}` },
    ],
  ])('pod %j, container %j: %j', (pod, container, result) => {
    expect(runAs(podOf('p', { securityContext: pod }), { name: 'c', securityContext: container })).toEqual(
      result,
    );
  });
});
