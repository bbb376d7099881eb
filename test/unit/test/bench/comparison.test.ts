import { describe, expect, it } from 'vitest';
import { tableOf } from '../../../bench/figures/table.ts';
import { compare } from '../../../bench/side/comparison.ts';
import { countsOf } from '../../../bench/side/counts.ts';
import type { Round, TaskUse } from '../../../bench/side/round.ts';

const aTask = (task: Partial<TaskUse> = {}): TaskUse => ({
  rate: 100,
  p50Ms: 10,
  p99Ms: 20,
  cpuMs: 2,
  writtenKb: 8,
  client: 0.3,
  ...task,
});

const aRound = (tasks: Partial<Round['tasks']> = {}, residentMb = 200): Round => ({
  tasks: {
    nodes: aTask(),
    renewals: aTask(),
    tables: aTask(),
    deletions: aTask(),
    pods: aTask(),
    ...tasks,
  },
  residentMb,
  idle: 0.01,
});

const withNodeRates = (...rates: readonly number[]): readonly Round[] =>
  rates.map((rate) => aRound({ nodes: aTask({ rate }) }));

const figureOf = (figures: ReturnType<typeof compare>, name: string) =>
  figures.find((figure) => figure.name === name);

const lineOf = (figures: ReturnType<typeof compare>, name: string): string =>
  tableOf([{ heading: 'side', figures }]).find((line) => line.trimStart().startsWith(name)) ?? '';

describe('a host beside Kubernetes', () => {
  it('compares the medians of both, whatever the order of the rounds', () => {
    const figures = compare({
      rollcall: withNodeRates(10, 900, 800),
      kubernetes: withNodeRates(5_000, 300, 400),
    });
    expect(figureOf(figures, 'Nodes created: rate')).toMatchObject({
      value: 800,
      min: 10,
      ratio: { value: 2, to: "Kubernetes' 400" },
    });
    expect(figureOf(figures, 'Rollcall to Kubernetes: Nodes created a second')).toMatchObject({
      value: 2,
      unit: '×',
      note: '800 to 400',
    });
  });

  it('has no ratio to what Kubernetes does not take', () => {
    const side = [aRound({ tables: aTask({ writtenKb: 0 }) })];
    const figure = figureOf(
      compare({ rollcall: side, kubernetes: side }),
      'Tables of Nodes: written for each',
    );
    expect(figure).toEqual({
      name: 'Tables of Nodes: written for each',
      unit: 'KB',
      value: 0,
      min: 0,
      samples: 1,
      note: "Kubernetes' is 0",
    });
  });

  it.each([
    ['Nodes created a second', { nodes: aTask({ rate: 150 }) }, '✓'],
    ['Nodes created a second', { nodes: aTask({ rate: 149 }) }, '✗'],
    ['pods created and bound a second', { pods: aTask({ rate: 149 }) }, '✗'],
    ['Tables of Nodes a second', { tables: aTask({ rate: 100 }) }, '✓'],
    ['Leases renewed a second', { renewals: aTask({ rate: 249 }) }, '✗'],
    ['Leases renewed per processor second', { renewals: aTask({ cpuMs: 0.4 }) }, '✓'],
    ['Leases renewed per processor second', { renewals: aTask({ cpuMs: 0.41 }) }, '✗'],
    ['Nodes deleted a second', { deletions: aTask({ rate: 99 }) }, '✗'],
  ])('marks %s with %j as %s', (name, tasks, mark) => {
    const figures = compare({ rollcall: [aRound(tasks)], kubernetes: [aRound()] });
    expect(lineOf(figures, `Rollcall to Kubernetes: ${name}`)).toContain(mark);
  });

  it.each([
    [120, '✓'],
    [121, '✗'],
  ])('wants three fifths of the memory at most: %d of 200 MB is %s', (residentMb, mark) => {
    const figures = compare({ rollcall: [aRound({}, residentMb)], kubernetes: [aRound()] });
    expect(lineOf(figures, 'Rollcall to Kubernetes: memory')).toContain(mark);
  });

  it.each([
    [0.8, undefined],
    [0.81, 'the client is what is measured'],
  ])('warns of a client that took more than 0.8 of a core in any round: %d', (client, note) => {
    const busy = aRound({ pods: aTask({ client }) });
    const figures = compare({ rollcall: [aRound(), aRound(), aRound()], kubernetes: [aRound(), busy] });
    expect(figureOf(figures, 'pods created and bound: the client itself')?.note).toBe(note);
    expect(figureOf(figures, 'Nodes created: the client itself')?.note).toBeUndefined();
  });
});

describe('the counts of a round', () => {
  it('shrink together for a trial, and none becomes 0', () => {
    expect(countsOf(1)).toMatchObject({ nodes: 5_000, pods: 3_000, renewals: 20_000, leases: 2_000 });
    expect(countsOf(0.02)).toMatchObject({ nodes: 100, pods: 60, renewals: 400, leases: 40, tables: 1 });
  });
});
