import { expect, it } from 'vitest';
import { requestLabelsOf } from '../../../../host/figures/request-series.ts';
import { requestInfoOf } from '../../../../shared/apiserver/contract/request-info.ts';
import { createMetricsRegistry } from '../../../../shared/serving/http/prometheus.ts';

const labelsOf = (method: string, url: string): string => {
  const { pathname: path, searchParams: query } = new URL(url, 'http://api.test');
  const { verb, resource, subresource } = requestLabelsOf(requestInfoOf({ method, path, query }));
  return [verb, resource, subresource].join(' ').trim();
};

it.each([
  ['GET', '/api/v1/nodes', 'list nodes'],
  ['GET', '/api/v1/namespaces/default/pods?watch=1', 'watch pods'],
  ['PATCH', '/api/v1/nodes/n1/status', 'patch nodes status'],
  ['POST', '/apis/rollcall.dev/v1/nodes/n1/heartbeat', 'create nodes heartbeat'],
  ['GET', '/healthz', 'get'],
  ['POST', '/healthz', 'post'],
  ['PROPFIND', '/healthz', 'other'],
  ['GET', '/anything/that/comes/to/mind', 'get'],
  ['GET', '/api/v1/x1', 'list other'],
  ['GET', '/api/v1/x1/y/z', 'get other'],
  ['GET', '/api/v1/nodes/n1/z1', 'get nodes other'],
  ['GET', '/apis/g1/v9/x1', 'list other'],
  ['GET', '/api/v1/constructor', 'list other'],
  ['GET', '/api/v1/nodes/n1/constructor', 'get nodes other'],
])('%s %s is counted as %s', (method, url, labels) => {
  expect(labelsOf(method, url)).toBe(labels);
});

it('labels have only served values, whatever clients send', () => {
  const seen = new Set<string>();
  for (let index = 0; index < 3_000; index += 1)
    for (const path of [
      `/p${index}`,
      `/api/v1/r${index}/n/s${index}`,
      `/apis/g${index}/v1/nodes/n/s${index}`,
    ])
      seen.add(labelsOf(['GET', 'POST', 'MKCOL'][index % 3] ?? '', path));
  expect(seen.size).toBeLessThan(20);
});

it('a metric with very many label sets counts further ones together', () => {
  const metrics = createMetricsRegistry({
    seen: { kind: 'counter', help: 'What was seen.', labels: ['zone'] },
    took: { kind: 'histogram', help: 'Seconds.', labels: ['zone'] },
  });
  for (let index = 0; index < 5_000; index += 1) {
    metrics.add('seen', { zone: `z${index}` });
    metrics.observe('took', 0.01, { zone: `z${index}` });
  }
  metrics.add('seen', { zone: 'z1' });
  const lines = metrics.text().split('\n');
  expect(lines.filter((line) => line.startsWith('seen{'))).toHaveLength(2_001);
  expect(lines).toContain('seen{zone="z1"} 2');
  expect(lines).toContain('seen{zone="other"} 3000');
  expect(lines).toContain('took_count{zone="other"} 3000');
});
