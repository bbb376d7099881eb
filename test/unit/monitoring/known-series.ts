/** Holds queries to the series that a host has. */

import { hostSeries } from '../../../host/figures/host-metrics.ts';
import { loadControllers } from '../../../lambdas/controllers.ts';
import { groupingsOf, selectorsOf } from './promql.ts';

export const CONTROLLERS_LOADED = await loadControllers();
const SERIES = hostSeries(CONTROLLERS_LOADED.flatMap(({ work }) => work.metrics));

/** Those that Prometheus itself makes. */
const OF_PROMETHEUS = new Map([['up', []]]);
const OF_TARGETS = ['job', 'instance'];

/** The labels of a series, as it stands on the page; `undefined`: there is none of that name. */
const labelsOf = (name: string): readonly string[] | undefined => {
  const own = SERIES[name];
  if (own && own.kind !== 'histogram') return own.labels ?? [];
  const histogram = SERIES[name.replace(/_(bucket|sum|count)$/, '')];
  if (histogram?.kind === 'histogram' && name in SERIES === false)
    return [...(histogram.labels ?? []), ...(name.endsWith('_bucket') ? ['le'] : [])];
  return OF_PROMETHEUS.get(name);
};

/** What is wrong with an expression, in words; none for a good one. */
export const problemsOf = (expr: string): readonly string[] => {
  const selectors = selectorsOf(expr);
  const known = selectors.flatMap(({ metric }) => labelsOf(metric) ?? []);
  const unknown = selectors.flatMap(({ metric, labels }) => {
    const own = labelsOf(metric);
    if (!own) return [`there is no metric ${metric}`];
    return [...labels]
      .filter((label) => ![...own, ...OF_TARGETS].includes(label))
      .map((label) => `${metric} has no label ${label}`);
  });
  const groupings = groupingsOf(expr).filter((label) => ![...known, ...OF_TARGETS].includes(label));
  return [...unknown, ...groupings.map((label) => `no metric of ${expr} has the label ${label}`)];
};

/** Every name in `{{ }}` of a legend, or `$labels.name` of an annotation. */
export const labelsNamedIn = (text: string): readonly string[] =>
  [...text.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}/g)].map(([, label = '']) => label);

/** Labels that a result of this expression may have. */
export const labelsOfResult = (expr: string): readonly string[] =>
  selectorsOf(expr).flatMap(({ metric }) => labelsOf(metric) ?? []);
