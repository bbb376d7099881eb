import { describe, expect, it } from 'vitest';
import { createStatusReporter, type StatusReporterDeps } from '../../../../agent/node/status-reporter.ts';
import type { ReportedNode } from '../../../../agent/rules/node/reported-status.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import type { ConditionStatus } from '../../../../shared/kube/types/meta.ts';

const MINUTE = 60_000;

const withReady = (status: ConditionStatus): ReportedNode => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1', labels: { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' } },
  status: { conditions: [{ type: 'Ready', status }] },
});

/** A node that is ready from its `readyFrom`th look on, and what it did when. */
const aNode = (readyFrom: number, changed: Partial<StatusReporterDeps> = {}) => {
  const time = createVirtualClock(0);
  const done: (readonly [number, string])[] = [];
  const note = (what: string): void => void done.push([time.now(), what]);
  let server = withReady('False');
  let looks = 0;
  const deps: StatusReporterDeps = {
    clock: { uptime: time.now, sleep: time.sleep },
    updateFrequencyMs: 10_000,
    frequencyMs: 5 * MINUTE,
    random: () => 0.5,
    drawDelay: () => 0,
    platform: { operatingSystem: 'linux', architecture: 'amd64' },
    register: async () => undefined,
    probe: async () => undefined,
    nodes: {
      known: async () => server,
      get: async () => server,
      patchStatus: async () => {
        note('patch');
        server = withReady('True');
        return server;
      },
    },
    fill: async () => {
      looks++;
      note('look');
      return { node: withReady(looks >= readyFrom ? 'True' : 'False'), events: [] };
    },
    updatePodCidrs: async () => undefined,
    record: () => undefined,
    resetConnections: () => undefined,
    warn: () => undefined,
    ...changed,
  };
  return { reporter: createStatusReporter(deps), time, done, deps, note };
};

const NEVER = new AbortController().signal;
const countOf = (done: readonly (readonly [number, string])[], what: string): number =>
  done.filter(([, each]) => each === what).length;

const refused = async (): Promise<never> => {
  throw new Error('refused');
};

describe('a node that starts', () => {
  it('is looked at each 100 ms, and written once when it is ready', async () => {
    const { reporter, time, done } = aNode(3);
    await time.run(reporter.becomeReady(NEVER));
    expect(done).toEqual([
      [0, 'look'],
      [100, 'look'],
      [200, 'look'],
      [200, 'patch'],
    ]);
  });

  it('is not written as long as it is not ready, and is left alone after two minutes', async () => {
    const { reporter, time, done } = aNode(Number.POSITIVE_INFINITY);
    await time.run(reporter.becomeReady(NEVER));
    expect([countOf(done, 'look'), countOf(done, 'patch'), time.now()]).toEqual([1_200, 0, 2 * MINUTE]);
  });

  it('that is ready on the server needs nothing', async () => {
    const { reporter, time, done } = aNode(1, {
      nodes: { known: async () => withReady('True'), get: refused, patchStatus: refused },
    });
    await time.run(reporter.becomeReady(NEVER));
    expect(done).toEqual([]);
  });

  it.each([
    ['is reported in the usual way if its first write fails', 1, 3, 2],
    ['is left to the usual period if every write fails', Number.POSITIVE_INFINITY, 7, 6],
  ])('%s', async (_, failures, looks, patches) => {
    const node = aNode(2);
    let left = failures;
    const { patchStatus } = node.deps.nodes;
    const nodes = {
      ...node.deps.nodes,
      patchStatus: async (patch: Parameters<typeof patchStatus>[0]) => {
        if (left-- <= 0) return patchStatus(patch);
        node.note('patch');
        return refused();
      },
    };
    await node.time.run(createStatusReporter({ ...node.deps, nodes }).becomeReady(NEVER));
    expect([countOf(node.done, 'look'), countOf(node.done, 'patch')]).toEqual([looks, patches]);
  });
});

describe('reports', () => {
  it('come in periods, the first one at once, and an unchanged status after five minutes again', async () => {
    const { reporter, time, done } = aNode(1);
    const stop = new AbortController();
    void time.sleep(6 * MINUTE).then(() => stop.abort());
    await time.run(reporter.run(stop.signal));
    const at = (what: string) => done.filter(([, each]) => each === what).map(([ms]) => ms);
    expect(at('look').slice(0, 3)).toEqual([0, 10_200, 20_400]);
    expect(at('patch')).toEqual([0, 306_000]);
  });

  it('never run beside each other', async () => {
    const { reporter, time, done, deps, note } = aNode(1);
    const slow = createStatusReporter({
      ...deps,
      fill: async () => {
        note('begin');
        await time.sleep(50);
        note('end');
        return { node: withReady('False'), events: [] };
      },
    });
    await time.run(Promise.all([slow.report(), slow.report(), slow.becomeReady(AbortSignal.abort())]));
    expect(done.map(([, what]) => what)).toEqual(['begin', 'end', 'patch', 'begin', 'end', 'patch']);
    expect(await time.run(reporter.report())).toBe(true);
  });

  it('say that they failed, and the next one tries again', async () => {
    const { deps, time } = aNode(1);
    const away = createStatusReporter({
      ...deps,
      nodes: { known: refused, get: refused, patchStatus: refused },
    });
    expect(await time.run(away.report())).toBe(false);
  });
});
