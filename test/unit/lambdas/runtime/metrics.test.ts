import { Metrics } from '@aws-lambda-powertools/metrics';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { composeSchedule, type ScheduleEvent } from '../../../../lambdas/runtime/compose-schedule.ts';
import { emit, invocationMetrics } from '../../../../lambdas/runtime/metrics.ts';
import { logger } from '../../../../lambdas/runtime/observability.ts';
import { tell } from '../../../../lambdas/runtime/tell.ts';
import { measured, subsystem } from '../../../../shared/ports/process/metrics.ts';
import { contextWith, eventOf } from './events.ts';

const SCHEDULE = eventOf<ScheduleEvent>('schedule');
const { counter, gauge, histogram } = subsystem('test');
const FLIPS = counter('flips', 'Flips.');
const CONFLICTS = counter('conflicts', 'Conflicts.');
const SILENT = gauge('silent', 'Silent nodes.');
const PASS = histogram('pass', 'Seconds of a pass.');
const ZONE_SIZE = gauge('zone_size', 'Nodes of a zone.');
const ZONE_HEALTH = gauge('zone_health', 'Healthy nodes of a zone.');
const EVICTIONS = counter('evictions', 'Evictions per zone.');

const published: Record<string, unknown>[] = [];

beforeEach(() => {
  vi.stubEnv('ZONE_METRICS', 'on');
  vi.spyOn(logger, 'error').mockImplementation(() => {});
  vi.spyOn(Metrics.prototype, 'publishStoredMetrics').mockImplementation(function (this: Metrics) {
    published.push({ ...this.serializeMetrics() });
    this.clearMetrics();
    this.clearDimensions();
    return this;
  });
  // What tests of other files have counted outside of an invocation, in the same process.
  invocationMetrics().after();
  published.length = 0;
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  published.length = 0;
});

const run = (work: () => Promise<void>) => composeSchedule(work)(SCHEDULE, contextWith());

const inZones = (values: Readonly<Record<string, number>>) =>
  Object.entries(values).map(([zone, value]) => ({ labels: { zone }, value }));

/** Values and dimensions of each line, without what Powertools adds. */
const lines = () =>
  published.map(({ _aws, ...values }) => {
    const [{ Dimensions }] = (_aws as { CloudWatchMetrics: [{ Dimensions: string[][] }] }).CloudWatchMetrics;
    delete values['service'];
    return { dimensions: Dimensions, ...values };
  });

describe('metrics', () => {
  it('are written once per invocation, if they are not zero', async () => {
    await run(async () => {
      emit([measured(FLIPS, 2), measured(CONFLICTS, 0), measured(SILENT, 0), measured(PASS, 0.25)]);
    });
    expect(lines()).toEqual([{ dimensions: [['service']], flips: 2, pass: 0.25 }]);
  });

  it('of a gauge are written once more when it becomes zero', async () => {
    for (const value of [0, 3, 2, 0, 0, 1, 0]) await run(async () => emit([measured(SILENT, value)]));
    expect(lines().map((line) => Object.values(line)[1])).toEqual([3, 2, 0, 1, 0]);
  });

  it('of a gauge are written each time if its absence means something', async () => {
    const lag = { ...gauge('lag', 'Lag.'), isSignOfLife: true } as const;
    for (const value of [0, 0, 5, 0]) await run(async () => emit([measured(lag, value)]));
    expect(lines().map((line) => Object.values(line)[1])).toEqual([0, 0, 5, 0]);
  });

  it('of a gauge with labels are written once more for each set of labels that becomes zero', async () => {
    for (const zones of [
      { a: 1, b: 0 },
      { a: 0, b: 2 },
      { a: 0, b: 0 },
    ])
      await run(async () => emit([{ metric: ZONE_SIZE, samples: inZones(zones) }]));
    const found = lines().map((line) =>
      'zone' in line && 'zone_size' in line ? [line.zone, line.zone_size] : [],
    );
    expect(found).toEqual([
      ['a', 1],
      ['a', 0],
      ['b', 2],
      ['b', 0],
    ]);
  });

  it('are written even if the run fails', async () => {
    const failing = run(async () => {
      emit([measured(FLIPS, 1)]);
      throw new Error('no table');
    });
    await expect(failing).rejects.toThrow('no table');
    expect(lines()).toEqual([{ dimensions: [['service']], flips: 1 }]);
  });

  it('are not written if there are none', async () => {
    await run(async () => emit([{ metric: PASS, samples: [] }]));
    expect(published).toEqual([]);
  });

  it('with labels are written in a line for each set of labels', async () => {
    await run(async () => {
      emit([
        { metric: ZONE_SIZE, samples: inZones({ a: 3, b: 4 }) },
        { metric: ZONE_HEALTH, samples: inZones({ a: 100, b: 50 }) },
      ]);
    });
    expect(lines()).toEqual([
      { dimensions: [['service', 'zone']], zone: 'a', zone_size: 3, zone_health: 100 },
      { dimensions: [['service', 'zone']], zone: 'b', zone_size: 4, zone_health: 50 },
    ]);
  });

  it('of zones are left out unless the setting wants them, and counted without labels all the same', async () => {
    vi.stubEnv('ZONE_METRICS', undefined);
    await run(async () =>
      emit([
        { metric: ZONE_SIZE, samples: inZones({ a: 3 }) },
        { metric: EVICTIONS, samples: inZones({ a: 1, b: 1 }) },
        { metric: SILENT, samples: [{ labels: { queue: 'q' }, value: 2 }] },
      ]),
    );
    expect(lines()).toEqual([
      { dimensions: [['service', 'queue']], queue: 'q', silent: 2 },
      { dimensions: [['service']], evictions: [1, 1] },
    ]);
  });

  it('that count by labels are counted without labels, too', async () => {
    await run(async () => emit([{ metric: EVICTIONS, samples: inZones({ a: 1, b: 0 }) }]));
    expect(lines()).toEqual([
      { dimensions: [['service', 'zone']], zone: 'a', evictions: 1 },
      { dimensions: [['service']], evictions: 1 },
    ]);
  });
});

describe('a report', () => {
  it('is written as metrics and as log lines', async () => {
    const error = new Error('no table');
    await run(async () =>
      tell(
        {
          metricsOf: (flips: number) => [measured(FLIPS, flips)],
          linesOf: () => [{ level: 'error', message: 'failed', fields: { node: 'n1', error } }],
        },
        3,
      ),
    );
    expect(lines()).toEqual([{ dimensions: [['service']], flips: 3 }]);
    expect(logger.error).toHaveBeenCalledWith('failed', { node: 'n1', error });
  });
});
