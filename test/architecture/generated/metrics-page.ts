/** The tables of metrics, by the question that they answer. */
import { hostSeries } from '../../../host/figures/host-metrics.ts';
import { loadControllers } from '../../../lambdas/controllers.ts';
import { code, pageOf, tableOf } from './markdown.ts';
import { METRIC_GROUPS, type MetricGroup } from './metric-groups.ts';

type Series = ReturnType<typeof hostSeries>;

const INTRO = `\`rollcall serve\` serves \`/metrics\` in the text format of Prometheus, to identities that may read everything (the administrator's token, or a ServiceAccount of \`system:masters\`).
Names are those of Kubernetes where Kubernetes has the metric. Labels have few values: zones, queues, verbs, reasons, never a node or a pod; a metric with more than
2,000 series counts further ones as \`other\`.

\`\`\`yaml
scrape_configs:
  - job_name: rollcall
    scheme: https
    authorization: { credentials_file: .rollcall/admin.token }
    tls_config: { ca_file: .rollcall/ca.crt }
    static_configs: [{ targets: ["127.0.0.1:6443"] }]
\`\`\`

The [dashboard for Grafana](../observability.md#dashboard) and the [alert rules](../observability.md#alerts) use them. On AWS the metrics of the controllers are in CloudWatch, in the namespace of the stack and without
the prefix, with the function's name as the dimension \`service\`. A node's own \`/metrics\` are in [Agent](../agent.md).`;

const isIn = (name: string, pattern: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

/** The group of a series: the first that names it or, if none does, the first whose pattern it matches. Throws if none does either. */
export const groupOf = (name: string): MetricGroup => {
  const found =
    METRIC_GROUPS.find(({ series }) => series.includes(name)) ??
    METRIC_GROUPS.find(({ series }) => series.some((pattern) => isIn(name, pattern)));
  if (!found) throw new Error(`${name} is in no group of test/architecture/generated/metric-groups.ts`);
  return found;
};

const rowOf = ([name, { kind, labels = [], help }]: readonly [string, Series[string]]): readonly string[] => [
  code(name),
  kind,
  labels.map(code).join(', '),
  help,
];

const sectionOf = ({ question, note }: MetricGroup, series: Series): readonly string[] => {
  const own = Object.entries(series).filter(([name]) => groupOf(name).question === question);
  return [
    `## ${question}`,
    ...(note === undefined ? [] : [note]),
    tableOf(['name', 'type', 'labels', 'meaning'], own.map(rowOf)),
  ];
};

/** `docs/reference/metrics.md`. */
export const metricsPage = async (): Promise<string> => {
  const controllers = await loadControllers();
  const series = hostSeries(controllers.flatMap(({ work }) => work.metrics));
  return pageOf('Metrics of a host', INTRO, ...METRIC_GROUPS.flatMap((group) => sectionOf(group, series)));
};
