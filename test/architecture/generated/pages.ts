/** All generated pages and blocks, each by its path. */
import { readFileSync } from 'node:fs';
import { type Assembly, synth } from '../../infrastructure/assembly.ts';
import { stackUnits } from '../../infrastructure/stack-units.ts';
import { commandsPage } from './commands-page.ts';
import { decisionsTable, eventsTable } from './index-tables.ts';
import { withBlock } from './markdown.ts';
import { metricsPage } from './metrics-page.ts';
import { importsTable, purposesTable, roomsPage } from './rooms-page.ts';
import { rulesPage } from './rules-page.ts';
import { settingsPage } from './settings-page.ts';
import { alarmsPage, controllersPage } from './stack-pages.ts';

type Pages = ReadonlyMap<string, string>;

const withBlocks = (path: string, blocks: Readonly<Record<string, string>>): string =>
  Object.entries(blocks).reduce(
    (page, [name, text]) => withBlock(page, name, text),
    readFileSync(path, 'utf8'),
  );

/** The pages that follow from the source alone. Pages with blocks keep all other text. */
export const sourcePages = async (): Promise<Pages> =>
  new Map([
    ['CONTRIBUTING.md', withBlocks('CONTRIBUTING.md', { rooms: purposesTable(), imports: importsTable() })],
    ['docs/architecture.md', withBlocks('docs/architecture.md', { rooms: purposesTable() })],
    ['docs/adr/README.md', withBlocks('docs/adr/README.md', { decisions: decisionsTable() })],
    ['docs/events.md', withBlocks('docs/events.md', { events: eventsTable() })],
    ['docs/reference/rooms.md', roomsPage()],
    ['docs/reference/settings.md', settingsPage()],
    ['docs/reference/metrics.md', await metricsPage()],
    ['docs/reference/commands.md', await commandsPage()],
    ['docs/reference/rules.md', rulesPage()],
  ]);

/** The stacks that `rollcall cost` knows, by their settings. */
const STACKS = { full: {}, lifecycle: { profile: 'lifecycle' }, none: { controllers: 'none' } };

const unitsOfStacks = async (): Promise<string> => {
  const units = Object.entries(STACKS).map(
    async ([name, settings]) => [name, await stackUnits(synth(settings))] as const,
  );
  return `${JSON.stringify(Object.fromEntries(await Promise.all(units)), null, 2)}\n`;
};

/** The pages and files that need a synthesized stack. */
export const stackPages = async (assembly: Assembly): Promise<Pages> =>
  new Map([
    ['docs/reference/controllers.md', controllersPage(assembly)],
    ['docs/reference/alarms.md', await alarmsPage(assembly)],
    ['cli/cost/stack-units.json', await unitsOfStacks()],
  ]);
