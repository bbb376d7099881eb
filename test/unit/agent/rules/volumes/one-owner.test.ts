import { describe, expect, it } from 'vitest';
import { withOneOwner } from '../../../../../agent/rules/volumes/one-owner.ts';
import { podOf } from '../../../../support/agent/pods/pod-world.ts';

const OWNED = { runAsUser: 0, fsGroup: 0, runAsGroup: 0 };
const LEFT = { runAsGroup: 0 };

describe('a pod whose containers have the user of the agent', () => {
  it('gives its files to no other user or group', () => {
    const pod = podOf('p', {
      securityContext: OWNED,
      initContainers: [{ name: 'i', securityContext: OWNED }],
      containers: [{ name: 'c', image: 'host', securityContext: OWNED }, { name: 'd' }],
    });
    expect(withOneOwner(pod).spec).toMatchObject({
      securityContext: LEFT,
      initContainers: [{ name: 'i', securityContext: LEFT }],
      containers: [{ name: 'c', image: 'host', securityContext: LEFT }, { name: 'd' }],
    });
    const { securityContext } = withOneOwner(pod).spec;
    expect(securityContext).not.toHaveProperty('fsGroup');
    expect(withOneOwner(pod).metadata).toEqual(pod.metadata);
  });

  it('has no init containers that it had not', () => {
    expect(withOneOwner(podOf('p', {})).spec).not.toHaveProperty('initContainers');
  });
});
