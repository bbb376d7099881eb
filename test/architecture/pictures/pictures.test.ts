/** The pictures and tables of the documentation are made by the code that they show. `npm run pictures` makes them again. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { NODE_LIFECYCLE_DEFAULTS } from '../../../shared/settings/node-lifecycle.ts';
import { builtInScenario } from '../../../simulation/built-in.ts';
import { simulate } from '../../../simulation/simulate.ts';
import { nodeHealthPicture } from './node-health.ts';
import { conditionTaintsTable, zoneRatesTable } from './tables.ts';
import { zoneOutagePicture } from './zone-outage.ts';
import { zoneStatesPicture } from './zone-states.ts';

const MINUTE = 60_000;
const DRAW = process.env['ROLLCALL_DRAW'] === '1';

const check = (path: string, drawn: string): void => {
  if (DRAW) writeFileSync(path, drawn);
  expect(readFileSync(path, 'utf8')).toBe(drawn);
};

/** The page with what its comment announces: a fenced block, or a table. */
const withPicture = (page: string, name: string, drawn: string): string => {
  const [before, after, ...others] = page.split(`<!-- picture: ${name} -->\n\n`);
  if (after === undefined || others.length > 0) throw new Error(`the page has no one place for ${name}`);
  const end = /^(```\w+\n[\s\S]*?^```|(?:\|.*\n?)+)/m.exec(after)?.[0].trimEnd().length ?? 0;
  return `${before}<!-- picture: ${name} -->\n\n${drawn}${after.slice(end)}`;
};

it('docs/images/zone-outage.svg is a run of the scenario', async () => {
  const simulated = await simulate(builtInScenario('zone-outage'), { seed: 1 });
  const svg = zoneOutagePicture({ simulated, zone: 'b', fromMs: 3 * MINUTE, untilMs: 13 * MINUTE });
  check('docs/images/zone-outage.svg', svg);
});

it('docs/images/zone-states.svg is what the rule says of each zone', () => {
  check('docs/images/zone-states.svg', zoneStatesPicture(NODE_LIFECYCLE_DEFAULTS.unhealthyZoneThreshold));
});

it.each([
  ['docs/concepts/nodes.md', 'node-health', () => `\`\`\`mermaid\n${nodeHealthPicture()}\n\`\`\``],
  ['docs/concepts/taints.md', 'condition-taints', conditionTaintsTable],
  ['docs/concepts/zones.md', 'zone-rates', () => zoneRatesTable(NODE_LIFECYCLE_DEFAULTS)],
])('%s shows %s as the rule has it', (path, name, draw) => {
  check(path, withPicture(readFileSync(path, 'utf8'), name, draw()));
});
