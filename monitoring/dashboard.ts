/** The dashboard as Grafana imports it. */
import type { Panel, Row, Unit } from './panels.ts';

/** Grafana's grid has 24 columns. */
const PER_ROW = 3;
const WIDTH = 8;
const HEIGHT = 7;

const DATASOURCE = { type: 'prometheus', uid: '$datasource' };

interface Place {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

const targetsOf = ({ queries, kind }: Panel) =>
  queries.map(([expr, legendFormat], index) => ({
    refId: String.fromCodePoint(65 + index),
    datasource: DATASOURCE,
    expr,
    legendFormat,
    ...(kind === 'table' ? { format: 'table', instant: true } : {}),
  }));

const fieldConfigOf = (unit: Unit) => ({ defaults: { unit, min: 0 }, overrides: [] });

const panelOf = (panel: Panel, id: number, gridPos: Place) => ({
  id,
  type: panel.kind,
  title: panel.title,
  gridPos,
  datasource: DATASOURCE,
  ...(panel.description === undefined ? {} : { description: panel.description }),
  fieldConfig: fieldConfigOf(panel.unit),
  targets: targetsOf(panel),
});

const placeOf = (index: number, top: number): Place => ({
  x: (index % PER_ROW) * WIDTH,
  y: top + Math.floor(index / PER_ROW) * HEIGHT,
  w: WIDTH,
  h: HEIGHT,
});

const heightOf = ({ panels }: Row): number => 1 + Math.ceil(panels.length / PER_ROW) * HEIGHT;

/** The title of a row and its panels. `top` is the first line of the grid that is free, `id` the first id. */
const panelsOf = (row: Row, top: number, id: number) => [
  { id, type: 'row', title: row.title, collapsed: false, gridPos: { x: 0, y: top, w: 24, h: 1 }, panels: [] },
  ...row.panels.map((panel, index) => panelOf(panel, id + 1 + index, placeOf(index, top + 1))),
];

const allPanels = (rows: readonly Row[]) => {
  let [top, id] = [0, 1];
  return rows.flatMap((row) => {
    const panels = panelsOf(row, top, id);
    [top, id] = [top + heightOf(row), id + panels.length];
    return panels;
  });
};

const datasourceVariable = {
  name: 'datasource',
  label: 'Prometheus',
  type: 'datasource',
  query: 'prometheus',
};

const zoneVariable = {
  name: 'zone',
  label: 'Zone',
  type: 'query',
  datasource: DATASOURCE,
  multi: true,
  includeAll: true,
  query: { query: 'label_values(rollcall_nodes, zone)', refId: 'zone' },
  allValue: '.*',
  current: { text: 'All', value: '$__all' },
  refresh: 2,
  sort: 1,
};

/** The model of a dashboard with these rows, for Grafana 10 and newer. */
export const dashboardOf = (rows: readonly Row[]) => ({
  uid: 'rollcall',
  title: 'Rollcall',
  tags: ['rollcall'],
  schemaVersion: 39,
  version: 1,
  editable: true,
  refresh: '10s',
  time: { from: 'now-1h', to: 'now' },
  timezone: 'browser',
  templating: { list: [datasourceVariable, zoneVariable] },
  annotations: { list: [] },
  panels: allPanels(rows),
});
