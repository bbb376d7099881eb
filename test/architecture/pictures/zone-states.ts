/** The picture of the states of a zone: each size of a zone by each number of its nodes that are not ready. */
import { computeZoneState, type ZoneState } from '../../../shared/rules/zones/zone-state.ts';

const MOST = 24;
const CELL = 18;
const LEFT = 56;
const TOP = 40;

const STYLE = `
  text { font: 12px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: #24292f; }
  .small { font-size: 11px; fill: #57606a; }
  .Normal { fill: #4c9f70; } .PartialDisruption { fill: #f2c14e; } .FullDisruption { fill: #c8413b; }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3; } .small { fill: #9198a1; } }`;

const STATES: readonly ZoneState[] = ['Normal', 'PartialDisruption', 'FullDisruption'];

const cell = (size: number, notReady: number, state: ZoneState): string =>
  `<rect class="${state}" x="${LEFT + (size - 1) * CELL}" y="${TOP + (MOST - notReady) * CELL}" width="${CELL - 2}" height="${CELL - 2}" rx="2"/>`;

const column = (size: number, unhealthyZoneThreshold: number): readonly string[] =>
  Array.from({ length: size + 1 }, (_, notReady) =>
    cell(size, notReady, computeZoneState({ ready: size - notReady, notReady }, { unhealthyZoneThreshold })),
  );

const legend = (): readonly string[] =>
  STATES.map(
    (state, index) =>
      `<rect class="${state}" x="${LEFT + index * 150}" y="10" width="14" height="14" rx="2"/><text x="${LEFT + 20 + index * 150}" y="22">${state}</text>`,
  );

const ruler = (): readonly string[] =>
  [1, 6, 12, 18, 24].flatMap((count) => [
    `<text class="small" x="${LEFT + (count - 0.5) * CELL}" y="${TOP + (MOST + 1) * CELL + 14}" text-anchor="middle">${count}</text>`,
    `<text class="small" x="${LEFT - 8}" y="${TOP + (MOST - count) * CELL + 13}" text-anchor="end">${count}</text>`,
  ]);

/** Zones of up to 24 nodes as an SVG. The threshold is a share of nodes. */
export const zoneStatesPicture = (unhealthyZoneThreshold: number): string => {
  const [width, height] = [LEFT + MOST * CELL + 16, TOP + (MOST + 1) * CELL + 44];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-label="State of a zone by its size and its nodes that are not ready">`,
    `<style>${STYLE}</style>`,
    ...legend(),
    ...Array.from({ length: MOST }, (_, index) => column(index + 1, unhealthyZoneThreshold)).flat(),
    ...ruler(),
    `<text class="small" x="${LEFT}" y="${height - 10}">nodes of the zone; upwards: those that are not ready</text>`,
    '</svg>',
    '',
  ].join('\n');
};
