/** `npm run release -- VERSION|major|minor|patch [--date YYYY-MM-DD] [--dry-run]`: makes the commit and the tag of a release. */
import { parseArgs } from 'node:util';
import { planRelease } from './plan.ts';
import { readSources, record, recordingOf, refuseDirty, refuseTagged } from './tree.ts';

const USAGE = 'Usage: npm run release -- VERSION|major|minor|patch [--date YYYY-MM-DD] [--dry-run]';

const today = (): string => new Date().toISOString().slice(0, 10);

const isDay = (text: string): boolean => {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === text;
};

const parsedArguments = (args: readonly string[]) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { date: { type: 'string' }, 'dry-run': { type: 'boolean' } },
  });
  const [wanted, ...others] = positionals;
  const date = values.date ?? today();
  if (wanted === undefined || others.length > 0 || !isDay(date)) throw new Error(USAGE);
  return { wanted, date, isDry: values['dry-run'] === true };
};

const shownCommand = (args: readonly string[]): string =>
  ['git', ...args.map((arg) => (/[ ()]/.test(arg) ? `'${arg}'` : arg))].join(' ');

const release = (args: readonly string[]): string => {
  const { wanted, date, isDry } = parsedArguments(args);
  refuseDirty();
  const sources = readSources();
  const plan = planRelease(sources, wanted, date);
  refuseTagged(plan.version);
  if (isDry) return [plan.section, ...recordingOf(plan.version).map(shownCommand)].join('\n');
  record(plan);
  return `${plan.version} is committed and tagged; publish it with: git push --follow-tags`;
};

try {
  process.stdout.write(`${release(process.argv.slice(2))}\n`);
} catch (error) {
  process.stderr.write(`release: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
