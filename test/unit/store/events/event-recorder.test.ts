import { describe, expect, it } from 'vitest';
import { namespaceKey } from '../../../../shared/ports/store/rows.ts';
import { createEventRecorder } from '../../../../shared/store/events/event-recorder.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import * as fleet from '../../../support/planes/fleet.ts';

const TEXT = { type: 'Normal', reason: 'R', message: 'm', component: 'node-controller' } as const;
const NODE = { kind: 'Node', namespace: '', name: 'n1', uid: 'u1' } as const;
const POD = { kind: 'Pod', namespace: 'apps', name: 'p1', uid: 'u2' } as const;

describe('the event recorder', () => {
  it("writes an Event with the fields that Kubernetes' controllers set", async () => {
    const plane = createMemoryControlPlane();
    await plane.recorder.record(POD, TEXT, 'once');
    const { rows } = await plane.state.objects.page({ resource: 'events', namespace: '' });
    expect(rows.map((row) => row.state === 'live' && row.object)).toMatchObject([
      {
        kind: 'Event',
        metadata: { namespace: 'apps', name: expect.stringMatching(/^p1\.[0-9a-f]{16}$/) },
        involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: 'apps', name: 'p1', uid: 'u2' },
        reason: 'R',
        message: 'm',
        type: 'Normal',
        source: { component: 'node-controller' },
        reportingComponent: 'node-controller',
        count: 1,
      },
    ]);
  });

  it('records one Event for each combination of object, reason and occasion', async () => {
    const plane = createMemoryControlPlane();
    const { recorder } = plane;
    await recorder.record(NODE, TEXT, 'a');
    await recorder.record(NODE, TEXT, 'a');
    await recorder.record(NODE, TEXT, 'b');
    await recorder.record({ ...NODE, uid: 'u3' }, TEXT, 'a');
    await recorder.record(NODE, { ...TEXT, reason: 'S' }, 'a');
    const { rows } = await plane.state.objects.page({ resource: 'events', namespace: 'default' });
    expect(rows).toHaveLength(4);
    expect(fleet.eventsOf(plane)).toHaveLength(4);
  });

  it('writes none in a namespace that is being deleted or gone, and does not report that (C-19)', async () => {
    const plane = createMemoryControlPlane();
    const lost: unknown[] = [];
    const onLost = (error: unknown) => lost.push(error);
    const recorder = createEventRecorder({ ...plane, ids: { uuid: () => 'u', random: () => 0 }, onLost });
    const metadata = { name: 'apps', uid: 'n', deletionTimestamp: '2026-03-01T12:00:00Z' };
    const next = { apiVersion: 'v1', kind: 'Namespace', metadata };
    await plane.writer.write(namespaceKey('apps'), () => ({ next, writer: 'client' }));
    await recorder.record(POD, TEXT, 'a');
    await plane.writer.write(namespaceKey('apps'), () => ({ next: 'delete', writer: 'client' }));
    await recorder.record(POD, TEXT, 'b');
    const { rows } = await plane.state.objects.page({ resource: 'events', namespace: '' });
    expect([rows, lost]).toEqual([[], []]);
  });

  it('never rejects, but reports the error of an Event that it could not write', async () => {
    const lost: unknown[] = [];
    const recorder = createEventRecorder({
      writer: { write: async () => Promise.reject(new Error('throttled')) },
      ids: { uuid: () => 'u', random: () => 0 },
      onLost: (error) => lost.push(error),
    });
    await recorder.record(NODE, TEXT, 'a');
    expect(lost).toEqual([new Error('throttled')]);
  });
});
