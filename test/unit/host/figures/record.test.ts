import { describe, expect, it } from 'vitest';
import { createHostMetrics } from '../../../../host/figures/host-metrics.ts';
import { record } from '../../../../host/figures/record.ts';
import type { LogLine, Measurement } from '../../../../shared/ports/process/metrics.ts';
import { measured, subsystem } from '../../../../shared/ports/process/metrics.ts';

const { counter, gauge, histogram } = subsystem('node_collector');
const SIZE = gauge('zone_size', 'Nodes of a zone.', ['zone']);
const EVICTIONS = counter('evictions_total', 'Evictions per zone.', ['zone']);
const PASS = histogram('pass_seconds', 'Seconds of a pass.');

const aHost = () => {
  const metrics = createHostMetrics([SIZE, EVICTIONS, PASS]);
  const logged: unknown[] = [];
  const write =
    (level: string) =>
    (message: string, fields: object = {}): void =>
      void logged.push([level, message, fields]);
  const hostLog = { info: write('info'), warn: write('warn'), error: write('error') };
  const tell = (measurements: readonly Measurement[], lines: readonly LogLine[] = []): void =>
    record({ metrics, hostLog }, { measurements, lines });
  const samples = (): readonly string[] =>
    metrics
      .text()
      .split('\n')
      .filter((line) => line.startsWith('node_collector_'));
  return { tell, samples, logged };
};

const inZones = (values: Readonly<Record<string, number>>) =>
  Object.entries(values).map(([zone, value]) => ({ labels: { zone }, value }));

describe('the report of a run', () => {
  it('has metrics with the name of its subsystem', () => {
    const { tell, samples } = aHost();
    tell([measured(PASS, 0.25), { metric: EVICTIONS, samples: inZones({ a: 1 }) }]);
    tell([{ metric: EVICTIONS, samples: inZones({ a: 1, b: 1 }) }]);
    expect(samples()).toEqual(
      expect.arrayContaining([
        'node_collector_evictions_total{zone="a"} 2',
        'node_collector_evictions_total{zone="b"} 1',
        'node_collector_pass_seconds_sum 0.25',
      ]),
    );
  });

  it('replaces all samples of a gauge, so that a zone that no longer exists has none', () => {
    const { tell, samples } = aHost();
    tell([{ metric: SIZE, samples: inZones({ a: 3, b: 2 }) }]);
    tell([measured(PASS, 1)]);
    expect(samples().filter((line) => line.includes('zone_size'))).toHaveLength(2);
    tell([{ metric: SIZE, samples: inZones({ b: 5 }) }]);
    expect(samples().filter((line) => line.includes('zone_size'))).toEqual([
      'node_collector_zone_size{zone="b"} 5',
    ]);
    tell([{ metric: SIZE, samples: [] }]);
    expect(samples().filter((line) => line.includes('zone_size'))).toEqual([]);
  });

  it('is logged if it is an error', () => {
    const { tell, logged } = aHost();
    const fields = { node: 'n1', error: new Error('no table') };
    tell(
      [],
      [
        { level: 'info', message: 'health pass finished', fields: {} },
        { level: 'error', message: 'failed to read or write node', fields },
      ],
    );
    expect(logged).toEqual([['error', 'failed to read or write node', fields]]);
  });
});
