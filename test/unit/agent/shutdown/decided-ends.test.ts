import { describe, expect, it } from 'vitest';
import type { AgentPod } from '../../../../agent/rules/containers/agent-pod.ts';
import type { DecidedEnd } from '../../../../agent/rules/shutdown/decided-ends.ts';
import { createDecidedEnds } from '../../../../agent/shutdown/decided-ends.ts';
import { podOf } from '../../../support/agent/pods/pod-world.ts';

const STATIC: AgentPod = {
  ...podOf('static'),
  metadata: { name: 'static', uid: 'uid-static', annotations: { 'kubernetes.io/config.source': 'file' } },
};

/** A machine with this file; each agent on it is a new run. */
const machine = (file: readonly DecidedEnd[] = []) => {
  const state = { file, isFull: false, logs: [] as string[], writes: 0 };
  const agent = () =>
    createDecidedEnds({
      store: {
        load: async () => state.file,
        store: async (ends) => {
          if (state.isFull) throw new Error('ENOSPC');
          state.writes += 1;
          state.file = ends;
        },
      },
      clock: { now: () => 7 },
      log: (text) => void state.logs.push(text),
    });
  return { state, agent };
};

/** The phases of pods that run, where somebody has decided that they end. */
const phases = async (
  agent: ReturnType<ReturnType<typeof machine>['agent']>,
  ...names: readonly string[]
) => {
  await agent.settle(['a', 'b', 'c'].map((name) => podOf(name)));
  return names.map((name) => agent.endingOf(podOf(name))?.status({ phase: 'Running' }).phase);
};

describe('the pods that a shutdown ends', () => {
  it('are on the disk when that is decided, without static ones, which run again', async () => {
    const { state, agent } = machine();
    await agent().decide([podOf('a'), STATIC]);
    expect(state.file).toEqual([{ uid: 'uid-a', at: 7 }]);
  });

  it('have ended for the next run of the agent, not for the one that ends them', async () => {
    const { agent } = machine();
    const first = agent();
    await first.decide([podOf('a')]);
    expect(await phases(first, 'a', 'b')).toEqual([undefined, undefined]);
    expect(await phases(agent(), 'a', 'b')).toEqual(['Failed', undefined]);
  });

  it('are kept while later groups are added, and by a second shutdown', async () => {
    const { state, agent } = machine([{ uid: 'uid-a', at: 1 }]);
    const next = agent();
    await next.decide([podOf('b')]);
    await next.decide([podOf('c')]);
    expect(state.file.map(({ uid }) => uid)).toEqual(['uid-a', 'uid-b', 'uid-c']);
  });

  it('are forgotten when the API knows how they ended', async () => {
    const { state, agent } = machine([{ uid: 'uid-a', at: 1 }]);
    const next = agent();
    await next.settle([podOf('a')]);
    expect([state.writes, state.file.length]).toEqual([0, 1]);
    await next.settle([{ ...podOf('a'), status: { phase: 'Failed' } }]);
    expect([state.writes, state.file, next.endingOf(podOf('a'))]).toEqual([1, [], undefined]);
  });

  it('are ended although the disk is full', async () => {
    const { state, agent } = machine();
    state.isFull = true;
    await agent().decide([podOf('a')]);
    expect(state.logs).toEqual(['the pods that a shutdown has ended are not on the disk']);
  });
});
