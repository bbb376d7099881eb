import { describe, expect, it } from 'vitest';
import { asSent } from '../../../../lambdas/owners/children.ts';
import { podStrategy } from '../../../../shared/kinds/pods/pods.ts';
import type { Pod, PodSpec } from '../../../../shared/kube/types/core.ts';

const made = (spec: object): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: spec as PodSpec,
});

describe('an object that a controller makes', () => {
  it.each<[string, object, object]>([
    ['has no empty field', { subdomain: '', volumes: [], nodeSelector: {}, hostNetwork: false }, {}],
    ['has no field without a value', { hostname: undefined, nodeName: null }, {}],
    ['has no unknown field', { nodename: 'n1' }, {}],
    [
      'has canonical quantities',
      { overhead: { cpu: '0.5', memory: '1024Mi' } },
      { overhead: { cpu: '500m', memory: '1Gi' } },
    ],
  ])('%s', (_name, given, stored) => {
    expect(asSent(podStrategy, made(given))).toEqual(made(stored));
    expect(JSON.stringify(asSent(podStrategy, made(given)).spec)).toBe(JSON.stringify(stored));
  });

  it('is refused as a body of a client is, if a field has another type', () => {
    expect(() => asSent(podStrategy, made({ containers: 'c' }))).toThrow(
      expect.objectContaining({ code: 400, message: expect.stringContaining('containers') }),
    );
  });
});
