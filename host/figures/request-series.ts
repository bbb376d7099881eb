/** Counts and times requests. The text of their labels is made once for each combination of them, of which there are few. */
import type { RequestInfo } from '../../shared/apiserver/contract/request-info.ts';
import type { MetricsRegistry } from '../../shared/serving/http/prometheus.ts';
import { REQUEST_SECONDS, REQUESTS } from './host-metrics.ts';
import { requestLabelsOf } from './request-labels.ts';

/** Records a request that was answered with `status` after so many seconds. */
export type RecordRequest = (info: RequestInfo, status: number, seconds: number) => void;

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
