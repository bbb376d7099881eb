/** Counts and times requests. The text of their labels is made once for each combination of them, of which there are few. */
import { RESOURCE_VERBS, type RequestInfo } from '../../shared/apiserver/contract/request-info.ts';
import { RESOURCES } from '../../shared/apiserver/resources/resources.ts';
import type { MetricsRegistry } from '../../shared/serving/http/prometheus.ts';
import { REQUEST_SECONDS, REQUESTS } from './host-metrics.ts';

/** Records a request that was answered with `status` after so many seconds. */
export type RecordRequest = (info: RequestInfo, status: number, seconds: number) => void;

interface RequestLabels {
  /** Kubernetes' verb for a resource, the lower-case method for other paths; `other` for unknown methods. */
  readonly verb: string;
  /** `''` for a path without a resource, `other` for a resource that is not served. */
  readonly resource: string;
  readonly subresource: string;
}

const OTHER = 'other';
const VERBS = new Set<string>([
  ...RESOURCE_VERBS,
  'get',
  'head',
  'post',
  'put',
  'patch',
  'delete',
  'options',
]);

const SUBRESOURCES = new Map<string, ReadonlySet<string>>();
for (const { resource, subresources } of RESOURCES)
  SUBRESOURCES.set(
    resource,
    new Set(['', ...(SUBRESOURCES.get(resource) ?? []), ...Object.keys(subresources)]),
  );

const verbLabel = (verb: string): string => (VERBS.has(verb) ? verb : OTHER);

/** Metric labels of a request. Their values come from fixed sets, because clients can send any path. */
export const requestLabelsOf = (info: RequestInfo): RequestLabels => {
  const verb = verbLabel(info.verb);
  if (info.kind === 'path') return { verb, resource: '', subresource: '' };
  const served = SUBRESOURCES.get(info.resource);
  if (!served) return { verb, resource: OTHER, subresource: '' };
  return {
    verb,
    resource: info.resource,
    subresource: served.has(info.subresource) ? info.subresource : OTHER,
  };
};

export const createRequestSeries = (metrics: MetricsRegistry): RecordRequest => {
  const known = new Map<string, (seconds: number) => void>();
  const seriesOf = (labels: Readonly<Record<string, string>>, code: string) => {
    const count = metrics.counter(REQUESTS, { ...labels, code });
    const time = metrics.timer(REQUEST_SECONDS, labels);
    return (seconds: number): void => {
      count();
      time(seconds);
    };
  };
  return (info, status, seconds) => {
    const labels = requestLabelsOf(info);
    const key = `${labels.verb} ${labels.resource} ${labels.subresource} ${status}`;
    let series = known.get(key);
    if (!series) {
      series = seriesOf({ ...labels }, String(status));
      known.set(key, series);
    }
    series(seconds);
  };
};
