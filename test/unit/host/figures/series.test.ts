import { describe, expect, it } from 'vitest';
import { hostSeries } from '../../../../host/figures/host-metrics.ts';
import { loadControllers } from '../../../../lambdas/controllers.ts';

const controllers = await loadControllers();
const SERIES = Object.entries(hostSeries(controllers.flatMap(({ work }) => work.metrics)));

/** Kubernetes' own names that do not end as Prometheus asks for. */
const NAMED_BY_KUBERNETES = [
  'attach_detach_controller_attachdetach_controller_forced_detaches',
  'pv_collector_volume_operation_total_errors',
];

describe('the series of a host', () => {
  it('have no label whose values grow with the fleet', () => {
    const labels = new Set(SERIES.flatMap(([, { labels: own = [] }]) => own));
    expect([...labels].filter((label) => /^(node|pod|name|uid|instance|user|path)$/.test(label))).toEqual([]);
  });

  it('have names by which Prometheus tells a counter, and texts that are sentences', () => {
    const isOdd = ([name, { kind, help }]: (typeof SERIES)[number]): boolean =>
      !help.endsWith('.') || (kind === 'counter') !== name.endsWith('_total');
    expect(SERIES.filter(isOdd).map(([name]) => name)).toEqual(expect.arrayContaining(NAMED_BY_KUBERNETES));
    expect(SERIES.filter(isOdd)).toHaveLength(NAMED_BY_KUBERNETES.length);
  });

  it('have buckets in ascending order', () => {
    for (const [, { buckets = [] }] of SERIES) expect(buckets).toEqual(buckets.toSorted((a, b) => a - b));
  });
});
