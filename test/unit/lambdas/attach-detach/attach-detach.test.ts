import { describe, expect, it } from 'vitest';
import { telemetry } from '../../../../lambdas/attach-detach/metrics.ts';
import { reconcile } from '../../../../lambdas/attach-detach/reconcile.ts';
import { sweep } from '../../../../lambdas/attach-detach/sweep.ts';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import type { ApiObject } from '../../../../shared/kube/types/meta.ts';
import { liveRow, nodeKey } from '../../../../shared/ports/store/rows.ts';
import { volumesAttachedOf } from '../../../../shared/rules/attachments/volumes-attached.ts';
import type { ControlPlane, ControlPlaneOptions } from '../../../../simulation/plane/control-plane-types.ts';
import {
  aBoundClaim,
  aCsiVolume,
  aManagedNode,
  aUser,
  DRIVER,
  uniqueName,
} from '../../../support/objects/attachment-objects.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import * as fleet from '../../../support/planes/fleet.ts';
import { attachmentsIn, playAttacher } from '../../../support/planes/play-attacher.ts';
import { put, remove } from '../../../support/planes/stored-objects.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** What the kubelet reports in `volumesInUse`. */
const use = (plane: ControlPlane, name: string, ...volumes: readonly string[]): Promise<void> =>
  fleet.changeNode(plane, name, (node) => ({
    ...node,
    status: { ...node.status, volumesInUse: volumes.map(uniqueName) },
  }));

const setReady = (plane: ControlPlane, name: string, status: 'True' | 'Unknown'): Promise<void> =>
  fleet.changeNode(plane, name, (node) => ({
    ...node,
    status: { ...node.status, conditions: [{ type: 'Ready', status }] },
  }));

const taintOut = (plane: ControlPlane, name: string): Promise<void> =>
  fleet.changeNode(plane, name, (node) => ({
    ...node,
    spec: { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] },
  }));

const listOf = async ({ state }: ControlPlane, name: string): Promise<readonly string[]> => {
  const row = liveRow(await state.objects.read(nodeKey(name)));
  return row ? volumesAttachedOf(row.object) : [];
};

const nodesWithAttachments = async (plane: ControlPlane): Promise<readonly string[]> =>
  (await attachmentsIn(plane)).map(({ spec }) => spec?.nodeName ?? '').toSorted();

const storage = (name: string, modes?: readonly string[]) => [aCsiVolume(name, modes), aBoundClaim(name)];

/** Two managed nodes, which the monitor leaves alone for an hour. */
const aPlane = async (options: ControlPlaneOptions = {}): Promise<ControlPlane> => {
  const HOUR = 3_600_000;
  const config = { nodeMonitorGracePeriodMs: HOUR, nodeStartupGracePeriodMs: HOUR };
  const plane = createMemoryControlPlane({ ...options, config });
  for (const part of ['pod-gc', 'taint-eviction', 'volume-binder', 'disruption'] as const)
    plane.set(part, false);
  await put(plane, aManagedNode('n1'), aManagedNode('n2'));
  return plane;
};

/** The volume `a` is attached to `n1` and in use there. */
const anAttached = async (options: ControlPlaneOptions = {}): Promise<ControlPlane> => {
  const plane = await aPlane(options);
  playAttacher(plane);
  await put(plane, ...storage('a'), aUser('p1', 'n1', ['a']));
  await plane.run(3 * SECOND);
  await use(plane, 'n1', 'a');
  await plane.run(SECOND);
  return plane;
};

/** Events about volumes. */
const eventsOf = (plane: ControlPlane): readonly string[] =>
  fleet.eventsOf(plane).filter((text) => text.includes('AttachVolume: '));

const P1: Pod = aUser('p1', 'n1', ['a']);
const succeeded = (name: string) =>
  `SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "pv-${name}" `;
const START = 'FailedAttachVolume: Multi-Attach error for volume "pv-a" Volume is already';
const EXCLUSIVE = `${START} exclusively attached to one node and can't be attached to another`;

describe('a volume that a pod wants', () => {
  it('gets a VolumeAttachment, and the node and the pod are told when it is there (J-41, J-43, J-45)', async () => {
    const plane = await aPlane();
    await put(plane, ...storage('a'), P1);
    await plane.run(3 * SECOND);
    expect(await attachmentsIn(plane)).toMatchObject([
      {
        metadata: { name: 'csi-6ead5249f79f28188fcfebc10196819dca0749d3b8d1da05049ea2b88dba51c6' },
        spec: { attacher: DRIVER, nodeName: 'n1', source: { persistentVolumeName: 'pv-a' } },
        status: { attached: false },
      },
    ]);
    expect(await listOf(plane, 'n1')).toEqual([]);
    playAttacher(plane);
    await plane.run(3 * SECOND);
    expect(await listOf(plane, 'n1')).toEqual([uniqueName('a')]);
    expect(eventsOf(plane)).toEqual([succeeded('a')]);
    expect(plane.failures).toEqual([]);
  });

  it('is told of an error of its attacher once (J-45)', async () => {
    const plane = await aPlane();
    await put(plane, ...storage('a'), P1);
    await plane.run(3 * SECOND);
    const [attachment] = await attachmentsIn(plane);
    const attachError = { time: '2026-01-01T00:00:00Z', message: 'no such disk' };
    if (attachment)
      await put(plane, { ...attachment, status: { attached: false, attachError } } as ApiObject);
    await plane.run(3 * SECOND);
    await use(plane, 'n1');
    await plane.run(3 * SECOND);
    expect(eventsOf(plane)).toEqual([
      'FailedAttachVolume: AttachVolume.Attach failed for volume "pv-a" : no such disk',
    ]);
  });

  it('is attached when its claim is bound later, and when its node comes later (J-36, J-38)', async () => {
    const plane = await aPlane();
    const late = { ...aBoundClaim('a'), status: { phase: 'Pending' } };
    await put(plane, aCsiVolume('a'), late, P1, ...storage('b'), aUser('p2', 'n3', ['b']));
    await plane.run(3 * SECOND);
    expect(await nodesWithAttachments(plane)).toEqual([]);
    await put(plane, aBoundClaim('a'), aManagedNode('n3'));
    await plane.run(3 * SECOND);
    expect(await nodesWithAttachments(plane)).toEqual(['n1', 'n3']);
  });

  it('is not attached to a node without the annotation (J-38), nor if its driver says so (J-37)', async () => {
    const plane = await aPlane();
    const plain = aManagedNode('n3');
    await put(plane, { ...plain, metadata: { ...plain.metadata, annotations: {} } });
    const driver = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: DRIVER, uid: 'd' },
    };
    await put(plane, ...storage('b'), aUser('p2', 'n3', ['b']));
    await plane.run(3 * SECOND);
    expect(await nodesWithAttachments(plane)).toEqual([]);
    await put(plane, { ...driver, spec: { attachRequired: false } } as ApiObject, ...storage('a'), P1);
    await plane.run(3 * SECOND);
    expect(await nodesWithAttachments(plane)).toEqual([]);
  });

  it('is at several nodes if its modes allow that, and leaves when the last pod has ended (J-32, J-33)', async () => {
    const plane = await aPlane();
    playAttacher(plane);
    await put(plane, ...storage('r', ['ReadOnlyMany']), aUser('r1', 'n1', ['r']), aUser('r2', 'n2', ['r']));
    await put(plane, ...storage('a'), P1, aUser('p2', 'n1', ['a']));
    await plane.run(3 * SECOND);
    expect(await nodesWithAttachments(plane)).toEqual(['n1', 'n1', 'n2']);
    await remove(plane, P1);
    await plane.run(3 * SECOND);
    expect(await listOf(plane, 'n1')).toEqual([uniqueName('a'), uniqueName('r')]);
    await put(plane, aUser('p2', 'n1', ['a'], { status: { phase: 'Succeeded' } }));
    await plane.run(3 * SECOND);
    expect(await listOf(plane, 'n1')).toEqual([uniqueName('r')]);
    expect(await nodesWithAttachments(plane)).toEqual(['n1', 'n2']);
    expect(eventsOf(plane).toSorted()).toEqual(['a', 'a', 'r', 'r'].map(succeeded));
  });
});

describe('a volume that nobody wants any more', () => {
  it('stays while the node uses it, then leaves the list before its attachment goes (J-39, J-40, J-43)', async () => {
    const plane = await anAttached();
    await remove(plane, P1);
    await plane.run(20 * MINUTE);
    expect(await listOf(plane, 'n1')).toEqual([uniqueName('a')]);
    const from = plane.commits.length;
    await use(plane, 'n1');
    await plane.run(3 * SECOND);
    expect(await nodesWithAttachments(plane)).toEqual([]);
    const changes = plane.commits.slice(from).map(({ change: { after } }) => {
      const resource = after?.key.resource ?? '';
      const object = liveRow(after)?.object;
      if (!object) return `${resource} gone`;
      if (resource === 'nodes') return `nodes ${volumesAttachedOf(object).length}`;
      return `${resource} ${object.metadata.deletionTimestamp === undefined ? 'stay' : 'leaving'}`;
    });
    expect(changes.filter((text) => !text.startsWith('events'))).toEqual([
      'nodes 1',
      'nodes 0',
      'volumeattachments leaving',
      'volumeattachments gone',
    ]);
    expect(await plane.state.control.sightings('unwanted-volume')).toEqual([]);
    expect(plane.failures).toEqual([]);
  });

  it('is taken from a dead node after six minutes, but never if that is off (J-40, J-41)', async () => {
    for (const disableForceDetachOnTimeout of [false, true]) {
      const plane = await anAttached({ disableForceDetachOnTimeout });
      await setReady(plane, 'n1', 'Unknown');
      await remove(plane, P1);
      await plane.run(355 * SECOND);
      expect(await nodesWithAttachments(plane)).toEqual(['n1']);
      await plane.run(10 * SECOND);
      expect(await nodesWithAttachments(plane)).toEqual(disableForceDetachOnTimeout ? ['n1'] : []);
    }
  });

  it('is taken after six minutes in all, although a new process lost all messages meanwhile (J-40, J-48)', async () => {
    const before = await anAttached();
    await setReady(before, 'n1', 'Unknown');
    await remove(before, P1);
    await before.run(3 * MINUTE);
    before.set('stream', false);
    before.set('attach-detach', false);
    before.set('attach-detach-sweep', false);
    const { clock, state: stored } = before;
    const after = await aPlane({ clock, stored });
    await setReady(after, 'n1', 'Unknown');
    await use(after, 'n1', 'a');
    await after.run(170 * SECOND);
    expect(await nodesWithAttachments(after)).toEqual(['n1']);
    await after.run(20 * SECOND);
    expect(await nodesWithAttachments(after)).toEqual([]);
  });

  it('waits six minutes anew when a pod wanted it meanwhile (J-40)', async () => {
    const plane = await anAttached();
    await setReady(plane, 'n1', 'Unknown');
    await remove(plane, P1);
    await plane.run(4 * MINUTE);
    await put(plane, { ...P1, metadata: { ...P1.metadata, uid: 'again' } });
    await plane.run(3 * SECOND);
    expect(await plane.state.control.sightings('unwanted-volume')).toEqual([]);
    await remove(plane, P1);
    await plane.run(4 * MINUTE);
    expect(await nodesWithAttachments(plane)).toEqual(['n1']);
    await plane.run(3 * MINUTE);
    expect(await nodesWithAttachments(plane)).toEqual([]);
  });

  it('is taken from a node that is gone after six minutes (J-41)', async () => {
    const plane = await anAttached();
    await remove(plane, aManagedNode('n1'));
    await plane.run(10 * SECOND);
    await remove(plane, P1);
    await plane.run(355 * SECOND);
    expect(await nodesWithAttachments(plane)).toEqual(['n1']);
    await plane.run(10 * SECOND);
    expect(await nodesWithAttachments(plane)).toEqual([]);
  });

  it('is taken at once from a node that is out of service (J-42), and follows its pod', async () => {
    const plane = await anAttached();
    await setReady(plane, 'n1', 'Unknown');
    await remove(plane, P1);
    await put(plane, aUser('p2', 'n2', ['a']));
    await plane.run(10 * SECOND);
    expect(await nodesWithAttachments(plane)).toEqual(['n1']);
    expect(eventsOf(plane)).toEqual([succeeded('a'), EXCLUSIVE]);
    await taintOut(plane, 'n1');
    await plane.run(3 * SECOND);
    expect(await listOf(plane, 'n1')).toEqual([]);
    expect(await listOf(plane, 'n2')).toEqual([uniqueName('a')]);
    expect(eventsOf(plane)).toEqual([succeeded('a'), EXCLUSIVE, succeeded('a')]);
    expect(await plane.state.control.sightings('volume-wait')).toEqual([]);
  });
});

describe('an exclusive volume at another node', () => {
  it('is told of once for each volume and node, and moves when it is free (J-46, J-47)', async () => {
    const plane = await anAttached();
    await put(plane, aUser('p2', 'n2', ['a']));
    await plane.run(3 * SECOND);
    await put(plane, aUser('p3', 'n2', ['a']));
    await remove(plane, P1);
    await plane.run(3 * SECOND);
    expect(eventsOf(plane)).toEqual([succeeded('a'), `${START} used by pod(s) p1`]);
    await use(plane, 'n1');
    await plane.run(3 * SECOND);
    expect(await nodesWithAttachments(plane)).toEqual(['n2']);
    expect(eventsOf(plane).slice(2)).toEqual([succeeded('a'), succeeded('a')]);
  });

  it('is not taken while somebody else has attached it by a name of their own (J-47)', async () => {
    const plane = await aPlane();
    const foreign = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: { name: 'mine', uid: 'mine' },
      spec: { attacher: DRIVER, nodeName: 'n2', source: { persistentVolumeName: 'pv-a' } },
    };
    await put(plane, foreign, ...storage('a'), P1);
    await plane.run(3 * SECOND);
    expect((await attachmentsIn(plane)).map(({ metadata }) => metadata.name)).toEqual(['mine']);
    await remove(plane, foreign);
    await plane.run(3 * SECOND);
    expect(await nodesWithAttachments(plane)).toEqual(['n1']);
  });
});

describe('the sweep', () => {
  it('finds what lost messages left (J-48)', async () => {
    const plane = await aPlane();
    playAttacher(plane);
    plane.set('stream', false);
    await put(plane, ...storage('a'), P1);
    await plane.run(5 * SECOND);
    expect(await nodesWithAttachments(plane)).toEqual([]);
    const look = async (): Promise<void> => {
      await plane.clock.run(sweep(plane.invoke()));
      await plane.run(3 * SECOND);
    };
    await look();
    expect(await nodesWithAttachments(plane)).toEqual(['n1']);
    await look();
    expect(await listOf(plane, 'n1')).toEqual([uniqueName('a')]);
    await remove(plane, P1);
    await look();
    expect(await nodesWithAttachments(plane)).toEqual([]);
    expect(await plane.clock.run(sweep(plane.invoke()))).toEqual({ attachments: 0, nodes: 0 });
  });
});

describe('the telemetry', () => {
  it('counts what was forced by its reason', () => {
    const report = {
      attached: 1,
      detached: ['unused', 'timeout', 'timeout', 'out-of-service'] as const,
      multiAttach: 2,
    };
    const metrics = telemetry.metricsOf({ ...report, detached: [...report.detached] });
    expect(
      metrics.map(({ metric, samples }) => [
        metric.name,
        samples.map(({ value, labels }) => [value, labels?.['reason']]),
      ]),
    ).toEqual([
      [
        'attachdetach_controller_forced_detaches',
        [
          [2, 'timeout'],
          [1, 'out-of-service'],
        ],
      ],
      ['attachments_made_total', [[1, undefined]]],
      ['attachments_deleted_total', [[4, undefined]]],
      ['multi_attach_errors_total', [[2, undefined]]],
    ]);
    expect(telemetry.metricsOf({ attachments: 5, nodes: 1 }).map(({ metric }) => metric.name)).toEqual([
      'total_volumes',
    ]);
  });

  it('says nothing of a node that nobody knows', async () => {
    const plane = await aPlane();
    const report = await plane.clock.run(reconcile(plane.invoke(), { v: 1, kind: 'node', name: 'none' }));
    expect(report).toEqual({ attached: 0, detached: [], multiAttach: 0 });
  });
});
