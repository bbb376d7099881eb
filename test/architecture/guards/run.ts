/**
 * `npm run guards`: prints the guards as a table. `-- --sites NAME` lists what a guard counts, `-- --lower` stores the numbers
 * that fell.
 */
import { parseArgs } from 'node:util';
import { lowered, readNumbers, type Stored, writeNumbers } from './guard.ts';
import { GUARDS } from './guards.ts';

const { values } = parseArgs({ options: { sites: { type: 'string' }, lower: { type: 'boolean' } } });

// A reader such as `head` may go before all is printed.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code !== 'EPIPE') process.exitCode = 1;
});

const row = (name: string, ...numbers: readonly (number | string | undefined)[]): string =>
  `${name.padEnd(56)}${numbers.map((one) => String(one ?? '').padStart(8)).join('')}\n`;

const printTable = (
  measured: ReadonlyMap<string, number>,
  numbers: Readonly<Record<string, Stored>>,
): void => {
  process.stdout.write(row('guard', 'today', 'stored', 'target'));
  for (const [name, today] of measured)
    process.stdout.write(row(name, today, numbers[name]?.today, numbers[name]?.target));
};

const printSites = (wanted: string): void => {
  const found = GUARDS.find(({ name }) => name === wanted);
  if (!found) throw new Error(`no guard is named ${JSON.stringify(wanted)}`);
  for (const site of found.find()) process.stdout.write(`${site}\n`);
};

if (values.sites !== undefined) printSites(values.sites);
else {
  const measured = new Map(GUARDS.map(({ name, find }) => [name, find().length]));
  if (values.lower) writeNumbers(lowered(readNumbers(), measured));
  printTable(measured, readNumbers());
}
