import { describe, expect, it } from 'vitest';
import { createStanding } from '../../../../../dashboard/server/live/standing.ts';
import type { SourceState } from '../../../../../dashboard/wire/source.ts';
import { StatusError } from '../../../../../shared/kube/errors/status-error.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const ignored = (): void => undefined;

const [NODES, ZONES, PODS] = ['/api/v1/nodes', '/apis/rollcall.dev/v1/zones', '/api/v1/pods'];

const setUp = () => {
  let round = new AbortController();
  let state: SourceState = { is: 'live', asOf: NOW };
  const source = {
    heard: ignored,
    caughtUp: ignored,
    state: () => state,
    asOf: () => state.asOf,
    silence: () => undefined,
    reconnect: ignored,
    round: () => round.signal,
    start: () => ignored,
  };
  const standing = createStanding(source, [NODES, ZONES]);
  const told = { onReset: ignored, onObject: ignored, onDeleted: ignored, onWhole: ignored };
  const followers = [NODES, ZONES].map((path) => standing.told(path, told));
  return {
    standing,
    pods: standing.teller(PODS),
    nodes: standing.told(NODES, told),
    /** All collections come. */
    come: (): void => {
      for (const one of followers) {
        one.onWhole();
        one.onAnswer();
      }
    },
    is: (given: SourceState): void => {
      state = given;
    },
    newRound: (): void => {
      round = new AbortController();
    },
  };
};

describe('how the collections that are followed stand', () => {
  it('is what the source says when all have come', () => {
    const { standing, come } = setUp();
    expect(standing.state().is).toBe('reading');
    come();
    expect(standing.state()).toEqual({ is: 'live', asOf: NOW });
  });

  it('is not live before its own collections have come again, even if the source is, and its instant stands still', () => {
    const { standing, come, is, newRound } = setUp();
    come();
    standing.state();
    newRound();
    is({ is: 'live', asOf: NOW + 60_000 });
    expect(standing.state()).toEqual({ is: 'catching up', asOf: NOW });
    come();
    expect(standing.state()).toEqual({ is: 'live', asOf: NOW + 60_000 });
  });

  it('no longer says of a failure of before a silence that the API is lost, and is not live with it either', () => {
    const { standing, nodes, come, is, newRound } = setUp();
    come();
    nodes.onFailure(new Error('no answer'));
    expect(standing.state()).toEqual({ is: 'lost', asOf: NOW, since: NOW, reason: 'no answer' });
    newRound();
    is({ is: 'catching up', asOf: NOW + 5_000 });
    expect(standing.state()).toEqual({ is: 'catching up', asOf: NOW });
    nodes.onFailure(new Error('no answer again'));
    expect(standing.state()).toMatchObject({ is: 'lost', since: NOW, reason: 'no answer again' });
    come();
    is({ is: 'live', asOf: NOW + 9_000 });
    expect(standing.state()).toEqual({ is: 'live', asOf: NOW + 9_000 });
  });

  it('says a failure of now, even behind an older one of before the silence', () => {
    const { standing, nodes, pods, come, is, newRound } = setUp();
    come();
    pods.onFailure(new Error('of before'));
    is({ is: 'live', asOf: NOW + 1_000 });
    newRound();
    nodes.onFailure(new Error('of now'));
    expect(standing.state()).toMatchObject({ is: 'lost', reason: 'of now', asOf: NOW });
  });

  it('keeps a refusal over a silence: the API has answered it', () => {
    const { standing, pods, come, newRound } = setUp();
    come();
    pods.onFailure(new StatusError('Forbidden', 'pods are forbidden'));
    newRound();
    come();
    expect(standing.state()).toMatchObject({ is: 'refused', reason: 'pods are forbidden' });
    pods.onAnswer();
    expect(standing.state().is).toBe('live');
  });

  it('has an instant that does not jump ahead when the source is lost besides', () => {
    const { standing, nodes, come, is } = setUp();
    come();
    nodes.onFailure(new Error('no answer'));
    is({ is: 'lost', asOf: NOW + 30_000, since: NOW + 30_000 });
    expect(standing.state()).toEqual({ is: 'lost', asOf: NOW, since: NOW + 30_000 });
  });
});
