import { beforeEach, describe, expect, it } from 'vitest';
import type { TestApi } from '../../../support/servers/api.ts';
import { createTestApi, MERGE, statusOf } from '../../../support/servers/api.ts';

const PATH = '/apis/rollcall.dev/v1/nodemaintenances';
let api: TestApi;

beforeEach(() => {
  api = createTestApi();
});

const WEEKLY = {
  nodeSelector: { matchLabels: { rack: 'r7' } },
  schedule: '0 2 * * 0',
  durationSeconds: 14_400,
};
const create = (spec: object = WEEKLY) =>
  api.send('POST', PATH, { as: 'admin', body: { metadata: { name: 'rack-r7' }, spec } });

describe('NodeMaintenances', () => {
  it('have defaults', async () => {
    const { code, json } = await create();
    expect([code, json.spec]).toEqual([
      201,
      {
        ...WEEKLY,
        timeZone: 'Etc/UTC',
        plannedSeconds: 3_600,
        maxConcurrent: 1,
        doneWhen: 'Rebooted',
        uncordon: true,
      },
    ]);
    expect(json.metadata.generation).toBe(1);
  });

  it('keep what is given', async () => {
    const spec = {
      ...WEEKLY,
      timeZone: 'Europe/Berlin',
      maxConcurrent: '20%',
      doneWhen: 'Annotated',
      uncordon: false,
      suspend: true,
      startingDeadlineSeconds: 600,
      plannedSeconds: 0,
      drain: { timeoutSeconds: 1_800, force: true },
    };
    expect((await create(spec)).json.spec).toEqual(spec);
    const once = { nodeSelector: {}, startTime: '2026-03-08T02:00:00Z', durationSeconds: 60 };
    expect((await create(once)).code).toBe(409);
  });

  it('have a status that a client cannot set with the spec', async () => {
    await create();
    await api.send('PATCH', `${PATH}/rack-r7`, { as: 'admin', body: { status: { done: 7 } }, type: MERGE });
    expect((await api.send('GET', `${PATH}/rack-r7`, { as: 'admin' })).json.status).toEqual({});
  });

  const { schedule: _, ...unscheduled } = WEEKLY;
  const rows: readonly [string, object, string][] = [
    ['no selector', { ...WEEKLY, nodeSelector: undefined }, 'spec.nodeSelector: Required value'],
    ['no start', unscheduled, 'spec.schedule: Required value: either a schedule or a startTime is needed'],
    [
      'two starts',
      { ...WEEKLY, startTime: '2026-03-08T02:00:00Z' },
      'spec.startTime: Forbidden: may not be given together with a schedule',
    ],
    [
      'four fields',
      { ...WEEKLY, schedule: '0 2 * *' },
      'spec.schedule: Invalid value: "0 2 * *": expected exactly 5 fields',
    ],
    ['an interval', { ...WEEKLY, schedule: '@every 1h' }, 'must name times of day, not an interval'],
    ['a zone in the schedule', { ...WEEKLY, schedule: 'TZ=UTC 0 2 * * 0' }, 'use spec.timeZone instead'],
    [
      'no such zone',
      { ...WEEKLY, timeZone: 'Mars/Base' },
      'spec.timeZone: Invalid value: "Mars/Base": unknown time zone',
    ],
    ['no duration', { ...WEEKLY, durationSeconds: undefined }, 'spec.durationSeconds: Required value'],
    [
      'a short duration',
      { ...WEEKLY, durationSeconds: 1 },
      'spec.durationSeconds: Invalid value: 1: must be from 60 to 604800',
    ],
    [
      'no node at a time',
      { ...WEEKLY, maxConcurrent: 0 },
      'spec.maxConcurrent: Invalid value: 0: must be at least 1, or from 1% to 100%',
    ],
    ['too many percent', { ...WEEKLY, maxConcurrent: '101%' }, 'spec.maxConcurrent: Invalid value: "101%"'],
    [
      'no such end',
      { ...WEEKLY, doneWhen: 'Later' },
      'spec.doneWhen: Unsupported value: "Later": supported values: "Rebooted", "Annotated", "Drained"',
    ],
    [
      'a negative grace',
      { ...WEEKLY, drain: { gracePeriodSeconds: -1 } },
      'spec.drain.gracePeriodSeconds: Invalid value: -1',
    ],
  ];
  it.each(rows)('refuse %s, by field', async (_name, spec, text) => {
    expect(statusOf(await create(spec))).toEqual([422, 'Invalid', expect.stringContaining(text)]);
  });

  it('are shown as a Table', async () => {
    await create();
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const { json } = await api.send('GET', PATH, { as: 'admin', headers: { accept } });
    expect(json.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual([
      'Name',
      'Schedule',
      'Next',
      'State',
      'In Progress',
      'Waiting',
      'Done',
      'Failed',
      'Age',
      'Selector',
      'Max Concurrent',
      'Planned',
    ]);
    expect(json.rows[0].cells.slice(0, 4)).toEqual(['rack-r7', '0 2 * * 0', '<unset>', '<unknown>']);
  });
});
