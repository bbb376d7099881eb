import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { dashboardOf } from '../../../monitoring/dashboard.ts';
import { ROWS } from '../../../monitoring/panels.ts';
import { labelsNamedIn, labelsOfResult, problemsOf } from './known-series.ts';

const DASHBOARD = dashboardOf(ROWS);
const PANELS = DASHBOARD.panels;
const QUERIES = ROWS.flatMap(({ panels }) =>
  panels.flatMap(({ title, queries }) => queries.map(([expr, legend]) => ({ title, expr, legend }))),
);

it.each([
  ['rollcall_nodez', 'there is no metric rollcall_nodez'],
  ['sum(rate(rollcall_nodes{node="n1"}[5m]))', 'rollcall_nodes has no label node'],
  ['sum by (queue) (rollcall_nodes)', 'no metric of sum by (queue) (rollcall_nodes) has the label queue'],
  ['rollcall_commit_duration_seconds', 'there is no metric rollcall_commit_duration_seconds'],
  ['time() - foo > 3 or vector(0)', 'there is no metric foo'],
])('the check of queries refuses %s', (expr, problem) => expect(problemsOf(expr)).toEqual([problem]));

describe('the dashboard for Grafana', () => {
  it('is the file that is imported; otherwise run `node monitoring/write.ts`', () => {
    const file = readFileSync('monitoring/rollcall.json', 'utf8');
    expect(JSON.parse(file)).toEqual(JSON.parse(JSON.stringify(DASHBOARD)));
  });

  it.each(QUERIES)('$title: $expr names metrics and labels that exist', ({ expr, legend }) => {
    expect(problemsOf(expr)).toEqual([]);
    const labels = labelsOfResult(expr);
    expect(labelsNamedIn(legend).filter((label) => !labels.includes(label))).toEqual([]);
  });

  it('has panels with ids of their own, which do not overlap and stay in the grid', () => {
    expect(new Set(PANELS.map(({ id }) => id)).size).toBe(PANELS.length);
    const taken = new Set<string>();
    for (const { gridPos } of PANELS) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(taken.has(`${x} ${y}`)).toBe(false);
          taken.add(`${x} ${y}`);
        }
    }
  });

  it('asks the data source of its variable, and knows no other variables than its own', () => {
    const names = DASHBOARD.templating.list.map(({ name }) => name);
    const used = [...JSON.stringify(DASHBOARD).matchAll(/\$(\w+)/g)].map(([, name = '']) => name);
    expect(used.filter((name) => !name.startsWith('__') && !names.includes(name))).toEqual([]);
    for (const panel of PANELS)
      if ('targets' in panel)
        for (const { datasource } of [panel, ...panel.targets]) expect(datasource.uid).toBe('$datasource');
  });

  it('has a unit for each panel, and a question as the title of each row', () => {
    for (const panel of PANELS) if ('targets' in panel) expect(panel.fieldConfig.defaults.unit).not.toBe('');
    for (const { title } of ROWS) expect(title).toMatch(/^[A-Z].*\?$/);
  });
});
