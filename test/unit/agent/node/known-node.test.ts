import { describe, expect, it } from 'vitest';
import { createKnownNode } from '../../../../agent/node/known-node.ts';
import { known, NOT_KNOWN } from '../../../../agent/rules/known.ts';
import type { ReportedNode } from '../../../../agent/rules/node/reported-status.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';

const nodeOf = (uid: string | undefined, pods: string, conditions: readonly object[] = []): ReportedNode =>
  ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n1', ...(uid && { uid }), labels: { zone: 'a' }, resourceVersion: '7' },
    spec: { unschedulable: true },
    status: { allocatable: { pods }, addresses: [{ type: 'InternalIP', address: '192.0.2.1' }], conditions },
  }) as ReportedNode;

const world = (file?: string) => {
  const clock = createVirtualClock(0);
  const logs: string[] = [];
  const state: { file?: string | undefined; seen?: ReportedNode; faults: number; writes: number } = {
    file,
    faults: 0,
    writes: 0,
  };
  const node = createKnownNode({
    seen: () => state.seen,
    uid: () => 'u1',
    copies: {
      load: async () => state.file,
      store: async (text) => {
        state.writes += 1;
        if (state.faults > 0) {
          state.faults -= 1;
          throw new Error('full');
        }
        state.file = text;
      },
    },
    build: async () => {
      if (state.faults === 0) return nodeOf(undefined, 'built');
      state.faults -= 1;
      throw new Error('no /proc');
    },
    clock,
    log: (text) => void logs.push(text),
  });
  return { clock, logs, node, state };
};

const learned = async (given: ReturnType<typeof world>) => {
  const stop = new AbortController();
  await given.clock.run(given.node.learn(stop.signal));
  const latest = given.node.latest();
  return latest.isKnown ? latest.value.status?.allocatable?.['pods'] : undefined;
};

/** What the file says after the API has told of this node. */
const copyOf = async (node: ReportedNode): Promise<string | undefined> => {
  const given = world();
  given.node.keep(node);
  await given.clock.run(given.clock.sleep(1));
  return given.state.file;
};

describe('the Node of this machine', () => {
  it('is not known before anything was read', () => {
    expect(world().node.latest()).toEqual(NOT_KNOWN);
  });

  it('is the copy, else the one that would be registered', async () => {
    const copy = await copyOf(nodeOf('u1', 'copied'));
    expect(await learned(world(copy))).toBe('copied');
    expect(await learned(world())).toBe('built');
  });

  it.each([
    ['of another Node', JSON.stringify(nodeOf('u0', 'foreign'))],
    ['half written', '{"kind":"Node","metadata":{"uid":"u1"'],
    ['no object', 'null'],
  ])('does not come from a copy that is %s', async (_, text) => {
    expect(await learned(world(text))).toBe('built');
  });

  it('is what the API says as soon as it says something', async () => {
    const given = world();
    expect(await learned(given)).toBe('built');
    given.state.seen = nodeOf('u1', 'told');
    expect(given.node.latest()).toEqual(known(given.state.seen));
  });

  it('is tried again where the machine cannot be read', async () => {
    const given = world();
    given.state.faults = 3;
    expect(await learned(given)).toBe('built');
    expect(given.logs).toHaveLength(3);
  });

  it('is written when it says something else about what pods need, and only then', async () => {
    const { clock, node, state } = world();
    node.keep(nodeOf('u1', '1'));
    node.keep(nodeOf('u1', '1', [{ type: 'Ready', status: 'True', lastHeartbeatTime: 'x' }]));
    await clock.run(clock.sleep(1));
    expect(state.writes).toBe(1);
    node.keep(nodeOf('u1', '2'));
    node.keep(nodeOf('u1', '3'));
    await clock.run(clock.sleep(1));
    expect([state.writes, JSON.parse(state.file ?? '')]).toMatchObject([
      3,
      { metadata: { name: 'n1', uid: 'u1' }, status: { allocatable: { pods: '3' } } },
    ]);
  });

  it('is written again after a fault', async () => {
    const { clock, node, state, logs } = world();
    state.faults = 1;
    node.keep(nodeOf('u1', '1'));
    await clock.run(clock.sleep(1));
    expect(logs).toEqual(['the copy of the Node could not be written']);
    node.keep(nodeOf('u1', '1'));
    await clock.run(clock.sleep(1));
    expect(state.file).toContain('"u1"');
  });
});
