import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../../../shared/kube/types/meta.ts';
import { createFleetPicture, type FleetPicture } from '../../../../terminal/top/fleet-picture.ts';
import { NOW } from '../../../support/objects/a-roll-call.ts';

const META = { uid: 'one', resourceVersion: '1' };

const node = (name: string, zone = 'a', ready = 'True'): ApiObject =>
  ({
    kind: 'Node',
    apiVersion: 'v1',
    metadata: { ...META, name, labels: { 'topology.kubernetes.io/zone': zone } },
    status: { conditions: [{ type: 'Ready', status: ready }] },
  }) as ApiObject;

const pod = (name: string, nodeName?: string, message?: string): ApiObject =>
  ({
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { ...META, name, namespace: 'shop' },
    spec: nodeName === undefined ? {} : { nodeName },
    status: message === undefined ? {} : { conditions: [{ type: 'PodScheduled', status: 'False', message }] },
  }) as ApiObject;

const lease = (name: string, version: string, more = {}): ApiObject =>
  ({
    kind: 'Lease',
    apiVersion: 'coordination.k8s.io/v1',
    metadata: { name, namespace: 'kube-node-lease', resourceVersion: version },
    spec: { leaseDurationSeconds: 20, renewTime: new Date(NOW - 5_000).toISOString(), ...more },
  }) as ApiObject;

const lineOf = (picture: FleetPicture, name: string) =>
  picture.read(NOW).nodes.find((line) => line.name === name);

describe('the picture of a fleet', () => {
  it('has nodes by zone and number, and follows them to other zones', () => {
    const picture = createFleetPicture();
    for (const one of [node('n10'), node('n2'), node('n1', 'b')]) picture.nodes.put(one);
    expect(picture.read(NOW).nodes.map(({ name }) => name)).toEqual(['n2', 'n10', 'n1']);
    picture.nodes.put(node('n2', 'c', 'Unknown'));
    expect(picture.read(NOW).nodes.map(({ name }) => name)).toEqual(['n10', 'n1', 'n2']);
    expect(lineOf(picture, 'n2')?.ready).toBe('Unknown');
  });

  it('drops what a new list does not have', () => {
    const picture = createFleetPicture();
    for (const one of [node('n1'), node('n2')]) picture.nodes.put(one);
    picture.nodes.begin();
    picture.nodes.put(node('n2'));
    picture.nodes.end();
    picture.nodes.drop(node('n3'));
    expect(picture.read(NOW).nodes.map(({ name }) => name)).toEqual(['n2']);
  });

  it('counts pods where they are bound, and tells of those that wait', () => {
    const picture = createFleetPicture();
    picture.nodes.put(node('n1'));
    expect(lineOf(picture, 'n1')?.pods).toBe(0);
    picture.pods.put(pod('web', undefined, 'no node\u001b[2J fits'));
    expect(picture.read(NOW).waitingPods).toEqual([
      { name: 'web', reason: String.raw`no node\u001b[2J fits` },
    ]);
    picture.pods.put(pod('web', 'n1'));
    expect(lineOf(picture, 'n1')?.pods).toBe(1);
    expect(picture.read(NOW).waitingPods).toEqual([]);
    picture.pods.drop(pod('web', 'n1'));
    expect(lineOf(picture, 'n1')?.pods).toBe(0);
  });

  it.each([
    [
      'the version of its Lease, the instant of the last renewal',
      lease('n1', String(NOW - 3_000)),
      NOW - 3_000,
    ],
    ['renewTime where versions are no instants', lease('n1', '4711'), NOW - 5_000],
    ['now at most', lease('n1', String(NOW + 60_000)), NOW],
  ])('has a beat by %s', (_, object, beatAt) => {
    const picture = createFleetPicture();
    picture.nodes.put(node('n1'));
    expect(lineOf(picture, 'n1')?.beatAt).toBeUndefined();
    picture.leases.put(object);
    expect(lineOf(picture, 'n1')?.beatAt).toBe(beatAt);
  });

  it('does not show a node as late on a long silence of all Leases before they are read again', () => {
    let now = NOW;
    const picture = createFleetPicture({ asOf: () => now, silence: () => undefined });
    picture.nodes.put(node('n1'));
    picture.leases.put(lease('n1', String(NOW)));
    const seen = () => {
      const { isDoubtful, nodes } = picture.read(now);
      return { isDoubtful, beatAt: nodes[0]?.beatAt };
    };
    expect(seen()).toEqual({ isDoubtful: false, beatAt: NOW });
    now += 10_000;
    expect(seen()).toEqual({ isDoubtful: true, beatAt: undefined });
    picture.leases.begin();
    picture.leases.put(lease('n1', String(NOW)));
    picture.leases.end();
    expect(seen()).toEqual({ isDoubtful: false, beatAt: NOW });
  });

  it('knows the grace period by the longest Lease', () => {
    const picture = createFleetPicture();
    expect(picture.monitoring()).toEqual({ nodeMonitorGracePeriodMs: 40_000, nodeMonitorPeriodMs: 5_000 });
    picture.leases.put(lease('n1', '1'));
    picture.leases.put(lease('n2', '1', { leaseDurationSeconds: 80 }));
    expect(picture.monitoring()).toEqual({ nodeMonitorGracePeriodMs: 80_000, nodeMonitorPeriodMs: 10_000 });
  });
});
