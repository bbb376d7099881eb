import { describe, expect, it } from 'vitest';
import { createStatusSync } from '../../../../../agent/pods/worker/status-sync.ts';
import type { KnownPods, PodApi } from '../../../../../agent/ports/api/pod-api.ts';
import type { AgentPod } from '../../../../../agent/rules/containers/agent-pod.ts';

const podOf = (uid: string, annotations: Readonly<Record<string, string>>): AgentPod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'ns', uid, annotations },
  spec: { containers: [{ name: 'c' }], restartPolicy: 'Always' },
});

const STATIC = podOf('static', { 'kubernetes.io/config.source': 'file' });
const MIRROR = podOf('mirror', {
  'kubernetes.io/config.source': 'file',
  'kubernetes.io/config.mirror': 'hash',
});

const world = (mirror: AgentPod | undefined, fault?: Error) => {
  const calls: string[] = [];
  const faults: string[] = [];
  const api: PodApi = {
    get: async () => {
      calls.push('get');
      if (fault) throw fault;
      return await Promise.resolve(MIRROR);
    },
    patchStatus: async (_namespace, _name, patch) => {
      calls.push(`patch ${JSON.stringify(patch['metadata'])}`);
      return await Promise.resolve(MIRROR);
    },
    delete: async () => {
      calls.push('delete');
      await Promise.resolve();
    },
  };
  const pods: KnownPods = {
    byUid: (uid) => [STATIC, mirror].find((pod) => pod?.metadata.uid === uid),
    mirrorOf: (uid) => (uid === 'static' ? mirror : undefined),
    mayRun: () => false,
  };
  const onFault = (pod: string, text: string): number => faults.push(`${pod}: ${text}`);
  const statuses = createStatusSync({ api, pods, clock: { now: () => 0 }, onFault });
  return { calls, faults, statuses };
};

describe('createStatusSync', () => {
  it('writes the status of a static pod into its mirror pod', async () => {
    const { calls, statuses } = world(MIRROR);
    statuses.set(STATIC, { phase: 'Running' });
    await statuses.sync('changed');
    expect(calls).toEqual(['get', 'patch {"uid":"mirror"}']);
  });

  it('asks no more about a pod whose work was read before its status was sent', async () => {
    const known = { ...podOf('u', {}), metadata: { ...podOf('u', {}).metadata, resourceVersion: '1' } };
    let [api, work, gets] = [known, known, 0];
    const statuses = createStatusSync({
      api: {
        get: async () => {
          gets += 1;
          return api;
        },
        patchStatus: async (_namespace, _name, { status }) => {
          api = {
            ...known,
            metadata: { ...known.metadata, resourceVersion: '2' },
            status: status as Record<string, unknown>,
          };
          return api;
        },
        delete: async () => undefined,
      },
      pods: { byUid: () => work, mirrorOf: () => undefined, mayRun: () => true },
      clock: { now: () => 0 },
      onFault: (_pod, fault) => expect.fail(fault),
    });
    statuses.set(known, { phase: 'Running' });
    for (const pass of ['changed', 'all', 'all'] as const) await statuses.sync(pass);
    expect(gets).toBe(1);
    work = { ...api, status: { phase: 'Pending' } };
    await statuses.sync('all');
    expect(gets).toBe(2);
  });

  it('compares a status once with a pod that shows it', async () => {
    let reads = 0;
    let shown = podOf('u', {});
    const show = (status: NonNullable<AgentPod['status']>): AgentPod => ({
      ...podOf('u', {}),
      get status() {
        reads += 1;
        return status;
      },
    });
    const statuses = createStatusSync({
      api: {
        get: async () => shown,
        patchStatus: async (_namespace, _name, { status }) => {
          shown = show(status as NonNullable<AgentPod['status']>);
          return shown;
        },
        delete: async () => undefined,
      },
      pods: { byUid: () => podOf('u', {}), mirrorOf: () => undefined, mayRun: () => true },
      clock: { now: () => 0 },
      onFault: (_pod, fault) => expect.fail(fault),
    });
    statuses.set(shown, { phase: 'Running' });
    for (const pass of ['changed', 'all'] as const) await statuses.sync(pass);
    const once = reads;
    for (const pass of ['all', 'all'] as const) await statuses.sync(pass);
    expect([once > 0, reads - once]).toEqual([true, 0]);
  });

  it('keeps the status of a static pod until it has a mirror pod', async () => {
    const { calls, statuses } = world(undefined);
    statuses.set(STATIC, { phase: 'Running' });
    await statuses.sync('all');
    expect(calls).toEqual([]);
    expect(statuses.status('static')?.phase).toBe('Running');
  });

  it('tells a fault and tries again in the next pass', async () => {
    const { calls, faults, statuses } = world(MIRROR, new Error('refused'));
    statuses.set(STATIC, { phase: 'Running' });
    await statuses.sync('changed');
    await statuses.sync('changed');
    expect(calls).toEqual(['get', 'get']);
    expect(faults).toEqual(['ns/p: refused', 'ns/p: refused']);
  });

  it('forgets pods that are not kept', () => {
    const { statuses } = world(MIRROR);
    statuses.set(STATIC, { phase: 'Running' });
    statuses.keepOnly(new Set());
    expect(statuses.status('static')).toBeUndefined();
  });

  /** An API that answers each read after its turn was given, and counts those under way. */
  const slowApi = () => {
    const turns: (() => void)[] = [];
    const sent: string[] = [];
    let [now, most] = [0, 0];
    const api: PodApi = {
      get: async (_namespace, name) => {
        now += 1;
        most = Math.max(most, now);
        await new Promise<void>((resolve) => turns.push(resolve));
        now -= 1;
        return named(name);
      },
      patchStatus: async (_namespace, name, { status }) => {
        const { phase } = status as { readonly phase: string };
        sent.push(`${name} ${phase}`);
        return await Promise.resolve(named(name));
      },
      delete: async () => undefined,
    };
    const pods: KnownPods = { byUid: named, mirrorOf: () => undefined, mayRun: () => false };
    const statuses = createStatusSync({ api, pods, clock: { now: () => 0 }, onFault: expect.fail });
    const answer = async (): Promise<void> => {
      for (const turn of turns.splice(0)) turn();
      await new Promise(setImmediate);
    };
    return { statuses, sent, answer, most: () => most };
  };
  const named = (name: string): AgentPod => {
    const pod = podOf(name, {});
    return { ...pod, metadata: { ...pod.metadata, name } };
  };

  it('sends eight pods at a time, and of each what was set last when its turn comes', async () => {
    const { statuses, sent, answer, most } = slowApi();
    const names = Array.from({ length: 10 }, (_, place) => `p${place}`);
    for (const name of names) statuses.set(named(name), { phase: 'Pending' });
    const done = statuses.sync('changed');
    for (const name of names) statuses.set(named(name), { phase: 'Failed' });
    void statuses.sync('changed');
    for (let round = 0; round < 4; round += 1) await answer();
    await done;
    expect(most()).toBe(8);
    const last = new Map(sent.map((line) => line.split(' ') as [string, string]));
    expect([...last.values()]).toEqual(names.map(() => 'Failed'));
    expect(sent.filter((line) => line.startsWith('p9'))).toEqual(['p9 Failed']);
  });

  it('says whether the API has answered the last status', async () => {
    const { statuses, answer } = slowApi();
    expect(statuses.isAnswered('a')).toBe(true);
    statuses.set(named('a'), { phase: 'Running' });
    expect(statuses.isAnswered('a')).toBe(false);
    const done = statuses.sync('changed');
    await answer();
    await done;
    expect(statuses.isAnswered('a')).toBe(true);
    statuses.set(named('a'), { phase: 'Failed' });
    expect(statuses.isAnswered('a')).toBe(false);
  });

  it('counts a pod that the API has no more as answered, and one that it refuses not', async () => {
    const refused = world(MIRROR, new Error('refused')).statuses;
    refused.set(STATIC, { phase: 'Running' });
    await refused.sync('changed');
    expect(refused.isAnswered('static')).toBe(false);
    const pods: KnownPods = { byUid: named, mirrorOf: () => undefined, mayRun: () => false };
    const api = { get: async () => undefined } as unknown as PodApi;
    const gone = createStatusSync({ api, pods, clock: { now: () => 0 }, onFault: expect.fail });
    gone.set(named('a'), { phase: 'Running' });
    await gone.sync('changed');
    expect(gone.isAnswered('a')).toBe(true);
  });
});
