import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { alertGroups } from '../../../monitoring/alerts.ts';
import { rulesOf } from '../../../monitoring/rules.ts';
import { CONTROLLERS_LOADED, labelsNamedIn, labelsOfResult, problemsOf } from './known-series.ts';

const GROUPS = alertGroups(CONTROLLERS_LOADED);
const ALERTS = GROUPS.flatMap(({ alerts }) => alerts);
const SECTIONS = [...readFileSync('docs/runbook.md', 'utf8').matchAll(/^### (.+)$/gm)].map(
  ([, section = '']) => section,
);

/** Alarms about functions: a host has none, or another alert tells the same. */
const ON_AWS_ONLY = [
  'heartbeat-throttled',
  'heartbeats-table-throttled',
  'apiserver-busy',
  'node-eviction-age',
  'pods-age',
  'workloads-age',
  'scheduler-age',
  'volumes-age',
];

describe('the alert rules', () => {
  it('are the file that Prometheus loads; otherwise run `node monitoring/write.ts`', () => {
    const file = readFileSync('monitoring/rollcall.rules.yaml', 'utf8');
    expect(parse(file)).toEqual(rulesOf(GROUPS));
  });

  it('lead to a section of the runbook, and each section has an alert, or is about functions', () => {
    const led = new Set(ALERTS.map(({ section }) => section));
    expect([...led].toSorted()).toEqual(
      SECTIONS.filter((section) => !ON_AWS_ONLY.includes(section)).toSorted(),
    );
    expect(ON_AWS_ONLY.filter((name) => !SECTIONS.includes(name))).toEqual([]);
  });

  it.each(ALERTS)('$name asks for metrics and labels that exist', ({ expr, summary }) => {
    expect(problemsOf(expr)).toEqual([]);
    const labels = labelsOfResult(expr);
    const named = [...summary.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label);
    expect(named.filter((label) => !labels.includes(label))).toEqual([]);
    expect(labelsNamedIn(summary).filter((label) => !labels.includes(label))).toEqual([]);
    expect(summary).toMatch(/\.$/);
  });
});
