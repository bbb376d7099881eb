import { describe, expect, it } from 'vitest';
import { createEventRecorder } from '../../../../../agent/adapters/api/event-recorder.ts';
import type { NodeEvent } from '../../../../../agent/rules/node/reported-status.ts';
import { createVirtualClock } from '../../../../../shared/adapters/memory/virtual-clock.ts';
import type { Pod } from '../../../../../shared/kube/types/core.ts';
import { type Answers, fakeSession } from './fake-session.ts';

const START = Date.parse('2026-01-02T03:04:05Z');
const EVENT: NodeEvent = { type: 'Normal', reason: 'NodeReady', message: 'm' };
const POD: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop', uid: 'u' },
  spec: { containers: [{ name: 'c', image: 'i' }], initContainers: [{ name: 'i', image: 'i' }] },
};

const aRecorder = (...answers: Answers) => {
  const time = createVirtualClock(START);
  const { session, sent } = fakeSession(...answers);
  const stop = new AbortController();
  const clock = { now: time.now, uptime: time.now, sleep: time.sleep };
  const recorder = createEventRecorder({ session, nodeName: 'n1', clock, log: () => undefined });
  const runFor = async (ms: number): Promise<void> => {
    const end = time.sleep(ms).then(() => stop.abort());
    await time.run(Promise.all([recorder.run(stop.signal), end]));
  };
  return { recorder, sent, runFor };
};

describe('an Event', () => {
  it('refers to the Node as a kubelet does', async () => {
    const { recorder, sent, runFor } = aRecorder();
    recorder.ofNode(EVENT);
    await runFor(1000);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ method: 'POST', path: '/api/v1/namespaces/default/events' });
    expect(sent[0]?.body).toEqual({
      apiVersion: 'v1',
      kind: 'Event',
      ...EVENT,
      count: 1,
      metadata: { name: expect.stringMatching(/^n1\.[0-9a-f]{16}$/), namespace: 'default' },
      involvedObject: { kind: 'Node', name: 'n1', uid: 'n1' },
      firstTimestamp: '2026-01-02T03:04:05Z',
      lastTimestamp: '2026-01-02T03:04:05Z',
      source: { component: 'kubelet', host: 'n1' },
      reportingComponent: 'kubelet',
      reportingInstance: 'n1',
    });
  });

  it('names the container that it is about', async () => {
    const { recorder, sent, runFor } = aRecorder();
    recorder.record(POD, { ...EVENT, container: 'i' });
    recorder.ofPod(POD, {
      type: 'Warning',
      reason: 'Evicted',
      message: 'm',
      annotations: undefined,
    } as never);
    await runFor(1000);
    const about = sent.map(({ body }) => (body as { involvedObject: { fieldPath?: string } }).involvedObject);
    expect(about.map(({ fieldPath }) => fieldPath)).toEqual(['spec.initContainers{i}', undefined]);
    expect(sent[0]?.path).toBe('/api/v1/namespaces/shop/events');
  });

  it('is counted when it comes again, and made again when the old one has expired', async () => {
    const { recorder, sent, runFor } = aRecorder({}, {}, { status: 404 }, {});
    for (let times = 0; times < 3; times += 1) recorder.ofNode(EVENT);
    await runFor(1000);
    expect(sent.map(({ method, body }) => [method, (body as { count: number }).count])).toEqual([
      ['POST', 1],
      ['PATCH', 2],
      ['PATCH', 3],
      ['POST', 1],
    ]);
    const [made] = sent.map(({ body }) => (body as { metadata?: { name: string } }).metadata?.name);
    expect(sent[1]?.path).toBe(`/api/v1/namespaces/default/events/${made}`);
  });

  it('is sent again until it is answered, and lost if it is refused', async () => {
    const { recorder, sent, runFor } = aRecorder(new Error('gone'), {}, { status: 403 });
    recorder.ofNode(EVENT);
    recorder.ofNode({ ...EVENT, message: 'other' });
    await runFor(60_000);
    expect(sent.map(({ method }) => method)).toEqual(['POST', 'POST', 'POST']);
  });

  it('is dropped after 25 of one object, until five minutes have passed for each more', async () => {
    const { recorder, sent, runFor } = aRecorder();
    for (let index = 0; index < 40; index += 1) recorder.ofNode({ ...EVENT, message: `${index}` });
    recorder.record(POD, EVENT);
    await runFor(1000);
    expect(sent).toHaveLength(26);
  });

  it('is lost when a thousand wait', async () => {
    const { recorder, sent, runFor } = aRecorder();
    for (let index = 0; index < 1100; index += 1)
      recorder.record({ ...POD, metadata: { ...POD.metadata, uid: `${index}` } }, EVENT);
    await runFor(1000);
    expect(sent).toHaveLength(1000);
  });
});
